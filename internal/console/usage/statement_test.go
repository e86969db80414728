package usage_test

import (
	"encoding/csv"
	"strings"
	"testing"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

func TestAStatementNamesWhatHasNoPrice(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	h.Save(
		h.Use(0, func(r *meter.Record) { r.Nano, r.Tags = 1_234_567_891, "team=search" }),
		h.Use(0, func(r *meter.Record) {
			r.Model, r.Nano, r.Priced, r.PriceSource, r.Person = "acme/odd", 0, false, catalog.Unpriced, "usr_gone"
		}),
		h.Use(0, func(r *meter.Record) { r.Workspace, r.Model = "elsewhere", "secret-model" }),
	)
	month := h.Clock().UTC().Format("2006-01")
	page := consoletest.Body(t, h.Get("/console/usage/statement?month="+month, consoletest.Browser))
	consoletest.WantText(t, page, "$1.234567891", "1 request has no price: acme/odd (1 unpriced)", "By model", "By key", "first key", "By person", "usr_gone", "By tag team", "search", "(none)",
		"The month is not over")
	if strings.Contains(page, "secret-model") || strings.Contains(page, "$0.00") {
		t.Error("another workspace's usage, or no price shown as nothing")
	}
	if strings.Contains(page, "Charge") {
		t.Error("a charge that is no other than the cost")
	}
	rows, err := csv.NewReader(strings.NewReader(consoletest.Body(t, h.Get("/console/usage/statement/csv?month="+month)))).ReadAll()
	if err != nil || len(rows) < 8 {
		t.Fatal(len(rows), err)
	}
	if total := rows[1]; total[2] != "total" || total[5] != "2" || total[7] != "1" || total[13] != "1.234567891" {
		t.Errorf("%q", total)
	}
	for _, row := range rows {
		if row[3] == "acme/odd" && row[13] != "" {
			t.Errorf("%q", row)
		}
	}
}

func TestAStatementWithoutAMonthIsOfTheLastOne(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	last := h.Clock().UTC().AddDate(0, -1, 0).Format("January 2006")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/usage/statement", consoletest.Browser)), "Statement of "+last, "Nothing was used")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/usage/statement?month=never", consoletest.Browser)), "A month is written as 2026-01.")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/usage/statement?month=2999-01", consoletest.Browser)), "That month has not begun.")
}

func TestAStatementShowsWhatIsCharged(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	if _, err := h.Access.SetPolicy(t.Context(), access.CommandLine("default"), "default", access.Policy{ChargeFactor: "1.20"}); err != nil {
		t.Fatal(err)
	}
	h.Save(h.Use(0, func(r *meter.Record) { r.Nano = 1_000_000_000 }))
	page := consoletest.Body(t, h.Get("/console/usage/statement?month="+h.Clock().UTC().Format("2006-01"), consoletest.Browser))
	consoletest.WantText(t, page, "<dt>Charge</dt><dd>$1.20</dd>", "<dt>Cost</dt><dd>$1.00</dd>", `<th scope="col" class="number">Charge</th>`)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/csv")), "charge_usd", ",1.2\n")
}
