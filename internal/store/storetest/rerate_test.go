package storetest

import (
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/meter"
	"stele/internal/store"
	"stele/internal/uid"
)

// requestsRerated rates rows again: rows, days and groups change by the same amount, once.
func requestsRerated(t *testing.T, s *store.Store) {
	unpriced := func(r *meter.Record) { r.Nano, r.Priced, r.Rates, r.PriceSource = 0, false, "", catalog.Unpriced }
	all := []meter.Record{
		used(1, unpriced), used(2, func(r *meter.Record) {
			r.PriceSource, r.PriceVersion, r.Extra = catalog.FromBook, "0123abcd", "audio_input=2 searches=1 tier=flex"
		}), used(3, func(r *meter.Record) { r.Workspace = "other" }),
	}
	must(t, s.InsertRecords(t.Context(), all))
	slice := meter.Slice{Workspace: "default", From: midday.Truncate(24 * time.Hour), Until: midday.Add(24 * time.Hour).Truncate(24 * time.Hour)}
	total := func() meter.Figures {
		t.Helper()
		byGroups, err := s.UsageTotal(t.Context(), slice)
		must(t, err)
		byDays := slice
		byDays.Provider = "p"
		other, err := s.UsageTotal(t.Context(), byDays)
		must(t, err)
		if byGroups != other {
			t.Errorf("groups say %+v, days %+v", byGroups, other)
		}
		return byGroups
	}
	if f := total(); f.Nano != 1000 || f.Unpriced != 1 || f.Requests != 2 {
		t.Errorf("before: %+v", f)
	}
	var rows []meter.Record
	for after := ""; ; {
		page, err := s.RecordsBetween(t.Context(), midday.Add(-time.Hour), midday, after, 2)
		must(t, err)
		if len(page) == 0 {
			break
		}
		rows, after = append(rows, page...), page[len(page)-1].ID
	}
	if len(rows) != 3 {
		t.Fatalf("%d rows", len(rows))
	}
	var list []meter.Rerated
	for _, r := range rows {
		list = append(list, meter.Rerated{Record: r, Cost: catalog.Cost{Nano: 5000, Known: true, Source: catalog.FromFile, Version: "feedbeef", Rates: "1 - - 2"}})
	}
	for _, want := range []int{3, 0} { // the second time they are others already
		n, err := s.Rerate(t.Context(), list, access.Entry{ID: uid.New("aud"), At: midday, Workspace: "default", Action: "prices.rerate"})
		must(t, err)
		if n != want {
			t.Errorf("%d written, want %d", n, want)
		}
		if f := total(); f.Nano != 10_000 || f.Unpriced != 0 || f.Requests != 2 || f.Input != 20 {
			t.Errorf("after: %+v", f)
		}
	}
	again, err := s.RecordsBetween(t.Context(), midday.Add(-time.Hour), midday, "", 9)
	must(t, err)
	for _, r := range again {
		if r.Nano != 5000 || !r.Priced || r.Rates != "1 - - 2" || r.PriceSource != catalog.FromFile || r.PriceVersion != "feedbeef" {
			t.Errorf("%+v", r)
		}
	}
}
