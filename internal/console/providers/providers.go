package providers

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/fault"
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
	Origin          page.Origin
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
	p := providersPage{Manage: page.Manages(v)}
	if id := r.URL.Query().Get("deleted"); id != "" {
		p.Told = fmt.Sprintf("The provider “%s” is deleted.", id)
	}
	titles := c.kindTitles()
	for _, one := range c.Supply.Providers() {
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

func (c *Room) providerRow(p *page.Provider, titles map[string]string, manage bool) providerRow {
	row := providerRow{
		ID: p.ID, Kind: p.Kind, Title: cmp.Or(titles[p.Kind], p.Kind), Enabled: p.Enabled,
		Broken: len(p.Wrong) > 0, State: page.StateOf(p), Models: p.Callable, Used: p.Used, Tries: page.Grouped(int64(p.Health.Tries)),
		Failed: failedShare(p.Health.Failures, p.Health.Tries),
	}
	if manage {
		row.BaseURL, row.Origin = p.BaseURL, p.Origin
	}
	if h := p.Health; !h.Failed.IsZero() && p.Enabled {
		row.Trouble = &trouble{Sentence: failureWords(h.Code, h.Rejected), Class: string(h.Code), At: c.At(h.Failed)}
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

// failureWords says what a failure was, in words that tell of nobody's request.
func failureWords(code fault.Code, rejected bool) string {
	switch {
	case rejected:
		return "It refused the credentials."
	case code == fault.RateLimited:
		return "Its rate limit or quota was reached."
	case code == fault.UpstreamTimeout:
		return "It did not answer in time."
	case code == fault.Unavailable:
		return "It was overloaded or not available."
	}
	return "It failed or could not be reached."
}

// failedShare is how many of the calls failed; "" where none did.
func failedShare(failures, tries int) string {
	if failures == 0 {
		return ""
	}
	return page.Share(int64(failures), int64(tries))
}

func (c *Room) provider(id string) (*page.Provider, error) {
	list := c.Supply.Providers()
	// Where the file has one of the same name that is the one that counts.
	i := slices.IndexFunc(list, func(p page.Provider) bool { return p.ID == id && len(p.Wrong) == 0 })
	if i < 0 {
		i = slices.IndexFunc(list, func(p page.Provider) bool { return p.ID == id })
	}
	if i < 0 {
		return nil, fault.New(fault.NotFound, "There is no such provider.")
	}
	return &list[i], nil
}

func (c *Room) testProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if _, err := c.provider(id); err != nil {
		return err
	}
	trial, err := c.Supply.TestProvider(r.Context(), id)
	if errors.Is(err, access.ErrNotFound) {
		trial, err = page.Trial{Problem: "It is not in use, so there is nothing to test. Mend it first."}, nil
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

func trialOf(t page.Trial) *trialView {
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
	if err := c.Supply.Switch(r.Context(), v.Principal(), catalog.ProviderOffer, id, r.PostForm.Get("on") == "1"); err != nil {
		return c.wrongOffer(w, r, v, id, err)
	}
	return c.Redirect(w, r, "/console/providers/"+id)
}

func (c *Room) deleteProvider(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PathValue("id")
	if err := c.Supply.Delete(r.Context(), v.Principal(), catalog.ProviderOffer, id); err != nil {
		return c.wrongOffer(w, r, v, id, err)
	}
	return c.Redirect(w, r, "/console/providers?deleted="+id)
}

// wrongOffer shows a refusal on the provider's own page.
func (c *Room) wrongOffer(w http.ResponseWriter, r *http.Request, v access.Visitor, id string, err error) error {
	if wrong, ok := errors.AsType[*catalog.WrongOffer](err); ok {
		return c.providerPage(w, r, v, http.StatusConflict, id, providerPage{Problem: wrong.Fields[""]})
	}
	return catalog.NoSuchOffer(catalog.ProviderOffer, err)
}
