package console

import (
	"context"
	"net/http"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/meter"
)

// Start is what the first page stands on beside the other rooms.
type Start struct {
	Models ChatModels
	Media  interface {
		Media(scope access.Scope, mediaType string) []media.Model
	}
	Tasks interface {
		Tasks(ctx context.Context, workspace string, limit int) ([]generation.Task, error)
	}
}

const (
	latest      = 5
	latestParts = 20 // tasks to look at for as many that are no parts of others
)

type startPage struct {
	Workspace string
	Steps     *steps // nil: the first call was made long ago
	Today     []tally
	Requests  []requestRow
	Made      []madeRow
	Health    []healthRow
	Snippets  []snippet
	Languages []option
	Dialects  []option
	Sandbox   bool // the snippets call the sandbox
	Aside     int  // tasks that were set aside, for those who can send them again
}

// steps are the first three, with ticks.
type steps struct {
	Key, Call bool
	Waiting   bool // it is worth looking again
}

type madeRow struct {
	ID, Link, Model, Mode, State, Tone string
	At                                 *moment
	Cost                               string
}

type healthRow struct {
	Name, Kind, State, Tone, Error string
	At                             *moment
}

func (c *Console) showStart(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := startPage{Workspace: v.Session.Workspace}
	page := view{Title: "Start", Active: "start", Visitor: &v}
	var err error
	if partly(r) && r.URL.Query().Get("part") == "steps" {
		if p.Steps, err = c.steps(r.Context(), v); err != nil {
			return err
		}
		page.Data = p
		return c.fragment(w, r, http.StatusOK, "start", "steps", page)
	}
	for _, fill := range []func(context.Context, access.Visitor, *startPage) error{c.startAside, c.startFigures, c.startLatest, c.startMade} {
		if err := fill(r.Context(), v, &p); err != nil {
			return err
		}
	}
	if len(p.Requests) == 0 && c.requests != nil {
		if p.Steps, err = c.steps(r.Context(), v); err != nil {
			return err
		}
	}
	c.startHealth(r.Context(), &p)
	c.startSnippets(v, &p)
	page.Data = p
	return c.render(w, r, http.StatusOK, "start", page)
}

// steps are how far somebody has come who begins.
func (c *Console) steps(ctx context.Context, v access.Visitor) (*steps, error) {
	keys, err := c.access.Keys(ctx, v.Principal(), v.Session.Workspace)
	if err != nil {
		return nil, err
	}
	s := new(steps)
	for _, k := range keys {
		s.Key = s.Key || k.Status(c.now()) == "active"
	}
	found, err := c.requests.SearchRecords(ctx, meter.Search{Workspace: v.Session.Workspace}, 1)
	if err != nil {
		return nil, err
	}
	s.Call = len(found.Records) > 0
	s.Waiting = !s.Call
	return s, nil
}

// startFigures are today's numbers.
func (c *Console) startFigures(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.usage == nil {
		return nil
	}
	midnight := c.now().UTC().Truncate(day)
	now, err := c.usage.UsageTotal(ctx, meter.Slice{Workspace: v.Session.Workspace, From: midnight, Until: midnight.Add(day)})
	if err != nil {
		return err
	}
	then, err := c.usage.UsageTotal(ctx, meter.Slice{Workspace: v.Session.Workspace, From: midnight.Add(-day), Until: midnight})
	if err != nil {
		return err
	}
	yesterday := func(text string) string {
		if then.Requests == 0 {
			return ""
		}
		return text + " yesterday"
	}
	p.Today = []tally{
		{Name: "Requests today", Value: short(now.Requests), Exact: grouped(now.Requests), Hint: yesterday(short(then.Requests))},
		{Name: "Tokens", Value: short(now.Tokens()), Exact: grouped(now.Tokens()), Hint: yesterday(short(then.Tokens()))},
		{Name: "Cost", Value: money(now.Nano), Exact: dollars(now.Nano), Hint: yesterday(money(then.Nano))},
		{
			Name: "Error rate", Value: share(now.Failed, now.Requests), Exact: many(now.Failed, "failed request", "failed requests"),
			Hint: yesterday(share(then.Failed, then.Requests)),
		},
	}
	return nil
}

// startLatest are the last requests.
func (c *Console) startLatest(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.requests == nil {
		return nil
	}
	names, err := c.keyNames(ctx, v)
	if err != nil {
		return err
	}
	found, err := c.requests.SearchRecords(ctx, meter.Search{Workspace: v.Session.Workspace}, latest)
	if err != nil {
		return err
	}
	for i := range found.Records {
		p.Requests = append(p.Requests, c.requestRow(&found.Records[i], names))
	}
	return nil
}

// startMade are the last generations that somebody ordered.
func (c *Console) startMade(ctx context.Context, v access.Visitor, p *startPage) error {
	if c.start == nil || c.start.Tasks == nil {
		return nil
	}
	tasks, err := c.start.Tasks.Tasks(ctx, v.Session.Workspace, latestParts)
	if err != nil {
		return err
	}
	for i := range tasks {
		t := &tasks[i]
		if t.Parent != "" || len(p.Made) == latest {
			continue
		}
		row := madeRow{
			ID: t.ID, Model: t.Model, Mode: t.Mode, State: string(t.State), Tone: stateTone(t.State), At: c.at(t.Created), Cost: dollars(t.Nano),
			Link: c.madeAt(t.ID, t.App),
		}
		if t.App != "" {
			row.Model, row.Mode = t.App, "app"
		}
		p.Made = append(p.Made, row)
	}
	return nil
}

func stateTone(s media.State) string {
	switch s {
	case media.Success:
		return "good"
	case media.Failed:
		return "bad"
	case media.Canceled:
		return "warn"
	}
	return "cool"
}

func (c *Console) startHealth(ctx context.Context, p *startPage) {
	if c.health == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second) // the page waits for nobody
	defer cancel()
	for _, h := range c.health.Health(ctx) {
		row := healthRow{Name: h.Name, Kind: h.Kind, State: string(h.State), Error: h.Error, At: c.at(h.At)}
		switch h.State {
		case HealthOK:
			row.Tone = "good"
		case HealthDegraded:
			row.Tone = "warn"
		case HealthDown:
			row.Tone = "bad"
		case HealthUnknown:
			row.State = "not called yet"
		}
		p.Health = append(p.Health, row)
	}
}

func (c *Console) startSnippets(v access.Visitor, p *startPage) {
	if c.start == nil {
		return
	}
	scope := v.Principal().Scope
	chat, picture := pickChat(c.start.Models.Models(scope)), pickMedia(c.start.Media.Media(scope, "image"))
	if picture == "" {
		picture = pickMedia(c.start.Media.Media(scope, ""))
	}
	p.Snippets = snippets(c.root(), chat, picture)
	p.Languages, p.Dialects = snippetLanguages, snippetDialects
	p.Sandbox = comesAlong(chat)
}
