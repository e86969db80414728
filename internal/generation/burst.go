package generation

import (
	"context"
	"time"

	"stele/internal/fair"
)

const (
	burstSpan   = 100 * time.Millisecond // what counts as just now
	burstOrders = 8                      // more than so many orders just now are a burst
	longestHold = 3 * time.Second        // what has waited for so long waits no longer
)

// burstDelay has a workspace's new work begin a little later while its orders come in
// one on top of the other: a burst is taken before it is worked on, and no client who
// orders has to wait for what was ordered before. Other workspaces' work begins at once.
type burstDelay struct{ orders *fair.Rate }

func newBurstDelay() burstDelay { return burstDelay{fair.NewRate(burstSpan)} }

// order counts an order of a workspace.
func (b burstDelay) order(workspace string) { b.orders.Add(workspace, time.Now()) }

// wait returns when the burst of a workspace is over, and after a while in any case.
func (b burstDelay) wait(ctx context.Context, workspace string) error {
	end := time.Now().Add(longestHold)
	for {
		now := time.Now()
		left := min(b.orders.Until(workspace, burstOrders, now), end.Sub(now))
		if left <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(left):
		}
	}
}
