package studio

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/uid"
)

// Options is what the room stands on.
type Options struct {
	Generations *generation.Service
	Files       *file.Service
	Catalog     *catalog.Catalog
	Replay      *replay.Service
	Audit       func(ctx context.Context, e access.Entry) error // writes down what no transaction of a room does
}

// studioPage is the form and the gallery.
type studioPage struct {
	Form    *studioForm // nil: there are no models, or the visitor may not make anything
	Gallery galleryPage
}

func (c *Room) showStudio(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := studioPage{}
	if v.Role.Covers(access.Member) {
		form, err := c.findForm(r, v)
		if err != nil {
			return err
		}
		p.Form = form
	}
	return c.studioPage(w, r, v, http.StatusOK, p)
}

func (c *Room) studioPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p studioPage) error {
	var err error
	if p.Gallery, err = c.gallery(r, v); err != nil {
		return err
	}
	return c.Render(w, r, status, "studio", page.View{Title: "Studio", Active: "studio", Visitor: &v, Data: p})
}

// showStudioForm is the form for another model or mode, to be put in the place of
// the one that is shown.
func (c *Room) showStudioForm(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form, err := c.findForm(r, v)
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusOK, "studio", "studio form", page.View{Visitor: &v, Data: form})
}

// findForm gives the form that an address asks for: of a model and a mode, filled in
// as an earlier order was, or with something that was made as its input.
func (c *Room) findForm(r *http.Request, v access.Visitor) (*studioForm, error) {
	query := r.URL.Query()
	models := c.Catalog.Media(studioPrincipal(v).Scope, "")
	if len(models) == 0 {
		return nil, nil
	}
	start := studioOrder{model: query.Get("model"), mode: query.Get("mode")}
	if id := query.Get("from"); id != "" {
		t, err := c.Generations.Find(r.Context(), v.Session.Workspace, "", id)
		if err != nil {
			return nil, err
		}
		start = orderOf(t)
	}
	if id := query.Get("input"); id != "" {
		f, err := c.Files.File(r.Context(), v.Session.Workspace, id)
		if err != nil {
			return nil, err
		}
		start = start.with(f, models)
	}
	model, operation := pickModel(models, start.model, start.mode)
	form := c.newStudioForm(models, model, operation)
	form.Token = uid.Secret(16)
	c.fill(r, v, form, start)
	return form, nil
}

// pickModel finds a model and one of its operations; where there is none of the names
// it is the first, of those that make pictures if there are any.
func pickModel(models []media.Model, id, mode string) (*media.Model, *media.Operation) {
	at := slices.IndexFunc(models, func(m media.Model) bool { return m.ID == id })
	if at < 0 {
		at = max(0, slices.IndexFunc(models, func(m media.Model) bool { return m.MediaType == file.Image }))
	}
	model := &models[at]
	if o := model.Operation(mode); o != nil {
		return model, o
	}
	return model, &model.Operations[0]
}

// studioPrincipal is a person at work. What people try out here is development.
func studioPrincipal(v access.Visitor) access.Principal {
	who := v.Principal()
	who.Environment = cmp.Or(who.Environment, access.Development)
	return who
}

// studioOrder is what a form begins with: an earlier order, or a part of one.
type studioOrder struct {
	model, mode string
	prompt      string
	files       map[string][]string // ids, by the field they are given in
	values      map[string]any
}

func orderOf(t *generation.Task) studioOrder {
	o := studioOrder{model: t.Model, mode: t.Mode, prompt: t.Order.Prompt, files: make(map[string][]string), values: t.Order.Parameters}
	for _, s := range t.Order.Sources {
		o.files[s.Field] = append(o.files[s.Field], s.File)
	}
	return o
}

// with is the order with a file as its input: in a mode that must have such a
// file, of the model that is asked for if it has one, else of the first that does.
func (o studioOrder) with(f *file.File, models []media.Model) studioOrder {
	o.files = make(map[string][]string)
	ordered := slices.Clone(models)
	slices.SortStableFunc(ordered, func(a, b media.Model) int {
		return nearness(a.ID == o.model, a.MediaType == f.Kind) - nearness(b.ID == o.model, b.MediaType == f.Kind)
	})
	for _, must := range []bool{true, false} {
		for _, m := range ordered {
			for i := range m.Operations {
				op := &m.Operations[i]
				for _, field := range media.Inputs() {
					if media.Takes(field) == f.Kind && f.Kind != "" && (slices.Contains(op.Input.Required, field) || !must && op.Takes(field)) {
						o.model, o.mode, o.files[field], o.values = m.ID, op.Mode, []string{f.ID}, nil
						return o
					}
				}
			}
		}
	}
	return o
}

func nearness(same, kind bool) int {
	switch {
	case same:
		return 0
	case kind:
		return 1
	}
	return 2
}

// exactRequest is a task's order as a client would send it.
func exactRequest(t *generation.Task) jsontext.Value {
	members := []jsonMember{{"model", t.Model}}
	if t.App != "" {
		members = nil // an app's run has its inputs and nothing else
	} else {
		members = append(members, jsonMember{"mode", t.Mode})
	}
	if t.Order.Prompt != "" {
		members = append(members, jsonMember{"prompt", t.Order.Prompt})
	}
	files := orderOf(t).files
	for _, field := range media.Inputs() {
		switch list := files[field]; {
		case len(list) == 0 || t.App != "": // an app's files are among its parameters
		case media.Lists(field):
			members = append(members, jsonMember{field, list})
		default:
			members = append(members, jsonMember{field, list[0]})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(t.Order.Parameters)) {
		members = append(members, jsonMember{name, t.Order.Parameters[name]})
	}
	if t.Webhook != "" {
		members = append(members, jsonMember{"webhook_url", t.Webhook})
	}
	return jsonObject(members)
}

// jsonMember is a member of a JSON object whose order is kept.
type jsonMember struct {
	name  string
	value any
}

func jsonObject(members []jsonMember) jsontext.Value {
	var text strings.Builder
	out := jsontext.NewEncoder(&text, jsontext.WithIndent("  "), jsontext.EscapeForHTML(false))
	_ = out.WriteToken(jsontext.BeginObject) // into memory: nothing here fails
	for _, m := range members {
		_ = out.WriteToken(jsontext.String(m.name))
		_ = json.MarshalEncode(out, m.value, json.Deterministic(true))
	}
	_ = out.WriteToken(jsontext.EndObject)
	return jsontext.Value(strings.TrimSpace(text.String()))
}
