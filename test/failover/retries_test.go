package failover

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"stele/test/rig"
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
	r := rig.NewFront(t, "", "")
	for _, away := range rig.Dialects {
		target := rig.UsualModel[away] + "-again"
		r.On(away, target, inTurn(upstream.Overloaded(), upstream.Broken()))
		if got := rig.Listen(t, "openai", r.Good(t, rig.Ask("openai", away+"/"+target, "hi", true)).Body); got.Text != "You said: hi" {
			t.Errorf("%q", got.Text)
		}
		if n := len(r.SentTo(away, target)); n != 3 {
			t.Errorf("%s was asked %d times", away, n)
		}
	}
}

// TestRetryAfterIsHonoured has targets that say when to come back: soon is waited
// for, later is the client's to wait for.
func TestRetryAfterIsHonoured(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	rig.Pairs(t, func(t *testing.T, client, away string) {
		target := rig.UsualModel[away] + "-soon-" + client
		r.On(away, target, inTurn(upstream.RateLimited(time.Second)))
		r.Good(t, rig.Ask(client, away+"/"+target, "hi", false))
		asked := r.SentTo(away, target)
		if len(asked) != 2 {
			t.Fatalf("%s was asked %d times", target, len(asked))
		}
		if waited := asked[1].At.Sub(asked[0].At); waited < time.Second {
			t.Errorf("%s was asked again after %s", target, waited)
		}
		target = rig.UsualModel[away] + "-later-" + client
		r.On(away, target, inTurn(upstream.RateLimited(30*time.Second)))
		h := r.Hear(t, rig.Ask(client, away+"/"+target, "hi", false))
		if h.Status != http.StatusTooManyRequests || h.Header.Get("Retry-After") != "30" || len(r.SentTo(away, target)) != 1 {
			t.Errorf("%s: %d, Retry-After %q, asked %d times", target, h.Status, h.Header.Get("Retry-After"), len(r.SentTo(away, target)))
		}
	})
}

// TestABrokenTargetIsLeftAlone opens a breaker: afterwards the target is not even
// asked, and the next one serves at once.
func TestABrokenTargetIsLeftAlone(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", rig.Lone("down")+fmt.Sprintf("  pair: {targets: [openai/%[1]s-down-openai-openai, openai/%[1]s-up], retries: 0}\n", rig.UsualModel["openai"]))
	const model = "down-openai-openai"
	target := rig.UsualModel["openai"] + "-" + model
	r.On("openai", target, upstream.Overloaded())
	for range 5 {
		r.Hear(t, rig.Ask("openai", model, "hi", false))
	}
	h := r.Hear(t, rig.Ask("openai", model, "hi", false))
	if n := len(r.SentTo("openai", target)); n != 5 {
		t.Errorf("the target was asked %d times", n)
	}
	if h.Status != http.StatusServiceUnavailable || h.Header.Get("Retry-After") == "" {
		t.Errorf("%d %s, Retry-After %q", h.Status, h.Body, h.Header.Get("Retry-After"))
	}
	for range 3 {
		if h := r.Good(t, rig.Ask("openai", "pair", "hi", true)); h.Header.Get("X-Stele-Served-By") != "openai/"+rig.UsualModel["openai"]+"-up" {
			t.Errorf("served by %q", h.Header.Get("X-Stele-Served-By"))
		}
	}
	if n := len(r.SentTo("openai", target)); n != 5 {
		t.Errorf("the target was asked %d times", n)
	}
}

// TestTargetsAreBalancedByWeight counts who serves. The bounds are five times the
// standard deviation away.
func TestTargetsAreBalancedByWeight(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", fmt.Sprintf(`  balanced:
    strategy: balance
    targets:
      - {provider: openai, model: %s-heavy, weight: 3}
      - {provider: gemini, model: %s-light, weight: 1}
      - {provider: gemini, model: %[2]s-none, weight: 0}
`, rig.UsualModel["openai"], rig.UsualModel["gemini"]))
	const all = 300
	for range all {
		r.Good(t, rig.Ask("anthropic", "balanced", "hi", false))
	}
	heavy, light := len(r.SentTo("openai", rig.UsualModel["openai"]+"-heavy")), len(r.SentTo("gemini", rig.UsualModel["gemini"]+"-light"))
	if heavy+light != all || heavy < 188 || heavy > 262 {
		t.Errorf("%d and %d of %d", heavy, light, all)
	}
	// A target without weight is only for when the others fail.
	r.On("openai", rig.UsualModel["openai"]+"-heavy", upstream.Broken())
	r.On("gemini", rig.UsualModel["gemini"]+"-light", upstream.Broken())
	r.Good(t, rig.Ask("anthropic", "balanced", "hi", false))
}
