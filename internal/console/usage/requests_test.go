package usage_test

import (
	"encoding/csv"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"stele/internal/chat"
	"stele/internal/console"
	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

func TestRequestsAreListedAndFiltered(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	h.Save(
		h.Use(time.Minute, func(r *meter.Record) { r.Model, r.User, r.Tags = "plain", "ann@example.com", "team=search,feature=a&b" }),
		h.Use(2*time.Minute, func(r *meter.Record) { r.Model, r.Key, r.Estimated = "by hand", "", true }),
		h.Use(3*time.Minute, func(r *meter.Record) {
			r.Model, r.Status, r.Code, r.Tries, r.Provider, r.Priced = "broken", 502, "upstream_error", 3, "other", false
		}),
		h.Use(2*time.Hour, func(r *meter.Record) { r.Model, r.Status, r.Code = "refused", 404, "model_not_found" }),
		h.Use(50*time.Hour, func(r *meter.Record) {
			r.Model, r.Dialect, r.Stream, r.Dropped = "streamed", "gemini", true, "a; dropped; x, b; added"
		}),
		h.Use(0, func(r *meter.Record) { r.Workspace, r.Model = "elsewhere", "secret-model" }),
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
		"counted=estimated":            "by hand",
		"counted=told&class=2":         "plain, streamed",
		"time=hour":                    "plain, by hand, broken",
		"time=day":                     "plain, by hand, broken, refused",
		"time=own&to=2026-11-14":       "streamed",
		"time=own&from=2026-11-15":     "plain, by hand, broken, refused",
		"class=9&dialect=x&time=never": "plain, by hand, broken, refused, streamed",
		"model=secret-model":           "",
		"user=ann%40example.com":       "plain",
		"user=ann":                     "",
		"tag=team%3Dsearch":            "plain",
		"tag=feature%3Da%26b&class=2":  "plain",
		"tag=team":                     "plain, by hand, broken, refused, streamed",
	} {
		part := consoletest.Body(t, h.Get("/console/requests?"+query, consoletest.Browser, consoletest.With("HX-Request", "true")))
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
	page := consoletest.Body(t, h.Get("/console/requests", consoletest.Browser))
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests?tag=team", consoletest.Browser)), "A tag is written as team=search.")
	consoletest.WantText(t, page, "first key", ">Console<", "upstream_error", "3 tries", "2 changed", `<option value="streamed">`, `<option value="other">`, "Export CSV")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests?model=none-such", consoletest.Browser)), "No request fits", "show all requests")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests?live=on&class=2", consoletest.Browser)), `hx-trigger="every 3s"`, "class=2&amp;live=on")
}

func TestRequestsArePagedWithoutGapsOrRepeats(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	var records []meter.Record
	for n := range 120 {
		records = append(records, h.Use(time.Duration(n/4)*time.Second))
	}
	h.Save(records...)
	link := regexp.MustCompile(`href="/console/requests/(use_[^"]+)"`)
	older := regexp.MustCompile(`href="(/console/requests\?[^"]+)">Older`)
	seen := make(map[string]int)
	next, pages := "/console/requests?class=2", 0
	for next != "" {
		page := consoletest.Body(t, h.Get(next, consoletest.Browser))
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
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	var records []meter.Record
	for n := range 2500 { // more than are read at once
		records = append(records, h.Use(time.Duration(n)*time.Second, func(r *meter.Record) {
			if n%2 == 1 {
				r.Status, r.Code = 429, "rate_limited"
			}
		}))
	}
	h.Save(records...)
	rows, err := csv.NewReader(h.Get("/console/requests/csv?class=4", consoletest.Browser).Body).ReadAll()
	if err != nil || len(rows) != 1251 || rows[1][3] != "429" || rows[1][12] != "first key" || rows[1][0] != "2026-11-15T09:29:59.000Z" {
		t.Errorf("%d rows, %v, %v", len(rows), rows[:2], err)
	}
}

func TestARequestHasAPageOfItsOwn(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	tried := h.Use(time.Minute, func(r *meter.Record) {
		r.Tries, r.Took, r.FirstByte, r.CacheWrite, r.CacheWrite1h = 2, 4*time.Second, 3*time.Second, 500, 200
		r.Path = meter.Trail([]meter.Try{{Provider: "first", Target: "a", Code: "unavailable", Took: 2 * time.Second}, {Provider: "main", Target: "gpt-5-mini", Took: time.Second}})
		r.Dropped = "top_k; dropped; the%20provider%20has%20none%2C%20sorry, metadata.user; ignored"
	})
	failed := h.Use(0, func(r *meter.Record) {
		r.Status, r.Code, r.FirstByte, r.Priced, r.Input, r.CacheRead, r.Output, r.Reasoning = 504, "upstream_timeout", 0, false, 0, 0, 0, 0
	})
	made := h.Use(0, func(r *meter.Record) {
		r.Route, r.Dialect, r.Request, r.Model, r.Rates, r.Input, r.CacheRead, r.Output, r.Reasoning = "generations", "", "gen_1", "stele/canvas", "", 0, 0, 0, 0
	})
	twice := h.Use(0, func(r *meter.Record) { r.Request = failed.Request + "x" })
	again := h.Use(0, func(r *meter.Record) { r.Request = twice.Request })
	other := h.Use(0, func(r *meter.Record) { r.Workspace = "other" })
	h.Save(tried, failed, made, twice, again, other)

	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/"+tried.ID, consoletest.Browser)), "2 tries", "first/a", "unavailable:", "main/gpt-5-mini",
		"Tries that failed", "To the first byte", "The rest of the answer", "<code>top_k</code>", "the provider has none, sorry", "metadata.user",
		"Cache write, 1 h", ">$2<", ">$0.0004<", // an hour's cache costs twice what input does
		">Input<", ">1,200<", ">$1<", ">$0.0012<", ">$0.1<", ">$10<", "when the request was made")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/"+failed.Request, consoletest.Browser)), "did not answer in time", "The provider", "Until it failed", "Nothing was used", "Nothing that the client")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/gen_1", consoletest.Browser)), "stele/canvas", "It has no tokens", "$0.00234")
	res := h.Get("/console/requests/"+twice.Request, consoletest.Browser)
	consoletest.WantStatus(t, res, 303)
	if got := res.Header.Get("Location"); got != "/console/requests?id="+twice.Request {
		t.Error(got)
	}
	consoletest.WantCode(t, h.Get("/console/requests/"+other.ID), 404, "not_found")
	consoletest.WantCode(t, h.Get("/console/requests/use_none"), 404, "not_found")
}

func TestBodiesAreForOwnersAndOnlyWhereTheyAreKept(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage, func(_ *consoletest.House, o *console.Options) { o.Captures = true })
	with, without := h.Use(0), h.Use(0)
	h.Save(with, without)
	err := h.Store.InsertBodies(t.Context(), []meter.Bodies{{
		Record: with.ID, Workspace: "default", At: h.Clock(),
		Request: meter.Body{Text: `{"model":"<script>"}`, Size: 20}, Reply: meter.Body{Text: "data: begin", Size: 1 << 20},
	}}, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	page := consoletest.Body(t, h.Get("/console/requests/"+with.ID, consoletest.Browser))
	consoletest.WantText(t, page, "&lt;script&gt;", "data: begin", "Request, 20 bytes", "Reply, 1 MB: the beginning of it")
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/"+without.ID, consoletest.Browser)), "None are kept of this request")

	owner := h.Cookie
	h.Cookie = h.Viewer()
	page = consoletest.Body(t, h.Get("/console/requests/"+with.ID, consoletest.Browser))
	consoletest.WantText(t, page, with.Request)
	if strings.Contains(page, "data: begin") || strings.Contains(page, "Bodies") {
		t.Error("a viewer sees what was said")
	}
	h.Cookie = owner

	h = consoletest.OpenSignedIn(t, consoletest.WithUsage)
	h.Save(with)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/"+with.ID, consoletest.Browser)), "Bodies are not kept", "capture: {bodies: true}")
}

func TestEveryFailureHasASentence(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	var records []meter.Record
	for n, code := range []string{"client_gone", "content_policy", "strict_mode", "rate_limited", "internal_error", "permission_denied", "some_new_code"} {
		records = append(records, h.Use(0, func(r *meter.Record) { r.Status, r.Code, r.Request = 400+n, code, "req_"+code }))
	}
	h.Save(records...)
	for code, want := range map[string]string{
		"client_gone": "hung up", "content_policy": "refused it for what it is about", "strict_mode": "strict mode", "rate_limited": "rate limit",
		"internal_error": "inside Stele", "permission_denied": "The key", "some_new_code": "Some new code.",
	} {
		consoletest.WantText(t, consoletest.Body(t, h.Get(fmt.Sprint("/console/requests/req_", code), consoletest.Browser)), want, "What to do")
	}
}

func TestARequestHasALineForAdvice(t *testing.T) {
	t.Parallel()
	h := consoletest.OpenSignedIn(t, consoletest.WithUsage)
	advised := h.Use(time.Minute, func(r *meter.Record) {
		r.Count(chat.Usage{Input: 1_000_100, Output: 2_000_010, Known: true, Advised: &chat.Advised{Model: "opus", Usage: chat.Usage{Input: 100, Output: 10}}})
		r.Nano = 21_500_000_000 // 21 of its own
	})
	h.Save(advised)
	consoletest.WantText(t, consoletest.Body(t, h.Get("/console/requests/"+advised.ID, consoletest.Browser)),
		"1,000,000", "2,000,000", "Advice", "of opus", "110", "$0.5", "3,000,110", "$21.5")
}
