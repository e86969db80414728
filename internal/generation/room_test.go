package generation

import (
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestOneCallerCountsForAll has many order at the same time: one of them counts, and no
// more are taken than there is room for.
func TestOneCallerCountsForAll(t *testing.T) {
	t.Parallel()
	const callers, most, before = 50, 30, 10
	var c counts
	var looks, taken atomic.Int32
	now := time.Unix(1_800_000_000, 0)
	count := func() (int, error) {
		looks.Add(1)
		return before + int(taken.Load()), nil
	}
	order := func(now time.Time) {
		var all sync.WaitGroup
		for range callers {
			all.Go(func() {
				if _, room, err := c.take("key", most, now, count); err != nil {
					t.Error(err)
				} else if room {
					taken.Add(1)
				}
			})
		}
		all.Wait()
	}
	if _, room, err := c.take("key", most, now, count); !room || err != nil {
		t.Fatal("there is no room", err)
	}
	taken.Add(1)
	if n := looks.Load(); n != 1 {
		t.Fatalf("%d counts", n)
	}
	order(now.Add(countAgain / 2))
	if n := taken.Load(); n != most-before {
		t.Errorf("%d were taken, there was room for %d", n, most-before)
	}
}

// TestAnOldCountServesWhileItIsCountedAgain: those who come while one counts do not wait
// for it, and are added to what it finds.
func TestAnOldCountServesWhileItIsCountedAgain(t *testing.T) {
	t.Parallel()
	var c counts
	now := time.Unix(1_800_000_000, 0)
	none := func() (int, error) { t.Error("it is counted once more"); return 0, nil }
	take := func(now time.Time, count func() (int, error)) (int, bool) {
		n, room, err := c.take("key", 10, now, count)
		if err != nil {
			t.Error(err)
		}
		return n, room
	}
	take(now, func() (int, error) { return 4, nil })
	now = now.Add(2 * countAgain)
	n, room := take(now, func() (int, error) {
		for range 2 {
			if _, room := take(now, none); !room {
				t.Error("one who comes meanwhile is refused")
			}
		}
		return 5, nil // whether those two are among them is not known
	})
	if n != 8 || !room {
		t.Errorf("%d with what was added meanwhile, want 8", n)
	}
	for range 2 {
		take(now, none)
	}
	if n, room := take(now, func() (int, error) { return 10, nil }); n != 10 || room {
		t.Errorf("%d, %t: it is full", n, room)
	}
}

// TestACountThatFailsIsMadeAgain: a failure is every waiting caller's, and of no one later.
func TestACountThatFailsIsMadeAgain(t *testing.T) {
	t.Parallel()
	var c counts
	now := time.Unix(1_800_000_000, 0)
	broken := errors.New("the database is away")
	if _, room, err := c.take("key", 10, now, func() (int, error) { return 0, broken }); room || !errors.Is(err, broken) {
		t.Errorf("%t, %v", room, err)
	}
	if n, room, err := c.take("key", 10, now, func() (int, error) { return 2, nil }); n != 3 || !room || err != nil {
		t.Errorf("%d, %t, %v", n, room, err)
	}
}
