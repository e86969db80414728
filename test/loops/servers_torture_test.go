//go:build torture

package loops

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// TestLoopsOutliveTheirServers has loops of fifty turns go round three servers, in all nine pairs, while
// every twenty seconds one of them is killed in the middle of what it does, and started again.
func TestLoopsOutliveTheirServers(t *testing.T) {
	const every, kills = 20 * time.Second, 4
	front, config := rig.PrepareFront(t, "", "")
	f := newFleet(t, front, config)
	agents := f.travellers()
	over := make(chan struct{})
	var all sync.WaitGroup // not t.Parallel, which runs no more at once than there are processors
	for _, w := range agents {
		all.Go(func() { t.Run(w.name, func(t *testing.T) { w.roam(t, over) }) })
	}
	for n := range kills {
		<-time.After(every)
		i := n % len(f.servers)
		f.kill(t, i)
		f.restart(t, i)
	}
	close(over)
	all.Wait()
	loops := 0
	for _, w := range agents {
		loops += w.loops
	}
	t.Logf("%d loops of %d turns", loops, loopTurns)
	f.judge(t)
}

// roam runs loops until the last server was killed and a whole loop has been run since.
func (w *traveller) roam(t *testing.T, over <-chan struct{}) {
	t.Helper()
	last := false
	for n := 0; !last && !t.Failed(); n++ {
		select {
		case <-over:
			last = true
		default:
		}
		w.forget()
		w.Ask(fmt.Sprintf("Plan journey %d and call:forecast*%d for it.", n, loopTurns))
		w.run(t, loopTurns)
		w.loops++
	}
}

// forget begins a new conversation.
func (w *traveller) forget() {
	fresh := rig.NewAgent(w.fleet.Front, w.Dialect, w.Model, w.Stream, w.forgets)
	fresh.Settings = w.Settings
	w.Agent = fresh
}
