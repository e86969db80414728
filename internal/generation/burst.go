package generation

import (
	"time"

	"stele/internal/fair"
)

const (
	burstSpan    = 100 * time.Millisecond // what counts as just now
	burstOrders  = 8                      // more than so many orders just now are a burst
	burstFactor  = 4                      // how many times longer work waits than the burst takes to fade
	longestDelay = 3 * time.Second
)

// burstDelay has a workspace's new work begin a little later while its orders come in
// one on top of the other: a burst is taken before it is worked on, and no client who
// orders has to wait for what was ordered before. Other workspaces' work begins at once.
type burstDelay struct{ orders *fair.Rate }

func newBurstDelay() burstDelay { return burstDelay{fair.NewRate(burstSpan)} }

// delay counts an order of a workspace and says how much later its work is to begin.
func (b burstDelay) delay(workspace string) time.Duration {
	now := time.Now()
	b.orders.Add(workspace, now)
	return min(burstFactor*b.orders.Until(workspace, burstOrders, now), longestDelay)
}
