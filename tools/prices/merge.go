package main

import (
	"fmt"
	"slices"
	"strings"

	"charm.land/catwalk/pkg/catwalk"
)

// shelf is a kind's book while it is made.
type shelf struct {
	kind   kind
	list   []*model
	byName map[string]*model
	sheets map[*model][]*sheet // what the prices of a model were written from
}

// book makes the file of a kind: what was looked up by hand, then genai-prices, which is
// newer and knows more classes, then what only catwalk knows.
func (s *sources) book(k kind) (*book, error) {
	b := &book{Also: k.also, Sources: []source{{genaiSource, genaiDay}, {catwalkSource, catwalkDay}}}
	on := &shelf{kind: k, byName: make(map[string]*model), sheets: make(map[*model][]*sheet)}
	for _, o := range s.own {
		if o.Kind != k.name {
			continue
		}
		b.Sources = append(b.Sources, source{o.Source, o.Checked})
		for _, m := range o.Models {
			m.Source = len(b.Sources) - 1
			on.put(m, m.Names)
		}
	}
	if err := s.addGenai(on); err != nil {
		return nil, err
	}
	for _, provider := range k.catwalk {
		for i := range s.catwalk[provider] {
			s.addCatwalk(on, &s.catwalk[provider][i])
		}
	}
	for _, m := range on.list {
		s.addFacts(k.name, m)
		on.shorten(m)
		s.addPrices(k.name, m.Names[0], on.sheets[m])
		on.write(m)
	}
	slices.SortFunc(on.list, func(a, b *model) int { return strings.Compare(a.Names[0], b.Names[0]) })
	b.Models = on.list
	return b, nil
}

func (s *sources) addGenai(on *shelf) error {
	type found struct {
		m     *model
		names []string
	}
	var list []found
	for _, provider := range on.kind.genai {
		for i := range s.genai[provider] {
			g := &s.genai[provider][i]
			names := g.names(on.kind.begins)
			prices, sheets, err := g.prices()
			if err != nil {
				return err
			}
			if len(names) == 0 || len(prices) == 0 {
				continue
			}
			m := &model{Prices: prices, Window: g.Window}
			on.sheets[m] = sheets
			if id := names[0]; on.byName[id] == nil {
				on.byName[id] = m // a model's own id before what others match
			}
			list = append(list, found{m, names})
		}
	}
	for _, f := range list {
		on.put(f.m, f.names)
	}
	return nil
}

// put takes a model in under those of its names that are free.
func (on *shelf) put(m *model, names []string) {
	var free []string
	for _, name := range names {
		if other := on.byName[name]; other == nil || other == m {
			on.byName[name] = m
			free = append(free, name)
		}
	}
	if m.Names = free; len(free) > 0 {
		on.list = append(on.list, m)
	}
}

// find is the model of a name, or of the name without what follows it.
func (on *shelf) find(name string) *model {
	for {
		if m := on.byName[name]; m != nil {
			return m
		}
		short := withoutDate(name)
		if short == name {
			return nil
		}
		name = short
	}
}

func (s *sources) addCatwalk(on *shelf, c *catwalk.Model) {
	if !strings.HasPrefix(c.ID, on.kind.begins) || c.CostPer1MIn == 0 && c.CostPer1MOut == 0 && !strings.HasSuffix(c.ID, ":free") {
		return // it is not known to be free: some lists leave prices out
	}
	name := c.ID
	if on.kind.name == "bedrock" {
		_, name, _ = strings.Cut(name, ".") // the region
	}
	if on.kind.name == "fireworks" {
		name = name[strings.LastIndexByte(name, '/')+1:]
	}
	their := catwalkSheet(c)
	m := on.find(name)
	if m == nil {
		m = &model{Prices: []priced{{}}, Source: 1}
		on.sheets[m] = []*sheet{their}
		on.put(m, []string{name})
	} else {
		s.compare(on, m, c.ID, their)
	}
	m.Window = max(m.Window, c.ContextWindow)
	if len(m.Takes) == 0 {
		m.Takes = []string{"text"}
		if c.SupportsImages {
			m.Takes = append(m.Takes, "image")
		}
	}
	m.learn("tools") // it lists only models that take them
	if c.CanReason {
		m.learn("reasoning")
	}
	if c.SupportsImages {
		m.learn("attachments")
	}
}

func (m *model) learn(what string) {
	if !slices.Contains(m.Can, what) {
		m.Can = append(m.Can, what)
	}
}

// catwalkSheet is a model's prices. Which of the two cached prices is for what is
// written to a cache and which for what is read from it differs from list to list: less than
// input is read, more is written.
func catwalkSheet(c *catwalk.Model) *sheet {
	r := rates{"input": fromFloat(c.CostPer1MIn), "output": fromFloat(c.CostPer1MOut)}
	for _, cached := range []float64{c.CostPer1MInCached, c.CostPer1MOutCached} {
		if cached > 0 && cached < c.CostPer1MIn {
			r["cached_input"] = fromFloat(cached)
		}
	}
	if c.CostPer1MInCached > c.CostPer1MIn {
		r["cache_write"] = fromFloat(c.CostPer1MInCached)
	}
	return &sheet{rates: r}
}

// compare holds what both sources say of a model against each other.
func (s *sources) compare(on *shelf, m *model, name string, their *sheet) {
	sheets := on.sheets[m]
	if len(sheets) == 0 {
		return // looked up by hand
	}
	at := 0
	for i, p := range m.Prices {
		if p.From <= genaiDay && len(p.Hours) == 0 {
			at = i
		}
	}
	ours := sheets[at].rates
	for _, class := range classes[:4] {
		theirs, ok := their.rates[class]
		price, known := ours[class]
		if !ok || theirs == price || !known && class != "input" && class != "output" {
			continue
		}
		if s.differs(on.kind.name, fmt.Sprintf("%s %s %s %s", name, class, theirs, price)) {
			ours[class] = theirs
		}
	}
}

// shorten adds the name without its date, if no other model has it.
func (on *shelf) shorten(m *model) {
	for name := m.Names[0]; ; {
		short := withoutDate(name)
		if short == name {
			return
		}
		if on.byName[short] == nil {
			on.byName[short] = m
			m.Names = append(m.Names, short)
		}
		name = short
	}
}

// write writes the prices of a model from their sheets.
func (on *shelf) write(m *model) {
	for i, s := range on.sheets[m] {
		m.Prices[i].Text = s.line()
		if strings.HasPrefix(m.Names[0], "deepseek-v4") && on.kind.name == "deepseek" {
			// Since 2026-08-23 weekends are off-peak all day.
			for h := range m.Prices[i].Hours {
				m.Prices[i].Hours[h] += "w"
			}
		}
	}
}

// withoutDate is a name without what price.List leaves out as well.
func withoutDate(name string) string {
	if i := strings.LastIndexByte(name, ':'); i > 0 && !strings.HasPrefix(name[i:], ":free") && name[:i] != "ft" {
		return name[:i]
	}
	if i := strings.LastIndexByte(name, '@'); i > 0 {
		return name[:i]
	}
	if m := dated.FindStringIndex(name); m != nil && m[0] > 0 {
		return name[:m[0]]
	}
	return name
}
