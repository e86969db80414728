package provider

import (
	"context"
	"errors"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
)

var (
	errFirstByte = errors.New("nothing came in time")
	errGap       = errors.New("the stream fell silent")
	errTotal     = errors.New("the call took too long")
)

// watchdog ends a call that is silent for too long, or too long altogether. It
// is fed by whoever reads the answer.
type watchdog struct {
	ctx    context.Context //nolint:containedctx // it is the call's, made here and ended here
	cancel context.CancelCauseFunc
	timer  *time.Timer
	end    time.Time
	limits catalog.Timeouts
	why    error
}

func watch(ctx context.Context, limits catalog.Timeouts) *watchdog {
	d := &watchdog{limits: limits, end: time.Now().Add(limits.Total), why: errFirstByte}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	wait := limits.FirstByte
	if limits.Total < wait {
		wait, d.why = limits.Total, errTotal
	}
	why := d.why
	d.timer = time.AfterFunc(wait, func() { d.cancel(why) })
	return d
}

// fed says that something came. From the first time on gaps count.
func (d *watchdog) fed() {
	if d.why == errGap { //nolint:errorlint // compared with itself
		if left := time.Until(d.end); left < d.limits.Gap {
			d.timer.Reset(max(left, 0))
		} else {
			d.timer.Reset(d.limits.Gap)
		}
		return
	}
	if !d.timer.Stop() {
		return
	}
	d.why = errGap
	d.timer = time.AfterFunc(min(d.limits.Gap, time.Until(d.end)), func() {
		if time.Now().Before(d.end) {
			d.cancel(errGap)
		} else {
			d.cancel(errTotal)
		}
	})
}

// stop ends the watch and the call.
func (d *watchdog) stop() {
	d.timer.Stop()
	d.cancel(context.Canceled)
}

// explain says why a call failed, when it was the watchdog's doing or the client's.
func (d *watchdog) explain(err error) error {
	switch cause := context.Cause(d.ctx); {
	case cause == nil:
	case errors.Is(cause, errFirstByte), errors.Is(cause, errGap), errors.Is(cause, errTotal):
		return fault.New(fault.UpstreamTimeout, "The model's provider did not answer in time.").Because(errors.Join(cause, err))
	case gone(cause) && d.timer.Stop():
		return cause // the client hung up: nobody is told
	}
	return err
}
