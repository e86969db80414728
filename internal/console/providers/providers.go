package providers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/supply"
)

type providersPage struct {
	Manage bool
	Rows   []providerRow
	Told   string
}

// providerRow is an account as the list shows it.
type providerRow struct {
	ID, Kind, Title string
	BaseURL         string
	Origin          supply.Origin
	Enabled         bool
	Broken          bool
	State           page.StateBadge
	Models          int
	Used            []string
	Tries, Failed   string // of the last hour
	Trouble         *trouble
	Open            []string // targets whose breaker holds calls back
}

// trouble is the last failure.
type trouble struct {
	Sentence string
	Class    string // as the API calls it
	Words    string // the provider's own, for those who manage it
	At       *page.Moment
}

func (c *Room) showProviders(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := providersPage{Manage: page.Manages(v), Told: page.DeedSentence(r, "deleted", "The provider “%s” is deleted.")}
	titles := c.kindTitles()
	for _, one := range c.Supply.Providers(r.Context()) {
		p.Rows = append(p.Rows, c.providerRow(&one, titles, p.Manage))
	}
	return c.Render(w, r, http.StatusOK, "providers", page.View{Title: "Providers", Active: "providers", Visitor: &v, Data: p})
}

func (c *Room) kindTitles() map[string]string {
	titles := make(map[string]string)
	for _, k := range c.Supply.Kinds() {
		titles[k.Name] = cmp.Or(k.Title, k.Name)
	}
	return titles
}

func (c *Room) providerRow(p *supply.Provider, titles map[string]string, manage bool) providerRow {
	row := providerRow{
		ID: p.ID, Kind: p.Kind, Title: cmp.Or(titles[p.Kind], p.Kind), Enabled: p.Enabled,
		Broken: len(p.Wrong) > 0, State: page.StateOf(p), Models: p.Callable, Used: p.Used, Tries: page.FormatGrouped(int64(p.Health.Tries)),
		Failed: failedShare(p.Health.Failures, p.Health.Tries),
	}
	if manage {
		row.BaseURL, row.Origin = p.BaseURL, p.Origin
	}
	if h := p.Health; !h.Failed.IsZero() && p.Enabled {
		row.Trouble = &trouble{Sentence: supply.FailureWords(h), Class: string(h.Code), At: c.At(h.Failed)}
		if manage {
			row.Trouble.Words = h.Message
		}
	}
	for _, b := range p.Health.Breakers {
		if b.State == "open" && b.Caller == "" {
			row.Open = append(row.Open, b.Model)
		}
	}
	return row
}

// failedShare is how many of the calls failed; "" where none did.
func failedShare(failures, tries int) string {
	if failures == 0 {
		return ""
	}
	return page.Share(int64(failures), int64(tries))
}

func (c *Room) provider(ctx context.Context, id string) (*supply.Provider, error) {
	list := c.Supply.Providers(ctx)
	// Where the file has one of the same name that is the one that counts.
	i := slices.IndexFunc(list, func(p supply.Provider) bool { return p.ID == id && len(p.Wrong) == 0 })
	if i < 0 {
		i = slices.IndexFunc(list, func(p supply.Provider) bool { return p.ID == id })
	}
	if i < 0 {
		return nil, fault.New(fault.NotFound, "There is no such provider.")
	}
	return &list[i], nil
}

func (c *Room) testProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if _, err := c.provider(r.Context(), id); err != nil {
		return err
	}
	trial, err := c.Supply.TestProvider(r.Context(), id)
	if errors.Is(err, access.ErrNotFound) {
		trial, err = catalog.Trial{Problem: "It is not in use, so there is nothing to test. Mend it first."}, nil
	}
	if err != nil {
		return err
	}
	if r.Header.Get("HX-Request") != "" {
		return c.Fragment(w, r, http.StatusOK, "provider", "trial", page.View{Visitor: &v, Data: trialOf(trial)})
	}
	return c.providerPage(w, r, v, http.StatusOK, id, providerPage{Trial: trialOf(trial)})
}

// trialView is what came of a test call, as a page shows it.
type trialView struct {
	Works   bool
	Did     string
	Problem string
	Status  int
	Took    string
	Some    []string // of the models that it listed
	More    int
}

func trialOf(t catalog.Trial) *trialView {
	const few = 6
	shown := &trialView{Works: t.Problem == "", Did: t.Did, Problem: t.Problem, Status: t.Status, Some: t.Models[:min(few, len(t.Models))]}
	shown.More = len(t.Models) - len(shown.Some)
	if t.Took > 0 {
		shown.Took = fmt.Sprintf("%d ms", max(1, t.Took.Milliseconds()))
	}
	return shown
}

func (c *Room) switchProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if err := c.Supply.Switch(r.Context(), v.Principal(), catalog.ProviderRecord, id, r.PostForm.Get("on") == "1"); err != nil {
		return c.wrongRecord(w, r, v, id, err)
	}
	return c.Redirect(w, r, "/console/providers/"+id)
}

func (c *Room) deleteProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if err := c.Supply.Delete(r.Context(), v.Principal(), catalog.ProviderRecord, id); err != nil {
		return c.wrongRecord(w, r, v, id, err)
	}
	return c.Redirect(w, r, "/console/providers?deleted="+id)
}

// wrongRecord shows a refusal on the provider's own page.
func (c *Room) wrongRecord(w http.ResponseWriter, r *http.Request, v access.Visitor, id string, err error) error {
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		return c.providerPage(w, r, v, http.StatusConflict, id, providerPage{Problem: wrong.Fields[""]})
	}
	return catalog.NoSuchRecord(catalog.ProviderRecord, err)
}

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
	Only      []string // models that no other could answer for
	Settings  []settingRow
	Form      *providerForm
	Wrong     []string // why it is not in use
	Reachable bool     // there is something to test
}

// fewBreakers is how many are shown that hold no request back.
const fewBreakers = 20

type breakerRow struct {
	Model  string
	Caller string // the workspace that is held back; "" for all
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
		p, err := c.provider(r.Context(), r.PathValue("id"))
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
	p, err := c.provider(r.Context(), id)
	if err != nil {
		return err
	}
	shown = c.fillProvider(p, shown, v)
	return c.Render(w, r, status, "provider", page.View{Title: p.ID, Active: "providers", Visitor: &v, Data: shown})
}

func (c *Room) fillProvider(p *supply.Provider, shown providerPage, v access.Visitor) providerPage {
	shown.Manage, shown.Ours = page.Manages(v), p.Origin == supply.Origin{}
	shown.Row = c.providerRow(p, c.kindTitles(), shown.Manage)
	shown.Served, shown.Changed = c.At(p.Health.Served), c.At(p.Changed)
	shown.Only = c.onlyAt(p)
	shown.Wrong, shown.Reachable = catalog.Sentences(p.Wrong), len(p.Wrong) == 0
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
func (c *Room) onlyAt(p *supply.Provider) (ids []string) {
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

func settingsOf(p *supply.Provider, kind supply.Kind) []settingRow {
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

func (c *Room) kindOf(name string) supply.Kind {
	for _, k := range c.Supply.Kinds() {
		if k.Name == name {
			k.Title = cmp.Or(k.Title, k.Name)
			return k
		}
	}
	return supply.Kind{Name: name, Title: name}
}
