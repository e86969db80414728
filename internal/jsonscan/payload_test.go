package jsonscan_test

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/jsonscan"
)

// TestLongTextsAreReadToTheirLastByte puts what matters into long texts, where steps of
// all sizes begin and end.
func TestLongTextsAreReadToTheirLastByte(t *testing.T) {
	t.Parallel()
	const size = 3*8<<10 + 2000
	for _, odd := range []string{"x", `"`, `\"`, `\`, `\x`, `\u00e9`, "\n", "\x1f", " ", "\x7f", "\x80", "\xff", "é", "\xed\xa0\x80", "\x00"} {
		for _, step := range []int{1, 32, 40, 32 + 33*32, 40 + 33*32, 9000, 8<<10 + 40 + 33*32, 2*8<<10 + 40 + 33*32, size - 8} {
			for at := step - 9; at <= step+9; at++ {
				if at < 0 || at+len(odd) > size {
					continue
				}
				doc := `{"a":["` + strings.Repeat("v", at) + odd + strings.Repeat("v", size-at-len(odd)) + `"]}`
				if got, want := jsonscan.Valid([]byte(doc), jsonscan.Strict), jsontext.Value(doc).IsValid(); got != want {
					t.Errorf("%q at %d of a long text: %v", odd, at, got)
				}
			}
		}
	}
}
