package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// genaiModel is a model of @pydantic/genai-prices.
type genaiModel struct {
	ID     string          `json:"id"`
	Match  match           `json:"match"`
	Window int64           `json:"context_window"`
	Prices json.RawMessage `json:"prices"`
}

// match is which names are the model's.
type match struct {
	Or         []match `json:"or"`
	And        []match `json:"and"`
	Equals     string  `json:"equals"`
	StartsWith string  `json:"starts_with"`
	EndsWith   string  `json:"ends_with"`
	Contains   string  `json:"contains"`
	Regex      string  `json:"regex"`
}

// genaiKeys are the classes, and what else is taken over, by the names they have there.
// What is not here has no place in a chat's usage: pages, hours of sound, stored files.
var genaiKeys = map[string]string{
	"input_mtok": "input", "cache_read_mtok": "cached_input", "cache_write_mtok": "cache_write", "output_mtok": "output",
	"cache_write_1h_mtok": "cache_write_1h", "output_reasoning_mtok": "reasoning",
	"input_audio_mtok": "audio_input", "cache_audio_read_mtok": "audio_cached", "output_audio_mtok": "audio_output",
	"input_image_mtok": "image_input", "cache_image_read_mtok": "image_cached", "output_image_mtok": "image_output",
	"requests_kcount": "request", "web_searches_kcount": "search",
}

type conditional struct {
	Constraint *struct {
		Type      string `json:"type"`
		StartDate string `json:"start_date"`
		StartTime string `json:"start_time"`
		EndTime   string `json:"end_time"`
	} `json:"constraint"`
	Prices map[string]json.RawMessage `json:"prices"`
}

type tiered struct {
	Base  json.Number `json:"base"`
	Tiers []struct {
		Start int64       `json:"start"`
		Price json.Number `json:"price"`
	} `json:"tiers"`
}

// names are those that the model can be told by. Beginnings count as names: what follows
// is a date, and price.List knows dates. A preview of a model at Google's costs what the model does.
func (m *genaiModel) names(begins string) []string {
	list := []string{m.ID}
	var walk func(match)
	walk = func(x match) {
		for _, name := range []string{x.Equals, x.StartsWith, x.EndsWith, x.Contains} {
			list = append(list, strings.TrimRight(name, "-@"))
		}
		if x.StartsWith != "" && strings.HasPrefix(x.StartsWith, "gemini-") {
			list = append(list, strings.TrimSuffix(strings.TrimSuffix(x.StartsWith, "-"), "-preview")+"-preview*")
		}
		for _, inner := range slices.Concat(x.Or, x.And) {
			walk(inner)
		}
	}
	walk(m.Match)
	var out []string
	for _, name := range list {
		name = strings.TrimPrefix(name, "regional.")
		if name != "" && strings.HasPrefix(name, begins) && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// prices are all there are: since when, and at which hours.
func (m *genaiModel) prices() ([]priced, []*sheet, error) {
	var list []conditional
	if strings.HasPrefix(string(m.Prices), "[") {
		if err := json.Unmarshal(m.Prices, &list); err != nil {
			return nil, nil, err
		}
	} else {
		list = make([]conditional, 1)
		if err := json.Unmarshal(m.Prices, &list[0].Prices); err != nil {
			return nil, nil, err
		}
	}
	var out []priced
	var sheets []*sheet
	from := ""
	for _, c := range list {
		s, err := readGenai(c.Prices)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", m.ID, err)
		}
		if s == nil && strings.HasSuffix(m.ID, ":free") {
			s = &sheet{rates: rates{"input": "0", "output": "0"}}
		}
		if s == nil {
			continue
		}
		p := priced{}
		if c.Constraint != nil && c.Constraint.Type == "start_date" {
			from = c.Constraint.StartDate
		}
		p.From = from
		if c.Constraint != nil && c.Constraint.Type == "time_of_date" {
			p.Hours = []string{c.Constraint.StartTime[:5] + "-" + c.Constraint.EndTime[:5]}
		}
		out, sheets = append(out, p), append(sheets, s)
	}
	return out, sheets, nil
}

// readGenai reads one list of prices; nil where it is not of a model that says something.
func readGenai(prices map[string]json.RawMessage) (*sheet, error) {
	s := &sheet{rates: rates{}, steps: map[int64]rates{}}
	steps := map[int64]bool{}
	byClass := map[string]tiered{}
	for key, raw := range prices {
		class, ok := genaiKeys[key]
		if !ok {
			continue
		}
		var t tiered
		if raw[0] != '{' {
			t.Base = json.Number(raw)
		} else if err := json.Unmarshal(raw, &t); err != nil {
			return nil, err
		}
		byClass[class] = t
		for _, tier := range t.Tiers {
			steps[tier.Start] = true
		}
	}
	if _, ok := byClass["output"]; !ok {
		return nil, nil
	}
	for _, class := range slices.Sorted(maps.Keys(byClass)) {
		if err := s.take(class, byClass[class], steps); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// take takes over a class's price, and what it is for longer prompts.
func (s *sheet) take(class string, t tiered, steps map[int64]bool) (err error) {
	switch class {
	case "request":
		s.request, err = decimal(t.Base.String(), 1000)
		return err
	case "search":
		s.search, err = decimal(t.Base.String(), 1000)
		return err
	}
	if s.rates[class], err = decimal(t.Base.String(), 1); err != nil {
		return err
	}
	for over := range steps {
		price := t.Base
		for _, tier := range t.Tiers {
			if tier.Start <= over {
				price = tier.Price
			}
		}
		if s.steps[over] == nil {
			s.steps[over] = rates{}
		}
		if s.steps[over][class], err = decimal(price.String(), 1); err != nil {
			return err
		}
	}
	return nil
}
