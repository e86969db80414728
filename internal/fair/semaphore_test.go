package fair_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"stele/internal/fair"
)

func TestATenantFillsItsShareAndNoMore(t *testing.T) {
	t.Parallel()
	s := fair.New(8, fair.Half(8))
	for range 4 {
		if !s.TryAcquire("a", 1) {
			t.Fatal("a place within the share was refused")
		}
	}
	if s.TryAcquire("a", 1) {
		t.Error("a tenant holds more than its share")
	}
	if !s.TryAcquire("b", 4) {
		t.Error("another tenant does not find its half")
	}
	if err := s.Acquire(t.Context(), "a", 5); !errors.Is(err, fair.ErrTooMuch) {
		t.Errorf("more than the share: %v", err)
	}
}

func TestThoseThatWaitAreServedInTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(1, 1)
		if !s.TryAcquire("holder", 1) {
			t.Fatal("an empty semaphore refuses")
		}
		var order []string
		enter := func(name string) {
			go func() {
				if s.Acquire(t.Context(), name, 1) == nil {
					order = append(order, name)
					s.Release(name, 1)
				}
			}()
			synctest.Wait()
		}
		for range 3 {
			enter("many")
		}
		enter("one")
		s.Release("holder", 1)
		synctest.Wait()
		if got, want := fmt.Sprint(order), "[many one many many]"; got != want {
			t.Errorf("served %s, want %s", got, want)
		}
	})
}

func TestOneThatLeavesLetsOthersThrough(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := fair.New(4, 4)
		s.TryAcquire("a", 2)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		left := make(chan error, 1)
		go func() { left <- s.Acquire(ctx, "large", 4) }()
		synctest.Wait()
		got := make(chan error, 1)
		go func() { got <- s.Acquire(t.Context(), "small", 1) }()
		if err := <-left; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the large one: %v", err)
		}
		if err := <-got; err != nil {
			t.Errorf("the small one: %v", err)
		}
	})
}

func TestNothingIsLostOrMadeInACrowd(t *testing.T) {
	t.Parallel()
	const size, share = 16, 6
	s := fair.New(size, share)
	var held [5]atomic.Int64
	var all atomic.Int64
	var crowd sync.WaitGroup
	for i := range 200 {
		crowd.Go(func() {
			who := i % len(held)
			name := fmt.Sprint(who)
			for range 50 {
				n := 1 + rand.Int64N(share)
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(int(time.Millisecond))))
				if s.Acquire(ctx, name, n) == nil {
					if all.Add(n) > size || held[who].Add(n) > share {
						t.Error("more is held than there is")
					}
					all.Add(-n)
					held[who].Add(-n)
					s.Release(name, n)
				}
				cancel()
			}
		})
	}
	crowd.Wait()
	if s.Taken() != 0 || !s.TryAcquire("x", share) {
		t.Errorf("%d are held by nobody", s.Taken())
	}
}
