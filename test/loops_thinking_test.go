package test

import (
	"fmt"
	"testing"
)

// TestToolLoopsKeepTheirThoughts runs loops of tool calls with thinking in each of
// the nine pairs, whole and streamed, for clients that replay everything and for
// those that replay only what OpenAI's dialect had at first. The upstreams check
// every signature, and that none is missing. One loop of each pair has fifty turns.
func TestToolLoopsKeepTheirThoughts(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	allPairs(t, func(t *testing.T, client, away string) {
		for _, thinker := range thinkers[away] {
			for _, stream := range []bool{false, true} {
				for _, forgets := range []bool{false, true} {
					if forgets && client != "openai" {
						continue
					}
					turns := loopTurns
					if thinker == thinkers[away][0] && stream && !forgets {
						turns = 50
					}
					loop(t, r, looping{client, away, thinker, stream, forgets}, turns)
				}
			}
		}
	})
	r.unrefused(t)
}

// looping is who is in a loop, and how.
type looping struct {
	client, away, thinker string
	stream, forgets       bool
}

// loop runs one loop of so many calls, a second one of two calls at once, and one
// whose thoughts are hidden.
func loop(t *testing.T, r *rig, l looping, turns int) {
	t.Helper()
	target := fmt.Sprintf("%s-%s-%t-%t", l.thinker, l.client, l.stream, l.forgets)
	a := newAgent(r, l.client, l.away+"/"+target, l.stream, l.forgets)
	if l.client == l.away {
		a.thinkAs(l.thinker)
	}
	a.ask(fmt.Sprintf("Plan a journey and call:forecast*%d for it.", turns))
	a.run(t)
	if want := fmt.Sprintf("The tools said: sun %d", turns); a.said != want || a.calls != turns {
		t.Errorf("%s: %d calls and %q", target, a.calls, a.said)
	}
	a.ask("And now call:forecast,sights*2 at once.")
	a.run(t)
	a.ask("Think, but redact it, and call:sights*2 once more.")
	a.run(t)
	if want := fmt.Sprintf("The tools said: sun %d", turns+6); a.said != want || a.calls != turns+6 {
		t.Errorf("%s: %d calls and %q", target, a.calls, a.said)
	}
	for i, q := range r.sentTo(l.away, target) {
		if !thinksStill(l.away, q.JSON()) {
			t.Errorf("%s: the model does not think any more in turn %d", target, i)
			break
		}
	}
}

// thinksStill tells whether a request asks an upstream to think.
func thinksStill(away string, body any) bool {
	switch away {
	case "openai":
		return text(body, "reasoning_effort") != "" && text(body, "reasoning_effort") != "none"
	case "anthropic":
		kind := text(body, "thinking", "type")
		return kind == "enabled" || kind == "adaptive"
	}
	return at(body, "generationConfig", "thinkingConfig") != nil
}
