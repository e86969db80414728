package catalog_test

import (
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/price"
)

func day(text string) time.Time {
	at, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return at
}

func own(text, from, source string) price.Price {
	p := *price.MustPrice(text)
	p.Source = source
	if from != "" {
		p.From = day(from)
	}
	return p
}

// priced is a catalog of one model with two targets, and accounts of several kinds.
func priced(t *testing.T, m catalog.Model, list ...*price.Entry) *catalog.Catalog {
	t.Helper()
	c := catalog.New()
	err := c.Replace(catalog.Contents{Models: []catalog.Model{m}, Prices: catalog.Prices{
		Own: price.NewList(list),
		Accounts: map[string]catalog.Account{
			"main": {Part: "openai"}, "cloud": {Part: "bedrock"}, "router": {Part: "openrouter", Bills: true}, "mine": {Part: "vllm"}, "odd": {Part: "nobody"},
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestThePriceIsThatOfTheTargetThatServed(t *testing.T) {
	t.Parallel()
	c := priced(t, catalog.Model{ID: "smart"})
	m := &catalog.Model{ID: "smart"}
	u := chat.Usage{Input: 1_000_000, Output: 1_000_000, Known: true}
	at := day("2026-11-16")
	for _, want := range []struct {
		target catalog.Target
		nano   int64
		source string
	}{
		{catalog.Target{Provider: "main", Model: "gpt-5"}, 11_250_000_000, catalog.FromBook},
		{catalog.Target{Provider: "cloud", Model: "us.anthropic.claude-sonnet-4-5-20250929-v1:0"}, 19_800_000_000, catalog.FromBook},
		{catalog.Target{Provider: "mine", Model: "anything"}, 0, catalog.FromBook},
		{catalog.Target{Provider: "main", Model: "our-own"}, 0, catalog.Unpriced},
		{catalog.Target{Provider: "odd", Model: "gpt-5"}, 0, catalog.Unpriced},
		{catalog.Target{Provider: "gone", Model: "gpt-5"}, 0, catalog.Unpriced},
	} {
		got := c.Cost(m, want.target, u, at)
		if got.Nano != want.nano || got.Source != want.source || got.Known != (want.source != catalog.Unpriced) || got.Known != (got.Version != "") {
			t.Errorf("%+v: %+v, want %d from %s", want.target, got, want.nano, want.source)
		}
	}
}

func TestTheOperatorsPricesStandBeforeTheBook(t *testing.T) {
	t.Parallel()
	target := catalog.Target{Provider: "main", Model: "gpt-5-2025-08-07"}
	entry := &price.Entry{Provider: "main", Names: []string{"gpt-5"}, Prices: []price.Price{
		own("2 - - 2", "2026-06-01", catalog.FromFile), own("3 - - 3", "2026-09-01", catalog.FromConsole), own("4 - - 4", "2026-06-01", catalog.FromConsole),
	}}
	ofModel := own("9 - - 9", "", catalog.FromFile)
	for _, test := range []struct {
		model  *price.Price
		list   []*price.Entry
		at     string
		want   string
		source string
	}{
		{nil, nil, "2026-11-16", "1.25 0.125 - 10 search=0.01 @batch=1/2 @flex=1/2 @priority=2", catalog.FromBook},
		{&ofModel, nil, "2026-11-16", "9 - - 9", catalog.FromFile},
		{&ofModel, []*price.Entry{entry}, "2026-11-16", "3 - - 3", catalog.FromConsole},
		{&ofModel, []*price.Entry{entry}, "2026-07-01", "2 - - 2", catalog.FromFile}, // of equally new ones the file's
		{&ofModel, []*price.Entry{entry}, "2026-05-31", "9 - - 9", catalog.FromFile}, // none is valid yet
		{nil, []*price.Entry{entry}, "2026-05-31", "1.25 0.125 - 10 search=0.01 @batch=1/2 @flex=1/2 @priority=2", catalog.FromBook},
	} {
		m := catalog.Model{ID: "smart", Price: test.model}
		got := priced(t, m, test.list...).Price(&m, target, day(test.at))
		if got.Price == nil || got.Sheet.Text() != test.want || got.Source != test.source {
			t.Errorf("%s: %+v, want %s from %s", test.at, got, test.want, test.source)
		}
	}
}

func TestOnlyAWordOfKindsThatBillCounts(t *testing.T) {
	t.Parallel()
	c := priced(t, catalog.Model{ID: "smart"})
	u := chat.Usage{Input: 1000, Known: true, Billed: 77, BilledKnown: true}
	at := day("2026-11-16")
	if got := c.Cost(nil, catalog.Target{Provider: "router", Model: "openai/gpt-5"}, u, at); got != (catalog.Cost{Nano: 77, Known: true, Source: catalog.FromUpstream}) {
		t.Errorf("OpenRouter's own figure: %+v", got)
	}
	if got := c.Cost(nil, catalog.Target{Provider: "main", Model: "gpt-5"}, u, at); got.Nano != 1_250_000 || got.Source != catalog.FromBook {
		t.Errorf("a figure of a server that bills nobody: %+v", got)
	}
	u.BilledKnown = false
	if got := c.Cost(nil, catalog.Target{Provider: "router", Model: "openai/gpt-5"}, u, at); got.Nano != 1_250_000 || got.Source != catalog.FromBook {
		t.Errorf("OpenRouter without a figure: %+v", got)
	}
}
