package price

import (
	"embed"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// files are the book, one for each provider kind. tools/prices writes them.
//
//go:embed book/*.json
var files embed.FS

// Book is the list that comes with the program. Each kind's part is read when it is
// first asked for. It is safe for concurrent use.
type Book struct {
	kinds []string
	parts map[string]*part
}

type part struct {
	once sync.Once
	list *List
	also []string // kinds whose models it serves at the same prices
}

// BuiltIn is the book in the binary.
var BuiltIn = sync.OnceValue(func() *Book {
	b := &Book{parts: make(map[string]*part)}
	list, _ := files.ReadDir("book") // it is embedded
	for _, f := range list {
		kind := strings.TrimSuffix(f.Name(), ".json")
		b.kinds = append(b.kinds, kind)
		b.parts[kind] = new(part)
	}
	return b
})

// Kinds are those that the book knows, sorted.
func (b *Book) Kinds() []string { return b.kinds }

// Lookup finds what is known of a model of a kind, by the upstream's name.
func (b *Book) Lookup(kind, model string) (*Entry, bool) {
	p := b.part(kind)
	if p == nil {
		return nil, false
	}
	if e, ok := p.list.Lookup(kind, model); ok {
		return e, true
	}
	for _, other := range p.also {
		if e, ok := b.part(other).list.Lookup(other, model); ok {
			return e, true
		}
	}
	return nil, false
}

// Of are the entries of a kind, those it serves at another kind's prices included.
func (b *Book) Of(kind string) []*Entry {
	p := b.part(kind)
	if p == nil {
		return nil
	}
	list := slices.Clone(p.list.All())
	for _, other := range p.also {
		list = append(list, b.part(other).list.All()...)
	}
	return list
}

func (b *Book) part(kind string) *part {
	p := b.parts[kind]
	if p != nil {
		p.once.Do(func() { p.read(kind) })
	}
	return p
}

// read reads a kind's file. A mistake in it is one of the program: tests read them all.
func (p *part) read(kind string) {
	src, err := files.ReadFile("book/" + kind + ".json")
	if err != nil {
		panic(err)
	}
	var file bookFile
	if err := json.Unmarshal(src, &file); err != nil {
		panic(fmt.Errorf("price book of %s: %w", kind, err))
	}
	entries, err := file.entries(kind)
	if err != nil {
		panic(fmt.Errorf("price book of %s: %w", kind, err))
	}
	p.list, p.also = NewList(entries), file.Also
}

// bookFile is the book of one kind as it is written down.
type bookFile struct {
	Also    []string     `json:"also,omitempty"`
	Sources []bookSource `json:"sources"`
	Models  []bookEntry  `json:"models"`
}

// bookSource is where figures are from.
type bookSource struct {
	Name    string `json:"name"`
	Checked string `json:"checked"`
}

// bookEntry is an entry as it is written down. Names are short since there are many.
type bookEntry struct {
	Names   []string    `json:"n"`
	Prices  []bookPrice `json:"p,omitempty"`
	Window  int64       `json:"w,omitempty"`
	Output  int64       `json:"o,omitempty"`
	Takes   []string    `json:"in,omitempty"`
	Gives   []string    `json:"out,omitempty"`
	Can     []string    `json:"can,omitempty"`
	Retires string      `json:"ends,omitempty"`
	Next    string      `json:"next,omitempty"`
	Source  int         `json:"s,omitempty"` // its place in Sources
}

// bookPrice is a price as it is written down.
type bookPrice struct {
	Text  string   `json:"t"`
	From  string   `json:"from,omitempty"`  // 2026-08-21
	Hours []string `json:"hours,omitempty"` // 01:00-04:00, on weekdays only: 01:00-04:00w
}

func (f *bookFile) entries(kind string) ([]*Entry, error) {
	list := make([]*Entry, len(f.Models))
	for i := range f.Models {
		m := &f.Models[i]
		if len(m.Names) == 0 || m.Source < 0 || m.Source >= len(f.Sources) {
			return nil, fmt.Errorf("entry %d has no name or no source", i)
		}
		e := &Entry{
			Provider: kind, Names: m.Names, Source: f.Sources[m.Source].Name, Checked: f.Sources[m.Source].Checked,
			Traits: Traits{m.Window, m.Output, m.Takes, m.Gives, m.Can, m.Retires, m.Next},
		}
		for _, w := range m.Prices {
			p, err := w.read()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Names[0], err)
			}
			e.Prices = append(e.Prices, p)
		}
		list[i] = e
	}
	return list, nil
}

func (w *bookPrice) read() (Price, error) {
	s, err := ReadSheet(w.Text)
	if err != nil {
		return Price{}, err
	}
	p := Price{Sheet: s, Version: version(w.Text), plain: s.AppliedRates(new(Usage), "")}
	if w.From != "" {
		if p.From, err = time.Parse(time.DateOnly, w.From); err != nil {
			return p, err
		}
	}
	for _, text := range w.Hours {
		h, err := readHours(text)
		if err != nil {
			return p, err
		}
		p.Hours = append(p.Hours, h)
	}
	return p, nil
}

// readHours reads 01:00-04:00, with a w behind it where it is for weekdays.
func readHours(text string) (h Hours, err error) {
	text, h.Weekdays = strings.CutSuffix(text, "w")
	from, until, _ := strings.Cut(text, "-")
	for _, end := range [...]struct {
		text string
		to   *time.Duration
	}{{from, &h.From}, {until, &h.Until}} {
		clock, err := time.Parse("15:04", end.text)
		if err != nil {
			return h, err
		}
		*end.to = time.Duration(clock.Hour())*time.Hour + time.Duration(clock.Minute())*time.Minute
	}
	return h, nil
}
