// Package pause waits, no longer than a context lasts. It knows nothing of what is waited for.
package pause

import (
	"context"
	"time"
)

// For waits for d, or until ctx ends: then it gives the cause.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
