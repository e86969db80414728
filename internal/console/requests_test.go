package console_test

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/console"
	"stele/internal/meter"
)

func TestRequestsAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	h.save(
		h.use(time.Minute, func(r *meter.Record) { r.Model = "plain" }),
		h.use(2*time.Minute, func(r *meter.Record) { r.Model, r.Key = "by hand", "" }),
		h.use(3*time.Minute, func(r *meter.Record) {
			r.Model, r.Status, r.Code, r.Tries, r.Provider, r.Priced = "broken", 502, "upstream_error", 3, "other", false
		}),
		h.use(2*time.Hour, func(r *meter.Record) { r.Model, r.Status, r.Code = "refused", 404, "model_not_found" }),
		h.use(50*time.Hour, func(r *meter.Record) {
			r.Model, r.Dialect, r.Stream, r.Dropped = "streamed", "gemini", true, "a; dropped; x, b; added"
		}),
		h.use(0, func(r *meter.Record) { r.Workspace, r.Model = "elsewhere", "secret-model" }),
	)
	all := []string{"plain", "by hand", "broken", "refused", "streamed", "secret-model"}
	for query, want := range map[string]string{
		"":                             "plain, by hand, broken, refused, streamed",
		"class=2":                      "plain, by hand, streamed",
		"class=4":                      "refused",
		"class=5":                      "broken",
		"code=model_not_found":         "refused",
		"key=none":                     "by hand",
		"model=plain":                  "plain",
		"provider=other":               "broken",
		"dialect=gemini":               "streamed",
		"stream=yes":                   "streamed",
		"stream=no&class=2":            "plain, by hand",
		"time=hour":                    "plain, by hand, broken",
		"time=day":                     "plain, by hand, broken, refused",
		"time=own&to=2026-11-14":       "streamed",
		"time=own&from=2026-11-15":     "plain, by hand, broken, refused",
		"class=9&dialect=x&time=never": "plain, by hand, broken, refused, streamed",
		"model=secret-model":           "",
	} {
		part := body(t, h.get("/console/requests?"+query, browser, header{"HX-Request", "true"}))
		var got []string
		for _, model := range all {
			if strings.Contains(part, ">"+model+"<") {
				got = append(got, model)
			}
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%s: %q, want %q", query, got, want)
		}
	}
	page := body(t, h.get("/console/requests", browser))
	wantText(t, page, "first key", ">Console<", "upstream_error", "3 tries", "2 changed", `<option value="streamed">`, `<option value="other">`, "Export CSV")
	wantText(t, body(t, h.get("/console/requests?model=none-such", browser)), "No request fits", "show all requests")
	wantText(t, body(t, h.get("/console/requests?live=on&class=2", browser)), `hx-trigger="every 3s"`, "class=2&amp;live=on")
}

func TestRequestsArePagedWithoutGapsOrRepeats(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	var records []meter.Record
	for n := range 120 {
		records = append(records, h.use(time.Duration(n/4)*time.Second))
	}
	h.save(records...)
	link := regexp.MustCompile(`href="/console/requests/(use_[^"]+)"`)
	older := regexp.MustCompile(`href="(/console/requests\?[^"]+)">Older`)
	seen := make(map[string]int)
	next, pages := "/console/requests?class=2", 0
	for next != "" {
		page := body(t, h.get(next, browser))
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			seen[m[1]]++
		}
		next = ""
		if m := older.FindStringSubmatch(page); m != nil {
			next = strings.ReplaceAll(m[1], "&amp;", "&")
		}
		pages++
	}
	if pages != 3 || len(seen) != 120 {
		t.Errorf("%d pages show %d requests", pages, len(seen))
	}
	for id, n := range seen {
		if n != 1 {
			t.Errorf("%s is shown %d times", id, n)
		}
	}
}

func TestTheRequestsFileHasWhatTheFiltersLeave(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	var records []meter.Record
	for n := range 2500 { // more than are read at once
		records = append(records, h.use(time.Duration(n)*time.Second, func(r *meter.Record) {
			if n%2 == 1 {
				r.Status, r.Code = 429, "rate_limited"
			}
		}))
	}
	h.save(records...)
	rows, err := csv.NewReader(h.get("/console/requests/csv?class=4", browser).Body).ReadAll()
	if err != nil || len(rows) != 1251 || rows[1][3] != "429" || rows[1][12] != "first key" || rows[1][0] != "2026-11-15T09:29:59.000Z" {
		t.Errorf("%d rows, %v, %v", len(rows), rows[:2], err)
	}
}

func TestARequestHasAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	tried := h.use(time.Minute, func(r *meter.Record) {
		r.Tries, r.Took, r.FirstByte, r.CacheWrite, r.CacheWrite1h = 2, 4*time.Second, 3*time.Second, 500, 200
		r.Path = meter.Trail([]meter.Try{{Provider: "first", Target: "a", Code: "unavailable", Took: 2 * time.Second}, {Provider: "main", Target: "gpt-5-mini", Took: time.Second}})
		r.Dropped = "top_k; dropped; the%20provider%20has%20none%2C%20sorry, metadata.user; ignored"
	})
	failed := h.use(0, func(r *meter.Record) {
		r.Status, r.Code, r.FirstByte, r.Priced, r.Input, r.CacheRead, r.Output, r.Reasoning = 504, "upstream_timeout", 0, false, 0, 0, 0, 0
	})
	made := h.use(0, func(r *meter.Record) {
		r.Route, r.Dialect, r.Request, r.Model, r.Rates, r.Input, r.CacheRead, r.Output, r.Reasoning = "generations", "", "gen_1", "stele/canvas", "", 0, 0, 0, 0
	})
	twice := h.use(0, func(r *meter.Record) { r.Request = failed.Request + "x" })
	again := h.use(0, func(r *meter.Record) { r.Request = twice.Request })
	other := h.use(0, func(r *meter.Record) { r.Workspace = "other" })
	h.save(tried, failed, made, twice, again, other)

	wantText(t, body(t, h.get("/console/requests/"+tried.ID, browser)), "2 tries", "first/a", "unavailable:", "main/gpt-5-mini",
		"Tries that failed", "To the first byte", "The rest of the answer", "<code>top_k</code>", "the provider has none, sorry", "metadata.user",
		"Cache write, 1 h", ">$2<", ">$0.0004<", // an hour's cache costs twice what input does
		">Input<", ">1,200<", ">$1<", ">$0.0012<", ">$0.1<", ">$10<", "when the request was made")
	wantText(t, body(t, h.get("/console/requests/"+failed.Request, browser)), "did not answer in time", "The provider", "Until it failed", "Nothing was used", "Nothing that the client")
	wantText(t, body(t, h.get("/console/requests/gen_1", browser)), "stele/canvas", "It has no tokens", "$0.00234")
	res := h.get("/console/requests/"+twice.Request, browser)
	wantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/console/requests?id="+twice.Request {
		t.Error(got)
	}
	wantCode(t, h.get("/console/requests/"+other.ID), 404, "not_found")
	wantCode(t, h.get("/console/requests/use_none"), 404, "not_found")
}

func TestBodiesAreForOwnersAndOnlyWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	h := opened(t, observed, func(_ *house, o *console.Options) { o.Captures = true })
	with, without := h.use(0), h.use(0)
	h.save(with, without)
	err := h.store.InsertBodies(t.Context(), []meter.Bodies{{
		Record: with.ID, Workspace: "default", At: h.clock(),
		Request: meter.Body{Text: `{"model":"<script>"}`, Size: 20}, Reply: meter.Body{Text: "data: begin", Size: 1 << 20},
	}}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	page := body(t, h.get("/console/requests/"+with.ID, browser))
	wantText(t, page, "&lt;script&gt;", "data: begin", "Request, 20 bytes", "Reply, 1 MB: the beginning of it")
	wantText(t, body(t, h.get("/console/requests/"+without.ID, browser)), "None are kept of this request")

	owner := h.cookie
	h.cookie = h.viewer()
	page = body(t, h.get("/console/requests/"+with.ID, browser))
	wantText(t, page, with.Request)
	if strings.Contains(page, "data: begin") || strings.Contains(page, "Bodies") {
		t.Error("a viewer sees what was said")
	}
	h.cookie = owner

	h = opened(t, observed)
	h.save(with)
	wantText(t, body(t, h.get("/console/requests/"+with.ID, browser)), "Bodies are not kept", "capture: {bodies: true}")
}

// viewer lets somebody in who may only look, and gives their cookie.
func (h *house) viewer() string {
	h.t.Helper()
	admin, err := h.access.BySession(h.t.Context(), h.cookie)
	if err != nil {
		h.t.Fatal(err)
	}
	_, _, err = h.access.AddPerson(h.t.Context(), admin.Principal(), access.NewPerson{Email: "viewer@example.com", Role: access.Viewer, Password: password})
	if err != nil {
		h.t.Fatal(err)
	}
	_, secret, err := h.access.SignIn(h.t.Context(), "viewer@example.com", password, access.Browser{Remote: "192.0.2.9"})
	if err != nil {
		h.t.Fatal(err)
	}
	return secret
}

func TestEveryFailureHasASentence(t *testing.T) {
	t.Parallel()
	h := opened(t, observed)
	var records []meter.Record
	for n, code := range []string{"client_gone", "content_policy", "strict_mode", "rate_limited", "internal_error", "permission_denied", "some_new_code"} {
		records = append(records, h.use(0, func(r *meter.Record) { r.Status, r.Code, r.Request = 400+n, code, "req_"+code }))
	}
	h.save(records...)
	for code, want := range map[string]string{
		"client_gone": "hung up", "content_policy": "refused it for what it is about", "strict_mode": "strict mode", "rate_limited": "rate limit",
		"internal_error": "inside Stele", "permission_denied": "The key", "some_new_code": "Some new code.",
	} {
		wantText(t, body(t, h.get(fmt.Sprint("/console/requests/req_", code), browser)), want, "What to do")
	}
}
