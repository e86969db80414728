package price

import (
	"math"
	"testing"
	"time"
)

func sheet(t *testing.T, text string) *Sheet {
	t.Helper()
	s, err := ReadSheet(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return s
}

func TestASheetComesBackFromItsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"1.25 0.125 - 10", "- - - 15", "3 0.3 3.75 15 cache_write_1h=6 search=0.01",
		"2 - - 8 reasoning=3 audio_input=40 audio_cached=2.5 audio_output=80 request=0.012",
		"1.25 0.125 - 10 image_output=30 >200000 2.5 0.25 - 15 image_output=60 >500000 5 - - 30 @batch=1/2 @priority=20/11 @fast=6",
	} {
		if got := sheet(t, text).Text(); got != text {
			t.Errorf("%s\ncame back as\n%s", text, got)
		}
	}
	for _, text := range []string{
		"", "1 2 3", "- - - -", "1 2 3 x", "1 - - 2 gold=3", "1 - - 2 >0 1 - - 2", "1 - - 2 >5 1 - - 2 >5 1 - - 2", "1 - - 2 @flex=0.5", "1 - - 2 @=1",
		"1 - - 2 @flex=1/0", "1 - - 2 @flex=5000", "-1 - - 2", "1 - - 2 >10 1",
	} {
		if s, err := ReadSheet(text); err == nil {
			t.Errorf("%q was read as %q", text, s.Text())
		}
	}
}

func TestClassesWithoutAPriceCostWhatTheirKinDoes(t *testing.T) {
	t.Parallel()
	const million = 1_000_000
	for _, c := range []struct {
		text  string
		class Class
		want  string
	}{
		{"3 - - 15", CachedInput, "3"},
		{"3 - - 15", CacheWrite, "3"},
		{"3 - 3.75 15", CacheWrite1h, "6"},
		{"3 - 9 15", CacheWrite1h, "9"},
		{"3 - - 15", Reasoning, "15"},
		{"3 0.3 - 15", AudioInput, "3"},
		{"3 0.3 - 15", AudioCached, "0.3"},
		{"3 0.3 - 15 audio_input=20", AudioCached, "20"},
		{"3 0.3 - 15 image_input=5 image_cached=1", ImageCached, "1"},
		{"3 - - 15", ImageOutput, "15"},
	} {
		var u Usage
		u.Tokens[c.class] = million
		if got := Rate(sheet(t, c.text), u, "").String(); got != c.want {
			t.Errorf("a million tokens of %s at %s cost %s, want %s", c.class, c.text, got, c.want)
		}
	}
}

func TestLongPromptsCostMoreAltogether(t *testing.T) {
	t.Parallel()
	s := sheet(t, "1.25 0.125 - 10 >200000 2.5 - - 15")
	usage := func(in, cached, out int64) Usage {
		return Usage{Tokens: [Classes]int64{Input: in, CachedInput: cached, Output: out}}
	}
	for _, c := range []struct {
		usage Usage
		want  Amount
	}{
		{usage(200_000, 0, 1000), 250_000_000 + 10_000_000},
		{usage(100_001, 100_000, 1000), 250_002_500 + 12_500_000 + 15_000_000}, // cached has no price of the step's own
	} {
		if got := Rate(s, c.usage, ""); got != c.want {
			t.Errorf("%v: %d, want %d", c.usage, got, c.want)
		}
	}
}

func TestASumIsRoundedOnce(t *testing.T) {
	t.Parallel()
	// Two halves of a billionth are a whole one; rounded one by one they would be two.
	s := sheet(t, "0.0005 - - 0.0005 @flex=1/2 @odd=1/3")
	u := Usage{Tokens: [Classes]int64{Input: 1, Output: 1}}
	for tier, want := range map[string]Amount{"": 1, "flex": 1, "odd": 0} {
		if got := Rate(s, u, tier); got != want {
			t.Errorf("tier %q: %d, want %d", tier, got, want)
		}
	}
}

func TestTheWorstIsNeverLessThanWhatItCosts(t *testing.T) {
	t.Parallel()
	s := sheet(t, "1.25 0.125 1.6 10 reasoning=12 audio_input=3 request=0.01 >1000 2.5 0.25 3 15 @priority=20/11")
	for _, tier := range []string{"", "priority"} {
		for prompt := int64(0); prompt < 3000; prompt += 37 {
			most := worst(s, prompt, 50, s.Factor(tier))
			for c := range Classes {
				u := Usage{}
				if c == Output || c == Reasoning || c == AudioOutput || c == ImageOutput {
					u.Tokens[c] = 50
				} else {
					u.Tokens[c], u.Tokens[Output] = prompt, 50
				}
				if got := Rate(s, u, tier); got > most {
					t.Fatalf("%d tokens of %s cost %d, the worst was %d", prompt, c, got, most)
				}
			}
		}
	}
}

func TestWhatCostsNothingIsFree(t *testing.T) {
	t.Parallel()
	for text, free := range map[string]bool{"0 0 0 0": true, "0 - - 0": true, "0 - - 0 request=0.01": false, "0 - - 0 >10 1 - - 1": false, "0 - - 0.01": false} {
		if got := Dearest(sheet(t, text), mostTokens, mostTokens, true) == 0; got != free {
			t.Errorf("%s: free is %v", text, got)
		}
	}
	s := sheet(t, "1 - - 2 @flex=1/2 @priority=3 @us=11/10 @fast=6 @fast+us=33/5")
	for tier, fast := range map[string]bool{"priority": false, FastInUS: true} {
		if got, want := Dearest(s, 10, 10, fast), worst(s, 10, 10, s.Factor(tier)); got != want || got <= worst(s, 10, 10, s.Factor("")) {
			t.Errorf("the dearest is %d, want that of %s, %d", got, tier, want)
		}
	}
}

func TestNoAmountRunsOver(t *testing.T) {
	t.Parallel()
	s := sheet(t, "9000000 9000000 9000000 9000000 request=9000000 search=9000000 @x=1000")
	u := Usage{Searches: math.MaxInt64}
	for c := range Classes {
		u.Tokens[c] = math.MaxInt64 / int64(Classes)
	}
	if got := Rate(s, u, "x"); got != math.MaxInt64 {
		t.Errorf("it costs %d", got)
	}
	if got := worst(s, math.MaxInt64, math.MaxInt64, s.Factor("x")); got != math.MaxInt64 {
		t.Errorf("at worst it costs %d", got)
	}
}

func TestARowKeepsWhatItWasRatedBy(t *testing.T) {
	t.Parallel()
	s := sheet(t, "3 0.3 3.75 15 search=0.01 >200000 6 0.6 7.5 22.5 @batch=1/2 @priority=2")
	u := Usage{Tokens: [Classes]int64{Input: 200_001}}
	if got, want := s.AppliedRates(&u, "batch"), "6 0.6 7.5 22.5 @batch=1/2"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	u = Usage{Searches: 1}
	if got, want := s.AppliedRates(&u, "standard"), "3 0.3 3.75 15 search=0.01"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestTheNewestValidPriceCounts(t *testing.T) {
	t.Parallel()
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	peak := []Hours{{From: time.Hour, Until: 4 * time.Hour, Weekdays: true}}
	list := NewList([]*Entry{{Provider: "deepseek", Names: []string{"v4"}, Prices: []Price{
		NewPrice(sheet(t, "1 - - 1"), time.Time{}, nil),
		NewPrice(sheet(t, "2 - - 2"), day("2026-08-17"), nil),
		NewPrice(sheet(t, "4 - - 4"), day("2026-08-17"), peak),
	}}})
	e, ok := list.Lookup("deepseek", "v4")
	if !ok {
		t.Fatal("not found")
	}
	for _, c := range []struct {
		at   time.Time
		want string
	}{
		{day("2026-08-16").Add(2 * time.Hour), "1 - - 1"},
		{day("2026-08-17").Add(2 * time.Hour), "4 - - 4"}, // a Monday
		{day("2026-08-17").Add(4 * time.Hour), "2 - - 2"},
		{day("2026-08-22").Add(2 * time.Hour), "2 - - 2"}, // a Saturday
	} {
		if got := e.At(c.at).Sheet.Text(); got != c.want {
			t.Errorf("at %s: %s, want %s", c.at, got, c.want)
		}
	}
}

// TestTheDearestClassIsTheOneThatCostsTheMost compares it with what each class costs, for all
// classes that may have a price of their own.
func TestTheDearestClassIsTheOneThatCostsTheMost(t *testing.T) {
	t.Parallel()
	for set := range uint16(1 << Classes) {
		var r Rates
		for c := range Classes {
			if set&(1<<c) != 0 {
				r.Set(c, Amount(uint32(set)*2654435761>>(c+8)%97))
			}
		}
		for _, of := range [...]uint16{ofPrompts, ofAnswers} {
			var want Amount
			for c := range Classes {
				if of&(1<<c) != 0 {
					want = max(want, r.Of(c))
				}
			}
			if got := r.dearest(of); got != want {
				t.Fatalf("of %+v the dearest of %b costs %d, not %d", r, of, got, want)
			}
		}
	}
}
