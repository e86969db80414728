package queue

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestTheBellRingsOnceForAStorm counts who comes: for a few jobs at once, for a
// storm of them now and then, and never for none.
func TestTheBellRingsOnceForAStorm(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBell()
		var heard atomic.Int32
		go func() {
			for {
				if _, err := b.WaitForNotification(t.Context()); err != nil {
					return
				}
				heard.Add(1)
			}
		}()
		for range storm {
			b.ring("generation")
			synctest.Wait()
		}
		if n := heard.Load(); n != storm {
			t.Errorf("heard %d of %d", n, storm)
		}
		for range 1000 {
			b.ring("generation")
			synctest.Wait()
		}
		if n := heard.Load(); n != storm {
			t.Errorf("heard %d, want %d until the lull", n, storm)
		}
		time.Sleep(2 * lull)
		synctest.Wait()
		if n := heard.Load(); n != storm+1 {
			t.Errorf("heard %d after the lull, want %d", n, storm+1)
		}
		b.ring("generation")
		synctest.Wait()
		if heard.Load() != storm+2 {
			t.Error("the bell is dumb after a storm")
		}
	})
}
