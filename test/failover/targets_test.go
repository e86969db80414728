package failover

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
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
	for _, client := range rig.Dialects {
		for i, away := range rig.Dialects {
			for name := range failing {
				id := name + "-" + client + "-" + away
				limits := ""
				if name == "slow" {
					limits = ", timeouts: {first_byte: 5s}"
				}
				fmt.Fprintf(&models, "  %[1]s: {targets: [%[2]s/%[3]s-%[1]s, %[4]s/%[5]s-%[1]s], retries: 0%[6]s}\n",
					id, away, rig.UsualModel[away], rig.Dialects[(i+1)%3], rig.UsualModel[rig.Dialects[(i+1)%3]], limits)
			}
		}
	}
	r := rig.NewFront(t, "", models.String())
	books := r.Read(t, "")
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		next := rig.Dialects[(slices.Index(rig.Dialects, away)+1)%3]
		for name, answer := range failing {
			id := name + "-" + client + "-" + away
			r.On(away, rig.UsualModel[away]+"-"+id, answer)
			if name == "slow" && client != "openai" {
				continue // one of them is enough
			}
			w := rig.Ask(client, id, "hi", name != "broken")
			w.Header.Set("X-Request-Id", "req-"+id)
			h := r.Good(t, w)
			if served := h.Header.Get("X-Stele-Served-By"); served != next+"/"+rig.UsualModel[next]+"-"+id {
				t.Errorf("%s: served by %q", id, served)
			}
			if n := len(r.SentTo(away, rig.UsualModel[away]+"-"+id)); n != 1 {
				t.Errorf("%s: the first target was asked %d times", id, n)
			}
		}
	})
	for _, client := range rig.Dialects {
		for i, away := range rig.Dialects {
			next := rig.Dialects[(i+1)%3]
			id := "busy-" + client + "-" + away
			if row := books.Await(t, "req-"+id); row.Tries != 2 || row.Status != http.StatusOK || row.Provider != next || row.Target != rig.UsualModel[next]+"-"+id {
				t.Errorf("%s: the row is %+v", id, row)
			}
		}
	}
}

// TestWhatIsWrongWithTheRequestIsTriedOnce has a refusal that no target would mend.
func TestWhatIsWrongWithTheRequestIsTriedOnce(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Twofold("wrong"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
		model := "wrong-" + client + "-" + away
		for _, answer := range []upstream.Answer{upstream.Fail(http.StatusBadRequest, "The moon is not in the right place."), upstream.TooLong()} {
			r.On(away, rig.UsualModel[away]+"-"+model+"-a", answer)
			if h := r.Hear(t, rig.Ask(client, model, "hi", true)); h.Status != http.StatusBadRequest {
				t.Errorf("%d %s", h.Status, h.Body)
			}
		}
		if n := len(r.SentTo(away, rig.UsualModel[away]+"-"+model+"-b")); n != 0 {
			t.Errorf("the second target was asked %d times", n)
		}
	})
}

// TestAllTargetsFail looks at what a client hears then: the last one's class, in
// its own dialect, and that trying again is of no use.
func TestAllTargetsFail(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Twofold("busy", "broken", "limited", "locked", "page"))
	rig.Pairs(t, func(t *testing.T, client, away string) {
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
				r.On(away, rig.UsualModel[away]+"-"+model+side, c.answer)
			}
			h := r.Hear(t, rig.Ask(client, model, "hi", true))
			if h.Status != c.status[client] || rig.HearWhole(t, client, h.Body).Failure == "" {
				t.Errorf("%s: %d %s, want %d", model, h.Status, h.Body, c.status[client])
			}
			if got := h.Header.Get("Retry-After"); got != c.wait {
				t.Errorf("%s: Retry-After is %q, want %q", model, got, c.wait)
			}
			if retry := h.Header.Get("X-Should-Retry"); retry != "" && retry != "false" {
				t.Errorf("%s: X-Should-Retry is %q", model, retry)
			}
			if n := len(r.SentTo(away, rig.UsualModel[away]+"-"+model+"-b")); n != 1 {
				t.Errorf("%s: the second target was asked %d times", model, n)
			}
		}
	})
}

// TestNoUpstreamAtAll has providers that cannot be reached.
func TestNoUpstreamAtAll(t *testing.T) {
	t.Parallel()
	r := &rig.Front{Up: map[string]*upstream.Server{"openai": upstream.NewOpenAI(t)}}
	r.Open(t, fmt.Sprintf(`providers:
  nowhere: {kind: anthropic, base_url: "http://127.0.0.1:1", api_key: some-secret-key}
  openai: {kind: openai, base_url: %q, api_key: %s, options: {genuine: 'true'}}
models:
  lost: {targets: [nowhere/claude-sonnet-4-5], retries: 0}
  found: {targets: [nowhere/claude-sonnet-4-5, openai/gpt-4.1], retries: 0}
`, r.Up["openai"].URL+"/v1", upstream.Key))
	h := r.Hear(t, rig.Ask("openai", "lost", "hi", false))
	if h.Status != http.StatusBadGateway || strings.Contains(h.Body, "127.0.0.1") {
		t.Errorf("%d %s", h.Status, h.Body)
	}
	for _, client := range rig.Dialects {
		if h := r.Good(t, rig.Ask(client, "found", "hi", true)); h.Header.Get("X-Stele-Served-By") != "openai/gpt-4.1" {
			t.Errorf("served by %q", h.Header.Get("X-Stele-Served-By"))
		}
	}
}
