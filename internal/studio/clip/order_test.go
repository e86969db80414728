package clip

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"
)

func TestThingsAreTakenInOrderAndNeverPileUp(t *testing.T) {
	t.Parallel()
	var made, taken, most atomic.Int64
	next := 0
	err := inOrder(t.Context(), 200, func(_ context.Context, i int) (int, error) {
		if ahead := made.Add(1) - taken.Load(); ahead > most.Load() {
			most.Store(ahead)
		}
		return i * i, nil
	}, func(i, v int) error {
		if i != next || v != i*i {
			t.Errorf("took %d at place %d", v, i)
		}
		next++
		taken.Add(1)
		return nil
	})
	if err != nil || next != 200 {
		t.Fatalf("%d of 200: %v", next, err)
	}
	if limit := int64(runtime.GOMAXPROCS(0) + 2); most.Load() > limit {
		t.Errorf("%d were made ahead, more than %d", most.Load(), limit)
	}
}

func TestTheFirstErrorEndsTheWork(t *testing.T) {
	t.Parallel()
	oops := errors.New("oops")
	taken := 0
	err := inOrder(t.Context(), 100, func(_ context.Context, i int) (int, error) {
		if i == 5 {
			return 0, oops
		}
		return i, nil
	}, func(int, int) error { taken++; return nil })
	if !errors.Is(err, oops) || taken != 5 {
		t.Errorf("%v after %d", err, taken)
	}
	if err := inOrder(t.Context(), 100, func(_ context.Context, i int) (int, error) { return i, nil }, func(int, int) error { return oops }); !errors.Is(err, oops) {
		t.Errorf("%v", err)
	}
}

func TestTheEndOfTheContextEndsTheWork(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	err := inOrder(ctx, 1000, func(ctx context.Context, i int) (int, error) {
		if i == 3 {
			cancel()
		}
		return i, ctx.Err()
	}, func(int, int) error { return nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
