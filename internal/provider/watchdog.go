package provider

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/fault"
)

var (
	errFirstByte = errors.New("nothing came in time")
	errGap       = errors.New("the stream fell silent")
	errTotal     = errors.New("the call took too long")
	errOver      = errors.New("the call is over")
)

// watchdog ends a call that is silent for too long, or too long altogether. It
// is fed by the reader of the answer, which costs no more than looking at the
// clock: the timer is only set when it goes off.
type watchdog struct {
	ctx    context.Context //nolint:containedctx // it is the call's, made here and ended here
	cancel context.CancelCauseFunc
	mu     sync.Mutex // guards the making of timer: it may go off at once
	timer  *time.Timer
	limits catalog.Timeouts
	start  time.Time
	last   atomic.Int64 // when something came, after start; 0: nothing yet
	busy   atomic.Bool  // no reader waits for the upstream: it cannot be silent
	spared atomic.Bool  // a silence was not counted for that
}

func watch(ctx context.Context, limits catalog.Timeouts) *watchdog {
	const forever time.Duration = math.MaxInt64
	limits.FirstByte, limits.Gap, limits.Total = cmp.Or(limits.FirstByte, forever), cmp.Or(limits.Gap, forever), cmp.Or(limits.Total, forever)
	d := &watchdog{limits: limits, start: time.Now()}
	d.ctx, d.cancel = context.WithCancelCause(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = time.AfterFunc(min(limits.FirstByte, limits.Total), d.bark)
	return d
}

// feed is told that something came. From the first time on gaps count. Where the timer goes
// off before a gap can be over it is left to bark: setting it may wake a thread.
func (d *watchdog) feed() {
	if d.last.Swap(max(1, int64(time.Since(d.start)))) == 0 && d.limits.Gap < d.limits.FirstByte {
		d.timer.Reset(min(d.limits.Gap, d.limits.Total-time.Since(d.start)))
	}
}

// pause is told that no reader waits for the upstream until goOn: a client may be slow to
// take what came, which is not the upstream's silence.
func (d *watchdog) pause() { d.busy.Store(true) }

func (d *watchdog) goOn() {
	d.busy.Store(false)
	if d.spared.Load() {
		d.spared.Store(false)
		d.feed()
	}
}

// bark ends the call if it has been silent for long enough, and sleeps again if not.
func (d *watchdog) bark() {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, last := time.Since(d.start), time.Duration(d.last.Load())
	silent := now - last
	switch {
	case now >= d.limits.Total:
		d.cancel(errTotal)
	case last == 0:
		d.cancel(errFirstByte)
	case silent >= d.limits.Gap && d.busy.Load():
		d.spared.Store(true)
		d.timer.Reset(min(d.limits.Gap, d.limits.Total-now))
	case silent >= d.limits.Gap:
		d.cancel(errGap)
	default:
		d.timer.Reset(min(d.limits.Gap-silent, d.limits.Total-now))
	}
}

// stop ends the watch and the call.
func (d *watchdog) stop() {
	d.timer.Stop()
	d.cancel(errOver)
}

// explain says why a call failed, when it was the watchdog's doing or the client's.
func (d *watchdog) explain(err error) error {
	switch cause := context.Cause(d.ctx); {
	case cause == nil:
	case errors.Is(cause, errFirstByte), errors.Is(cause, errGap), errors.Is(cause, errTotal):
		late := fault.New(fault.UpstreamTimeout, "The model's provider did not answer in time.").Because(errors.Join(cause, err))
		late.Owed = !isUnreached(err)
		return late
	case errors.Is(cause, context.Canceled):
		// The client hung up: there is no client to tell, and no upstream to blame.
		if spoilt, ok := errors.AsType[*chat.Spoilt](err); ok {
			return &chat.Spoilt{Usage: spoilt.Usage, Err: cause}
		}
		return cause
	}
	return err
}
