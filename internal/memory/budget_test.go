package memory_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

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

func TestAPartOfATenantLeavesTheOthersTheirs(t *testing.T) {
	t.Parallel()
	b := memory.New(100, 80)
	b.Resize(100, 80, 50)
	one, other := b.OpenPart("w", "key_1"), b.OpenPart("w", "key_2")
	if err := one.Grow(t.Context(), 50); err != nil {
		t.Fatal(err)
	}
	if b.OpenPart("w", "key_1").Fits(1) {
		t.Error("a key has more than its part")
	}
	if err := other.Grow(t.Context(), 30); err != nil {
		t.Errorf("the other key of the workspace: %v", err)
	}
	if other.Fits(1) {
		t.Error("a workspace has more than its share")
	}
	one.Close()
	other.Close()
	if b.Taken() != 0 || !b.OpenPart("w", "key_1").Fits(50) {
		t.Errorf("%d bytes are held by nobody", b.Taken())
	}
}

// What a lease could only have if it gave something back itself is not worth a wait.
func TestALeaseThatHasMostOfItsShareIsNotMadeToWait(t *testing.T) {
	t.Parallel()
	l := memory.New(100, 50).Open("a")
	if err := l.Grow(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	if err := l.Grow(t.Context(), 20); fault.From(err).Code != fault.BodyTooLarge {
		t.Errorf("refused with %v", err)
	}
}

func TestWorkThatNobodyStandsBesideWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := memory.New(100, 100)
		first, second := b.Open("a"), b.Open("a")
		if err := first.Grow(t.Context(), 100); err != nil {
			t.Fatal(err)
		}
		got := make(chan error, 1)
		go func() { got <- second.Await(t.Context(), 100) }()
		time.Sleep(10 * memory.Patience)
		first.Close()
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}
