package test

import (
	"fmt"
	"testing"
)

// TestAConversationMayMove takes one conversation with thinking and tools from
// model to model, whatever they speak, between loops and in the middle of them. No
// upstream is shown a signature that it did not make.
func TestAConversationMayMove(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", "")
	allPairs(t, func(t *testing.T, client, first string) {
		for _, forgets := range []bool{false, true} {
			if forgets && client != "openai" {
				continue
			}
			a := newAgent(r, client, "", false, forgets)
			n := 0
			for _, away := range []string{first, tongues[0], tongues[1], tongues[2], first, tongues[1], tongues[0], tongues[2], tongues[1]} {
				a.model = away + "/" + thinkers[away][0]
				a.stream = n%2 == 0
				a.ask(fmt.Sprintf("Question %d: please call:forecast*3 for it.", n))
				a.turn(t)
				next := tongues[n%3]
				a.model = next + "/" + thinkers[next][0] // in the middle of the loop
				a.run(t)
				if n += 3; a.calls != n {
					t.Errorf("%d calls after %s and %s, want %d", a.calls, away, next, n)
					break
				}
			}
		}
	})
	r.unrefused(t)
}
