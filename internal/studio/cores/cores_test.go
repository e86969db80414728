package cores_test

import (
	"context"
	"sync/atomic"
	"testing"

	"stele/internal/studio/cores"
)

// lender has so many processors and counts who holds them.
type lender struct {
	places        chan struct{}
	held, highest atomic.Int64
}

func (l *lender) Most() int { return cap(l.places) }

func (l *lender) Lend(ctx context.Context) (func(), error) {
	select {
	case l.places <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	n := l.held.Add(1)
	for old := l.highest.Load(); n > old; old = l.highest.Load() {
		l.highest.CompareAndSwap(old, n)
	}
	return func() { l.held.Add(-1); <-l.places }, nil
}

func TestWorkComputesOnWhatItIsLent(t *testing.T) {
	t.Parallel()
	for _, there := range []int{1, 2, 5} {
		l := &lender{places: make(chan struct{}, there)}
		var done atomic.Int64
		err := cores.Share(cores.With(t.Context(), l), 100, func() bool { return done.Add(1) < 1000 })
		if err != nil || done.Load() < 1000 || l.highest.Load() > int64(there) || l.held.Load() != 0 {
			t.Errorf("%d to lend: %v, %d done, %d at once, %d held in the end", there, err, done.Load(), l.highest.Load(), l.held.Load())
		}
	}
}

// Work that has a processor does not wait for a second one inside.
func TestWorkInsideOfWorkHasItsProcessor(t *testing.T) {
	t.Parallel()
	l := &lender{places: make(chan struct{}, 1)}
	ran := false
	err := cores.Do(cores.With(t.Context(), l), func(ctx context.Context) error {
		return cores.Do(ctx, func(context.Context) error { ran = true; return nil })
	})
	if err != nil || !ran {
		t.Errorf("ran %t, %v", ran, err)
	}
}

func TestWorkThatIsGivenUpDoesNotWait(t *testing.T) {
	t.Parallel()
	l := &lender{places: make(chan struct{}, 1)}
	l.places <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := cores.Share(cores.With(ctx, l), 3, func() bool { t.Error("it works"); return false }); err == nil {
		t.Error("no error")
	}
}
