package loops

import (
	"fmt"
	"testing"

	"stele/test/rig"
)

// TestALoopMayGoRoundTheServers takes each turn of loops with thinking, in all nine pairs, to
// the next of three servers. One of them is killed in the middle, and another one started again.
func TestALoopMayGoRoundTheServers(t *testing.T) {
	t.Parallel()
	front, config := rig.PrepareFront(t, "", "")
	f := newFleet(t, front, config)
	all := f.travellers()
	for _, w := range all {
		w.Ask(fmt.Sprintf("Plan a journey and call:forecast*%d for it.", loopTurns))
	}
	each := func(name string, do func(t *testing.T, w *traveller)) {
		t.Run(name, func(t *testing.T) {
			for _, w := range all {
				t.Run(w.name, func(t *testing.T) {
					t.Parallel()
					do(t, w)
				})
			}
		})
	}
	two := func(t *testing.T, w *traveller) {
		w.turn(t)
		w.turn(t)
	}
	each("on three", two)
	f.kill(t, 1)
	each("on two", two)
	f.restart(t, 1)
	f.kill(t, 2)
	f.restart(t, 2)
	each("on three again", func(t *testing.T, w *traveller) {
		w.run(t, loopTurns)
		w.Ask("And now call:forecast,sights*2 at once.")
		w.run(t, loopTurns+4)
		w.Ask("Think, but redact it, and call:sights*2 once more.")
		w.run(t, loopTurns+6)
	})
	f.judge(t)
}
