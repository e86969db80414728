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

// rush has new work begin a little later while orders come in one on top of the
// other: a burst is taken before it is worked on, and nobody who orders has to wait
// for what others have ordered.
type rush struct {
	mu    sync.Mutex // guards all below
	level float64    // orders just now, fading
	at    time.Time  // when level was right
}

// order counts one.
func (r *rush) order(now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fade(now)
	r.level++
}

// left is how long the rush goes on if no more orders come, 0 where there is none.
func (r *rush) left(now time.Time) time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.fade(now)
	if r.level <= rushOrder {
		return 0
	}
	return time.Millisecond + time.Duration(float64(rushSpan)*math.Log(r.level/rushOrder))
}

func (r *rush) fade(now time.Time) {
	r.level *= math.Exp(-float64(now.Sub(r.at)) / float64(rushSpan))
	r.at = now
}

// pass returns when the rush is over, and after a while in any case.
func (r *rush) pass(ctx context.Context) error {
	end := time.Now().Add(rushHold)
	for {
		now := time.Now()
		wait := min(r.left(now), end.Sub(now))
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
