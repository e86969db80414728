package studio

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
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

type filterChoice struct {
	Value, Label string
	On           bool
}

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
	before, err := readTilePlace(query.Get("before"))
	if err != nil {
		return galleryPage{}, err
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
	g := galleryPage{Filters: c.offered(f, v), First: query.Get("before") == "", Narrowed: f.Kind+f.Model+f.Status+f.From+f.App != ""}
	if len(tasks) > tilesPerPage {
		tasks = tasks[:tilesPerPage]
		g.Next = f.query(tasks[tilesPerPage-1].Place())
	}
	for i := range tasks {
		g.Tiles = append(g.Tiles, c.tile(&tasks[i]))
	}
	return g, nil
}

// offered adds what the filters may be set to.
func (c *Room) offered(f galleryFilters, v access.Visitor) galleryFilters {
	f.Kinds = []filterChoice{{"", "All", f.Kind == ""}}
	for _, kind := range media.Types() {
		f.Kinds = append(f.Kinds, filterChoice{kind, kindLabel(kind), f.Kind == kind})
	}
	for _, s := range [][2]string{{"", "Any status"}, {"success", "Done"}, {generation.Progressing, "Running"}, {"failed", "Failed or canceled"}} {
		f.Statuses = append(f.Statuses, filterChoice{s[0], s[1], f.Status == s[0]})
	}
	for _, s := range [][2]string{
		{"", "Everybody"}, {generation.FromPeople, "Console"}, {generation.FromKeys, "API keys"}, {generation.FromApps, "Apps"},
		{withParts, "All, with parts of apps"},
	} {
		f.Froms = append(f.Froms, filterChoice{s[0], s[1], f.From == s[0]})
	}
	for _, m := range c.Catalog.Media(studioPrincipal(v).Scope, f.Kind) {
		f.Models = append(f.Models, m.ID)
	}
	return f
}

// query is the address of the part of the gallery after a place.
func (f galleryFilters) query(after generation.Place) string {
	q := url.Values{"before": {writeTilePlace(after)}}
	for name, value := range map[string]string{"kind": f.Kind, "in": f.Model, "status": f.Status, "who": f.From, "app": f.App} {
		if value != "" {
			q.Set(name, value)
		}
	}
	return q.Encode()
}

// A place is written as its time and its id: 1763198000000.gen_….
func writeTilePlace(p generation.Place) string {
	return strconv.FormatInt(p.Created.UnixMilli(), 10) + "." + p.ID
}

func readTilePlace(text string) (generation.Place, error) {
	if text == "" {
		return generation.Place{}, nil
	}
	at, id, ok := strings.Cut(text, ".")
	n, err := strconv.ParseInt(at, 10, 64)
	if !ok || err != nil {
		return generation.Place{}, fault.New(fault.InvalidParameter, "This is no place in the gallery.").With("field", "before")
	}
	return generation.Place{Created: time.UnixMilli(n), ID: id}, nil
}
