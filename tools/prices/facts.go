package main

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
)

// dated is what follows a name and only says which issue of the model it is.
var dated = regexp.MustCompile(`(-\d{4}-\d\d-\d\d|-\d{8}|-00\d|-latest|-v\d)$`)

// fact is what is known by hand of the models whose names fit, wherever they are served.
type fact struct {
	Match   string   `json:"match"` // a regular expression on the name without its path
	Kinds   []string `json:"kinds"` // none: all
	Output  int64    `json:"output"`
	Window  int64    `json:"window"`
	Takes   []string `json:"takes"`
	Gives   []string `json:"gives"`
	Can     []string `json:"can"`
	Tiers   string   `json:"tiers"`  // "@flex=1/2 @priority=2"
	Search  string   `json:"search"` // what one of the web costs, in dollars
	Retires string   `json:"retires"`
	Next    string   `json:"next"`
	Source  string   `json:"source"`
}

// of are the facts that fit, in the order of the file.
func (s *sources) of(kind, name string) []fact {
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = strings.TrimPrefix(strings.TrimPrefix(name, "global."), "anthropic.")
	var list []fact
	for _, f := range s.facts {
		if (len(f.Kinds) == 0 || slices.Contains(f.Kinds, kind)) && regexp.MustCompile(f.Match).MatchString(name) {
			list = append(list, f)
		}
	}
	return list
}

// addFacts fills in what is known by hand. What a model takes, gives and can do is from
// the first fact that tells what it gives.
func (s *sources) addFacts(kind string, m *model) {
	for _, f := range s.of(kind, m.Names[0]) {
		if len(m.Gives) == 0 && len(f.Gives) > 0 {
			m.Gives = f.Gives
			if len(f.Takes) > 0 {
				m.Takes = f.Takes
			}
			for _, what := range f.Can {
				m.learn(what)
			}
		}
		if m.Output == 0 {
			m.Output = f.Output
		}
		if m.Window == 0 {
			m.Window = f.Window
		}
		if m.Retires == "" {
			m.Retires, m.Next = f.Retires, f.Next
		}
	}
	if m.Window > 0 {
		m.Output = min(m.Output, m.Window)
	}
}

// addPrices fills in what is known by hand of prices: the factors of a model's service tiers, and what a search costs.
func (s *sources) addPrices(kind, name string, sheets []*sheet) {
	for _, f := range s.of(kind, name) {
		for _, sheet := range sheets {
			sheet.tiers, sheet.search = cmp.Or(sheet.tiers, f.Tiers), cmp.Or(sheet.search, f.Search)
		}
	}
}
