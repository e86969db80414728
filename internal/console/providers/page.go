package providers

import (
	"cmp"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/console/page"
)

// providerPage is one account: how it is, who uses it, and its settings.
type providerPage struct {
	Row       providerRow
	Manage    bool // the visitor may change it here
	Ours      bool // it is kept in the database
	Problem   string
	Told      string
	Trial     *trialView
	Served    *page.Moment
	Changed   *page.Moment
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
	State  page.StateBadge
	InRow  int
}

// settingRow is a setting of an account that cannot be changed here.
type settingRow struct {
	Label, Value string
	Hidden       bool // it is a secret
}

func (c *Room) showProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	if r.URL.Query().Get("part") == "health" {
		p, err := c.provider(r.PathValue("id"))
		if err != nil {
			return err
		}
		shown := c.fillProvider(p, providerPage{}, v)
		return c.Fragment(w, r, http.StatusOK, "provider", "health", page.View{Visitor: &v, Data: shown})
	}
	shown := providerPage{}
	if r.URL.Query().Has("saved") {
		shown.Told = "Saved. It is in use from now on."
	}
	return c.providerPage(w, r, v, http.StatusOK, r.PathValue("id"), shown)
}

func (c *Room) providerPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, id string, shown providerPage) error {
	p, err := c.provider(id)
	if err != nil {
		return err
	}
	shown = c.fillProvider(p, shown, v)
	return c.Render(w, r, status, "provider", page.View{Title: p.ID, Active: "providers", Visitor: &v, Data: shown})
}

func (c *Room) fillProvider(p *page.Provider, shown providerPage, v access.Visitor) providerPage {
	shown.Manage, shown.Ours = page.Manages(v), p.Origin == page.Origin{}
	shown.Row = c.providerRow(p, c.kindTitles(), shown.Manage)
	shown.Served, shown.Changed = c.At(p.Health.Served), c.At(p.Changed)
	shown.Only = c.onlyAt(p)
	shown.Reachable = len(p.Wrong) == 0
	for _, field := range page.FieldNames(p.Wrong) {
		shown.Wrong = append(shown.Wrong, p.Wrong[field])
	}
	for _, b := range p.Health.Breakers { // names of models may be the clients' own, so there may be many
		if b.Caller != "" && b.Caller != v.Session.Workspace && !shown.Manage {
			continue // another workspace's business
		}
		if b.State != "closed" || b.InRow > 0 || len(shown.Breakers) < fewBreakers {
			shown.Breakers = append(shown.Breakers, breakerRow{b.Model, b.Caller, breakerWords(b.State), b.InRow})
		}
	}
	kind := c.kindOf(p.Kind)
	switch {
	case shown.Ours && shown.Manage && shown.Form == nil:
		form := c.editProviderForm(p, kind)
		shown.Form = &form
	case !shown.Ours && shown.Manage:
		shown.Settings = settingsOf(p, kind)
	}
	return shown
}

func breakerWords(state string) page.StateBadge {
	switch state {
	case "open":
		return page.StateBadge{Label: "open: not called for some seconds", Class: "bad"}
	case "half-open":
		return page.StateBadge{Label: "half open: one call is let through", Class: "warn"}
	}
	return page.StateBadge{Label: "closed: calls pass", Class: "good"}
}

// onlyAt lists the models that have no target elsewhere.
func (c *Room) onlyAt(p *page.Provider) (ids []string) {
	for _, m := range c.Supply.Models() {
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

func settingsOf(p *page.Provider, kind page.ProviderKind) []settingRow {
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

func (c *Room) kindOf(name string) page.ProviderKind {
	for _, k := range c.Supply.Kinds() {
		if k.Name == name {
			k.Title = cmp.Or(k.Title, k.Name)
			return k
		}
	}
	return page.ProviderKind{Name: name, Title: name}
}
