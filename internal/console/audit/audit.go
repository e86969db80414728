package audit

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/label"
)

const (
	auditPageSize = 50
	fewBehind     = 100 // entries that are on their way, which is nothing to tell of
)

// Lag is how far a place is behind that the audit log is sent on to.
type Lag struct {
	Place   string // "file" or "address"
	Behind  int64  // entries
	Problem string // why, if that is known
}

// Entries says how many the place lacks.
func (l Lag) Entries() string { return page.Many(l.Behind, "entry has", "entries have") }

type auditPage struct {
	Form    auditForm
	Entries []auditRow
	Older   string // the query of the page that goes on, "" on the last one
	Newest  string // the query of the first page, "" when this is it
	CSV     string // the query of the download
	Lags    []Lag
}

// auditForm is the bar of filters, as it was filled in.
type auditForm struct {
	Actor, Action, Target, Day string
	People                     []auditPick
	Actions                    []auditGroup
	Any                        bool // something is filtered out
}

// auditPick is an option of a select.
type auditPick struct{ Value, Label string }

type auditGroup struct {
	Label string
	Picks []auditPick
}

// auditRow is an entry in words.
type auditRow struct {
	At     *page.Moment
	Who    string
	Human  bool // who is an address
	What   string
	Name   string // what it was done to, as people call it
	More   string // what else is known of it
	Target string
	Filter string // the query that shows all about the target

	Changes []access.Change
}

func (c *Room) showAudit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	query := r.URL.Query()
	form, filter, err := readAuditForm(query)
	if err != nil {
		return err
	}
	filter.Limit = auditPageSize + 1
	entries, err := c.Access.Audit(r.Context(), v.Principal(), filter)
	if err != nil {
		return err
	}
	people, err := c.Access.People(r.Context(), v.Principal())
	if err != nil {
		return err
	}
	form.fill(people)
	p := auditPage{Form: form, CSV: form.query(access.Cursor{})}
	if len(entries) > auditPageSize {
		entries = entries[:auditPageSize]
		last := entries[auditPageSize-1]
		p.Older = form.query(access.Cursor{At: last.At, ID: last.ID})
	}
	if filter.Before.ID != "" {
		p.Newest = "?" + strings.TrimPrefix(p.CSV, "?")
	}
	if v.User.Admin && c.Lags != nil {
		if p.Lags, err = c.Lags(r.Context()); err != nil {
			return err
		}
		p.Lags = slices.DeleteFunc(p.Lags, func(l Lag) bool { return l.Problem == "" && l.Behind < fewBehind })
	}
	for _, e := range entries {
		p.Entries = append(p.Entries, c.auditRow(e))
	}
	return c.Render(w, r, http.StatusOK, "audit", page.View{Title: "Audit log", Active: "audit", Visitor: &v, Data: p})
}

func (c *Room) auditRow(e access.Entry) auditRow {
	row := auditRow{Changes: e.Changes, At: c.At(e.At), Who: whoDid(e), Human: e.ActorName != "", What: deed(e.Action), Name: e.Detail, Target: e.Target}
	if e.Target != "" && !anID.MatchString(e.Target) && e.Target != e.Detail {
		row.Name, row.More = e.Target, e.Detail
	}
	if e.Target != "" {
		row.Filter = auditForm{Target: e.Target}.query(access.Cursor{})
	}
	return row
}

// anID is what most targets look like. The others are names that people gave.
var anID = regexp.MustCompile(`^[a-z]+_[0-9a-z]{20,}$`)

func readAuditForm(q url.Values) (auditForm, access.Filter, error) {
	f := auditForm{Actor: q.Get("actor"), Action: q.Get("action"), Target: strings.TrimSpace(q.Get("target")), Day: q.Get("day")}
	f.Any = f.Actor != "" || f.Action != "" || f.Target != "" || f.Day != ""
	filter := access.Filter{Actor: f.Actor, Action: f.Action, About: f.Target}
	if f.Day != "" {
		from, err := time.Parse(time.DateOnly, f.Day)
		if err != nil {
			return f, filter, fault.New(fault.InvalidParameter, "A day is written as 2026-11-15.").Field("day")
		}
		filter.Since, filter.Until = from, from.AddDate(0, 0, 1)
	}
	var err error
	filter.Before, err = page.ReadBefore(q)
	return f, filter, err
}

// query is the form as part of an address, going on after an entry.
func (f auditForm) query(after access.Cursor) string {
	q := url.Values{}
	for name, value := range map[string]string{"actor": f.Actor, "action": f.Action, "target": f.Target, "day": f.Day, "before": page.CursorText(after)} {
		if value != "" {
			q.Set(name, value)
		}
	}
	if len(q) == 0 {
		return ""
	}
	return "?" + q.Encode()
}

// fill adds what the selects offer. What was asked for is always among it.
func (f *auditForm) fill(people []access.Person) {
	known := f.Actor == ""
	add := func(value, label string) {
		known = known || value == f.Actor
		f.People = append(f.People, auditPick{value, label})
	}
	for _, p := range people {
		add(p.ID, p.Email)
	}
	for _, a := range actors {
		add(a.id, a.name)
	}
	if !known {
		add(f.Actor, f.Actor)
	}
	known = f.Action == ""
	for _, group := range deeds {
		g := auditGroup{Label: group.label}
		for _, d := range group.deeds {
			known = known || d.action == f.Action
			g.Picks = append(g.Picks, auditPick{d.action, d.choice})
		}
		f.Actions = append(f.Actions, g)
	}
	if !known {
		f.Actions = append(f.Actions, auditGroup{"Other", []auditPick{{f.Action, f.Action}}})
	}
}

const (
	auditBite = 500    // entries that are read at once
	auditMost = 50_000 // entries of one download
)

// downloadAudit writes what the filters let through, a bite at a time.
func (c *Room) downloadAudit(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	_, filter, err := readAuditForm(r.URL.Query())
	if err != nil {
		return err
	}
	filter.Limit = auditBite
	entries, err := c.Access.Audit(r.Context(), v.Principal(), filter)
	if err != nil {
		return err
	}
	out := page.StartCSV(w, "audit-"+v.Session.Workspace)
	_ = out.Write([]string{"time", "who", "actor", "action", "target", "detail", "id", "changes", "seq", "hash"})
	for written := 0; len(entries) > 0; {
		for _, e := range entries {
			_ = out.Write([]string{
				e.At.UTC().Format(time.RFC3339), label.Cell(whoDid(e)), label.Cell(e.Actor), label.Cell(e.Action), label.Cell(e.Target), label.Cell(e.Detail), e.ID,
				label.Cell(ChangeWords(e.Changes)), strconv.FormatInt(e.Seq, 10), e.Hash,
			})
		}
		out.Flush()
		last := entries[len(entries)-1]
		filter.Before = access.Cursor{At: last.At, ID: last.ID}
		if written += len(entries); len(entries) < auditBite || written >= auditMost || out.Error() != nil {
			return nil //nolint:nilerr // a client that is gone needs no answer
		}
		if entries, err = c.Access.Audit(r.Context(), v.Principal(), filter); err != nil {
			panic(http.ErrAbortHandler) // the answer has begun: it must not look whole
		}
	}
	out.Flush()
	return nil
}
