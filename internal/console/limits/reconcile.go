package limits

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/console/page"
	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/meter/bill"
	"stele/internal/price"
	"stele/internal/scope"
	"stele/internal/wire"
)

// mostExport is how large a file the page takes. The command line takes larger ones.
const mostExport = 8 << 20

// Bills is what of the count is set beside a provider's bill.
type Bills interface {
	ProviderDays(ctx context.Context, provider string, from, until time.Time) ([]meter.TargetDay, error)
}

// reconcilePage sets a provider's bill beside our count.
type reconcilePage struct {
	Providers []string
	Provider  string
	Problem   string
	Format    string // of the bill; "" before there is one
	Read      string
	More      bool
	Other     string
	Days      []driftRow
	Models    []driftRow
	Total     driftRow
}

type driftRow struct {
	Day, Model, Theirs, Ours, By, Percent, Unpriced string
	Marked                                          bool
}

func (c *Room) showReconcile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	return c.reconcilePage(w, r, v, http.StatusOK, reconcilePage{})
}

// reconcile reads a bill and sets it beside the count. Nothing of it is kept.
func (c *Room) reconcile(w http.ResponseWriter, r *http.Request, v access.Visitor) error {
	var p reconcilePage
	theirs, err := p.readBill(r)
	if err != nil {
		if e := fault.From(err); e.Code == fault.Internal { // what is wrong with a file is said by who read it
			p.Problem = upperFirst(err.Error()) + "."
		} else {
			p.Problem = e.Message
		}
		return c.reconcilePage(w, r, v, http.StatusUnprocessableEntity, p)
	}
	ours, err := c.Bills.ProviderDays(r.Context(), p.Provider, theirs.First, theirs.End)
	if err != nil {
		return err
	}
	p.fill(meter.Reconcile(theirs, ours))
	return c.reconcilePage(w, r, v, http.StatusOK, p)
}

func (c *Room) reconcilePage(w http.ResponseWriter, r *http.Request, v access.Visitor, status int, p reconcilePage) error {
	if c.Supply != nil {
		for _, provider := range c.Supply.Providers(r.Context()) {
			p.Providers = append(p.Providers, provider.ID)
		}
	}
	if p.Provider != "" && !slices.Contains(p.Providers, p.Provider) {
		p.Providers = append(p.Providers, p.Provider)
	}
	return c.Render(w, r, status, "reconcile", page.View{Title: "Compare with a bill", Active: "limits", Visitor: &v, Data: p})
}

// readBill reads the form: the provider, then the file.
func (p *reconcilePage) readBill(r *http.Request) (*bill.Bill, error) {
	kind, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" || parameters["boundary"] == "" {
		return nil, fault.New(fault.UnsupportedContentType, "Send the file as a form.").Because(err)
	}
	parts := wire.NewParts(r.Body, parameters["boundary"])
	part, err := parts.Next()
	if err != nil || part.FormName() != "provider" {
		return nil, fault.New(fault.MissingParameter, "Choose a provider.").Because(err)
	}
	name, err := io.ReadAll(io.LimitReader(part, 256))
	if p.Provider = strings.TrimSpace(string(name)); err != nil || p.Provider == "" {
		return nil, fault.New(fault.MissingParameter, "Choose a provider.").Because(err)
	}
	if part, err = parts.Next(); err != nil || part.FormName() != "file" || part.FileName() == "" {
		return nil, fault.New(fault.MissingFile, "Choose the provider's export.").Because(err)
	}
	lease := scope.From(r.Context()).Memory
	all, err := lease.ReadAll(r.Context(), part, -1)
	if err != nil {
		return nil, err
	}
	if err := lease.Grow(r.Context(), 2*int64(len(all))); err != nil { // what it is once it is understood
		return nil, err
	}
	return bill.Read(bytes.NewReader(all))
}

func (p *reconcilePage) fill(r meter.Reconciled) {
	p.Format, p.More, p.Total = r.Bill.Format, r.Bill.More, driftOf(r.Total)
	p.Read = page.Many(int64(r.Bill.Rows), "row", "rows")
	if r.Bill.Other > 0 {
		p.Other = page.Many(int64(r.Bill.Other), "row is", "rows are")
	}
	for _, d := range r.Days {
		p.Days = append(p.Days, driftOf(d))
	}
	for _, d := range r.Models {
		p.Models = append(p.Models, driftOf(d))
	}
}

func driftOf(d meter.Drift) driftRow {
	row := driftRow{
		Model: cmp.Or(d.Model, "(not named)"), Theirs: price.Amount(d.Theirs).Dollars(), Ours: price.Amount(d.Ours).Dollars(), By: price.GroupThousands(price.Amount(d.By()).Decimal()), Marked: d.Differs(),
	}
	if !d.Day.IsZero() {
		row.Day = d.Day.Format(time.DateOnly)
	}
	if d.By() > 0 {
		row.By = "+" + row.By
	}
	if hundredths, ok := d.Percent(); ok {
		row.Percent = strconv.FormatFloat(float64(hundredths)/100, 'f', 2, 64) + "%"
	}
	if d.Unpriced > 0 {
		row.Unpriced = page.Many(d.Unpriced, "request without a price", "requests without a price")
	}
	return row
}

func upperFirst(text string) string {
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
