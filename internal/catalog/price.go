package catalog

import (
	"math"

	"stele/internal/chat"
)

// Price is what a million tokens cost, in USD; nil where it is not known.
type Price struct{ Input, CachedInput, CacheWrite, Output *float64 }

// Cost is the price of a call in billionths of a USD. Cached classes without a
// price of their own cost what input costs, and an hour's cache write twice that,
// as its inventor charges. Without any price the second result is false.
func (p Price) Cost(u chat.Usage) (nano int64, known bool) {
	if p.Input == nil && p.Output == nil {
		return 0, false
	}
	input := value(p.Input, 0)
	read, write := value(p.CachedInput, input), value(p.CacheWrite, input)
	usd := float64(u.Input)*input + float64(u.CacheRead)*read +
		float64(u.CacheWrite-u.CacheWrite1h)*write + float64(u.CacheWrite1h)*max(write, 2*input) +
		float64(u.Completion())*value(p.Output, 0)
	return int64(math.Round(usd * 1000)), true // per million tokens, in billionths: 1e9/1e6
}

func value(price *float64, otherwise float64) float64 {
	if price == nil {
		return otherwise
	}
	return *price
}
