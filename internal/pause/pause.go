// Package pause waits and reads, no longer than a context lasts. It knows nothing of what is waited for.
package pause

import (
	"context"
	"io"
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

// Reader reads r until ctx ends: then it gives the cause.
func Reader(ctx context.Context, r io.Reader) io.Reader { return &reader{ctx, r} }

type reader struct {
	ctx context.Context //nolint:containedctx // that of the call it reads for
	r   io.Reader
}

func (r *reader) Read(b []byte) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.r.Read(b)
}
