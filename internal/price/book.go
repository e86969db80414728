package price

import (
	"hash/crc32"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Entry is what is known of a model at a provider.
type Entry struct {
	Provider string   // the provider's kind, or in an operator's list the account's name
	Names    []string // the upstream's names of it; one that ends in * stands for all that begin so
	Prices   []Price  // the newest first; none: no price is known
	Traits   Traits
	Source   string // where the figures are from
	Checked  string // the day they were looked at: 2026-09-23
}

// Price is a sheet and when it is valid.
type Price struct {
	Sheet   *Sheet
	From    time.Time // zero: always was
	Hours   []Hours   // only then; none: all day
	Version string    // tells one sheet from another; a row keeps it
	Source  string    // in an operator's list: where it was written down
	plain   string    // what AppliedRates is for most requests
}

// Hours are a time of day in UTC.
type Hours struct {
	From, Until time.Duration // since midnight
	Weekdays    bool          // not on Saturdays and Sundays
}

// NewPrice is a price with its version.
func NewPrice(s *Sheet, from time.Time, hours []Hours) Price {
	return Price{Sheet: s, From: from, Hours: hours, Version: version(s.Text()), plain: s.AppliedRates(new(Usage), "")}
}

// AppliedRates is the part of the sheet that a request was rated by, as Sheet.AppliedRates says.
func (p *Price) AppliedRates(u *Usage, tier string) string {
	long := len(p.Sheet.Steps) > 0 && u.Prompt() > p.Sheet.Steps[0].Over
	if long || u.Searches > 0 || p.Sheet.Factor(tier).Tier != "" {
		return p.Sheet.AppliedRates(u, tier)
	}
	return p.plain
}

// MustPrice is the price that a sheet's text says, always valid. It panics where the text
// is none: it is for texts in the program.
func MustPrice(text string) *Price {
	s, err := ReadSheet(text)
	if err != nil {
		panic(err)
	}
	p := NewPrice(s, time.Time{}, nil)
	return &p
}

func version(text string) string {
	sum := strconv.FormatUint(uint64(crc32.ChecksumIEEE([]byte(text))), 16)
	return strings.Repeat("0", 8-len(sum)) + sum
}

// Traits are what a model can do. Zero is what is not known.
type Traits struct {
	Window  int64    // tokens of prompt and answer together
	Output  int64    // the most tokens of an answer
	Takes   []string // text, image, audio, video, file
	Gives   []string // text, image, audio
	Can     []string // tools, reasoning, attachments, structured_output
	Retires string   // the day it ends or has ended: 2026-02-19
	Next    string   // what its maker names in its place
}

// MostOutput is the most tokens that an answer can have: what its maker says, or all
// that fits; 0 where neither is known.
func (f *Traits) MostOutput() int64 {
	if f.Output > 0 {
		return f.Output
	}
	return f.Window
}

// At is the price that is valid at a time, or nil. Of those that are, the newest
// counts; of equally new ones, one for some hours before one for all.
func (e *Entry) At(at time.Time) *Price {
	for i := range e.Prices {
		if e.Prices[i].valid(at) {
			return &e.Prices[i]
		}
	}
	return nil
}

func (p *Price) valid(at time.Time) bool {
	if at.Before(p.From) {
		return false
	}
	if len(p.Hours) == 0 {
		return true
	}
	at = at.UTC()
	clock := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute + time.Duration(at.Second())*time.Second
	for _, h := range p.Hours {
		weekend := at.Weekday() == time.Saturday || at.Weekday() == time.Sunday
		if clock >= h.From && clock < h.Until && !(h.Weekdays && weekend) {
			return true
		}
	}
	return false
}

// sortPrices puts the newest first, and those for some hours before those for all.
func (e *Entry) sortPrices() {
	slices.SortStableFunc(e.Prices, func(a, b Price) int {
		if c := b.From.Compare(a.From); c != 0 {
			return c
		}
		return len(b.Hours) - len(a.Hours)
	})
}

// List is entries that can be looked up. It is not changed after it was made.
type List struct {
	entries []*Entry
	by      map[string]*shelf // provider → its entries
}

// shelf is the entries of one provider.
type shelf struct {
	names  map[string]*Entry
	begins []beginning // the longest first
}

type beginning struct {
	text  string
	entry *Entry
}

// NewList makes a list. Of two entries with the same name the later counts.
func NewList(entries []*Entry) *List {
	l := &List{entries: entries, by: make(map[string]*shelf)}
	for _, e := range entries {
		e.sortPrices()
		s := l.by[e.Provider]
		if s == nil {
			s = &shelf{names: make(map[string]*Entry)}
			l.by[e.Provider] = s
		}
		for _, name := range e.Names {
			if text, ok := strings.CutSuffix(name, "*"); ok {
				s.begins = append(s.begins, beginning{text, e})
			} else {
				s.names[name] = e
			}
		}
	}
	for _, s := range l.by {
		slices.Reverse(s.begins)
		slices.SortStableFunc(s.begins, func(a, b beginning) int { return len(b.text) - len(a.text) })
	}
	return l
}

// All are the entries in their order.
func (l *List) All() []*Entry { return l.entries }

// Lookup finds what is known of an upstream's model. Dated and regional names find the
// model they are of. It allocates nothing for names in the list's own case.
func (l *List) Lookup(provider, model string) (*Entry, bool) {
	if l == nil {
		return nil, false
	}
	s := l.by[provider]
	if s == nil {
		return nil, false
	}
	e := s.find(model)
	if e == nil {
		if lower := strings.ToLower(model); lower != model {
			e = s.find(lower)
		}
	}
	return e, e != nil
}

func (s *shelf) find(model string) *Entry {
	for name := range readings(model) {
		if e := s.names[name]; e != nil {
			return e
		}
	}
	for _, b := range s.begins {
		if strings.HasPrefix(model, b.text) {
			return b.entry
		}
	}
	return nil
}
