package generation

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWorkOfABurstBeginsLater(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBurstDelay()
		for range burstOrders {
			if d := b.delay("a"); d != 0 {
				t.Errorf("a few orders hold work up for %s", d)
			}
		}
		var last time.Duration
		for range 20 * burstOrders {
			d := b.delay("a")
			if d < last {
				t.Errorf("work waits for %s after %s in a burst that grows", d, last)
			}
			last = d
		}
		if last < 2*burstFactor*burstSpan || last > 4*burstFactor*burstSpan {
			t.Errorf("a burst holds work up for %s", last)
		}
		if d := b.delay("b"); d != 0 {
			t.Errorf("another workspace's work waits for %s", d)
		}
		for range 1 << 20 {
			last = b.delay("a")
		}
		if last != longestDelay {
			t.Errorf("orders without end hold work up for %s, want %s", last, longestDelay)
		}
		time.Sleep(20 * burstSpan)
		if d := b.delay("a"); d != 0 {
			t.Errorf("work waits for %s after the burst", d)
		}
	})
}
