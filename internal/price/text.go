package price

import (
	"fmt"
	"strconv"
	"strings"
)

// A sheet as text is a line of words. The first four are the prices of a million tokens
// of input, cached input, cache write and output, "-" for what has none; then what
// else has a price, by name; then, for each step, ">" and its length with the same
// again; then the factors of service tiers:
//
//	1.25 0.125 - 10 audio_input=3 request=0.01 search=0.01 >200000 2.5 0.25 - 15 @flex=1/2
//
// It is what the book, the rows of requests and the operator's own prices are written in.

// Text is the sheet as text, always in the same order. It is "" where nothing has a price.
func (s *Sheet) Text() string {
	if !s.Known() {
		return ""
	}
	b := s.Rates.append(nil)
	b = appendFee(b, " request=", s.PerRequest)
	b = appendFee(b, " search=", s.PerSearch)
	for i := range s.Steps {
		b = strconv.AppendInt(append(b, " >"...), s.Steps[i].Over, 10)
		b = s.Steps[i].Rates.append(append(b, ' '))
	}
	for _, f := range s.Factors {
		b = f.append(b)
	}
	return string(b)
}

// AppliedRates is the part of the sheet that a request was rated by: one line of rates, the
// fees and the tier's factor. A row that keeps it can be reckoned again by hand.
func (s *Sheet) AppliedRates(u *Usage, tier string) string {
	if !s.Known() {
		return ""
	}
	part := Sheet{Rates: s.For(u.Prompt()), PerRequest: s.PerRequest}
	if u.Searches > 0 {
		part.PerSearch = s.PerSearch
	}
	if f := s.Factor(tier); f.Tier != "" {
		part.Factors = []Factor{f}
	}
	return part.Text()
}

func (r *Rates) append(b []byte) []byte {
	for c := range Classes {
		each, ok := r.Own(c)
		switch {
		case c > Output && !ok:
			continue
		case c > Output:
			b = append(append(append(b, ' '), names[c]...), '=')
		case c > 0:
			b = append(b, ' ')
		}
		if !ok {
			b = append(b, '-')
			continue
		}
		b = each.Append(b)
	}
	return b
}

func appendFee(b []byte, name string, fee Amount) []byte {
	if fee == 0 {
		return b
	}
	return fee.Append(append(b, name...))
}

func (f Factor) append(b []byte) []byte {
	b = append(append(append(b, " @"...), f.Tier...), '=')
	b = strconv.AppendInt(b, f.Num, 10)
	if f.Den != 1 {
		b = strconv.AppendInt(append(b, '/'), f.Den, 10)
	}
	return b
}

// ReadSheet reads what Text has written.
func ReadSheet(text string) (*Sheet, error) {
	words := strings.Fields(text)
	s := new(Sheet)
	rest, err := s.Rates.read(words)
	for err == nil && len(rest) > 0 {
		word := rest[0]
		rest = rest[1:]
		switch {
		case word[0] == '>':
			rest, err = s.readStep(word[1:], rest)
		case word[0] == '@':
			err = s.readFactor(word[1:])
		default:
			err = s.readNamed(word)
		}
	}
	if err != nil {
		return nil, err
	}
	if !s.Known() {
		return nil, fmt.Errorf("neither input nor output has a price")
	}
	return s, nil
}

// read reads four prices by their place and returns what follows.
func (r *Rates) read(words []string) ([]string, error) {
	if len(words) < 4 {
		return nil, fmt.Errorf("expected the prices of input, cached input, cache write and output")
	}
	for c, word := range words[:4] {
		if word == "-" {
			continue
		}
		each, err := Parse(word)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", Class(c), err)
		}
		r.Set(Class(c), each)
	}
	return words[4:], nil
}

// readNamed reads a price by its name: of the sheet's last step, if there is one.
func (s *Sheet) readNamed(word string) error {
	name, text, _ := strings.Cut(word, "=")
	each, err := Parse(text)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	rates := &s.Rates
	if n := len(s.Steps); n > 0 {
		rates = &s.Steps[n-1].Rates
	}
	switch c, ok := ClassByName(name); {
	case ok:
		rates.Set(c, each)
	case name == "request":
		s.PerRequest = each
	case name == "search":
		s.PerSearch = each
	default:
		return fmt.Errorf("no price is called %q", name)
	}
	return nil
}

func (s *Sheet) readStep(length string, words []string) ([]string, error) {
	over, err := strconv.ParseInt(length, 10, 64)
	if n := len(s.Steps); err != nil || over <= 0 || n > 0 && over <= s.Steps[n-1].Over {
		return nil, fmt.Errorf("expected a prompt's length that is more than the one before, found >%s", length)
	}
	step := Step{Over: over}
	rest, err := step.Rates.read(words)
	s.Steps = append(s.Steps, step)
	return rest, err
}

func (s *Sheet) readFactor(word string) error {
	tier, text, _ := strings.Cut(word, "=")
	upper, lower, divided := strings.Cut(text, "/")
	if !divided {
		lower = "1"
	}
	num, err := strconv.ParseInt(upper, 10, 64)
	den, also := strconv.ParseInt(lower, 10, 64)
	if tier == "" || err != nil || also != nil || num < 0 || den < 1 || num > mostFactor || den > mostFactor {
		return fmt.Errorf("expected a tier's factor such as @flex=1/2, found @%s", word)
	}
	s.Factors = append(s.Factors, Factor{tier, num, den})
	return nil
}
