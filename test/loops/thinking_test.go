package loops

import (
	"fmt"
	"testing"

	"stele/test/rig"
)

// TestToolLoopsKeepTheirThoughts runs loops of tool calls with thinking in each of
// the nine pairs, whole and streamed, for clients that replay everything and for
// those that replay only what OpenAI's dialect had at first. The upstreams check
// every signature, and that none is missing. One loop of each pair has fifty turns.
func TestToolLoopsKeepTheirThoughts(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	rig.AllPairs(t, func(t *testing.T, client, away string) {
		for _, thinker := range rig.Thinkers[away] {
			for _, stream := range []bool{false, true} {
				for _, forgets := range []bool{false, true} {
					if forgets && client != "openai" {
						continue
					}
					turns := loopTurns
					if thinker == rig.Thinkers[away][0] && stream && !forgets {
						turns = 50
					}
					loop(t, r, looping{client, away, thinker, stream, forgets}, turns)
				}
			}
		}
	})
	r.Unrefused(t)
}

// looping is who is in a loop, and how.
type looping struct {
	client, away, thinker string
	stream, forgets       bool
}

// loop runs one loop of so many calls, a second one of two calls at once, and one
// whose thoughts are hidden.
func loop(t *testing.T, r *rig.Front, l looping, turns int) {
	t.Helper()
	target := fmt.Sprintf("%s-%s-%t-%t", l.thinker, l.client, l.stream, l.forgets)
	a := rig.NewAgent(r, l.client, l.away+"/"+target, l.stream, l.forgets)
	if l.client == l.away {
		a.ThinkAs(l.thinker)
	}
	a.Ask(fmt.Sprintf("Plan a journey and call:forecast*%d for it.", turns))
	a.Run(t)
	if want := fmt.Sprintf("The tools said: sun %d", turns); a.Said != want || a.Calls != turns {
		t.Errorf("%s: %d calls and %q", target, a.Calls, a.Said)
	}
	a.Ask("And now call:forecast,sights*2 at once.")
	a.Run(t)
	a.Ask("Think, but redact it, and call:sights*2 once more.")
	a.Run(t)
	if want := fmt.Sprintf("The tools said: sun %d", turns+6); a.Said != want || a.Calls != turns+6 {
		t.Errorf("%s: %d calls and %q", target, a.Calls, a.Said)
	}
	for i, q := range r.SentTo(l.away, target) {
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
		return rig.Text(body, "reasoning_effort") != "" && rig.Text(body, "reasoning_effort") != "none"
	case "anthropic":
		kind := rig.Text(body, "thinking", "type")
		return kind == "enabled" || kind == "adaptive"
	}
	return rig.At(body, "generationConfig", "thinkingConfig") != nil
}
