package main

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// The classes as price.Sheet writes them: four by their place, the others by name.
var classes = []string{
	"input", "cached_input", "cache_write", "output", "cache_write_1h", "reasoning",
	"audio_input", "audio_cached", "audio_output", "image_input", "image_cached", "image_output",
}

// rates are prices of a million tokens, by class, as decimals.
type rates map[string]string

// line writes rates as price.Sheet does.
func (r rates) line() string {
	var words []string
	for i, class := range classes {
		switch price, ok := r[class]; {
		case i < 4 && !ok:
			words = append(words, "-")
		case i < 4:
			words = append(words, price)
		case ok:
			words = append(words, class+"="+price)
		}
	}
	return strings.Join(words, " ")
}

// sheet is what price.Sheet is, as text.
type sheet struct {
	rates   rates
	request string
	search  string
	steps   map[int64]rates
	tiers   string
}

func (s *sheet) line() string {
	words := []string{s.rates.line()}
	if s.request != "" {
		words = append(words, "request="+s.request)
	}
	if s.search != "" {
		words = append(words, "search="+s.search)
	}
	var overs []int64
	for over := range s.steps {
		overs = append(overs, over)
	}
	slices.Sort(overs)
	for _, over := range overs {
		words = append(words, fmt.Sprintf(">%d %s", over, s.steps[over].line()))
	}
	if s.tiers != "" {
		words = append(words, s.tiers)
	}
	return strings.Join(words, " ")
}

// decimal is a number divided by another, to nine decimals: a list may have the third part of a cent.
func decimal(number string, divisor int64) (string, error) {
	r, ok := new(big.Rat).SetString(number)
	if !ok || r.Sign() < 0 {
		return "", fmt.Errorf("%q is no price", number)
	}
	r.Quo(r, big.NewRat(divisor, 1))
	text := r.FloatString(9)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text, nil
}

// fromFloat is the decimal that a source meant which keeps prices in binary:
// 0.39999999999999997 was 0.4.
func fromFloat(f float64) string {
	return strconv.FormatFloat(math.Round(f*1e9)/1e9, 'f', -1, 64)
}
