package usage

import (
	"strconv"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console/page"
	"stele/internal/meter"
)

// priceTable is what each class of tokens cost.
type priceTable struct {
	Lines     []priceLine
	Total     string
	Tokens    string
	Estimated bool
	Priced    bool
	ByModel   bool // the lines have rates
}

type priceLine struct {
	Name   string
	Hint   string
	Tokens string
	Rate   string // USD per million; "" where it is not known
	Cost   string
}

// priced is the price of a request line by line, at the rates of its time.
func priced(r *meter.Record) *priceTable {
	p := &priceTable{Priced: r.Priced, Estimated: r.Estimated, Total: page.Dollars(r.Nano)}
	rates, known := catalog.ReadPrice(r.Rates)
	p.ByModel = known && r.Priced
	var all int64
	for _, class := range []struct {
		name, hint string
		tokens     int64
		usage      chat.Usage
	}{
		{"Input", "", r.Input, chat.Usage{Input: r.Input}},
		{"Cached input", "read from a cache", r.CacheRead, chat.Usage{CacheRead: r.CacheRead}},
		{"Cache write", "kept for five minutes", r.CacheWrite - r.CacheWrite1h, chat.Usage{CacheWrite: r.CacheWrite - r.CacheWrite1h}},
		{"Cache write, 1 h", "kept for an hour", r.CacheWrite1h, chat.Usage{CacheWrite: r.CacheWrite1h, CacheWrite1h: r.CacheWrite1h}},
		{"Output", "", r.Output, chat.Usage{Output: r.Output}},
		{"Reasoning", "costs what output costs", r.Reasoning, chat.Usage{Reasoning: r.Reasoning}},
	} {
		if class.tokens <= 0 {
			continue
		}
		all += class.tokens
		line := priceLine{Name: class.name, Hint: class.hint, Tokens: page.Grouped(class.tokens)}
		if p.ByModel {
			nano, _ := rates.Cost(class.usage)
			line.Cost = page.Dollars(nano)
			line.Rate = "$" + strconv.FormatFloat(float64(nano)/float64(class.tokens)/1000, 'f', -1, 64)
			if rate, ok := exactRate(rates, class.usage); ok {
				line.Rate = "$" + rate
			}
		}
		p.Lines = append(p.Lines, line)
	}
	p.Tokens = page.Grouped(all)
	if len(p.Lines) == 0 && !r.Priced {
		return nil
	}
	return p
}

// exactRate is what a million tokens of a class cost, free of the rounding that a
// few tokens have.
func exactRate(p catalog.Price, u chat.Usage) (string, bool) {
	const million = 1_000_000
	one := chat.Usage{
		Input: sign(u.Input) * million, CacheRead: sign(u.CacheRead) * million, CacheWrite: sign(u.CacheWrite) * million,
		CacheWrite1h: sign(u.CacheWrite1h) * million, Output: sign(u.Output) * million, Reasoning: sign(u.Reasoning) * million,
	}
	nano, ok := p.Cost(one)
	return strconv.FormatFloat(float64(nano)/1e9, 'f', -1, 64), ok
}

func sign(n int64) int64 {
	if n > 0 {
		return 1
	}
	return 0
}
