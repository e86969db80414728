package provider

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/catalog"
	"stele/internal/fault"
)

// TestTheWatchdogEndsWhatIsTooLate feeds it at some times and looks when and why
// it ends the call.
func TestTheWatchdogEndsWhatIsTooLate(t *testing.T) {
	t.Parallel()
	limits := catalog.Timeouts{FirstByte: 10 * time.Second, Gap: 5 * time.Second, Total: 30 * time.Second}
	for name, c := range map[string]struct {
		fed  []time.Duration // after the start
		ends time.Duration
		why  error
	}{
		"nothing comes":         {nil, 10 * time.Second, errFirstByte},
		"it falls silent":       {[]time.Duration{time.Second, 2 * time.Second}, 7 * time.Second, errGap},
		"late, then silent":     {[]time.Duration{9 * time.Second}, 14 * time.Second, errGap},
		"it never stops":        {steps(4*time.Second, 40*time.Second), 30 * time.Second, errTotal},
		"silent near the end":   {steps(4*time.Second, 27*time.Second), 29 * time.Second, errGap},
		"silent into the end":   {append(steps(4*time.Second, 24*time.Second), 27*time.Second), 30 * time.Second, errTotal},
		"many at the same time": {[]time.Duration{time.Second, time.Second, time.Second}, 6 * time.Second, errGap},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				start := time.Now()
				dog := watch(t.Context(), limits)
				defer dog.stop()
				for _, at := range c.fed {
					select {
					case <-dog.ctx.Done():
					case <-time.After(at - time.Since(start)):
						dog.feed()
					}
				}
				<-dog.ctx.Done()
				if took := time.Since(start); took != c.ends || !errors.Is(context.Cause(dog.ctx), c.why) {
					t.Errorf("ended after %s because %v, want %s and %v", took, context.Cause(dog.ctx), c.ends, c.why)
				}
				if e := fault.From(dog.explain(io.ErrUnexpectedEOF)); e.Code != fault.UpstreamTimeout {
					t.Errorf("explained as %v", e)
				}
			})
		})
	}
}

// steps are times, each later than the one before by as much.
func steps(by, until time.Duration) (list []time.Duration) {
	for at := by; at <= until; at += by {
		list = append(list, at)
	}
	return list
}

func TestTheWatchdogKnowsWhoHungUp(t *testing.T) {
	t.Parallel()
	limits := catalog.Timeouts{FirstByte: time.Hour, Gap: time.Hour, Total: time.Hour}
	ctx, leave := context.WithCancel(t.Context())
	dog := watch(ctx, limits)
	if err := dog.explain(io.ErrUnexpectedEOF); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("the upstream's own failure is explained as %v", err)
	}
	leave()
	<-dog.ctx.Done()
	if err := dog.explain(io.ErrUnexpectedEOF); !errors.Is(err, context.Canceled) {
		t.Errorf("a client that left is explained as %v", err)
	}
	dog = watch(t.Context(), limits)
	dog.stop()
	if err := dog.explain(io.ErrUnexpectedEOF); errors.Is(err, context.Canceled) {
		t.Error("our own end of the call is taken for a client's")
	}
}

// TestASlowClientIsNotASilentUpstream keeps what came for longer than a gap.
func TestASlowClientIsNotASilentUpstream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		dog := watch(t.Context(), catalog.Timeouts{FirstByte: time.Second, Gap: 5 * time.Second, Total: time.Minute})
		defer dog.stop()
		dog.feed()
		dog.pause()
		time.Sleep(12 * time.Second)
		dog.goOn()
		if dog.ctx.Err() != nil {
			t.Fatalf("ended because %v", context.Cause(dog.ctx))
		}
		<-dog.ctx.Done() // now nobody but the upstream is silent
		if took := time.Since(start); took < 17*time.Second || took > 20*time.Second || !errors.Is(context.Cause(dog.ctx), errGap) {
			t.Errorf("ended after %s because %v", took, context.Cause(dog.ctx))
		}
		dog = watch(t.Context(), catalog.Timeouts{FirstByte: time.Second, Gap: 5 * time.Second, Total: time.Minute})
		defer dog.stop()
		dog.feed()
		dog.pause()
		<-dog.ctx.Done() // however slow a client is, everything has an end
		if !errors.Is(context.Cause(dog.ctx), errTotal) {
			t.Errorf("ended because %v", context.Cause(dog.ctx))
		}
	})
}
