package generation

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWorkBeginsWhenTheBurstIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBurstDelay()
		waited := func() time.Duration {
			begun := time.Now()
			if err := b.wait(t.Context(), "a"); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		for range burstOrders {
			b.order("a")
		}
		if d := waited(); d != 0 {
			t.Errorf("a few orders held work up for %s", d)
		}
		for range 20 * burstOrders {
			b.order("a")
		}
		if d := waited(); d < 2*burstSpan || d > 4*burstSpan {
			t.Errorf("a burst held work up for %s", d)
		}
		ends := time.After(2 * longestHold)
		go func() {
			for {
				select {
				case <-ends:
					return
				case <-time.After(time.Millisecond):
					b.order("a")
				}
			}
		}()
		time.Sleep(burstSpan)
		if d := b.orders.Until("b", burstOrders, time.Now()); d != 0 {
			t.Errorf("another workspace's work waits for %s", d)
		}
		if d := waited(); d < longestHold || d > longestHold+burstSpan {
			t.Errorf("orders without end held work up for %s, want %s", d, longestHold)
		}
		time.Sleep(2 * longestHold) // they end
		if d := waited(); d != 0 {
			t.Errorf("work waits for %s after the burst", d)
		}
	})
}
