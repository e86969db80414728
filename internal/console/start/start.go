package start

import (
	"context"
	"net/http"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/clients"
	"stele/internal/console/page"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/meter"
	"stele/internal/price"
)

// Options is what the first page stands on beside the other rooms.
type Options struct {
	Models interface {
		Models(scope access.Scope) []catalog.Model
		Model(id string, scope access.Scope) (*catalog.Model, error)
		Traits(m *catalog.Model, at time.Time) catalog.Traits
	}
	Media interface {
		Media(scope access.Scope, mediaType string) []media.Model
	}
	Tasks interface {
		Tasks(ctx context.Context, workspace string, limit int) ([]generation.Task, error)
	}
}

const (
	latest      = 5
	latestParts = 20 // tasks to look at for as many that are no parts of others
	shownLimits = 6
)

type startPage struct {
	Workspace string
	Steps     *steps   // nil: the first call was made long ago
	Notices   *notices // nil: there are none
	Today     []page.Tally
	Limits    []page.LimitBar
	Requests  []page.RequestRow
	Made      []madeRow
	Health    []healthRow
	Snippets  []snippet
	Clients   []clients.Client
	Languages []page.Option
	Dialects  []page.Option
	Sandbox   bool       // the snippets call the sandbox
	Unpriced  page.Count // requests of today and yesterday whose price is not known
	Aside     page.Count // tasks that were set aside, for those who can send them again
}

// steps are the first three, with ticks.
type steps struct {
	Key, Call bool
	Waiting   bool // it is worth looking again
}

type madeRow struct {
	ID, Link, Model, Mode, State, Tone string
	At                                 *page.Moment
	Cost                               string
}

type healthRow struct {
	Name, Kind, State, Tone, Error string
	At                             *page.Moment
}

func (c *Room) showStart(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := startPage{Workspace: v.Session.Workspace}
	whole := page.View{Title: "Start", Active: "start", Visitor: &v}
	var err error
	if page.WantsPart(r) && r.URL.Query().Get("part") == "steps" {
		if p.Steps, err = c.steps(r.Context(), v); err != nil {
			return err
		}
		whole.Data = p
		return c.Fragment(w, r, http.StatusOK, "start", "steps", whole)
	}
	for _, fill := range []func(context.Context, access.Visitor, *startPage) error{c.startAside, c.startNotices, c.startFigures, c.startLimits, c.startLatest, c.startMade} {
		if err := fill(r.Context(), v, &p); err != nil {
			return err
		}
	}
	if len(p.Requests) == 0 && c.Requests != nil {
		if p.Steps, err = c.steps(r.Context(), v); err != nil {
			return err
		}
	}
	c.startHealth(r.Context(), &p)
	c.startSnippets(v, &p)
	whole.Data = p
	return c.Render(w, r, http.StatusOK, "start", whole)
}

// steps are how far an owner has come who begins.
func (c *Room) steps(ctx context.Context, v access.Visitor) (*steps, error) {
	keys, err := c.Access.FindKeys(ctx, v.Principal(), access.KeyFilter{Workspace: v.Session.Workspace, Limit: 100})
	if err != nil {
		return nil, err
	}
	s := new(steps)
	for _, k := range keys {
		s.Key = s.Key || k.Status(c.Now()) == "active"
	}
	found, err := c.Requests.SearchRecords(ctx, meter.Search{Workspace: v.Session.Workspace}, 1)
	if err != nil {
		return nil, err
	}
	s.Call = len(found.Records) > 0
	s.Waiting = !s.Call
	return s, nil
}

// startFigures are today's numbers.
func (c *Room) startFigures(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Usage == nil {
		return nil
	}
	midnight := c.Now().UTC().Truncate(page.Day)
	now, err := c.Usage.UsageTotal(ctx, meter.Slice{Workspace: v.Session.Workspace, From: midnight, Until: midnight.Add(page.Day)})
	if err != nil {
		return err
	}
	then, err := c.Usage.UsageTotal(ctx, meter.Slice{Workspace: v.Session.Workspace, From: midnight.Add(-page.Day), Until: midnight})
	if err != nil {
		return err
	}
	yesterday := func(text string) string {
		if then.Requests == 0 {
			return ""
		}
		return text + " yesterday"
	}
	p.Unpriced = page.Count(now.Unpriced + then.Unpriced)
	p.Today = []page.Tally{
		{Name: "Requests today", Value: page.FormatShort(now.Requests), Exact: page.FormatGrouped(now.Requests), Hint: yesterday(page.FormatShort(then.Requests))},
		{Name: "Tokens", Value: page.FormatShort(now.Tokens()), Exact: page.FormatGrouped(now.Tokens()), Hint: yesterday(page.FormatShort(then.Tokens()))},
		{Name: "Cost", Value: price.Amount(now.Nano).Short(), Exact: price.Amount(now.Nano).Rounded(), Hint: yesterday(price.Amount(then.Nano).Short())},
		{
			Name: "Error rate", Value: page.Share(now.Failed, now.Requests), Exact: page.Many(now.Failed, "failed request", "failed requests"),
			Hint: yesterday(page.Share(then.Failed, then.Requests)),
		},
	}
	return nil
}

// startLimits are the limits of which most is gone.
func (c *Room) startLimits(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Limits == nil {
		return nil
	}
	var err error
	p.Limits, err = c.FullestBars(ctx, c.Limits, c.Access, v, shownLimits)
	return err
}

// startLatest are the last requests.
func (c *Room) startLatest(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Requests == nil {
		return nil
	}
	names, err := page.KeyNames(ctx, c.Access, v)
	if err != nil {
		return err
	}
	found, err := c.Requests.SearchRecords(ctx, meter.Search{Workspace: v.Session.Workspace}, latest)
	if err != nil {
		return err
	}
	for i := range found.Records {
		p.Requests = append(p.Requests, c.RequestRow(&found.Records[i], names))
	}
	return nil
}

// startMade are the last generations that people ordered.
func (c *Room) startMade(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Start == nil || c.Start.Tasks == nil {
		return nil
	}
	tasks, err := c.Start.Tasks.Tasks(ctx, v.Session.Workspace, latestParts)
	if err != nil {
		return err
	}
	for i := range tasks {
		t := &tasks[i]
		if t.Parent != "" || len(p.Made) == latest {
			continue
		}
		row := madeRow{
			ID: t.ID, Model: t.Model, Mode: t.Mode, State: string(t.State), Tone: page.StateTone(t.State), At: c.At(t.Created), Cost: price.Amount(t.Nano).Rounded(),
			Link: c.MadeAt(t.ID, t.App),
		}
		if t.App != "" {
			row.Model, row.Mode = t.App, "app"
		}
		p.Made = append(p.Made, row)
	}
	return nil
}

func (c *Room) startHealth(ctx context.Context, p *startPage) {
	if c.Health == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second) // the page does not wait longer
	defer cancel()
	for _, h := range c.Health.Health(ctx) {
		state := page.HealthOf(h.State)
		p.Health = append(p.Health, healthRow{Name: h.Name, Kind: h.Kind, State: state.Label, Tone: state.Class, Error: h.Error, At: c.At(h.At)})
	}
}

func (c *Room) startSnippets(v access.Visitor, p *startPage) {
	if c.Start == nil {
		return
	}
	scope := v.Principal().Scope
	chat, picture := pickChat(c.Start.Models.Models(scope)), pickMedia(c.Start.Media.Media(scope, "image"))
	if picture == "" {
		picture = pickMedia(c.Start.Media.Media(scope, ""))
	}
	p.Snippets = snippets(c.Root(), chat, picture)
	p.Clients = clients.All()
	p.Languages, p.Dialects = snippetLanguages, snippetDialects
	p.Sandbox = strings.HasPrefix(chat, catalog.BuiltIn)
}

// startAside counts what waits for a decision, for those who can decide.
func (c *Room) startAside(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.Asides == nil || !v.Role.Covers(page.Owner) {
		return nil
	}
	tasks, err := c.Asides.List(ctx, v.Session.Workspace)
	p.Aside = page.Count(len(tasks))
	return err
}
