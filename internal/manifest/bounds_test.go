package manifest_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"stele/internal/manifest"
)

func TestRefusesWhatIsTooMuch(t *testing.T) {
	t.Parallel()
	deep := func(open, shut string, n int) string { return strings.Repeat(open, n) + "a" + strings.Repeat(shut, n) }
	tests := map[string]struct{ src, want string }{
		"bytes":         {"name: " + strings.Repeat("x", 1<<20), "f.yaml: larger than 1048576 bytes"},
		"lines":         {strings.Repeat("\n", 10_000), "f.yaml: more than 10000 lines"},
		"signs":         {"tags: [" + strings.Repeat("a,", 40_000) + "]", "f.yaml: more than 60000 words and signs"},
		"flow lists":    {"raw: " + deep("[", "]", 10_000), "f.yaml:1:70: nested more than 64 deep"},
		"flow mappings": {"raw: " + deep("{a: ", "}", 1_000), "f.yaml:1:262: nested more than 64 deep"},
		"dashes":        {deep("- ", "", 10_000), "f.yaml:1:129: nested more than 64 deep"},
		"indents":       {indents(66), "f.yaml:66:67: " + strings.TrimSuffix(strings.Repeat("a.", 65), ".") + ": nested more than 64 deep"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := decode(tt.src, new(any)).Err()
			if err == nil {
				t.Fatal("accepted")
			}
			if got := err.Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func indents(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

func FuzzDecode(f *testing.F) {
	for _, src := range []string{
		"name: a\ncount: 1\ntags: [a, b]\n", "dishes:\n  a: {retries: 1, targets: [a/b, {provider: x}]}\n",
		"raw: {a: [1, ~, {b: c}]}\nwait: 3s\nlimit: 4MB\nnet: ::/0", "name: ${WORD} $${x ${", "? a\n: b", "a: &x [*x]",
		"<<: *a", "a: !!str |\n  x\n\n  y", "a: >-\n b\n  c\n", "%TAG ! x\n---\n", "---\n...\n---", "- - - a", "{a, b: , : c}",
		"'a': \"\\u00e9\n  x\"", "nested: {a: [{nested: {b: []}}]}", "a:\n- b\n-\n", "twice: {a: b/c, d: }",
	} {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		// A loop without end would only look like slow fuzzing: say which input it was.
		late := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("no end: %q", src)) })
		defer late.Stop()
		doc := decode(src, new(kitchen))
		doc.Has(manifest.At("dishes", "a", "targets", 0))
		doc.Report(manifest.At("dishes", "a", "targets", 0), "x")
		text := doc.Err().Error()
		if utf8.ValidString(src) && !utf8.ValidString(text) {
			t.Errorf("report is not text: %q", text)
		}
	})
}
