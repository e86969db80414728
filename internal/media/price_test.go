package media

import (
	"math"
	"strings"
	"testing"

	"stele/internal/price"
)

func TestReckonsPrices(t *testing.T) {
	t.Parallel()
	by := []Parameter{{Name: "resolution", Type: "string"}, {Name: "audio", Type: "boolean"}}
	table := map[string]price.Amount{"720p|false": 84_000_000, "720p|true": 126_000_000, "5|0.5": 7}
	for name, row := range map[string]struct {
		price      Price
		prompt     string
		parameters map[string]any
		want       string // USD
	}{
		"nothing":              {Price{}, "x", nil, "0"},
		"a request":            {Price{USD: 40_000_000}, "x", map[string]any{"n": int64(3)}, "0.04"},
		"a request, said":      {Price{USD: 40_000_000, Per: "request"}, "x", map[string]any{"n": int64(3)}, "0.04"},
		"an image":             {Price{USD: 40_000_000, Per: "image"}, "x", nil, "0.04"},
		"three images":         {Price{USD: 40_000_000, Per: "image"}, "x", map[string]any{"n": int64(3)}, "0.12"},
		"images of their own":  {Price{USD: 40_000_000, Per: "image", Of: "count"}, "x", map[string]any{"n": int64(3), "count": int64(2)}, "0.08"},
		"seconds":              {Price{USD: 70_000_000, Per: "second"}, "x", map[string]any{"duration": int64(5)}, "0.35"},
		"parts of a second":    {Price{USD: 100_000_000, Per: "second"}, "x", map[string]any{"duration": 2.5}, "0.25"},
		"no noise":             {Price{USD: 100_000_000, Per: "second"}, "x", map[string]any{"duration": 0.1}, "0.01"},
		"seconds in words":     {Price{USD: 70_000_000, Per: "second"}, "x", map[string]any{"duration": "10s"}, "0.7"},
		"seconds, two clips":   {Price{USD: 70_000_000, Per: "second"}, "x", map[string]any{"duration": int64(5), "n": int64(2)}, "0.7"},
		"seconds by length":    {Price{USD: 70_000_000, Per: "second", Of: "length"}, "x", map[string]any{"length": int64(3)}, "0.21"},
		"first and more":       {Price{USD: 15_000_000, First: 30_000_000, Per: "megapixel"}, "x", map[string]any{"width": int64(2048), "height": int64(2048)}, "0.09"},
		"first only":           {Price{USD: 15_000_000, First: 30_000_000, Per: "megapixel"}, "x", map[string]any{"width": int64(512), "height": int64(512)}, "0.03"},
		"first of each":        {Price{USD: 15_000_000, First: 30_000_000, Per: "megapixel"}, "x", map[string]any{"n": int64(2), "width": int64(1000), "height": int64(2000)}, "0.09"},
		"half the first":       {Price{USD: 10_000_000, First: 30_000_000, Per: "second"}, "x", map[string]any{"duration": 0.5}, "0.03"},
		"megapixels, unknown":  {Price{USD: 15_000_000, Per: "megapixel"}, "x", map[string]any{"aspect_ratio": "1:1"}, "0.015"},
		"characters":           {Price{USD: 15_000, Per: "character"}, "grüße", nil, "0.000075"},
		"many characters":      {Price{USD: 15_000, Per: "character"}, strings.Repeat("x", 1_000_000), nil, "15"},
		"characters elsewhere": {Price{USD: 15_000, Per: "character", Of: "text"}, "xxx", map[string]any{"text": "ab", "n": int64(4)}, "0.00003"},
		"no characters":        {Price{USD: 15_000, Per: "character", Of: "text"}, "xxx", nil, "0"},
		"by the table":         {Price{Per: "second", By: []string{"resolution", "audio"}, Table: table}, "x", map[string]any{"resolution": "720p", "audio": true, "duration": int64(5)}, "0.63"},
		"by numbers":           {Price{By: []string{"a", "b"}, Table: table}, "x", map[string]any{"a": int64(5), "b": 0.5}, "0.000000007"},
		"beside the table":     {Price{USD: 1, By: []string{"resolution", "audio"}, Table: table}, "x", map[string]any{"resolution": "4k"}, "0.000000001"},
		"rounded up":           {Price{USD: 1, Per: "second"}, "x", map[string]any{"duration": 1.5}, "0.000000002"},
		"beyond all bounds":    {Price{USD: 1 << 50, Per: "second"}, "x", map[string]any{"duration": 1e300, "n": int64(math.MaxInt64)}, "9223372036.854775807"},
	} {
		o := Operation{Price: row.price, Parameters: by}
		if got := price.Amount(o.Nano(row.prompt, row.parameters)).String(); got != row.want {
			t.Errorf("%s: %s USD, want %s", name, got, row.want)
		}
	}
}

func TestCreditsAreRoundedUpAndCapped(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		nano   int64
		perUSD float64
		want   int64
	}{
		{0, 100, 0}, {-5, 100, 0}, {1, 100, 1}, {10_000_000, 100, 1}, {10_000_001, 100, 2}, {40_000_000, 100, 4}, {1_000_000_000, 12.5, 13},
		{1_000_000_000, 0.1, 1}, {30_000_000, 1000.1, 31}, {math.MaxInt64, 100, math.MaxInt32}, {21_474_836_470_000_000, 100, math.MaxInt32}, {1, 0, 0}, {1, math.NaN(), 0},
	} {
		if got := Credits(row.nano, row.perUSD); got != row.want {
			t.Errorf("%d at %v: %d, want %d", row.nano, row.perUSD, got, row.want)
		}
	}
}

func TestAmountsAreExact(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]price.Amount{
		"0": 0, "1": 1_000_000_000, "0.04": 40_000_000, ".5": 500_000_000, "2.": 2_000_000_000, "0.1": 100_000_000, "0.000015": 15_000,
		"0.000000001": 1, "0.10000000000000": 100_000_000, "9000000": 9_000_000_000_000_000, "007": 7_000_000_000,
	} {
		var got price.Amount
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%s: %d %v", text, got, err)
		}
		var back price.Amount
		if err := back.UnmarshalText([]byte(got.String())); err != nil || back != got {
			t.Errorf("%s reads back as %d %v", got, back, err)
		}
	}
	for _, text := range []string{"", ".", "-1", "+1", "1e3", "0x1", "1,5", "1_000", "0.0000000001", "99999999999999999999", "10000000000", " 1", "1.2.3"} {
		var got price.Amount
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %s", text, got)
		}
	}
	if got := price.Amount(-1_500_000_000).String(); got != "-1.5" {
		t.Error(got)
	}
}
