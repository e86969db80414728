package label_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stele/internal/label"
)

func TestAModelIDIsPrintableAndChangesNoPath(t *testing.T) {
	t.Parallel()
	for _, id := range []string{
		"gpt-5", "openrouter/anthropic/claude-sonnet-4.5:beta", "llama3.2:3b-instruct-q4_K_M", "accounts/fireworks/models/x", "ft:gpt-4o:org::a1",
		"mein modell", "模型/一", "v1..2", "...", "a.b/.c/..d", "50%", "a%zz", "x@y+z", strings.Repeat("a", label.Longest), strings.Repeat("ü", label.Longest/2),
	} {
		if !label.IsModelID(id) {
			t.Errorf("%q is refused", id)
		}
	}
	for _, id := range []string{
		"", ".", "..", "/", "a/", "/a", "a//b", "a/./b", "gem/../../../admin", "a/..", "../a", `a\..\b`, `a/..\b`, `..\a`,
		"a/%2e%2e/b", "a/%2E./b", "a%2f..%2fb", "a/%252e%252e/b", "a%255c..%255cb", "a/..;x=1/b", "a/.. /b", "a/ /b", "a%00", "a%0d%0ab",
		"a\x00b", "a\nb", "a\r", "\ta", "a\x7f", "a\u0085b", "a\u200bb", "a\u202eb", "a\ufeff", "a\u2028b", "a\xffb", "\xed\xa0\x80", "a\xc3",
		strings.Repeat("a", label.Longest+1), strings.Repeat("x", 8<<20), strings.Repeat("/..", 80),
	} {
		if label.IsModelID(id) {
			t.Errorf("%q is taken", label.Clean(id, 60))
		}
	}
}

func TestACleanedTextIsShortAndPrintable(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "plain", "a\x00b", "gr\xc3", strings.Repeat("\x00", 1000), strings.Repeat("ü", 1000), strings.Repeat("x", 1<<20), "\xff\xfe", "🌍🌍🌍🌍"} {
		for _, most := range []int{3, 10, 256} {
			got := label.Clean(text, most)
			if len(got) > most || !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\n") {
				t.Errorf("%.20q at most %d: %q", text, most, got)
			}
			got = label.Storable(text, most)
			if len(got) > most || !utf8.ValidString(got) || strings.ContainsRune(got, 0) {
				t.Errorf("%.20q storable in %d: %q", text, most, got)
			}
		}
	}
	for text, want := range map[string]string{"plain": "plain", "a\x00b": "a\ufffdb", "two\nlines": "two\ufffdlines"} {
		if got := label.Clean(text, 256); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
	if got := label.Storable("two\nlines\x00", 256); got != "two\nlines?" {
		t.Errorf("%q", got)
	}
}
