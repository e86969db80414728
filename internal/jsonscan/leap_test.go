package jsonscan

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// runsTo is where a run of text ends that begins at i, byte by byte: one of plain ASCII, or of all that a string may
// have but for escapes of four digits.
func runsTo(b []byte, i int, plain bool) int {
	for i < len(b) {
		r, size := utf8.DecodeRune(b[i:])
		switch c := b[i]; {
		case !plain && c == '\\' && i+1 < len(b) && shortEscape[b[i+1]]:
			i += 2
		case c == '"' || c == '\\' || c < ' ' || c >= 0x80 && (plain || r == utf8.RuneError && size == 1):
			return i
		default:
			i += size
		}
	}
	return i
}

// TestLeapsEndWhereSomethingElseBegins holds the leaps against a look at every byte, on runs that are some steps
// long, with whatever may be in them or end them at every place of a step.
func TestLeapsEndWhereSomethingElseBegins(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(8, 64)) //nolint:gosec // the same ones each time
	put := func(b []byte, text string) {
		if i := r.IntN(len(b) + 1); i < len(b) {
			copy(b[i:], text)
		}
	}
	letters := []string{"a", "~", "n", "ß", "世", "😀", "é\u0301x"}
	odd := []string{"\"", "\\", "\x1f", "\x00", `\u`, "\x80", "\xff", "\xed\xa0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xe4\xb8", "\xf0\x9f\x98"}
	for range 60_000 {
		b := []byte(strings.Repeat(letters[r.IntN(len(letters))], r.IntN(5*step)))
		for range r.IntN(6) * r.IntN(6) {
			put(b, strings.Repeat([]string{`\\`, `\n`, `\"`, `\/`, "ü", "界", "𝄞", "words"}[r.IntN(8)], 1+r.IntN(40)))
		}
		for range r.IntN(3) {
			put(b, odd[r.IntN(len(odd))])
		}
		if end, want := plainEnd(b, 0), runsTo(b, 0, true); end != want {
			t.Fatalf("plainEnd(%q) = %d, want %d", b, end, want)
		}
		want := runsTo(b, 0, false)
		if end := pastEscapes(b, 0); end > want || runsTo(b, end, false) != want {
			t.Fatalf("pastEscapes(%q) = %d, where text ends at %d", b, end, want)
		}
		end, escaped := pastText(b)
		if end > want || runsTo(b, end, false) != want || wide && want == len(b) && end <= len(b)-step-utf8.UTFMax || escaped != (bytes.IndexByte(b[:min(end+1, len(b))], '\\') >= 0) && (escaped || b[end] != '\\') {
			t.Fatalf("pastText(%q) = %d, %v, where text ends at %d", b, end, escaped, want)
		}
	}
}

// TestPairsAreFoundInEveryPlace holds the look for two bytes against the standard library's.
func TestPairsAreFoundInEveryPlace(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 64)) //nolint:gosec // the same ones each time
	for range 20_000 {
		b := make([]byte, 1+r.IntN(6*step))
		for i := range b {
			b[i] = "a_0"[max(0, r.IntN(40)-37)]
		}
		one, two := "_0a"[r.IntN(3)], "_0a"[r.IntN(3)]
		end, want := pairWide(b, one, two), bytes.Index(b, []byte{one, two})
		if end != want && (!wide && end > 0 || want >= 0 && end > want || wide && end < len(b)-step) {
			t.Fatalf("pairWide(%q, %q, %q) = %d, want %d", b, one, two, end, want)
		}
	}
}

// TestWithoutWideSteps runs the tests of this package as on a processor that looks at eight bytes at once.
func TestWithoutWideSteps(t *testing.T) {
	t.Parallel()
	if !wide {
		return
	}
	narrow := exec.CommandContext(t.Context(), os.Args[0], "-test.failfast", "-test.run", "^(TestLeaps|TestRandom|Fuzz)")
	narrow.Env = append(os.Environ(), "GODEBUG=cpu.avx2=off")
	if said, err := narrow.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, said)
	}
}
