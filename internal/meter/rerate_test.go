package meter_test

import (
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/meter"
	"stele/internal/price"
)

// TestARecordIsRatedAgainAsItWasRated: whatever a usage has that has a price is kept with its record.
func TestARecordIsRatedAgainAsItWasRated(t *testing.T) {
	t.Parallel()
	entry := func(name, text string) *price.Entry {
		return &price.Entry{Provider: "main", Names: []string{name}, Prices: []price.Price{*price.MustPrice(text)}}
	}
	c := catalog.New()
	if err := c.Replace(catalog.Contents{Models: []catalog.Model{{ID: "smart"}}, Prices: catalog.Prices{
		Own:      price.NewList([]*price.Entry{entry("small", "1 0.5 2 4 search=0.01 audio_input=9 @flex=1/2"), entry("large", "10 5 20 40")}),
		Accounts: map[string]catalog.Account{"main": {Part: "anthropic"}},
	}}); err != nil {
		t.Fatal(err)
	}
	advice := chat.Usage{Input: 800, CacheRead: 7, CacheWrite: 30, CacheWrite1h: 20, Output: 1600, Known: true}
	all := chat.Usage{Input: 1200, CacheRead: 100, CacheWrite: 40, CacheWrite1h: 30, Output: 2100, Reasoning: 3, Known: true}
	for name, u := range map[string]func(*chat.Usage){
		"nothing else":              func(*chat.Usage) {},
		"sound, searches, a tier":   func(u *chat.Usage) { u.Of.AudioInput, u.Searches, u.Tier = 10, 2, "flex" },
		"advice":                    func(u *chat.Usage) { u.Advised = &chat.Advised{Model: "large", Usage: advice} },
		"advice and all the others": func(u *chat.Usage) { u.Of.AudioInput, u.Advised = 10, &chat.Advised{Model: "large", Usage: advice} },
		"advice of one without a price": func(u *chat.Usage) {
			u.Advised = &chat.Advised{Model: "none,with=signs", Usage: advice}
		},
		"advice of one without a name":   func(u *chat.Usage) { u.Advised = &chat.Advised{Model: " ", Usage: advice} },
		"advice of one with a long name": func(u *chat.Usage) { u.Advised = &chat.Advised{Model: strings.Repeat("long", 99), Usage: advice} },
	} {
		used, at := all, time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
		u(&used)
		target := catalog.Target{Provider: "main", Model: "small"}
		cost := c.Cost(nil, target, used, at)
		r := meter.Record{Model: "smart", Provider: target.Provider, Target: target.Model, At: at}
		r.Count(used)
		r.Nano, r.Priced, r.Rates, r.PriceSource, r.PriceVersion = cost.Nano, cost.Known, cost.Rates, cost.Source, cost.Version
		if again, differs := r.Rerate(c); differs || !cost.Known || cost.Nano == 0 {
			t.Errorf("%s (%q) cost %d, and then %d", name, r.Extra, cost.Nano, again.Cost.Nano)
		}
	}
}
