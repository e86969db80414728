package console_test

import (
	"encoding/csv"
	"fmt"
	"strings"
	"testing"
	"time"

	"stele/internal/console"
	"stele/internal/meter"
	"stele/internal/uid"
)

// observed adds the rooms that look at requests.
func observed(h *house, o *console.Options) {
	o.Usage, o.Requests = h.store, h.store
}

// use is a request that was served some time before now, of the house's own key.
func (h *house) use(ago time.Duration, change ...func(*meter.Record)) meter.Record {
	h.t.Helper()
	who, err := h.access.ByKey(h.key)
	if err != nil {
		h.t.Fatal(err)
	}
	r := meter.Record{
		ID: uid.New("use"), At: h.clock().Add(-ago), Request: uid.New("req"), Workspace: "default", Key: who.Key, Environment: "development",
		Route: "POST /api/v1/chat/completions", Dialect: "openai", Model: "acme/fast", Provider: "main", Target: "gpt-5-mini", Status: 200, Tries: 1,
		Input: 1200, CacheRead: 300, Output: 80, Reasoning: 20, Nano: 2_340_000, Priced: true, Rates: "1 0.1 - 10",
		FirstByte: 250 * time.Millisecond, Took: time.Second,
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func (h *house) save(records ...meter.Record) {
	h.t.Helper()
	if err := h.store.InsertRecords(h.t.Context(), records); err != nil {
		h.t.Fatal(err)
	}
}

func TestUsageShowsFiguresGroupsAndWhatChanged(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	const month = 31 * 24 * time.Hour
	h.save(
		h.use(0), h.use(time.Minute), h.use(26*time.Hour, func(r *meter.Record) { r.Model, r.Status, r.Code, r.Key = "slow <b>", 502, "upstream_error", "" }),
		h.use(month), h.use(month),
		h.use(0, func(r *meter.Record) { r.Workspace, r.Model = "other", "secret-model" }),
	)
	page := body(t, h.get("/console/usage", browser))
	wantText(t, page, "<dd>3<small class=\"change \">&#43;50%</small>", "33.3%", "acme/fast", "slow &lt;b&gt;", "$0.00702", "17 October – 15 November 2026",
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
		res := h.get("/console/usage?"+query, browser)
		wantStatus(t, res, 200)
		wantText(t, body(t, res), want)
	}
}

func TestAFilterGetsThePartThatChanges(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	h.save(h.use(0))
	for _, p := range []string{"/console/usage?by=key", "/console/requests?class=2"} {
		part := body(t, h.get(p, browser, header{"HX-Request", "true"}))
		if strings.Contains(part, "<!doctype") || strings.Contains(part, "<form") || !strings.HasPrefix(part, "<div id=") {
			t.Errorf("%s: the part is %.200s", p, part)
		}
		whole := body(t, h.get(p, browser, header{"HX-Request", "true"}, header{"HX-History-Restore-Request", "true"}))
		wantText(t, whole, "<!doctype html>", "<form")
	}
}

func TestTheUsageFileHasALinePerDayAndGroup(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	h.save(h.use(0), h.use(0), h.use(25*time.Hour, func(r *meter.Record) { r.Model = "=SUM(A1)" }))
	res := h.get("/console/usage/csv?range=7d&by=model", browser)
	wantStatus(t, res, 200)
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
	h := opened(t)
	for _, p := range []string{"/console/usage", "/console/usage/csv", "/console/requests", "/console/requests/csv", "/console/requests/use_1"} {
		wantCode(t, h.get(p), 404, "not_found")
	}
	page := body(t, h.get("/console/keys", browser))
	if strings.Contains(page, "/console/usage") || strings.Contains(page, "/console/requests") {
		t.Error("the navigation leads to rooms that are not there")
	}
}
