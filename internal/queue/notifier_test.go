package queue

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestRiverIsWokenOnceForABurst counts who comes: for a few jobs at once, for a
// burst of them now and then, and never for none.
func TestRiverIsWokenOnceForABurst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newNotifier()
		var heard atomic.Int32
		go func() {
			for {
				if _, err := n.WaitForNotification(t.Context()); err != nil {
					return
				}
				heard.Add(1)
			}
		}()
		for range burstNotices {
			n.notify("generation")
			synctest.Wait()
		}
		if n := heard.Load(); n != burstNotices {
			t.Errorf("heard %d of %d", n, burstNotices)
		}
		for range 1000 {
			n.notify("generation")
			synctest.Wait()
		}
		if n := heard.Load(); n != burstNotices {
			t.Errorf("heard %d, want %d until the pause", n, burstNotices)
		}
		time.Sleep(2 * noticePause)
		synctest.Wait()
		if n := heard.Load(); n != burstNotices+1 {
			t.Errorf("heard %d after the pause, want %d", n, burstNotices+1)
		}
		n.notify("generation")
		synctest.Wait()
		if heard.Load() != burstNotices+2 {
			t.Error("nothing is heard after a burst")
		}
	})
}
