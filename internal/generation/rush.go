package generation

import (
	"context"
	"math"
	"sync"
	"time"
)

const (
	rushSpan  = 100 * time.Millisecond // what counts as just now
	rushOrder = 8                      // more than so many orders just now are a rush
	rushHold  = 3 * time.Second        // what has waited for so long waits no longer
)

// rush has a workspace's new work begin a little later while its orders come in one on
// top of the other: a burst is taken before it is worked on, and no client who orders
// has to wait for what was ordered before. Other workspaces' work begins at once.
type rush struct {
	mu sync.Mutex // guards by
	by map[string]orders
}

// orders are those of a workspace just now, fading.
type orders struct {
	level float64
	at    time.Time // when level was right
}

// order counts one of a workspace. Workspaces that have become quiet are forgotten.
func (r *rush) order(workspace string, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.by == nil {
		r.by = make(map[string]orders)
	}
	for name, o := range r.by {
		if o.fade(now) < 1.0/rushOrder {
			delete(r.by, name)
		}
	}
	r.by[workspace] = orders{r.by[workspace].fade(now) + 1, now}
}

// left is how long the rush goes on if no more orders come, 0 where there is none.
func (r *rush) left(workspace string, now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	level := r.by[workspace].fade(now)
	if level <= rushOrder {
		return 0
	}
	return time.Millisecond + time.Duration(float64(rushSpan)*math.Log(level/rushOrder))
}

func (o orders) fade(now time.Time) float64 {
	return o.level * math.Exp(-float64(now.Sub(o.at))/float64(rushSpan))
}

// pass returns when the rush of a workspace is over, and after a while in any case.
func (r *rush) pass(ctx context.Context, workspace string) error {
	end := time.Now().Add(rushHold)
	for {
		now := time.Now()
		wait := min(r.left(workspace, now), end.Sub(now))
		if wait <= 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(wait):
		}
	}
}
