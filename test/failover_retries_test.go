package test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"stele/test/upstream"
)

// inTurn answers with one after the other, and then as usual.
func inTurn(answers ...upstream.Answer) upstream.Answer {
	next := make(chan upstream.Answer, len(answers))
	for _, a := range answers {
		next <- a
	}
	return func(x *upstream.Exchange, usual upstream.Reply) upstream.Reply {
		select {
		case a := <-next:
			return a(x, usual)
		default:
			return usual
		}
	}
}

// TestTriesAgain has one target that fails twice and then serves.
func TestTriesAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	for _, away := range tongues {
		target := usualModel[away] + "-again"
		r.on(away, target, inTurn(upstream.Overloaded(), upstream.Broken()))
		if got := listen(t, "openai", r.good(t, ask("openai", away+"/"+target, "hi", true)).body); got.text != "You said: hi" {
			t.Errorf("%q", got.text)
		}
		if n := len(r.sentTo(away, target)); n != 3 {
			t.Errorf("%s was asked %d times", away, n)
		}
	}
}

// TestRetryAfterIsHonoured has targets that say when to come back: soon is waited
// for, later is the client's to wait for.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	pairs(t, func(t *testing.T, client, away string) {
		target := usualModel[away] + "-soon-" + client
		r.on(away, target, inTurn(upstream.RateLimited(time.Second)))
		r.good(t, ask(client, away+"/"+target, "hi", false))
		asked := r.sentTo(away, target)
		if len(asked) != 2 {
			t.Fatalf("%s was asked %d times", target, len(asked))
		}
		if waited := asked[1].At.Sub(asked[0].At); waited < time.Second || waited > 3*time.Second {
			t.Errorf("%s was asked again after %s", target, waited)
		}
		target = usualModel[away] + "-later-" + client
		r.on(away, target, inTurn(upstream.RateLimited(30*time.Second)))
		h := r.send(t, ask(client, away+"/"+target, "hi", false))
		if h.status != http.StatusTooManyRequests || h.header.Get("Retry-After") != "30" || len(r.sentTo(away, target)) != 1 {
			t.Errorf("%s: %d, Retry-After %q, asked %d times", target, h.status, h.header.Get("Retry-After"), len(r.sentTo(away, target)))
		}
	})
}

// TestABrokenTargetIsLeftAlone opens a breaker: afterwards the target is not even
// asked, and the next one serves at once.
func TestABrokenTargetIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", lone("down")+fmt.Sprintf("  pair: {targets: [openai/%[1]s-down-openai-openai, openai/%[1]s-up], retries: 0}\n", usualModel["openai"]))
	const model = "down-openai-openai"
	target := usualModel["openai"] + "-" + model
	r.on("openai", target, upstream.Overloaded())
	for range 5 {
		r.send(t, ask("openai", model, "hi", false))
	}
	h := r.send(t, ask("openai", model, "hi", false))
	if n := len(r.sentTo("openai", target)); n != 5 {
		t.Errorf("the target was asked %d times", n)
	}
	if h.status != http.StatusServiceUnavailable || h.header.Get("Retry-After") == "" {
		t.Errorf("%d %s, Retry-After %q", h.status, h.body, h.header.Get("Retry-After"))
	}
	for range 3 {
		if h := r.good(t, ask("openai", "pair", "hi", true)); h.header.Get("X-Stele-Served-By") != "openai/"+usualModel["openai"]+"-up" {
			t.Errorf("served by %q", h.header.Get("X-Stele-Served-By"))
		}
	}
	if n := len(r.sentTo("openai", target)); n != 5 {
		t.Errorf("the target was asked %d times", n)
	}
}

// TestTargetsAreBalancedByWeight counts who serves. The bounds are five times the
// standard deviation away.
func TestTargetsAreBalancedByWeight(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", fmt.Sprintf(`  balanced:
    strategy: balance
    targets:
      - {provider: openai, model: %s-heavy, weight: 3}
      - {provider: gemini, model: %s-light, weight: 1}
      - {provider: gemini, model: %[2]s-none, weight: 0}
`, usualModel["openai"], usualModel["gemini"]))
	const all = 300
	for range all {
		r.good(t, ask("anthropic", "balanced", "hi", false))
	}
	heavy, light := len(r.sentTo("openai", usualModel["openai"]+"-heavy")), len(r.sentTo("gemini", usualModel["gemini"]+"-light"))
	if heavy+light != all || heavy < 188 || heavy > 262 {
		t.Errorf("%d and %d of %d", heavy, light, all)
	}
	// A target without weight is only for when the others fail.
	r.on("openai", usualModel["openai"]+"-heavy", upstream.Broken())
	r.on("gemini", usualModel["gemini"]+"-light", upstream.Broken())
	r.good(t, ask("anthropic", "balanced", "hi", false))
}
