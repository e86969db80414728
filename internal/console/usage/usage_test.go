package usage_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

func TestUsageShowsFiguresGroupsAndWhatChanged(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	const month = 31 * 24 * time.Hour
	h.Save(
		h.Use(0), h.Use(time.Minute), h.Use(26*time.Hour, func(r *meter.Record) { r.Model, r.Status, r.Code, r.Key = "slow <b>", 502, "upstream_error", "" }),
		h.Use(month), h.Use(month),
		h.Use(0, func(r *meter.Record) { r.Workspace, r.Model = "other", "secret-model" }),
	)
	page := consoletest.Body(t, h.Get("/console/usage", consoletest.Browser))
	consoletest.WantText(t, page, "<dd>3<small class=\"change \">&#43;50%</small>", "33.3%", "acme/fast", "slow &lt;b&gt;", "$0.00702", "17 October – 15 November 2026",
		"against 17 September – 16 October 2026", `<svg viewBox="0 0 1000 200"`, "Requests by day and model", "Sun 15 Nov 2026: 2 requests\nacme/fast: 2 requests",
		"/console/requests?from=2026-10-17&amp;model=acme%2Ffast&amp;time=own&amp;to=2026-11-15", "first key", "Console (no key)")
	if strings.Contains(page, "secret-model") || strings.Contains(page, "<b>") {
		t.Error("another workspace, or markup of a client, is in the page")
	}
	for query, want := range map[string]string{
		"by=key":                     `>Console</a>`,
		"by=status":                  "502 Bad Gateway",
		"by=provider&show=cost":      "Cost by day and provider",
		"by=environment&show=tokens": "Development",
		"range=today":                "15 November 2026. Changes are against 14 November 2026",
		"model=slow+%3Cb%3E":         "100%",
		"key=none":                   "slow &lt;b&gt;",
		"environment=production":     "Nothing fits all of the filters",
		"range=own&from=2026-11-01&to=2026-11-14":         "1 November – 14 November 2026",
		"range=own&from=2026-11-14&to=2026-11-01":         "The first day is after the last one.",
		"range=own&from=yesterday":                        "A date is written as",
		"range=own&from=2020-01-01&to=2026-11-14":         "up to 366 days",
		"range=nonsense&by=nonsense&show=nonsense&key=zz": "Nothing fits all",
	} {
		res := h.Get("/console/usage?"+query, consoletest.Browser)
		consoletest.WantStatus(t, res, 200)
		consoletest.WantText(t, consoletest.Body(t, res), want)
	}
}

func TestAFilterGetsThePartThatChanges(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	h.Save(h.Use(0))
	for _, p := range []string{"/console/usage?by=key", "/console/requests?class=2"} {
		part := consoletest.Body(t, h.Get(p, consoletest.Browser, consoletest.With("HX-Request", "true")))
		if strings.Contains(part, "<!doctype") || strings.Contains(part, "<form") || !strings.HasPrefix(part, "<div id=") {
			t.Errorf("%s: the part is %.200s", p, part)
		}
		whole := consoletest.Body(t, h.Get(p, consoletest.Browser, consoletest.With("HX-Request", "true"), consoletest.With("HX-History-Restore-Request", "true")))
		consoletest.WantText(t, whole, "<!doctype html>", "<form")
	}
}

func TestTheUsageFileHasALinePerDayAndGroup(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	h.Save(h.Use(0), h.Use(0), h.Use(25*time.Hour, func(r *meter.Record) { r.Model = "=SUM(A1)" }))
	res := h.Get("/console/usage/csv?range=7d&by=model", consoletest.Browser)
	consoletest.WantStatus(t, res, 200)
	if got := res.Header.Get("Content-Disposition"); got != `attachment; filename="usage-2026-11-09-2026-11-15-by-model.csv"` {
		t.Error(got)
	}
	rows, err := csv.NewReader(res.Body).ReadAll()
	if err != nil || len(rows) != 3 {
		t.Fatalf("%v %v", rows, err)
	}
	if got := fmt.Sprint(rows[1][:4], rows[2]); got != "[2026-11-14 '=SUM(A1)  1] [2026-11-15 acme/fast  2 0 2400 600 0 160 40 0.00468 1.000]" {
		t.Errorf("rows are %s", got)
	}
}

func TestRoomsThatAreNotThereAreNotShown(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t)
	for _, p := range []string{"/console/usage", "/console/usage/csv", "/console/requests", "/console/requests/csv", "/console/requests/use_1"} {
		consoletest.WantCode(t, h.Get(p), 404, "not_found")
	}
	page := consoletest.Body(t, h.Get("/console/keys", consoletest.Browser))
	if strings.Contains(page, "/console/usage") || strings.Contains(page, "/console/requests") {
		t.Error("the navigation leads to rooms that are not there")
	}
}
