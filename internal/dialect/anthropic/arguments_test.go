package anthropic

import (
	"strings"
	"testing"
	"unicode/utf8"

	"stele/internal/jsonscan"
)

// TestWhatIsToldOfArgumentsIsAlwaysAnObject cuts and breaks arguments at every byte, and tells
// them in pieces of every size.
func TestWhatIsToldOfArgumentsIsAlwaysAnObject(t *testing.T) {
	t.Parallel()
	const good = ` {"a":"x\u00e9\"y","b":[1,-2.5e3,{"c":null,"d":[]},true],"é":{"f":{}} , "g":"" } `
	tell := func(text string, size int) string {
		var a argued
		var b strings.Builder
		for len(text) > 0 {
			n := min(size, len(text))
			b.WriteString(a.take(text[:n]))
			text = text[n:]
		}
		return b.String() + a.end()
	}
	if got := tell(good, 3); got != good {
		t.Errorf("%s\nwant\n%s", got, good)
	}
	for i := range good {
		for _, odd := range []string{good[:i], good[:i] + "}" + good[i:], good[:i] + `"` + good[i:], good[:i] + "\n" + good[i:], good[:i] + "," + good[i+1:], good[:i] + "0" + good[i:]} {
			whole := tell(odd, len(odd)+1)
			if strings.TrimSpace(odd) == "" || !utf8.ValidString(odd) {
				continue
			}
			if v, err := jsonscan.Parse([]byte(whole), jsonscan.Lenient); err != nil || v.Kind() != jsonscan.Object {
				t.Fatalf("%q is told as %q: %v", odd, whole, err)
			}
			if valid := jsonscan.Valid([]byte(odd), jsonscan.Duplicates); valid != (whole == odd) {
				t.Errorf("%q (valid %t) is told as %q", odd, valid, whole)
			}
			for size := 1; size < 8; size++ {
				if got := tell(odd, size); got != whole {
					t.Errorf("%q in pieces of %d: %q, want %q", odd, size, got, whole)
				}
			}
		}
	}
}
