package engines

import (
	"math/rand/v2"
	"testing"
	"time"

	"stele/test/rig"
)

// TestTheNetworkComesAndGoes cuts one of two servers off the database after the other, again and again, while clients
// order and chat: silently or with a reset, and for less time than a server must be silent to be taken for dead.
// Whatever was being done then, all of it is done, and once.
func TestTheNetworkComesAndGoes(t *testing.T) {
	t.Parallel()
	database := rig.NewDatabase(t)
	one, first := wired(t, database)
	two, second := wired(t, database)
	f := newFleet(t, 300*time.Millisecond, first, second)
	clients := f.begin(6, 2)
	for range flaps {
		w := []*wire{one, two}[rand.N(2)]
		if w.swallow(); rand.N(2) == 0 {
			w.reset()
		}
		time.Sleep(rand.N(longestFlap))
		w.restore()
		time.Sleep(rand.N(2 * time.Second))
	}
	f.servesEverything(0)
	f.servesEverything(1)
	f.judge(clients.end())
}
