package console

import (
	"cmp"
	"net/http"
	"slices"

	"stele/internal/access"
)

// providerPage is one account: how it is, who uses it, and its settings.
type providerPage struct {
	Row       providerRow
	Manage    bool // the visitor may change it here
	Ours      bool // it is kept in the database
	Problem   string
	Told      string
	Trial     *trialView
	Served    *moment
	Changed   *moment
	Breakers  []breakerRow
	Only      []string // models that nobody else could answer for
	Settings  []settingRow
	Form      *providerForm
	Wrong     []string // why it is not in use
	Reachable bool     // there is something to test
}

// fewBreakers is how many are shown that hold nobody back.
const fewBreakers = 20

type breakerRow struct {
	Model  string
	Caller string // the workspace that is held back; "" for everybody
	State  stateBadge
	InRow  int
}

// settingRow is a setting of an account that cannot be changed here.
type settingRow struct {
	Label, Value string
	Hidden       bool // it is a secret
}

func (c *Console) showProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if r.URL.Query().Get("part") == "health" {
		p, err := c.provider(r.PathValue("id"))
		if err != nil {
			return err
		}
		page := c.fillProvider(p, providerPage{}, v)
		return c.fragment(w, r, http.StatusOK, "provider", "health", view{Visitor: &v, Data: page})
	}
	page := providerPage{}
	if r.URL.Query().Has("saved") {
		page.Told = "Saved. It is in use from now on."
	}
	return c.providerPage(w, r, v, http.StatusOK, r.PathValue("id"), page)
}

func (c *Console) providerPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, id string, page providerPage) error {
	p, err := c.provider(id)
	if err != nil {
		return err
	}
	page = c.fillProvider(p, page, v)
	return c.render(w, r, status, "provider", view{Title: p.ID, Active: "providers", Visitor: &v, Data: page})
}

func (c *Console) fillProvider(p *Provider, page providerPage, v access.Visitor) providerPage {
	page.Manage, page.Ours = manages(v), p.Origin == Origin{}
	page.Row = c.providerRow(p, c.kindTitles(), page.Manage)
	page.Served, page.Changed = c.at(p.Health.Served), c.at(p.Changed)
	page.Only = c.onlyAt(p)
	page.Reachable = len(p.Wrong) == 0
	for _, field := range fieldNames(p.Wrong) {
		page.Wrong = append(page.Wrong, p.Wrong[field])
	}
	for _, b := range p.Health.Breakers { // names of models may be the clients' own, so there may be many
		if b.Caller != "" && b.Caller != v.Session.Workspace && !page.Manage {
			continue // another workspace's business
		}
		if b.State != "closed" || b.InRow > 0 || len(page.Breakers) < fewBreakers {
			page.Breakers = append(page.Breakers, breakerRow{b.Model, b.Caller, breakerWords(b.State), b.InRow})
		}
	}
	kind := c.kindOf(p.Kind)
	switch {
	case page.Ours && page.Manage && page.Form == nil:
		form := c.editProviderForm(p, kind)
		page.Form = &form
	case !page.Ours && page.Manage:
		page.Settings = settingsOf(p, kind)
	}
	return page
}

func breakerWords(state string) stateBadge {
	switch state {
	case "open":
		return stateBadge{"open: not called for some seconds", "bad"}
	case "half-open":
		return stateBadge{"half open: one call is let through", "warn"}
	}
	return stateBadge{"closed: calls pass", "good"}
}

// onlyAt lists the models that have no target elsewhere.
func (c *Console) onlyAt(p *Provider) (ids []string) {
	for _, m := range c.supply.Models() {
		if m.Media != nil || !slices.Contains(p.Used, m.ID) {
			continue
		}
		alone := true
		for _, t := range m.Targets {
			alone = alone && t.Provider == p.ID
		}
		if alone {
			ids = append(ids, m.ID)
		}
	}
	return ids
}

func settingsOf(p *Provider, kind ProviderKind) []settingRow {
	rows := []settingRow{{Label: "Base URL", Value: p.BaseURL}}
	if _, set := p.Secrets["api_key"]; set {
		rows = append(rows, settingRow{Label: "API key", Hidden: true})
	}
	for _, o := range kind.Options {
		if _, set := p.Secrets["options."+o.Name]; set {
			rows = append(rows, settingRow{Label: providerLabel(o.Name), Hidden: true})
		} else if value := p.Options[o.Name]; value != "" {
			rows = append(rows, settingRow{Label: providerLabel(o.Name), Value: value})
		}
	}
	return rows
}

func (c *Console) kindOf(name string) ProviderKind {
	for _, k := range c.supply.Kinds() {
		if k.Name == name {
			k.Title = cmp.Or(k.Title, k.Name)
			return k
		}
	}
	return ProviderKind{Name: name, Title: name}
}
