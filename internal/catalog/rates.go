package catalog

import (
	"strconv"
	"strings"
)

// Text is the price list in one short line, for the record of a request: input,
// cached input, cache write and output, in USD per million tokens, "-" for what has
// no price of its own. It is "" where nothing has a price.
func (p Price) Text() string {
	if p.Input == nil && p.Output == nil {
		return ""
	}
	var b []byte
	for i, rate := range []*float64{p.Input, p.CachedInput, p.CacheWrite, p.Output} {
		if i > 0 {
			b = append(b, ' ')
		}
		if rate == nil {
			b = append(b, '-')
			continue
		}
		b = strconv.AppendFloat(b, *rate, 'f', -1, 64)
	}
	return string(b)
}

// ReadPrice reads what Text has written, and reports whether it could.
func ReadPrice(text string) (Price, bool) {
	var p Price
	words := strings.Fields(text)
	places := []**float64{&p.Input, &p.CachedInput, &p.CacheWrite, &p.Output}
	if len(words) != len(places) {
		return Price{}, false
	}
	for i, word := range words {
		if word == "-" {
			continue
		}
		rate, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return Price{}, false
		}
		*places[i] = &rate
	}
	return p, true
}
