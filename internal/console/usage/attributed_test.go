package usage_test

import (
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

func TestUsageByEndUserAndTag(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	if _, err := h.Access.SetPolicy(t.Context(), access.CommandLine("default"), "default", access.Policy{Tags: []string{"team"}}); err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		h.Save(h.Use(time.Hour, func(r *meter.Record) { r.User, r.Tags = []string{"ann", "bob", "ann"}[i], "team=search" }))
	}
	h.Save(h.Use(time.Hour))
	page := consoletest.Body(t, h.Get("/console/usage?by=user", consoletest.Browser))
	consoletest.WantText(t, page, "Requests by day and end user", "ann", "bob", "50%", "25%", "All others", `value="tag:team"`, "Tag team")
	page = consoletest.Body(t, h.Get("/console/usage?by=tag:team&key=key_1", consoletest.Browser))
	consoletest.WantText(t, page, "search", "75%", "those filters were left out")
	csv := consoletest.Body(t, h.Get("/console/usage/csv?by=tag:team", consoletest.Browser))
	consoletest.WantText(t, csv, "day,tag:team,name,requests", "2026-11-15,search,,3,")
}
