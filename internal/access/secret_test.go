package access

import (
	"hash/crc32"
	"regexp"
	"strings"
	"testing"

	"stele/internal/label"
)

func TestSecretHasTheContractsForm(t *testing.T) {
	t.Parallel()
	for env, form := range map[Environment]string{
		Development: `^sk_dev_[0-9A-Za-z]{38}$`,
		Production:  `^sk_live_[0-9A-Za-z]{38}$`,
	} {
		seen := make(map[string]bool)
		for range 200 {
			s := newSecret(env)
			if !regexp.MustCompile(form).MatchString(s) || !isWellFormed(s) || seen[s] {
				t.Fatalf("%s: %q", env, s)
			}
			seen[s] = true
		}
	}
}

func TestChecksumIsCRC32InBase62(t *testing.T) {
	t.Parallel()
	const body = "sk_dev_00000000000000000000000000000000"
	n, want := crc32.ChecksumIEEE([]byte(body)), ""
	for range 6 {
		want = string("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[n%62]) + want
		n /= 62
	}
	if !isWellFormed(body + want) {
		t.Errorf("%s%s is refused", body, want)
	}
}

func TestEverySingleTypoIsCaught(t *testing.T) {
	t.Parallel()
	s := newSecret(Production)
	for i := range len(s) {
		for _, c := range letters + "_-" {
			if typo := s[:i] + string(c) + s[i+1:]; typo != s && isWellFormed(typo) {
				t.Errorf("%q passes for %q", typo, s)
			}
		}
	}
	for _, wrong := range []string{"", s[:len(s)-1], s + "0", strings.ToUpper(s), " " + s, s[8:], strings.Replace(s, "live", "dev", 1)} {
		if isWellFormed(wrong) {
			t.Errorf("%q passes", wrong)
		}
	}
}

func FuzzWellFormed(f *testing.F) {
	f.Add(newSecret(Development))
	f.Add("sk_live_")
	f.Fuzz(func(t *testing.T, text string) {
		if isWellFormed(text) && !regexp.MustCompile(`^sk_(dev|live)_[0-9A-Za-z]{38}$`).MatchString(text) {
			t.Errorf("%q passes", text)
		}
	})
}

func TestGlob(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		glob, yes, no string
	}{
		{"gpt-5", "gpt-5", "gpt-5-mini"},
		{"openai/*", "openai/a/b", "openai"},
		{"*", "anything/at:all", ""},
		{"*mini*", "gpt-5-mini-x", "gpt-5"},
		{"a?c", "a?c", "abc"},
		{"*a*a*a*b", "aaaab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
		{"Claude", "Claude", "claude"},
	} {
		if !label.Match(test.glob, test.yes) {
			t.Errorf("%q does not match %q", test.glob, test.yes)
		}
		if test.no != "" && label.Match(test.glob, test.no) {
			t.Errorf("%q matches %q", test.glob, test.no)
		}
	}
}
