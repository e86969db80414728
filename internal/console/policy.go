package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/fault"
)

// policyPage is what the workspace's keys and people may do at most.
type policyPage struct {
	Workspace    string
	Told         string
	Edit         bool // the visitor may change it
	Models       string
	Providers    string
	CIDRs        string
	Scopes       []scopeBox
	Environments []scopeBox
	Life, Idle   string
	Lives, Idles []choice
	EndKeys      bool
	Capture      bool
	Problems     map[string]string // field → sentence
}

func (c *Console) showPolicy(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p, err := c.access.Policy(r.Context(), v.Principal(), v.Session.Workspace)
	if err != nil {
		return err
	}
	page := policyOf(p)
	if r.URL.Query().Has("saved") {
		page.Told = "Saved. It counts everywhere within a second."
	}
	return c.policyPage(w, r, v, http.StatusOK, page)
}

func (c *Console) setPolicy(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	was, err := c.access.Policy(r.Context(), v.Principal(), v.Session.Workspace)
	if err != nil {
		return err
	}
	page := policyOf(was)
	next, err := page.read(r.PostForm)
	if err == nil {
		if _, err = c.access.SetPolicy(r.Context(), v.Principal(), v.Session.Workspace, next); err == nil {
			c.redirect(w, r, "/console/policy?saved")
			return nil
		}
	}
	if field, sentence, ok := fieldProblem(err); ok {
		page.Problems = map[string]string{field: sentence}
		return c.policyPage(w, r, v, http.StatusUnprocessableEntity, page)
	}
	return err
}

func (c *Console) policyPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p policyPage) error {
	p.Workspace, p.Edit = v.Session.Workspace, v.User.Admin
	return c.render(w, r, status, "policy", view{Title: "Policy", Active: "policy", Visitor: &v, Data: p})
}

// policyOf is the page of a policy as it is.
func policyOf(p access.Policy) policyPage {
	page := policyPage{
		Models: strings.Join(p.Models, "\n"), Providers: strings.Join(p.Providers, "\n"), CIDRs: strings.Join(p.CIDRs, "\n"),
		Scopes: scopeBoxes(), Environments: environmentBoxes(), EndKeys: p.EndWithCreator, Capture: !p.NoCapture,
	}
	for i := range page.Scopes {
		page.Scopes[i].Ticked = access.Scope{Groups: p.Scopes}.Allows(access.Group(page.Scopes[i].Name))
	}
	for i := range page.Environments {
		page.Environments[i].Ticked = len(p.Environments) == 0 || slices.Contains(p.Environments, access.Environment(page.Environments[i].Name))
	}
	page.Lives, page.Life = including(lifetimes(), p.Life())
	page.Idles, page.Idle = including(idles(), p.Idle())
	return page
}

func environmentBoxes() []scopeBox {
	return []scopeBox{
		{Name: string(access.Development), About: "Keys that begin with sk_dev_"},
		{Name: string(access.Production), About: "Keys that begin with sk_live_"},
	}
}

// read takes over what was filled in, and gives the policy that it asks for.
func (page *policyPage) read(v url.Values) (access.Policy, error) {
	page.Models, page.Providers, page.CIDRs = v.Get("models"), v.Get("providers"), v.Get("cidrs")
	page.Life, page.Idle, page.EndKeys, page.Capture = v.Get("life"), v.Get("idle_expires"), v.Has("end_keys"), v.Has("capture")
	for _, boxes := range []struct {
		name string
		list []scopeBox
	}{{"scope", page.Scopes}, {"environment", page.Environments}} {
		for i := range boxes.list {
			boxes.list[i].Ticked = slices.Contains(v[boxes.name], boxes.list[i].Name)
		}
	}
	p := access.Policy{
		Models: lines(page.Models), Providers: lines(page.Providers), CIDRs: lines(page.CIDRs),
		EndWithCreator: page.EndKeys, NoCapture: !page.Capture,
	}
	var err error
	if p.Scopes, err = ticked(page.Scopes); err != nil {
		return p, err
	}
	for _, box := range page.Environments {
		if box.Ticked {
			p.Environments = append(p.Environments, access.Environment(box.Name))
		}
	}
	switch len(p.Environments) {
	case 0:
		return p, fault.New(fault.InvalidParameter, "Tick at least one: no key would open anything.").With("field", "environment")
	case len(page.Environments):
		p.Environments = nil // both, as none
	}
	life, err := chosen(page.Lives, page.Life, "life")
	if err != nil {
		return p, err
	}
	idle, err := chosen(page.Idles, page.Idle, "idle_expires")
	p.LifeMS, p.IdleMS = life.Milliseconds(), idle.Milliseconds()
	return p, err
}
