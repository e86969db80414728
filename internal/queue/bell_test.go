package queue

import (
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
		heard := 0
		go func() {
			for {
				if _, err := b.WaitForNotification(t.Context()); err != nil {
					return
				}
				heard++
			}
		}()
		for range storm {
			b.ring("generation")
			synctest.Wait()
		}
		if heard != storm {
			t.Errorf("heard %d of %d", heard, storm)
		}
		for range 1000 {
			b.ring("generation")
			synctest.Wait()
		}
		if heard != storm {
			t.Errorf("heard %d, want %d until the lull", heard, storm)
		}
		time.Sleep(2 * lull)
		synctest.Wait()
		if heard != storm+1 {
			t.Errorf("heard %d after the lull, want %d", heard, storm+1)
		}
		b.ring("generation")
		synctest.Wait()
		if heard != storm+2 {
			t.Error("the bell is dumb after a storm")
		}
	})
}
