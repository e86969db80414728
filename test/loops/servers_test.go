package loops

import (
	"fmt"
	"net/http"
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

// TestALoopStaysWhereItBeganOnAllServers has loops go round the servers over two accounts that
// refuse each other's signatures.
func TestALoopStaysWhereItBeganOnAllServers(t *testing.T) {
	t.Parallel()
	front, config := prepareDuo(t, "anthropic", "claude-sonnet-4-5")
	f := newFleet(t, front, config)
	served := make(map[string]int)
	for _, client := range rig.Dialects {
		for n := range 6 {
			w := &traveller{Agent: rig.NewAgent(f.Front, client, "duo", n%2 == 0, client == "openai" && n%3 == 0), fleet: f, next: n, name: client}
			w.Ask(fmt.Sprintf("This is loop %d of %s: call:forecast*5 for it.", n, client)) // the upstreams name calls after what they read
			one, two := len(f.Up["one"].Requests()), len(f.Up["two"].Requests())
			w.run(t, 5)
			one, two = len(f.Up["one"].Requests())-one, len(f.Up["two"].Requests())-two
			if one != 0 && two != 0 {
				t.Errorf("%s, loop %d: %d requests here and %d there", client, n, one, two)
			}
			served["one"] += min(one, 1)
			served["two"] += min(two, 1)
		}
	}
	if served["one"] == 0 || served["two"] == 0 {
		t.Errorf("one served %d loops and two served %d", served["one"], served["two"])
	}
	for name, s := range f.Up {
		for _, q := range s.Refusals() {
			t.Errorf("%s refused: %.500s", name, q.Refusal.Body)
		}
	}
}

// TestALoopOutlivesARestart has a server on SQLite end between the turns of a loop, once as an
// operator ends it and once killed.
func TestALoopOutlivesARestart(t *testing.T) {
	t.Parallel()
	r := rig.NewFront(t, "", "")
	for i, end := range []func(){func() { r.Stop(t) }, func() { r.Kill(t) }} {
		a := rig.NewAgent(r, "openai", "anthropic/"+rig.Thinkers["anthropic"][0], true, true)
		a.Ask("Please call:forecast*4 for it.")
		a.Turn(t)
		a.Turn(t)
		end()
		r.Start(t)
		if a.Run(t); a.Calls != 4 {
			t.Errorf("restart %d: %d calls", i, a.Calls)
		}
	}
	for _, q := range r.Up["anthropic"].Requests() {
		if q.Method == http.MethodPost && !thinksStill("anthropic", q.JSON()) {
			t.Error("the model does not think any more")
		}
	}
	r.Unrefused(t)
}
