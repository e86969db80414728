package models

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/page"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/supply"
)

// modelPage is one model: what it can do, what it costs, where it is sent, and
// how it is called.
type modelPage struct {
	Row         modelRow
	Description string
	Manage      bool
	Ours        bool
	Told        string
	Problem     string
	Wrong       []string
	Prices      []priceRow
	Limits      []priceRow
	Operations  []operationRow
	Snippet     string
	Room        string // where it can be tried: playground or studio; "" nowhere
	Changed     *page.Moment
}

type priceRow struct{ Label, Value string }

// operationRow is what a media model can do.
type operationRow struct {
	Mode, About string
	Price       string
	Needs       []string
	Takes       []string
	Parameters  []string
}

func (c *Room) showModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	p := modelPage{}
	if r.URL.Query().Has("saved") {
		p.Told = "Saved. Clients can call it now."
	}
	return c.modelPage(w, r, v, http.StatusOK, r.URL.Query().Get("id"), p)
}

func (c *Room) modelPage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, id string, p modelPage) error {
	m, err := c.model(id)
	if err != nil {
		return err
	}
	p.Manage, p.Ours = page.Manages(v), m.Fields != nil
	p.Row, p.Description = modelRowOf(m, c.targetStates(r.Context())), m.Description
	p.Changed, p.Wrong = c.At(m.Changed), catalog.Sentences(m.Wrong)
	room := "playground"
	if m.Media != nil {
		room = "studio"
		p.Snippet = mediaSnippet(c.Root(), m.Media)
		for i := range m.Media.Operations {
			p.Operations = append(p.Operations, operationOf(&m.Media.Operations[i]))
		}
	} else {
		p.Prices, p.Limits = pricesOf(m), limitsOf(m)
		p.Snippet = chatSnippet(c.Root(), m.ID)
	}
	if c.Has(room) && len(p.Wrong) == 0 {
		p.Room = room
	}
	return c.Render(w, r, status, "model", page.View{Title: m.ID, Active: "models", Visitor: &v, Data: p})
}

func (c *Room) deleteModel(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	id := r.PostForm.Get("id")
	err := c.Supply.Delete(r.Context(), v.Principal(), catalog.ModelRecord, id)
	if wrong, ok := errors.AsType[*catalog.WrongRecord](err); ok {
		return c.modelPage(w, r, v, http.StatusConflict, id, modelPage{Problem: wrong.Fields[""]})
	}
	return c.Done(w, r, catalog.NoSuchRecord(catalog.ModelRecord, err), "/console/models?deleted="+strings.TrimPrefix(modelPath(id), modelPath("")))
}

func pricesOf(m *supply.Model) (rows []priceRow) {
	if m.Cost.Price == nil {
		return nil
	}
	for class := range price.Classes {
		if usd, ok := m.Cost.Sheet.Rates.Own(class); ok {
			rows = append(rows, priceRow{page.ClassLabel(class), usd.Exact()})
		}
	}
	return rows
}

func limitsOf(m *supply.Model) []priceRow {
	if len(m.Wrong) > 0 {
		return nil
	}
	return []priceRow{
		{"Retries", page.FormatGrouped(int64(m.Retries))},
		{"First byte within", shortTime(m.Timeouts.FirstByte)},
		{"Silence at most", shortTime(m.Timeouts.Gap)},
		{"All within", shortTime(m.Timeouts.Total)},
	}
}

// shortTime is a duration without the zeros that Go writes: 30m, not 30m0s.
func shortTime(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

func operationOf(o *media.Operation) operationRow {
	row := operationRow{
		Mode: o.Mode, About: o.Description, Needs: o.Input.Required, Takes: o.Input.Optional,
		Price: mediaPrice(&media.Model{Operations: []media.Operation{*o}}),
	}
	for _, p := range o.Parameters {
		row.Parameters = append(row.Parameters, p.Name)
	}
	return row
}

// chatSnippet is a call that works as pasted.
func chatSnippet(root, id string) string {
	return page.Curl(root+"/api/v1/chat/completions", `{"model": `+quoteJSON(id)+`, "messages": [{"role": "user", "content": "Hello"}]}`)
}

func mediaSnippet(root string, m *media.Model) string {
	fields := []string{`"model": ` + quoteJSON(m.ID)}
	if len(m.Operations) > 0 {
		o := &m.Operations[0]
		fields = append(fields, `"mode": `+quoteJSON(o.Mode))
		for _, name := range o.Input.Required {
			value := `"https://example.com/` + name + `"`
			switch {
			case name == "prompt":
				value = `"A lighthouse at dusk"`
			case strings.HasSuffix(name, "s"):
				value = "[" + value + "]"
			}
			fields = append(fields, quoteJSON(name)+": "+value)
		}
	}
	return page.Curl(root+"/api/v1/generations", "{"+strings.Join(slices.Compact(fields), ", ")+"}")
}

func quoteJSON(text string) string {
	b, _ := json.Marshal(text) // never fails for text
	return string(b)
}
