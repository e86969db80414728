package usage

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/meter"
	"stele/internal/price"
	"stele/internal/share"
)

// Source adds up what was used, by whole days.
type Source interface {
	UsageTotal(ctx context.Context, of meter.Slice) (meter.Figures, error)
	UsageGroups(ctx context.Context, of meter.Slice, by meter.Split, most meter.Measure, limit int) ([]meter.Group, error)
	UsageDays(ctx context.Context, of meter.Slice, by meter.Split, groups []string) ([]meter.Day, error)
	Statement(ctx context.Context, workspace string, from, until time.Time) (meter.Statement, error)
}

const (
	mostGroups = 50  // rows of the table
	mostChoice = 200 // models to choose from
	mostBars   = 4   // limits
)

type usagePage struct {
	Query        usageQuery
	Problem      string
	Range        string // in words, with both ends
	Before       string // the range that the changes are against
	Figures      []page.Tally
	Chart        *chart // nil: nothing was used
	Groups       []groupRow
	More         bool // there are more groups than the table has
	Headline     string
	CSV          string // link
	Ranges       []page.Option
	Splits       []page.Option
	Tags         []string // that usage can be split by
	Measures     []page.Option
	Keys         []page.Option
	Models       []page.Option
	Environments []page.Option
	LastRange    bool // nothing was used before either

	Statements bool   // the visitor may see them
	OnDisk     string // what the workspace holds there; "": not known
	Limits     []page.LimitBar
}

type groupRow struct {
	Name, ID string
	Aside    string // the id, where the name does not tell it
	Link     string // to its requests
	Requests string
	Failed   string
	Tokens   string
	Exact    string // tokens, by class
	Cost     string
	Mean     string
	Share    string
	Width    string // of the share's bar, 0 to 100
}

func (c *Room) showUsage(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q, problem := readUsageQuery(r.URL.Query(), c.Now())
	p := usagePage{Query: q, Problem: problem, Statements: v.Role.Covers(page.Owner)}
	if err := c.fillUsage(r.Context(), v, &p); err != nil {
		return err
	}
	whole := page.View{Title: "Usage", Active: "usage", Visitor: &v, Data: p}
	if page.WantsPart(r) {
		return c.Fragment(w, r, http.StatusOK, "usage", "usage", whole)
	}
	p.OnDisk = c.onDisk(r.Context(), v.Session.Workspace)
	whole.Data = p
	if c.Limits != nil {
		var err error
		if p.Limits, err = c.FullestBars(r.Context(), c.Limits, c.Access, v, mostBars); err != nil {
			return err
		}
		whole.Data = p
	}
	return c.Render(w, r, http.StatusOK, "usage", whole)
}

// onDisk says what a workspace holds there, and how much it may.
func (c *Room) onDisk(ctx context.Context, workspace string) string {
	standing, known := c.Share.Standing(ctx, workspace)
	if !known {
		return ""
	}
	text := "It holds about " + share.Text(standing.Held.Files) + " of files and " + share.Text(standing.Held.Rows) + " of rows on disk"
	if held, most := standing.Fullest(); most > 0 {
		text += ", " + page.Share(held, most) + " of what it may hold now"
	}
	return text + "."
}

func (c *Room) fillUsage(ctx context.Context, v access.Visitor, p *usagePage) error {
	q := p.Query
	p.Tags = v.Principal().Scope.DeclaredTags()
	if tag := q.By.Tag(); tag != "" && !slices.Contains(p.Tags, tag) {
		p.Tags = append(slices.Clone(p.Tags), tag) // it was declared once
	}
	of := q.slice(v.Session.Workspace)
	names, err := page.KeyNames(ctx, c.Access, v)
	if err != nil {
		return err
	}
	both := of // the range and as many days before it
	both.From = of.From.Add(of.From.Sub(of.Until))
	days, err := c.Usage.UsageDays(ctx, both, "", nil)
	if err != nil {
		return err
	}
	var now, then meter.Figures
	cut := 0
	for i := range days {
		if days[i].At.Before(of.From) {
			then.Add(days[i].Figures)
			cut = i + 1
		} else {
			now.Add(days[i].Figures)
		}
	}
	groups, err := c.Usage.UsageGroups(ctx, of, q.By, q.Show, mostGroups+1)
	if err != nil {
		return err
	}
	p.Figures = compare(now, then)
	p.Range, p.Before = daysInWords(of.From, of.Until), daysInWords(both.From, of.From)
	p.LastRange = then.Requests == 0
	if p.More = len(groups) > mostGroups; p.More {
		groups = groups[:mostGroups]
	}
	for _, g := range groups {
		p.Groups = append(p.Groups, q.row(g, now, names))
	}
	if now.Requests > 0 {
		if p.Chart, err = c.usageChart(ctx, of, q, days[cut:], groups, names); err != nil {
			return err
		}
	}
	p.Headline = splitName(q.By)
	p.CSV = "/console/usage/csv?" + q.values().Encode()
	return c.fillChoices(ctx, of.Workspace, names, p)
}

func daysInWords(from, until time.Time) string {
	last := until.AddDate(0, 0, -1)
	switch {
	case !last.After(from):
		return from.Format("2 January 2006")
	case last.Year() == from.Year():
		return from.Format("2 January") + " – " + last.Format("2 January 2006")
	}
	return from.Format("2 January 2006") + " – " + last.Format("2 January 2006")
}

// row is a group as the table shows it.
func (q usageQuery) row(g meter.Group, all meter.Figures, names map[string]string) groupRow {
	n, of := q.Show.Of(g.Figures), q.Show.Of(all)
	row := groupRow{
		Name: groupName(q.By, g.Name, names), Requests: page.FormatGrouped(g.Requests), Failed: page.Share(g.Failed, g.Requests), Tokens: page.FormatShort(g.Tokens()),
		Exact: page.Many(g.Input+g.CacheWrite, "input token", "input tokens") + ", " + page.FormatGrouped(g.CacheRead) + " cached, " +
			page.FormatGrouped(g.Output) + " output, " + page.FormatGrouped(g.Reasoning) + " reasoning",
		Cost: price.Amount(g.Nano).Short(), Mean: page.FormatDuration(g.Took / time.Duration(max(g.Requests, 1))),
		Share: page.Share(n, of), Width: "0",
	}
	if of > 0 {
		row.Width = page.TrimDigits(float64(n) / float64(of) * 100)
	}
	if row.ID = g.Name; q.By == meter.ByKey {
		row.Aside = g.Name
	}
	row.Link = q.requests(g.Name)
	return row
}

// requests is a link to the requests of a group, in the same days.
func (q usageQuery) requests(group string) string {
	values := url.Values{"time": {"own"}, "from": {q.From.Format(time.DateOnly)}, "to": {q.Until.AddDate(0, 0, -1).Format(time.DateOnly)}}
	for name, value := range map[string]string{"key": q.Key, "model": q.Model} {
		if value != "" {
			values.Set(name, value)
		}
	}
	switch {
	case q.By == meter.ByStatus && len(group) == 3:
		values.Set("class", group[:1])
	case q.By == meter.ByKey && group == "":
		values.Set("key", meter.NoKey)
	case q.By == meter.ByUser && group != meter.OtherModels:
		values.Set("user", group)
	case q.By.Tag() != "" && group != meter.OtherModels:
		values.Set("tag", q.By.Tag()+"="+group)
	case group != "" && (q.By == meter.ByKey || q.By == meter.ByModel || q.By == meter.ByProvider):
		values.Set(string(q.By), group)
	default:
		return ""
	}
	return "/console/requests?" + values.Encode()
}

// groupName is a group's name for people.
func groupName(by meter.Split, id string, names map[string]string) string {
	switch {
	case by == meter.ByKey:
		return page.KeyName(id, names)
	case by == meter.ByEnvironment && id == "":
		return "Console"
	case by == meter.ByEnvironment:
		return map[string]string{"development": "Development", "production": "Production"}[id]
	case by == meter.ByProvider && id == "":
		return "Nobody was asked"
	case by == meter.ByStatus && id != "":
		return id + " " + statusText(id)
	case id == "":
		return meter.NoneNamed
	}
	return id
}

// compare gives the figures of a range with what changed since the one before.
func compare(now, then meter.Figures) []page.Tally {
	of := func(name string, n, before int64, text func(int64) string) page.Tally {
		return page.Tally{Name: name, Value: text(n), Exact: page.FormatGrouped(n), Change: change(float64(n), float64(before))}
	}
	list := []page.Tally{
		of("Requests", now.Requests, then.Requests, page.FormatShort),
		of("Input tokens", now.Input+now.CacheWrite, then.Input+then.CacheWrite, page.FormatShort),
		of("Cached input", now.CacheRead, then.CacheRead, page.FormatShort),
		of("Output tokens", now.Output, then.Output, page.FormatShort),
		of("Reasoning tokens", now.Reasoning, then.Reasoning, page.FormatShort),
		of("Cost", now.Nano, then.Nano, func(n int64) string { return price.Amount(n).Short() }),
	}
	list[1].Hint = "read afresh or written to a cache"
	list[5].Exact = price.Amount(now.Nano).Rounded()
	rate := func(f meter.Figures) float64 { return float64(f.Failed) / max(float64(f.Requests), 1) }
	mean := func(f meter.Figures) time.Duration { return f.Took / time.Duration(max(f.Requests, 1)) }
	failing := page.Tally{Name: "Error rate", Value: page.Share(now.Failed, now.Requests), Exact: page.Many(now.Failed, "failed request", "failed requests")}
	slow := page.Tally{Name: "Mean time", Value: page.FormatDuration(mean(now)), Exact: "from the request to the end of its answer"}
	if then.Requests > 0 && now.Requests > 0 {
		failing.Change, failing.Tone = points(rate(now), rate(then))
		slow.Change = change(float64(mean(now)), float64(mean(then)))
	}
	return append(list, failing, slow)
}

// change is how a figure differs from what it was, in percent.
func change(now, then float64) string {
	switch {
	case then == 0:
		return ""
	case now == then:
		return "unchanged"
	}
	p := (now - then) / then * 100
	switch {
	case p > 999:
		return "+>999%"
	case p >= 0.5:
		return "+" + page.TrimDigits(p) + "%"
	case p <= -0.5:
		return "−" + page.TrimDigits(-p) + "%"
	}
	return "about the same"
}

// points is how a rate differs, in points of a percent; more failures are bad.
func points(now, then float64) (text, tone string) {
	d := (now - then) * 100
	switch {
	case d >= 0.05:
		return "+" + page.TrimDigits(d) + " points", "bad"
	case d <= -0.05:
		return "−" + page.TrimDigits(-d) + " points", "good"
	}
	return "about the same", ""
}
