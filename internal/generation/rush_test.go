package generation

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestWorkBeginsWhenTheRushIsOver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var r rush
		waited := func() time.Duration {
			begun := time.Now()
			if err := r.pass(t.Context(), "a"); err != nil {
				t.Error(err)
			}
			return time.Since(begun)
		}
		for range rushOrder {
			r.order("a", time.Now())
		}
		if d := waited(); d != 0 {
			t.Errorf("a few orders held work up for %s", d)
		}
		for range 20 * rushOrder {
			r.order("a", time.Now())
		}
		if d := waited(); d < 2*rushSpan || d > 4*rushSpan {
			t.Errorf("a burst held work up for %s", d)
		}
		ends := time.After(2 * rushHold)
		go func() {
			for {
				select {
				case <-ends:
					return
				case <-time.After(time.Millisecond):
					r.order("a", time.Now())
				}
			}
		}()
		time.Sleep(rushSpan)
		if d := r.left("b", time.Now()); d != 0 {
			t.Errorf("another workspace's work waits for %s", d)
		}
		if d := waited(); d < rushHold || d > rushHold+rushSpan {
			t.Errorf("orders without end held work up for %s, want %s", d, rushHold)
		}
		time.Sleep(2 * rushHold) // they end
		if d := waited(); d != 0 {
			t.Errorf("work waits for %s after the rush", d)
		}
	})
}
