package catalog

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAPriceListComesBackFromItsText(t *testing.T) {
	t.Parallel()
	rate := func(f float64) *float64 { return &f }
	for text, p := range map[string]Price{
		"":                {},
		"3 0.3 3.75 15":   {rate(3), rate(0.3), rate(3.75), rate(15)},
		"0.0000001 - - 0": {Input: rate(1e-7), Output: rate(0)},
		"- - - 2.5":       {Output: rate(2.5)},
	} {
		if got := p.Text(); got != text {
			t.Errorf("%q, want %q", got, text)
		}
		back, ok := ReadPrice(text)
		if diff := cmp.Diff(p, back); ok != (text != "") || diff != "" {
			t.Errorf("%q: %t %s", text, ok, diff)
		}
	}
	for _, text := range []string{"1 2 3", "1 2 3 4 5", "a b c d"} {
		if _, ok := ReadPrice(text); ok {
			t.Errorf("%q is taken for a price list", text)
		}
	}
}
