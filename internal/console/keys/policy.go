package keys

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
)

// policyPage is what the workspace's keys and people may do at most.
type policyPage struct {
	Workspace    string
	Told         string
	Edit         bool // the visitor may change it
	Models       string
	Providers    string
	Tags         string
	Factor       string
	CIDRs        string
	Scopes       []scopeBox
	Environments []scopeBox
	Life, Idle   string
	Lives, Idles []choice
	EndKeys      bool
	Capture      bool
	Problems     map[string]string // field → sentence
}

func (c *Room) showPolicy(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p, err := c.Access.Policy(r.Context(), v.Principal(), v.Session.Workspace)
	if err != nil {
		return err
	}
	form := policyOf(p)
	if r.URL.Query().Has("saved") {
		form.Told = "Saved. It counts everywhere within a second."
	}
	return c.policyPage(w, r, v, http.StatusOK, form)
}

func (c *Room) setPolicy(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	was, err := c.Access.Policy(r.Context(), v.Principal(), v.Session.Workspace)
	if err != nil {
		return err
	}
	form := policyOf(was)
	next, err := form.read(r.PostForm)
	if err == nil {
		if _, err = c.Access.SetPolicy(r.Context(), v.Principal(), v.Session.Workspace, next); err == nil {
			return c.Redirect(w, r, "/console/policy?saved")
		}
	}
	if field, sentence, ok := page.FieldProblem(err); ok {
		form.Problems = map[string]string{field: sentence}
		return c.policyPage(w, r, v, http.StatusUnprocessableEntity, form)
	}
	return err
}

func (c *Room) policyPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p policyPage) error {
	p.Workspace, p.Edit = v.Session.Workspace, v.User.Admin
	return c.Render(w, r, status, "policy", page.View{Title: "Policy", Active: "policy", Visitor: &v, Data: p})
}

func policyOf(p access.Policy) policyPage {
	form := policyPage{
		Models: strings.Join(p.Models, "\n"), Providers: strings.Join(p.Providers, "\n"), CIDRs: strings.Join(p.CIDRs, "\n"),
		Tags: strings.Join(p.Tags, "\n"), Factor: p.ChargeFactor,
		Scopes: scopeBoxes(), Environments: environmentBoxes(), EndKeys: p.EndWithCreator, Capture: !p.NoCapture,
	}
	for i := range form.Scopes {
		form.Scopes[i].Ticked = access.Scope{Groups: p.Scopes}.Allows(access.Group(form.Scopes[i].Name))
	}
	for i := range form.Environments {
		form.Environments[i].Ticked = len(p.Environments) == 0 || slices.Contains(p.Environments, access.Environment(form.Environments[i].Name))
	}
	form.Lives, form.Life = addLength(lifetimes(), p.Life())
	for i := range form.Lives {
		if c := &form.Lives[i]; c.length == 0 {
			c.Label = "As long as its maker likes"
		} else {
			c.Label = lengthOf(c.length) + " at most"
		}
	}
	form.Idles, form.Idle = addLength(idles(), p.Idle())
	return form
}

func environmentBoxes() []scopeBox {
	return []scopeBox{
		{Name: string(access.Development), About: "Keys that begin with " + access.Development.Prefix()},
		{Name: string(access.Production), About: "Keys that begin with " + access.Production.Prefix()},
	}
}

// read takes over what was filled in, and gives the policy that it asks for.
func (form *policyPage) read(v url.Values) (access.Policy, error) {
	form.Models, form.Providers, form.CIDRs, form.Tags = v.Get("models"), v.Get("providers"), v.Get("cidrs"), v.Get("tags")
	form.Factor = strings.TrimSpace(v.Get("charge_factor"))
	form.Life, form.Idle, form.EndKeys, form.Capture = v.Get("life"), v.Get("idle_expires"), v.Has("end_keys"), v.Has("capture")
	for _, boxes := range []struct {
		name string
		list []scopeBox
	}{{"scope", form.Scopes}, {"environment", form.Environments}} {
		for i := range boxes.list {
			boxes.list[i].Ticked = slices.Contains(v[boxes.name], boxes.list[i].Name)
		}
	}
	p := access.Policy{
		Models: page.Lines(form.Models), Providers: page.Lines(form.Providers), CIDRs: page.Lines(form.CIDRs), Tags: page.Lines(form.Tags),
		EndWithCreator: form.EndKeys, NoCapture: !form.Capture, ChargeFactor: form.Factor,
	}
	var err error
	if p.Scopes, err = readTicked(form.Scopes); err != nil {
		return p, err
	}
	for _, box := range form.Environments {
		if box.Ticked {
			p.Environments = append(p.Environments, access.Environment(box.Name))
		}
	}
	switch len(p.Environments) {
	case 0:
		return p, fault.New(fault.InvalidParameter, "Tick at least one: no key would open anything.").Field("environment")
	case len(form.Environments):
		p.Environments = nil // both, as none
	}
	life, err := readChoice(form.Lives, form.Life, "life")
	if err != nil {
		return p, err
	}
	idle, err := readChoice(form.Idles, form.Idle, "idle_expires")
	p.LifeMS, p.IdleMS = life.Milliseconds(), idle.Milliseconds()
	return p, err
}
