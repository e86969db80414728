package studio

import (
	"context"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/replay"
	"stele/internal/uid"
)

// Studio is the room where pictures, clips and sound are made.
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
		form, err := c.formAsked(r, v)
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
	form, err := c.formAsked(r, v)
	if err != nil {
		return err
	}
	return c.Fragment(w, r, http.StatusOK, "studio", "studio form", page.View{Visitor: &v, Data: form})
}

// formAsked is the form that an address asks for: of a model and a mode, filled in
// as an earlier order was, or with something that was made as its input.
func (c *Room) formAsked(r *http.Request, v access.Visitor) (*studioForm, error) {
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
	if who.Environment == "" {
		who.Environment = access.Development
	}
	return who
}
