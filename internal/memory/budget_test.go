package memory_test

import (
	"net/http"
	"testing"
	"testing/synctest"

	"stele/internal/fault"
	"stele/internal/memory"
)

func TestALeaseWaitsForAMomentAndIsThenTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(100, 60)
		first, second := b.Open("a"), b.Open("b")
		if err := first.Grow(t.Context(), 60); err != nil {
			t.Fatal(err)
		}
		err := second.Grow(t.Context(), 50)
		if e := fault.From(err); e.Code.Status() != http.StatusServiceUnavailable || e.RetryAfter <= 0 {
			t.Errorf("refused with %v", err)
		}
		first.Shrink(20)
		if err := second.Grow(t.Context(), 50); err != nil {
			t.Errorf("after some was given back: %v", err)
		}
		first.Close()
		first.Close()
		second.Close()
		if b.Taken() != 0 {
			t.Errorf("%d bytes are held by nobody", b.Taken())
		}
	})
}

func TestALeaseThatIsClosedTakesNothing(t *testing.T) {
	t.Parallel()
	b := memory.New(100, 100)
	l := b.Open("a")
	l.Close()
	if err := l.Grow(t.Context(), 10); err == nil || b.Taken() != 0 {
		t.Errorf("a closed lease grew: %v", err)
	}
	if err := (*memory.Lease)(nil).Grow(t.Context(), 10); err != nil {
		t.Errorf("no budget: %v", err)
	}
}

func TestMoreThanOneCallerMayHaveIsTooLarge(t *testing.T) {
	t.Parallel()
	err := memory.New(100, 50).Open("a").Grow(t.Context(), 51)
	if fault.From(err).Code != fault.BodyTooLarge {
		t.Errorf("refused with %v", err)
	}
}
