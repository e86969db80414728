package prices

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/price"
	"stele/internal/supply"
)

// mostEntries is how many of the book a page shows.
const mostEntries = 100

type pricesPage struct {
	Manage   bool
	Query    string
	Kind     string
	Kinds    []string
	Rows     []entryRow
	More     page.Count // that are not shown
	Own      []ownRow
	Unpriced []unpricedRow
	Told     string
	Form     priceForm
}

// entryRow is an entry of the book as the list shows it.
type entryRow struct {
	Kind, Model              string
	Input, Cached, Output    string
	Line                     string // the whole sheet
	Window                   string
	Source, Checked, Retires string
	Retired                  bool
}

// ownRow is a price of the operator's.
type ownRow struct {
	ID, Line, From string
	Origin         supply.Origin
	Wrong          []string
	Revision       int64
}

// unpricedRow is a target whose price is not known.
type unpricedRow struct{ Model, ID string }

// priceForm is a price on its way in.
type priceForm struct {
	ID, Line, From string
	Revision       int64
	Wrong          []string
}

func (c *Room) showPrices(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := pricesPage{Form: priceForm{ID: r.URL.Query().Get("id")}}
	p.Told = page.DeedSentence(r, "set", "The price of “%s” is set. It counts from the next request on.", "deleted", "Your price of “%s” is deleted.")
	for _, own := range c.Supply.Prices() {
		if own.ID == p.Form.ID && own.Origin.Place == "" {
			p.Form.Line, p.Form.From, p.Form.Revision = own.Line, own.From, own.Revision
		}
	}
	return c.page(w, r, v, http.StatusOK, p)
}

// page shows the room with what is said in a form.
func (c *Room) page(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p pricesPage) error {
	q := r.URL.Query()
	p.Manage, p.Query, p.Kind, p.Kinds = page.Manages(v), strings.TrimSpace(q.Get("q")), q.Get("kind"), price.BuiltIn().Kinds()
	for _, own := range c.Supply.Prices() {
		p.Own = append(p.Own, ownRow{own.ID, own.Line, own.From, own.Origin, catalog.Sentences(own.Wrong), own.Revision})
	}
	for _, m := range c.Supply.Models() {
		if m.Media == nil && m.Enabled && m.Cost.Price == nil && len(m.Targets) > 0 && len(p.Unpriced) < mostEntries {
			p.Unpriced = append(p.Unpriced, unpricedRow{m.ID, m.Targets[0].Provider + "/" + m.Targets[0].Model})
		}
	}
	c.search(&p)
	return c.Render(w, r, status, "prices", page.View{Title: "Prices", Active: "prices", Visitor: &v, Data: p})
}

// search finds what of the book fits.
func (c *Room) search(p *pricesPage) {
	for _, kind := range p.Kinds {
		if p.Kind != "" && p.Kind != kind {
			continue
		}
		for _, e := range price.BuiltIn().Of(kind) {
			if p.Kind == "" && e.Provider != kind || !page.Mentions(kind+" "+strings.Join(e.Names, " "), p.Query) {
				continue
			}
			if len(p.Rows) == mostEntries {
				p.More++
				continue
			}
			p.Rows = append(p.Rows, c.row(kind, e))
		}
	}
}

func (c *Room) row(kind string, e *price.Entry) entryRow {
	row := entryRow{Kind: kind, Model: e.Names[0], Source: e.Source, Checked: e.Checked, Retires: e.Traits.Retires}
	row.Retired = row.Retires != "" && row.Retires <= c.Now().UTC().Format(time.DateOnly)
	if e.Traits.Window > 0 {
		row.Window = page.FormatShort(e.Traits.Window)
	}
	if now := e.At(c.Now()); now != nil {
		row.Line = now.Sheet.Text()
		row.Input, row.Cached, row.Output = own(now.Sheet, price.Input), own(now.Sheet, price.CachedInput), own(now.Sheet, price.Output)
	}
	return row
}

func own(s *price.Sheet, class price.Class) string {
	if usd, ok := s.Rates.Own(class); ok {
		return usd.Exact()
	}
	return ""
}

func (c *Room) setPrice(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	form := priceForm{
		ID: strings.TrimSpace(r.PostForm.Get("id")), Line: strings.TrimSpace(r.PostForm.Get("line")), From: strings.TrimSpace(r.PostForm.Get("from")),
		Revision: page.ReadRevision(r.PostForm.Get("revision")),
	}
	fields := map[string]string{"sheet": form.Line}
	if form.From != "" {
		fields["from"] = form.From
	}
	text, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	err = c.Supply.Save(r.Context(), v.Principal(), catalog.Draft{Sort: catalog.PriceRecord, ID: form.ID, Fields: text, Enabled: true, Revision: form.Revision})
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		form.Wrong = catalog.Sentences(wrong.Fields)
		return c.page(w, r, v, http.StatusUnprocessableEntity, pricesPage{Form: form})
	}
	return c.Done(w, r, catalog.NoSuchRecord(catalog.PriceRecord, err), "/console/prices?"+url.Values{"set": {form.ID}}.Encode())
}

func (c *Room) deletePrice(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PostForm.Get("id")
	err := c.Supply.Delete(r.Context(), v.Principal(), catalog.PriceRecord, id)
	return c.Done(w, r, catalog.NoSuchRecord(catalog.PriceRecord, err), "/console/prices?"+url.Values{"deleted": {id}}.Encode())
}
