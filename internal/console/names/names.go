package names

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/supply"
)

// forAll is the value of the form's choice for every workspace.
const forAll = "all"

type namesPage struct {
	Workspace string
	Own       bool // the visitor may change the workspace's
	Manage    bool // and those for all
	Missing   []missingRow
	Mine      access.Names
	All       []allRow
	Models    []string
	Form      nameForm
	Told      string
}

// missingRow is a model that was asked for and not there.
type missingRow struct {
	Name        string
	Requests    page.Count
	First, Last *page.Moment
	Now         string // the model that answers now; "": none
}

// allRow is a name for all.
type allRow struct {
	supply.Name

	Wrong []string
}

// nameForm is a name on its way in.
type nameForm struct {
	Pattern, Model, For string
	Wrong               []string
}

func (c *Room) showNames(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := namesPage{Form: nameForm{Pattern: r.URL.Query().Get("pattern")}}
	p.Told = page.DeedSentence(r, "set", "“%s” leads to a model from the next request on.", "deleted", "The name “%s” is deleted.")
	return c.page(w, r, v, http.StatusOK, p)
}

// page shows the room with what is said in a form.
func (c *Room) page(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p namesPage) error {
	p.Workspace, p.Own, p.Manage = v.Session.Workspace, v.Role.Covers(page.Owner), page.Manages(v)
	policy, err := c.Access.Policy(r.Context(), v.Principal(), p.Workspace)
	if err != nil {
		return err
	}
	p.Mine = policy.Names
	for _, n := range c.Supply.Names() {
		p.All = append(p.All, allRow{n, catalog.Sentences(n.Wrong)})
	}
	for _, m := range c.Models.Models(access.Scope{}) {
		p.Models = append(p.Models, m.ID)
	}
	missing, err := c.Missing.MissingModels(r.Context(), p.Workspace)
	if err != nil {
		return err
	}
	scope := c.Access.ScopeOf(p.Workspace)
	for _, m := range missing {
		row := missingRow{Name: m.Name, Requests: page.Count(m.Requests), First: c.At(m.First), Last: c.At(m.Last)}
		if now, err := c.Models.Model(m.Name, scope); err == nil {
			row.Now = now.ID
		}
		p.Missing = append(p.Missing, row)
	}
	return c.Render(w, r, status, "names", page.View{Title: "Names", Active: "names", Visitor: &v, Data: p})
}

func (c *Room) setName(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := nameForm{
		Pattern: strings.TrimSpace(r.PostForm.Get("pattern")), Model: strings.TrimSpace(r.PostForm.Get("model")), For: r.PostForm.Get("for"),
	}
	if form.For == forAll && !page.Manages(v) {
		return fault.New(fault.PermissionDenied, "Only administrators set names for all workspaces.")
	}
	err := c.save(r, v, form)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		form.Wrong = catalog.Sentences(wrong.Fields)
	} else if f, ok := errors.AsType[*fault.Error](err); ok && f.Code == fault.InvalidParameter {
		form.Wrong = append(form.Wrong, f.Message)
	} else if err != nil {
		return err
	}
	if len(form.Wrong) > 0 {
		return c.page(w, r, v, http.StatusUnprocessableEntity, namesPage{Form: form})
	}
	return c.Done(w, r, c.Missing.ForgetMissing(r.Context(), v.Session.Workspace, form.Pattern), "/console/names?"+url.Values{"set": {form.Pattern}}.Encode())
}

// save keeps a name where the form says.
func (c *Room) save(r *http.Request, v access.Visitor, form nameForm) error {
	if form.For != forAll {
		if err := c.check(form); err != nil {
			return err
		}
		return c.Access.SetName(r.Context(), v.Principal(), v.Session.Workspace, access.Name{Pattern: form.Pattern, Model: form.Model})
	}
	text, err := json.Marshal(map[string]string{"model": form.Model})
	if err != nil {
		return err
	}
	d := catalog.Draft{Sort: catalog.NameRecord, ID: form.Pattern, Fields: text, Enabled: true}
	for _, n := range c.Supply.Names() {
		if n.Pattern == form.Pattern {
			d.Revision = n.Revision
		}
	}
	return c.Supply.Save(r.Context(), v.Principal(), d)
}

// check refuses a workspace's name that could never lead anywhere.
func (c *Room) check(form nameForm) error {
	if m, err := c.Models.Model(form.Model, access.Scope{}); err != nil || m.ID != form.Model {
		return fault.New(fault.InvalidParameter, "No model is called “%.100s”.", form.Model).Field("model")
	}
	if m, err := c.Models.Model(form.Pattern, access.Scope{}); err == nil && m.ID == form.Pattern {
		return fault.New(fault.InvalidParameter, "There is a model “%.100s” already, which counts instead.", form.Pattern).Field("pattern")
	}
	return nil
}

func (c *Room) deleteName(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	pattern := r.PostForm.Get("pattern")
	if r.PostForm.Get("for") == forAll {
		if err := c.Supply.Delete(r.Context(), v.Principal(), catalog.NameRecord, pattern); err != nil {
			return catalog.NoSuchRecord(catalog.NameRecord, err)
		}
	} else if err := c.Access.DeleteName(r.Context(), v.Principal(), v.Session.Workspace, pattern); err != nil {
		return catalog.NoSuchRecord(catalog.NameRecord, err)
	}
	return c.Redirect(w, r, "/console/names?"+url.Values{"deleted": {pattern}}.Encode())
}

func (c *Room) forgetMissing(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.Done(w, r, c.Missing.ForgetMissing(r.Context(), v.Session.Workspace, r.PostForm.Get("name")), "/console/names")
}
