package price

import (
	"math/big"
	"testing"
)

func TestAmountsAreReadExactlyAndWrittenBack(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{
		"0": 0, "0.04": 40_000_000, ".5": 500_000_000, "12": 12 * USD, "1.000000001": USD + 1, "0.1000000000": USD / 10, "0.000000001": 1,
	} {
		got, err := Parse(text)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
	for amount, want := range map[Amount]string{0: "0", 1: "0.000000001", 40_000_000: "0.04", 12 * USD: "12", -1_500_000_000: "-1.5", -1 << 63: "-9223372036.854775808"} {
		if got := amount.String(); got != want {
			t.Errorf("%d is written %q, want %q", int64(amount), got, want)
		}
	}
	for _, text := range []string{"", ".", "-1", "1e3", "0.0000000001", "1,5", "99999999999999999999", "10000000"} {
		if got, err := Parse(text); err == nil {
			t.Errorf("Parse(%q) = %d", text, got)
		}
	}
}

func TestAnUpstreamsFigureIsRoundedToTheNearestBillionth(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]Amount{
		"0": 0, "0.00014": 140_000, "1.4e-05": 14_000, "1.4E-5": 14_000, "0.0000000005": 1, "0.00000000049999": 0, "0.0000123456785": 12_346,
		"2": 2 * USD, "1e2": 100 * USD, "1e-400": 0, "0.000123456789012345": 123_457,
	} {
		if got, ok := Nearest(text); !ok || got != want {
			t.Errorf("Nearest(%q) = %d, %v; want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "-1", "null", "1e400", "1e20", "0x1", "1.2.3", "e5", "NaN"} {
		if got, ok := Nearest(text); ok {
			t.Errorf("Nearest(%q) = %d", text, got)
		}
	}
}

func FuzzNearest(f *testing.F) {
	for _, seed := range []string{"0.00014", "1.4e-05", "0.5e-9", "999999.9999999995"} {
		f.Add(seed)
	}
	half := big.NewRat(1, 2)
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := Nearest(text)
		if !ok || len(text) > 64 {
			return
		}
		exact, ok := new(big.Rat).SetString(text)
		if !ok {
			t.Fatalf("%q is no number", text)
		}
		exact.Mul(exact, big.NewRat(int64(USD), 1)).Sub(exact, new(big.Rat).SetInt64(int64(got)))
		// got is at most half a billionth above, and less than half below.
		if exact.Cmp(half) >= 0 || exact.Cmp(new(big.Rat).Neg(half)) < 0 {
			t.Fatalf("Nearest(%q) = %d", text, got)
		}
	})
}

func TestAPriceForEachTokenIsExact(t *testing.T) {
	t.Parallel()
	for million, want := range map[string]string{
		"3": "0.000003", "0.25": "0.00000025", "0": "0", "1000000": "1", "1250000.5": "1.2500005", "0.000000001": "0.000000000000001",
	} {
		amount, err := Parse(million)
		if err != nil {
			t.Fatal(err)
		}
		if got := EachToken(amount); got != want {
			t.Errorf("%s for a million: %s, not %s", million, got, want)
		}
	}
}

func TestThousandsAreApart(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"0": "0", "999": "999", "1000": "1,000", "-1000": "-1,000", "1234567.50": "1,234,567.50", "-999.1234": "-999.1234", "12345678901": "12,345,678,901",
	} {
		if got := GroupThousands(in); got != want {
			t.Errorf("Grouped(%q) = %q, want %q", in, got, want)
		}
		if got := Ungroup("$" + want); got != in {
			t.Errorf("Ungrouped(%q) = %q, want %q", want, got, in)
		}
	}
}

func TestACommaIsNoPoint(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"12,50", "1,2,3", "1,2345", ",123", "1000,000", "1.000,50", "1,000.", "12,"} {
		if got, err := Parse(Ungroup(text)); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}
