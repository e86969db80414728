package meter

import (
	"strconv"
	"time"

	"stele/internal/label"
	"stele/internal/price"
)

// Statement is what a workspace used in a month, in UTC. Every section adds up to the
// total, and that to the rows of the month's requests, to the nano-dollar.
type Statement struct {
	Workspace   string
	From, Until time.Time
	Total       Figures
	Sections    []Section // by model, key and person, then by each tag
}

// Section is what was used, by one thing.
type Section struct {
	By     Split
	Groups []Group // the dearest first
	Rest   Figures // of requests that are in none of the groups
}

// Month is the first moment of a month that is written as 2026-11, and of the next one.
func Month(text string) (from, until time.Time, err error) {
	if from, err = time.Parse("2006-01", text); err != nil {
		return from, until, err
	}
	return from, from.AddDate(0, 1, 0), nil
}

// Month is the statement's, as Month reads it.
func (s *Statement) Month() string { return s.From.Format("2006-01") }

// Unpriced are the models some of whose requests have no price. They are not in the sums.
func (s *Statement) Unpriced() []Group {
	var list []Group
	for _, section := range s.Sections {
		for _, g := range section.Groups {
			if section.By == ByModel && g.Figures.Unpriced > 0 {
				list = append(list, g)
			}
		}
	}
	return list
}

// Costless reports whether nothing is known of what requests cost: that is not zero.
func (f Figures) Costless() bool { return f.Nano == 0 && f.Unpriced > 0 }

// RestName is what the requests are that a section has in none of its groups.
func (s *Section) RestName() string {
	switch {
	case s.By == ByPerson:
		return "(nobody)"
	case s.By.Tag() != "":
		return "(none)"
	}
	return OtherModels
}

// Minus is what is left when others are taken away.
func (f Figures) Minus(g Figures) Figures {
	return Figures{
		Requests: f.Requests - g.Requests, Failed: f.Failed - g.Failed, Input: f.Input - g.Input, CacheRead: f.CacheRead - g.CacheRead,
		CacheWrite: f.CacheWrite - g.CacheWrite, Output: f.Output - g.Output, Reasoning: f.Reasoning - g.Reasoning,
		Nano: f.Nano - g.Nano, Markup: f.Markup - g.Markup, Unpriced: f.Unpriced - g.Unpriced, Took: f.Took - g.Took,
	}
}

// Table is the statement as rows of a file that spreadsheets open, with their head. Name is
// what people call a group's id.
func (s *Statement) Table(name func(by Split, id string) string) [][]string {
	rows := [][]string{{
		"workspace", "month", "by", "id", "name", "requests", "failed", "unpriced_requests", "input_tokens", "cache_read_tokens", "cache_write_tokens",
		"output_tokens", "reasoning_tokens", "cost_usd", "charge_usd",
	}}
	add := func(by, id, name string, f Figures) {
		row := []string{s.Workspace, s.Month(), label.Cell(by), label.Cell(id), label.Cell(name)}
		for _, n := range []int64{f.Requests, f.Failed, f.Unpriced, f.Input, f.CacheRead, f.CacheWrite, f.Output, f.Reasoning} {
			row = append(row, strconv.FormatInt(n, 10))
		}
		cost, charge := "", ""
		if !f.Costless() {
			cost, charge = price.Amount(f.Nano).String(), price.Amount(f.Charge()).String()
		}
		rows = append(rows, append(row, cost, charge))
	}
	add("total", "", "", s.Total)
	for _, section := range s.Sections {
		for _, g := range section.Groups {
			add(string(section.By), g.Name, name(section.By, g.Name), g.Figures)
		}
		if section.Rest.Requests != 0 {
			add(string(section.By), "", section.RestName(), section.Rest)
		}
	}
	return rows
}
