package test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/test/upstream"
)

// TestAnotherTargetServes has the first target fail in every way that another may
// not: the client hears nothing of it, whatever both speak.
func TestAnotherTargetServes(t *testing.T) {
	t.Parallel()
	failing := map[string]upstream.Answer{
		"busy": upstream.Overloaded(), "broken": upstream.Broken(), "locked": upstream.BadKey(), "limited": upstream.RateLimited(time.Minute),
		"spent": upstream.QuotaGone(), "gone": upstream.Fail(http.StatusNotFound, "The model does not exist."), "page": upstream.HTML(http.StatusBadGateway),
		"empty": upstream.Status(http.StatusInternalServerError, ""), "cut": upstream.Cut(0), "slow": upstream.Never(),
	}
	var models strings.Builder
	for _, client := range tongues {
		for i, away := range tongues {
			for name := range failing {
				id := name + "-" + client + "-" + away
				limits := ""
				if name == "slow" {
					limits = ", timeouts: {first_byte: 500ms}"
				}
				fmt.Fprintf(&models, "  %[1]s: {targets: [%[2]s/%[3]s-%[1]s, %[4]s/%[5]s-%[1]s], retries: 0%[6]s}\n",
					id, away, usualModel[away], tongues[(i+1)%3], usualModel[tongues[(i+1)%3]], limits)
			}
		}
	}
	r := newRig(t, "", models.String())
	books := sqliteBooks(t, r.House)
	allPairs(t, func(t *testing.T, client, away string) {
		next := tongues[(slices.Index(tongues, away)+1)%3]
		for name, answer := range failing {
			id := name + "-" + client + "-" + away
			r.on(away, usualModel[away]+"-"+id, answer)
			if name == "slow" && client != "openai" {
				continue // one of them is enough
			}
			w := ask(client, id, "hi", name != "broken")
			w.header.Set("X-Request-Id", "req-"+id)
			h := r.good(t, w)
			if served := h.header.Get("X-Stele-Served-By"); served != next+"/"+usualModel[next]+"-"+id {
				t.Errorf("%s: served by %q", id, served)
			}
			if n := len(r.sentTo(away, usualModel[away]+"-"+id)); n != 1 {
				t.Errorf("%s: the first target was asked %d times", id, n)
			}
		}
	})
	for _, client := range tongues {
		for i, away := range tongues {
			next := tongues[(i+1)%3]
			id := "busy-" + client + "-" + away
			if row := books.await(t, "req-"+id); row.tries != 2 || row.status != http.StatusOK || row.provider != next || row.target != usualModel[next]+"-"+id {
				t.Errorf("%s: the row is %+v", id, row)
			}
		}
	}
}

// TestWhatIsWrongWithTheRequestIsTriedOnce has a refusal that no target would mend.
func TestWhatIsWrongWithTheRequestIsTriedOnce(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", twofold("wrong"))
	pairs(t, func(t *testing.T, client, away string) {
		model := "wrong-" + client + "-" + away
		for _, answer := range []upstream.Answer{upstream.Fail(http.StatusBadRequest, "The moon is not in the right place."), upstream.TooLong()} {
			r.on(away, usualModel[away]+"-"+model+"-a", answer)
			if h := r.send(t, ask(client, model, "hi", true)); h.status != http.StatusBadRequest {
				t.Errorf("%d %s", h.status, h.body)
			}
		}
		if n := len(r.sentTo(away, usualModel[away]+"-"+model+"-b")); n != 0 {
			t.Errorf("the second target was asked %d times", n)
		}
	})
}

// TestAllTargetsFail looks at what a client hears then: the last one's class, in
// its own dialect, and that trying again is of no use.
func TestAllTargetsFail(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", twofold("busy", "broken", "limited", "locked", "page"))
	pairs(t, func(t *testing.T, client, away string) {
		for name, c := range map[string]struct {
			answer upstream.Answer
			status map[string]int
			wait   string
		}{
			"busy":    {upstream.Overloaded(), map[string]int{"openai": 503, "anthropic": 529, "gemini": 503}, ""},
			"broken":  {upstream.Broken(), map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, ""},
			"limited": {upstream.RateLimited(57300 * time.Millisecond), map[string]int{"openai": 429, "anthropic": 429, "gemini": 429}, "58"},
			"locked":  {upstream.BadKey(), map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, ""},
			"page":    {upstream.HTML(502), map[string]int{"openai": 502, "anthropic": 500, "gemini": 500}, ""},
		} {
			model := name + "-" + client + "-" + away
			for _, side := range []string{"-a", "-b"} {
				r.on(away, usualModel[away]+"-"+model+side, c.answer)
			}
			h := r.send(t, ask(client, model, "hi", true))
			if h.status != c.status[client] || hearWhole(t, client, h.body).failure == "" {
				t.Errorf("%s: %d %s, want %d", model, h.status, h.body, c.status[client])
			}
			if got := h.header.Get("Retry-After"); got != c.wait {
				t.Errorf("%s: Retry-After is %q, want %q", model, got, c.wait)
			}
			if retry := h.header.Get("X-Should-Retry"); retry != "" && retry != "false" {
				t.Errorf("%s: X-Should-Retry is %q", model, retry)
			}
			if n := len(r.sentTo(away, usualModel[away]+"-"+model+"-b")); n != 1 {
				t.Errorf("%s: the second target was asked %d times", model, n)
			}
		}
	})
}

// TestNoUpstreamAtAll has providers that cannot be reached.
func TestNoUpstreamAtAll(t *testing.T) {
	t.Parallel()
	r := &rig{up: map[string]*upstream.Server{"openai": upstream.NewOpenAI(t)}}
	r.open(t, fmt.Sprintf(`providers:
  nowhere: {kind: anthropic, base_url: "http://127.0.0.1:1", api_key: some-secret-key}
  openai: {kind: openai, base_url: %q, api_key: %s}
models:
  lost: {targets: [nowhere/claude-sonnet-4-5], retries: 0}
  found: {targets: [nowhere/claude-sonnet-4-5, openai/gpt-4.1], retries: 0}
`, r.up["openai"].URL+"/v1", upstream.Key))
	h := r.send(t, ask("openai", "lost", "hi", false))
	if h.status != http.StatusBadGateway || strings.Contains(h.body, "127.0.0.1") {
		t.Errorf("%d %s", h.status, h.body)
	}
	for _, client := range tongues {
		if h := r.good(t, ask(client, "found", "hi", true)); h.header.Get("X-Stele-Served-By") != "openai/gpt-4.1" {
			t.Errorf("served by %q", h.header.Get("X-Stele-Served-By"))
		}
	}
}
