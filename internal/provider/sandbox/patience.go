package sandbox

import (
	"context"
	"errors"
	"math"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
)

// forever is longer than any client waits.
const forever time.Duration = math.MaxInt64

var errSilent = errors.New("the sandbox kept silent")

// patience waits as ordered, but never longer than any upstream of the model may
// take. Limits that are zero are none.
type patience struct {
	sleep  func(context.Context, time.Duration) error
	limits catalog.Timeouts
	slept  time.Duration
	begun  bool // the first byte is out: gaps count
}

// wait returns after d, when the context ends, or when the limits do.
func (p *patience) wait(ctx context.Context, d time.Duration) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if d <= 0 {
		return nil
	}
	limit := p.limits.FirstByte
	if p.begun {
		limit = p.limits.Gap
	}
	if total := p.limits.Total; total > 0 && (limit == 0 || total-p.slept < limit) {
		limit = max(total-p.slept, 1)
	}
	if limit == 0 && d == forever {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	late := limit > 0 && d > limit
	if late {
		d = limit
	}
	p.slept += d
	if err := p.sleep(ctx, d); err != nil {
		return err
	}
	if late {
		return fault.New(fault.UpstreamTimeout, "The model's provider did not answer in time.").AsOrdered().Because(errSilent)
	}
	return nil
}
