package console_test

import (
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"stele/internal/console/consoletest"
	"stele/internal/meter"
)

// busy is a month of requests of several models, keys and fates.
func busy(h *consoletest.House) {
	h.T.Helper()
	random := rand.New(rand.NewPCG(7, 7)) //nolint:gosec // the same every time
	models := []string{"acme/fast", "acme/claude", "acme/long-documents", "google/gemini-3-flash", "main-openai/gpt-5", "stele/sandbox", "local/qwen3", "main-openai/gpt-5-mini"}
	var list []meter.Record
	for day := range 45 {
		for range 20 + random.IntN(40) + 10*(day%7) {
			ago := time.Duration(day)*24*time.Hour + time.Duration(random.IntN(8*60))*time.Minute
			list = append(list, h.Use(ago, func(r *meter.Record) {
				r.Model = models[int(float64(len(models))*random.Float64()*random.Float64())]
				r.Stream, r.Provider = random.IntN(2) == 0, []string{"main-openai", "claude", "google"}[random.IntN(3)]
				r.Took = time.Duration(400+random.IntN(9000)) * time.Millisecond
				r.Input, r.Nano = random.Int64N(9000), random.Int64N(40_000_000)
				switch random.IntN(25) {
				case 0:
					r.Status, r.Code = 429, "rate_limited"
				case 1:
					r.Status, r.Code, r.FirstByte, r.Priced = 502, "upstream_error", 0, false
				case 2:
					r.Key, r.Environment = "", ""
				}
			}))
		}
	}
	h.Save(list...)
}

// The rooms that look at what was called. Not parallel: one browser is enough for a
// small machine.
//
//nolint:paralleltest // see above
func TestAnOperatorLooksAtTheUsage(t *testing.T) {
	for _, room := range screens {
		t.Run(fmt.Sprint(room.width), func(t *testing.T) {
			b := launch(t, room.width)
			h := consoletest.Open(t, "http://127.0.0.1"+room.base, consoletest.WithStart)
			server := httptest.NewServer(h.Serve)
			t.Cleanup(server.Close)
			h.Public, _ = url.Parse(server.URL + room.base)
			observe(h, b)
		})
	}
}

func observe(h *consoletest.House, b *tab) {
	root := h.Public.String()
	b.visit(root + "/console/setup?token=" + h.Token)
	b.fill("#email", consoletest.Email)
	b.fill("#password", consoletest.Password)
	b.fill("#again", consoletest.Password)
	b.submit("form.stack button")

	b.visit(root + "/console/")
	b.shows("Three steps to the first call", "acme/fast")
	b.axe()
	b.look("start first")
	b.click("label:has(#api-anthropic)")
	b.click("label:has(#in-python)")
	b.shows("from anthropic import Anthropic")
	b.click(".snippet.in-python.api-anthropic [data-copy]")
	b.becomes(".snippet.in-python.api-anthropic [data-copy]", "Copied")

	b.visit(root + "/console/requests")
	b.shows("No requests yet")
	b.look("requests none")
	b.visit(root + "/console/usage")
	b.shows("Nothing was used in these days")
	b.look("usage none")

	busy(h)
	tried := h.Use(time.Second, func(r *meter.Record) {
		r.Request, r.Tries, r.Took, r.FirstByte, r.Stream = "req_tried", 2, 4*time.Second, 3*time.Second, true
		r.Path = meter.Trail([]meter.Try{{Provider: "claude", Target: "claude-sonnet-4-5", Code: "unavailable", Took: 2 * time.Second}, {Provider: "main-openai", Target: "gpt-5-mini", Took: time.Second}})
		r.Dropped = "top_k; dropped; the%20provider%20has%20none, metadata.user_id; ignored; it%20changes%20no%20answer"
	})
	failed := h.Use(2*time.Second, func(r *meter.Record) {
		r.Request, r.Status, r.Code, r.FirstByte, r.Priced, r.Input, r.CacheRead, r.Output, r.Reasoning = "req_failed", 504, "upstream_timeout", 0, false, 0, 0, 0, 0
	})
	h.Save(tried, failed)
	err := h.Store.InsertBodies(b.Context(), []meter.Bodies{{
		Record: tried.ID, Workspace: "default", At: h.Clock(), Request: meter.Body{Text: `{"model": "acme/fast", "messages": [{"role": "user", "content": "Say hello."}]}`, Size: 77},
		Reply: meter.Body{Text: "data: {\"choices\": [{\"delta\": {\"content\": \"Hello\"}}]}\n\ndata: [DONE]\n\n", Size: 1 << 20},
	}}, 1<<20)
	if err != nil {
		b.Fatal(err)
	}
	b.visit(root + "/console/")
	b.shows("Requests today", "Last requests")
	b.axe()
	b.look("start")

	b.visit(root + "/console/usage")
	b.axe()
	b.look("usage")
	b.choose("#by", "key")
	b.changed("#by")
	b.becomes("#chart-head", "Requests by day and key")
	b.click("label:has([name=show][value=cost])")
	b.becomes("#chart-head", "Cost by day and key")
	if at := evaluate[string](b, "location.search"); !strings.Contains(at, "by=key") || !strings.Contains(at, "show=cost") {
		b.Errorf("the address is %s", at)
	}
	b.click("label:has([name=range][value=own])")
	b.look("usage own dates")
	b.visit(root + "/console/usage?by=status&range=90d")
	b.click(".numbers summary")
	b.axe()
	b.look("usage by status")

	b.visit(root + "/console/requests")
	b.axe()
	b.look("requests")
	b.choose("#class", "5")
	b.changed("#class")
	b.becomes("tbody tr:first-child .hint", "upstream_timeout")
	b.fits()
	b.click("summary.button")
	b.look("requests filtered")
	b.click(".switch input")
	h.Save(h.Use(0, func(r *meter.Record) { r.Status, r.Code = 500, "internal_error" }))
	b.becomes("tbody tr:first-child .hint", "internal_error") // without the visitor doing anything

	b.visit(root + "/console/requests/req_tried")
	b.shows("2 tries", "To the first byte", "Say hello.")
	b.axe()
	b.look("request")
	b.visit(root + "/console/requests/req_failed")
	b.shows("The provider did not answer in time.")
	b.axe()
	b.look("request failed")
}

// changed tells the page that a field was changed, as a person's choice does.
func (b *tab) changed(selector string) {
	b.Helper()
	evaluate[bool](b, fmt.Sprintf("document.querySelector(%q).dispatchEvent(new Event('change', {bubbles: true}))", selector))
}
