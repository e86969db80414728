package studio

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/jsonscan"
	"stele/internal/media"
	"stele/internal/wire"
)

const (
	tilesPerPage = 40      // how much of the gallery is shown at a time
	withParts    = "parts" // the choice that shows what runs of apps are made of as well
)

// galleryPage is a part of the gallery.
type galleryPage struct {
	Tiles    []tile
	Next     string // query of the part after this one, "" for none
	Filters  galleryFilters
	Narrowed bool // by a filter
	First    bool // it is the newest part
}

type galleryFilters struct {
	Kind, Model, Status, From, App string
	Kinds, Statuses, Froms         []filterChoice
	Models                         []string
}

type filterChoice struct{ Value, Label string }

// showGallery is a further part of the gallery, or another choice of it.
func (c *Room) showGallery(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	g, err := c.gallery(r, v)
	if err != nil {
		return err
	}
	name := "gallery"
	if !g.First {
		name = "tiles"
	}
	return c.Fragment(w, r, http.StatusOK, "studio", name, page.View{Visitor: &v, Data: g})
}

// gallery reads the part that an address asks for.
func (c *Room) gallery(r *http.Request, v access.Visitor) (galleryPage, error) {
	query := r.URL.Query()
	f := galleryFilters{
		Kind: query.Get("kind"), Model: query.Get("in"), Status: query.Get("status"), From: query.Get("who"), App: query.Get("app"),
	}
	before, ok := page.ReadCursor(query.Get("before"))
	if !ok {
		return galleryPage{}, fault.New(fault.InvalidParameter, "This is no place in the gallery.").Field("before")
	}
	wanted := generation.Wanted{
		Workspace: v.Session.Workspace, MediaType: f.Kind, Model: f.Model, App: f.App, Status: f.Status, From: f.From,
		Before: before, Limit: tilesPerPage + 1,
	}
	if f.From == withParts {
		wanted.From, wanted.Parts = "", true
	}
	tasks, err := c.Generations.Store.List(r.Context(), wanted)
	if err != nil {
		return galleryPage{}, err
	}
	g := galleryPage{Filters: c.withChoices(f, v), First: query.Get("before") == "", Narrowed: f.Kind+f.Model+f.Status+f.From+f.App != ""}
	if len(tasks) > tilesPerPage {
		tasks = tasks[:tilesPerPage]
		g.Next = f.query(tasks[tilesPerPage-1].Cursor())
	}
	for i := range tasks {
		g.Tiles = append(g.Tiles, c.tile(&tasks[i]))
	}
	return g, nil
}

// withChoices adds what the filters may be set to.
func (c *Room) withChoices(f galleryFilters, v access.Visitor) galleryFilters {
	f.Kinds = []filterChoice{{"", "All"}}
	for _, kind := range media.Types() {
		f.Kinds = append(f.Kinds, filterChoice{kind, kindLabel(kind)})
	}
	f.Statuses = []filterChoice{{"", "Any status"}, {"success", "Done"}, {generation.Progressing, "Running"}, {"failed", "Failed or canceled"}}
	f.Froms = []filterChoice{
		{"", "Everybody"}, {generation.FromPeople, "Console"}, {generation.FromKeys, "API keys"}, {generation.FromApps, "Apps"},
		{withParts, "All, with parts of apps"},
	}
	for _, m := range c.Catalog.Media(studioPrincipal(v).Scope, f.Kind) {
		f.Models = append(f.Models, m.ID)
	}
	return f
}

// query is the address of the part of the gallery after a place.
func (f galleryFilters) query(after access.Cursor) string {
	q := url.Values{"before": {page.CursorText(after)}}
	for name, value := range map[string]string{"kind": f.Kind, "in": f.Model, "status": f.Status, "who": f.From, "app": f.App} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

const (
	mostFollowed = 64
	// followed is how long one stream lasts. The browser opens the next one by itself,
	// and shows its session again when it does.
	followed  = 30 * time.Second
	heartbeat = 10 * time.Second
)

// liveEvent is a change of a generation, as the script is told it.
type liveEvent struct {
	ID      string `json:"id"`
	Status  string `json:"status"`
	Percent int    `json:"percent"`
	Doing   string `json:"doing,omitzero"`
	HTML    string `json:"html,omitzero"` // of the end: the tile as it is now
}

// followGenerations streams the changes of all generations that the address names:
// browsers allow only a few streams to one host.
func (c *Room) followGenerations(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	ids := slices.Compact(slices.Sorted(slices.Values(r.URL.Query()["id"])))
	if len(ids) == 0 || len(ids) > mostFollowed {
		return fault.New(fault.InvalidParameter, "Name one to %d generations.", mostFollowed).Field("id")
	}
	ids, gone, err := c.splitFound(r.Context(), v, ids)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(r.Context(), followed)
	defer cancel()
	changes := make(chan *generation.Task)
	var watching sync.WaitGroup
	for _, id := range ids {
		watching.Go(func() { c.watch(ctx, v.Session.Workspace, id, changes) })
	}
	go func() {
		watching.Wait()
		close(changes)
	}()
	defer func() { // a watcher must not wait for a reader
		cancel()
		for range changes { //nolint:revive // until they are gone
		}
	}()
	return c.feedChanges(ctx, w, r, v, gone, changes)
}

// splitFound tells generations that are there from those that are not any more. None at
// all is an error.
func (c *Room) splitFound(ctx context.Context, v access.Visitor, ids []string) (there, gone []string, err error) {
	for _, id := range ids {
		_, err := c.Generations.Find(ctx, v.Session.Workspace, "", id)
		switch {
		case err == nil:
			there = append(there, id)
		case fault.From(err).Code == fault.GenerationNotFound && len(ids) > 1:
			gone = append(gone, id)
		default:
			return nil, nil, err
		}
	}
	return there, gone, nil
}

// watch sends a task whenever it has changed, until it has ended.
func (c *Room) watch(ctx context.Context, workspace, id string, changes chan<- *generation.Task) {
	var version int64
	for {
		t, err := c.Generations.Watch(ctx, workspace, "", id, version, followed)
		if err != nil || ctx.Err() != nil {
			return
		}
		if t.Version > version {
			select {
			case changes <- t:
			case <-ctx.Done():
				return
			}
		}
		if version = t.Version; t.State.Final() {
			return
		}
	}
}

func (c *Room) feedChanges(ctx context.Context, w http.ResponseWriter, r *http.Request, v access.Visitor, gone []string, changes <-chan *generation.Task) error {
	events := wire.NewEventWriter(w, wire.EventStream+"; charset=utf-8", heartbeat, wire.Comment("waiting"))
	defer events.Stop()
	err := events.Send([]byte("retry: 1000\n\n"), false)
	for _, id := range gone {
		if err == nil {
			err = events.Event("gone", append(jsonscan.AppendText([]byte(`{"id":`), id), '}'), false)
		}
	}
	for err == nil {
		select {
		case t, open := <-changes:
			if !open {
				if ctx.Err() == nil {
					_ = events.Event("done", []byte("{}"), false) // the stream ends either way
				}
				return nil
			}
			name, event, broken := c.liveText(r, v, t)
			if broken != nil {
				return nil //nolint:nilerr // the answer has begun: the next stream tries again
			}
			err = events.Event(name, event, false)
		case <-ctx.Done():
			return nil
		}
	}
	return nil
}

func (c *Room) liveText(r *http.Request, v access.Visitor, t *generation.Task) (name string, event []byte, err error) {
	shown := c.tile(t)
	e := liveEvent{ID: t.ID, Status: shown.Status, Percent: shown.Percent, Doing: shown.Doing}
	name = "progress"
	if t.State.Final() {
		html, err := c.Execute(r, "studio", "tile", page.View{Visitor: &v, Data: shown})
		if err != nil {
			return "", nil, err
		}
		name, e.HTML = "end", string(html)
	}
	event, err = json.Marshal(e)
	return name, event, err
}
