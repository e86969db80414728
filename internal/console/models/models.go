package models

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/supply"
)

// mostModels is how many a page shows: an account may offer thousands.
const mostModels = 100

type modelsPage struct {
	Manage    bool
	Query     string
	Type      string
	Provider  string
	Types     []string
	Providers []string
	Rows      []modelRow
	More      page.Count // that are not shown
	All       int        // there are without any filter
	Told      string
}

// modelRow is a model as the list shows it.
type modelRow struct {
	ID, Name string
	Named    bool   // the name says more than the id
	Type     string // chat, image, video or audio
	Can      []string
	Tags     []string
	Price    string
	Targets  []targetRow
	Balance  bool
	Origin   supply.Origin
	Listed   bool
	Broken   bool
	Enabled  bool
}

// targetRow is a model at a provider, and how that is.
type targetRow struct {
	Provider, Model string
	Share           string // of the calls, where they are balanced
	State           page.StateBadge
}

func (c *Room) showModels(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	q := r.URL.Query()
	p := modelsPage{
		Manage: page.Manages(v), Query: strings.TrimSpace(q.Get("q")), Type: q.Get("type"), Provider: q.Get("provider"),
		Told:  page.DeedSentence(r, "deleted", "The model “%s” is deleted."),
		Types: append([]string{"chat"}, media.Types()...),
	}
	states := c.targetStates(r.Context())
	all := c.Supply.Models()
	p.All = len(all)
	for _, one := range c.Supply.Providers(r.Context()) {
		p.Providers = append(p.Providers, one.ID)
	}
	for i := range all {
		switch m := &all[i]; {
		case !p.shows(m):
		case len(p.Rows) == mostModels:
			p.More++
		default:
			p.Rows = append(p.Rows, modelRowOf(m, states))
		}
	}
	return c.Render(w, r, http.StatusOK, "models", page.View{Title: "Models", Active: "models", Visitor: &v, Data: p})
}

// shows reports whether a model passes the filters.
func (p *modelsPage) shows(m *supply.Model) bool {
	if p.Type != "" && p.Type != modelType(m) {
		return false
	}
	if p.Provider != "" && !slices.ContainsFunc(m.Targets, func(t catalog.Target) bool { return t.Provider == p.Provider }) &&
		(m.Media == nil || m.Media.Provider != p.Provider) {
		return false
	}
	return page.Mentions(m.ID+" "+m.Name+" "+m.Description+" "+strings.Join(m.Tags, " "), p.Query)
}

func modelType(m *supply.Model) string {
	if m.Media != nil {
		return m.Media.MediaType
	}
	return "chat"
}

// targetStates are the states of providers and of breakers, by provider and by
// provider/model.
func (c *Room) targetStates(ctx context.Context) map[string]page.StateBadge {
	states := make(map[string]page.StateBadge)
	for _, p := range c.Supply.Providers(ctx) {
		if _, counted := states[p.ID]; counted && len(p.Wrong) > 0 {
			continue // the file's counts
		}
		states[p.ID] = page.StateOf(&p)
		for _, b := range p.Health.Breakers {
			if b.State == "open" && b.Caller == "" {
				states[p.ID+"/"+b.Model] = page.StateBadge{Label: "held back", Class: "bad"}
			}
		}
	}
	return states
}

func modelRowOf(m *supply.Model, states map[string]page.StateBadge) modelRow {
	row := modelRow{
		ID: m.ID, Name: cmp.Or(m.Name, m.ID), Type: modelType(m), Can: abilities(m), Tags: m.Tags, Price: priceOf(m), Origin: m.Origin,
		Balance: m.Balance, Listed: m.Listed, Broken: len(m.Wrong) > 0, Enabled: m.Enabled, Targets: targetRows(m, states),
	}
	row.Named = row.Name != m.ID && !strings.HasSuffix(m.ID, "/"+row.Name)
	return row
}

func targetRows(m *supply.Model, states map[string]page.StateBadge) (rows []targetRow) {
	if m.Media != nil {
		who, what := m.Media.Provider, m.Media.Upstream
		if after, ok := strings.CutPrefix(who, catalog.BuiltIn); ok {
			who, what = "stele", after
		}
		return []targetRow{{Provider: who, Model: what, State: states[who]}}
	}
	total := 0
	for _, t := range m.Targets {
		total += t.Weight
	}
	for _, t := range m.Targets {
		row := targetRow{Provider: t.Provider, Model: t.Model, State: states[t.Provider]}
		if worse, ok := states[t.Provider+"/"+t.Model]; ok {
			row.State = worse
		}
		if m.Balance && len(m.Targets) > 1 && total > 0 {
			row.Share = page.Share(int64(t.Weight), int64(total))
		}
		rows = append(rows, row)
	}
	return rows
}

// abilities are what a model can do, in a few words.
func abilities(m *supply.Model) (list []string) {
	if m.Media != nil {
		for _, o := range m.Media.Operations {
			list = append(list, strings.ReplaceAll(o.Mode, "_", " "))
		}
		return list
	}
	for name, can := range m.Capabilities {
		if can {
			list = append(list, strings.ReplaceAll(name, "_", " "))
		}
	}
	slices.Sort(list)
	return list
}

// priceOf is a price in a few characters: "$1.25 in, $10 out".
func priceOf(m *supply.Model) string {
	if m.Media != nil {
		return mediaPrice(m.Media)
	}
	var parts []string
	if m.Cost.Price == nil {
		return ""
	}
	for _, part := range []struct {
		class price.Class
		name  string
	}{{price.Input, "in"}, {price.Output, "out"}} {
		if usd, ok := m.Cost.Sheet.Rates.Own(part.class); ok {
			parts = append(parts, usd.Exact()+" "+part.name)
		}
	}
	return strings.Join(parts, ", ")
}

// mediaPrice is what the first operation costs at least.
func mediaPrice(m *media.Model) string {
	if len(m.Operations) == 0 {
		return ""
	}
	p := &m.Operations[0].Price
	least := p.Least()
	if least == 0 {
		return "free"
	}
	from := ""
	if len(p.Table) > 0 || len(m.Operations) > 1 {
		from = "from "
	}
	return from + least.Exact() + " per " + cmp.Or(p.Per, media.Units()[0])
}

// model finds a model. Of two with the same id the one that counts is found.
func (c *Room) model(id string) (*supply.Model, error) {
	list := c.Supply.Models()
	i := slices.IndexFunc(list, func(m supply.Model) bool { return m.ID == id && len(m.Wrong) == 0 })
	if i < 0 {
		i = slices.IndexFunc(list, func(m supply.Model) bool { return m.ID == id })
	}
	if i < 0 {
		return nil, fault.New(fault.NotFound, "There is no model %q.", id)
	}
	return &list[i], nil
}

// modelPath leads to a model's page. Ids have slashes, so they are in the query.
func modelPath(id string) string { return "/console/models/show?id=" + url.QueryEscape(id) }
