package usage

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/meter"
	"stele/internal/price"
)

// statementPage is a month on paper.
type statementPage struct {
	Workspace    string
	Month        string // 2026-11
	Title        string // November 2026
	Problem      string
	Running      bool // the month is not over
	Printed      string
	Before, Next string // months; "" where there is none
	CSV          string
	Total        lineRow
	Used         bool
	Unpriced     string // how many requests have no price; "": all have one
	UnpricedOf   []lineRow
	Sections     []sectionRows
}

type sectionRows struct {
	Title, Head string
	Lines       []lineRow
	Total       lineRow
	Charged     bool // otherwise than what it cost
}

// lineRow is a line of a statement. Money is exact.
type lineRow struct {
	Name, Aside            string
	Requests, Input, Cache string
	Output, Cost, Unpriced string
	Charge                 string // "" where it is what it cost, or not known
}

func (c *Room) showStatement(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	from, until, problem := c.readMonth(r)
	s, name, err := c.statement(r.Context(), v, from, until)
	if err != nil {
		return err
	}
	now := c.Now().UTC()
	p := statementPage{
		Workspace: s.Workspace, Month: s.Month(), Title: from.Format("January 2006"), Problem: problem, Running: now.Before(until), Used: s.Total.Requests > 0,
		Printed: now.Format("2 January 2006, 15:04 UTC"), Before: from.AddDate(0, -1, 0).Format("2006-01"),
		CSV: "/console/usage/statement/csv?month=" + s.Month(), Total: lineOf("All", "", s.Total),
	}
	if !now.Before(until) {
		p.Next = until.Format("2006-01")
	}
	if n := s.Total.Unpriced; n > 0 {
		p.Unpriced = page.Many(n, "request has", "requests have")
		for _, g := range s.Unpriced() {
			p.UnpricedOf = append(p.UnpricedOf, lineOf(name(meter.ByModel, g.Name), "", g.Figures))
		}
	}
	for _, section := range s.Sections {
		p.Sections = append(p.Sections, sectionOf(&section, p.Total, name))
	}
	return c.Render(w, r, http.StatusOK, "statement", page.View{Title: "Statement " + s.Month(), Active: "usage", Visitor: &v, Data: p})
}

func (c *Room) statementCSV(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	from, until, _ := c.readMonth(r)
	s, name, err := c.statement(r.Context(), v, from, until)
	if err != nil {
		return err
	}
	out := page.StartCSV(w, "statement-"+s.Workspace+"-"+s.Month())
	_ = out.WriteAll(s.Table(name)) // an error is a client who has gone
	return nil
}

// readMonth is the month that an address asks for; without one the last that is over.
func (c *Room) readMonth(r *http.Request) (from, until time.Time, problem string) {
	now := c.Now().UTC()
	last := time.Date(now.Year(), now.Month()-1, 1, 0, 0, 0, 0, time.UTC)
	text := r.URL.Query().Get("month")
	if text == "" {
		return last, last.AddDate(0, 1, 0), ""
	}
	from, until, err := meter.Month(text)
	switch {
	case err != nil:
		return last, last.AddDate(0, 1, 0), "A month is written as 2026-01."
	case from.After(now):
		return last, last.AddDate(0, 1, 0), "That month has not begun."
	}
	return from, until, ""
}

// statement is what the workspace used, and what people call its groups.
func (c *Room) statement(ctx context.Context, v access.Visitor, from, until time.Time) (s meter.Statement, name func(by meter.Split, id string) string, err error) {
	if s, err = c.Usage.Statement(ctx, v.Session.Workspace, from, until); err != nil {
		return s, nil, err
	}
	keys, err := page.KeyNames(ctx, c.Access, v)
	if err != nil {
		return s, nil, err
	}
	people, err := c.Access.People(ctx, v.Principal())
	emails := make(map[string]string, len(people))
	for i := range people {
		emails[people[i].ID] = people[i].Email
	}
	return s, func(by meter.Split, id string) string {
		if by == meter.ByPerson {
			return cmp.Or(emails[id], id)
		}
		return groupName(by, id, keys)
	}, err
}

func sectionOf(section *meter.Section, total lineRow, name func(by meter.Split, id string) string) sectionRows {
	head := splitName(section.By)
	rows := sectionRows{Title: "By " + lowerFirst(head), Head: head, Total: total, Charged: total.Charge != ""}
	for _, g := range section.Groups {
		aside := ""
		if called := name(section.By, g.Name); called != g.Name && section.By != meter.ByModel {
			aside = g.Name
		}
		rows.Lines = append(rows.Lines, lineOf(name(section.By, g.Name), aside, g.Figures))
	}
	if section.Rest.Requests != 0 {
		rows.Lines = append(rows.Lines, lineOf(section.RestName(), "", section.Rest))
	}
	return rows
}

func lineOf(name, aside string, f meter.Figures) lineRow {
	row := lineRow{
		Name: name, Aside: aside, Requests: page.FormatGrouped(f.Requests), Input: page.FormatGrouped(f.Input + f.CacheWrite), Cache: page.FormatGrouped(f.CacheRead),
		Output: page.FormatGrouped(f.Output + f.Reasoning), Cost: price.Amount(f.Nano).Dollars(),
	}
	if f.Unpriced > 0 {
		row.Unpriced = page.FormatGrouped(f.Unpriced) + " unpriced"
	}
	if f.Markup != 0 {
		row.Charge = price.Amount(f.Charge()).Dollars()
	}
	if f.Costless() {
		row.Cost = ""
	}
	return row
}

func lowerFirst(text string) string {
	if text == "" {
		return ""
	}
	return string(text[0]|0x20) + text[1:]
}
