package models

import (
	"errors"
	"net/http"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
)

func (c *Room) newModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f := newModelForm()
	f.New = true
	f.Targets = []targetField{{Provider: r.URL.Query().Get("provider"), Weight: "1"}}
	return c.modelFormPage(w, r, v, http.StatusOK, f)
}

func (c *Room) modelFormPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, f *modelForm) error {
	form := modelFormPage{Form: f}
	names := make(map[string][]string)
	for _, m := range c.Supply.Models() {
		if m.Media == nil && (m.Listed || m.Origin.Place == "built in") {
			for _, t := range m.Targets {
				names[t.Provider] = append(names[t.Provider], t.Model)
			}
		}
	}
	chat := make(map[string]bool)
	for _, k := range c.Supply.Kinds() {
		chat[k.Name] = k.Speaks != ""
	}
	for _, p := range c.Supply.Providers() {
		if chat[p.Kind] && len(p.Wrong) == 0 {
			form.Providers = append(form.Providers, providerNames{p.ID, names[p.ID]})
		}
	}
	form.Providers = append(form.Providers, providerNames{"stele", names["stele"]})
	for len(f.Targets) == 0 || f.New && len(f.Targets) < 2 { // without a script a spare row is all there is
		f.Targets = append(f.Targets, targetField{Weight: "1"})
	}
	title := "New model"
	if !f.New {
		title = "Edit " + f.ID
	}
	return c.Render(w, r, status, "model_form", page.View{Title: title, Active: "models", Visitor: &v, Data: form})
}

func (c *Room) editModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	m, err := c.ownModel(r.URL.Query().Get("id"))
	if err != nil {
		return err
	}
	return c.modelFormPage(w, r, v, http.StatusOK, formOf(m))
}

// ownModel is a model that may be changed here.
func (c *Room) ownModel(id string) (*page.Model, error) {
	m, err := c.model(id)
	if err != nil {
		return nil, err
	}
	if m.Fields == nil {
		return nil, fault.New(fault.PermissionDenied, "The model is kept elsewhere. Change it there.")
	}
	return m, nil
}

func (c *Room) createModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	f := newModelForm()
	f.New, f.ID = true, strings.TrimSpace(r.PostForm.Get("id"))
	return c.saveModel(w, r, v, f)
}

func (c *Room) updateModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	m, err := c.ownModel(r.PostForm.Get("id"))
	if err != nil {
		return err
	}
	return c.saveModel(w, r, v, formOf(m))
}

func (c *Room) saveModel(w http.ResponseWriter, r *http.Request, v access.Visitor, f *modelForm) error {
	draft := f.read(r.PostForm)
	if f.New {
		draft.Revision = 0
	}
	if f.ID == "" {
		f.tell(map[string]string{"id": "Give it an id, such as fast."})
		return c.modelFormPage(w, r, v, http.StatusUnprocessableEntity, f)
	}
	err := c.Supply.Save(r.Context(), v.Principal(), draft)
	if wrong, ok := errors.AsType[*catalog.WrongOffer](err); ok {
		if said, about := wrong.Fields[""]; about && f.New && len(wrong.Broken) == 0 {
			wrong.Fields = map[string]string{"id": said}
		}
		f.tell(wrong.Fields)
		return c.modelFormPage(w, r, v, http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return catalog.NoSuchOffer(catalog.ModelOffer, err)
	}
	return c.Redirect(w, r, modelPath(f.ID)+"&saved")
}
