package fair_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fair"
)

func TestALineKeepsRoomForOthers(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := fair.NewLine(4, fair.Half(4), 16, time.Minute)
		var mu sync.Mutex // what has ended is ordered for the clock here, but not for the race detector
		in, away := 0, 0
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var returns []time.Duration
		for range 100 {
			go func() {
				leave, again := line.Enter(ctx, "many")
				mu.Lock()
				defer mu.Unlock()
				if leave == nil {
					away++
					returns = append(returns, again)
					return
				}
				in++
			}()
			synctest.Wait()
		}
		if in != 2 || away != 100-2-8 {
			t.Errorf("%d are in and %d were turned away, want 2 and 90", in, away)
		}
		if first, last := returns[0], returns[len(returns)-1]; first >= last {
			t.Errorf("the first comes back after %v, the last after %v", first, last)
		}
		for i := range 2 {
			leave, _ := line.Enter(t.Context(), fmt.Sprint("other ", i))
			if leave == nil {
				t.Fatalf("another tenant finds no place beside %d callers", in)
			}
			defer leave()
		}
		cancel()
		synctest.Wait()
	})
}

func TestThePatienceOfALineEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		line := fair.NewLine(2, 1, 8, time.Second)
		leave, _ := line.Enter(t.Context(), "a")
		defer leave()
		begin := time.Now()
		if late, again := line.Enter(t.Context(), "a"); late != nil || again == 0 || time.Since(begin) != time.Second {
			t.Errorf("waited %v, to come back after %v", time.Since(begin), again)
		}
	})
}

func TestOneThatCouldBeServedDoesNotWaitBehindOneThatCannot(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(4, 2)
		s.TryAcquire("full", 2)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _ = s.Acquire(ctx, "full", 1) }()
		synctest.Wait()
		if !s.TryAcquire("other", 1) {
			t.Error("a place is free and nobody could take it, and it is refused")
		}
		cancel()
		synctest.Wait()
	})
}
