package loops

import (
	"fmt"
	"testing"

	"stele/test/rig"
)

// TestAConversationMayMove takes one conversation with thinking and tools from
// model to model, whatever they speak, between loops and in the middle of them. No
// upstream is shown a signature that it did not make.
func TestAConversationMayMove(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	rig.AllPairs(t, func(t *testing.T, client, first string) {
		for _, forgets := range []bool{false, true} {
			if forgets && client != "openai" {
				continue
			}
			a := rig.NewAgent(r, client, "", false, forgets)
			n := 0
			for _, away := range []string{first, rig.Dialects[0], rig.Dialects[1], rig.Dialects[2], first, rig.Dialects[1], rig.Dialects[0], rig.Dialects[2], rig.Dialects[1]} {
				a.Model = away + "/" + rig.Thinkers[away][0]
				a.Stream = n%2 == 0
				a.Ask(fmt.Sprintf("Question %d: please call:forecast*3 for it.", n))
				a.Turn(t)
				next := rig.Dialects[n%3]
				a.Model = next + "/" + rig.Thinkers[next][0] // in the middle of the loop
				a.Run(t)
				if n += 3; a.Calls != n {
					t.Errorf("%d calls after %s and %s, want %d", a.Calls, away, next, n)
					break
				}
			}
		}
	})
	r.Unrefused(t)
}
