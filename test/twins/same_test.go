package twins

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
	"stele/test/upstream"
)

// TestTwinsGetTheSameBytesFromOneCall sends each key many times at once, in every pair of
// dialects, whole and streamed, and once more when all is over.
func TestTwinsGetTheSameBytesFromOneCall(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		rig.AllPairs(t, func(t *testing.T, client, away string) {
			for _, stream := range []bool{false, true} {
				target := fmt.Sprintf("%s-same-%s-%t", rig.UsualModel[away], client, stream)
				r.On(away, target, upstream.Pace(time.Millisecond))
				wish := rig.Ask(client, away+"/"+target, "hi", stream)
				key := "same " + target
				heard := together(t, r, keyed(wish, key, 0), 20)
				late := r.Good(t, keyed(wish, key, 0))
				for _, h := range append(heard, late) {
					if h.Body != heard[0].Body || h.Header.Get("Content-Type") != heard[0].Header.Get("Content-Type") {
						t.Fatalf("%s:\n%s\nand\n%s", target, heard[0].Body, h.Body)
					}
				}
				if late.Header.Get("Idempotency-Replayed") != "true" || late.Header.Get("X-Stele-Served-By") != away+"/"+target {
					t.Errorf("%s: %v", target, late.Header)
				}
				if n := len(r.SentTo(away, target)); n != 1 {
					t.Errorf("%s was asked %d times", target, n)
				}
				plain := r.Good(t, wish)
				if stream && rig.Listen(t, client, plain.Body).Text != rig.Listen(t, client, late.Body).Text {
					t.Errorf("%s says %s\nwith a key %s", target, plain.Body, late.Body)
				}
				if strings.Contains(plain.Body, "\nid: ") {
					t.Errorf("%s: ids without a key: %s", target, plain.Body)
				}
				other := keyed(rig.Ask(client, away+"/"+target, "ho", stream), key, 0)
				if h := r.Hear(t, other); h.Status != http.StatusConflict || !strings.Contains(h.Body, "idempotency_conflict") {
					t.Errorf("%s, another body: %d %s", target, h.Status, h.Body)
				}
			}
		})
		r.Unrefused(t)
	})
}

// together sends a wish many times at once.
func together(t *testing.T, r *rig.Front, w rig.Wish, times int) []rig.Heard {
	t.Helper()
	heard := make([]rig.Heard, times)
	var wg sync.WaitGroup
	for i := range heard {
		wg.Go(func() { heard[i] = r.Hear(t, w) })
	}
	wg.Wait()
	first := 0
	for _, h := range heard {
		if h.Status != http.StatusOK || h.Err != nil {
			t.Fatalf("%s: %d %s (%v)", w.Path, h.Status, h.Body, h.Err)
		}
		if h.Header.Get("Idempotency-Replayed") == "" {
			first++
		}
	}
	if first != 1 {
		t.Errorf("%s: %d were the first", w.Path, first)
	}
	return heard
}

// TestACutStreamIsTakenUpAfterEveryEvent hangs up after each event of a stream, while it is
// being made and afterwards: what comes then is all that was missing.
func TestACutStreamIsTakenUpAfterEveryEvent(t *testing.T) {
	t.Parallel()
	engines(t, "", func(t *testing.T, r *rig.Front) {
		rig.AllPairs(t, func(t *testing.T, client, away string) {
			target := rig.UsualModel[away] + "-cut-" + client
			r.On(away, target, upstream.Pace(2*time.Millisecond))
			wish := rig.Ask(client, away+"/"+target, "hi", true)
			whole := strings.ReplaceAll(r.Good(t, keyed(wish, "model of "+target, 0)).Body, "\r\n", "\n")
			events := count(whole)
			if events < 3 || !strings.Contains(whole, "id: 1\n") || !strings.Contains(whole, fmt.Sprintf("id: %d\n", events)) {
				t.Fatalf("%d events: %s", events, whole)
			}
			for n := 1; n <= events; n++ {
				key := fmt.Sprintf("cut %s %d", target, n)
				head, _ := begin(t, r, keyed(wish, key, 0), n)
				tail := r.Good(t, keyed(wish, key, n))
				again := r.Good(t, keyed(wish, key, 0))
				if head+tail.Body != again.Body || count(again.Body) != events {
					t.Fatalf("after %d events: %s\nthen %s\nin all %s", n, head, tail.Body, again.Body)
				}
				if tail.Header.Get("Content-Type") != again.Header.Get("Content-Type") {
					t.Errorf("after %d events: %v", n, tail.Header)
				}
			}
			if n := len(r.SentTo(away, target)); n != events+1 {
				t.Errorf("%d answers took %d calls", events+1, n)
			}
			if h := r.Hear(t, keyed(wish, "model of "+target, events+1)); h.Status != http.StatusBadRequest {
				t.Errorf("after the last event: %d %s", h.Status, h.Body)
			}
			if h := r.Hear(t, keyed(wish, "never used "+target, 3)); h.Status != http.StatusBadRequest {
				t.Errorf("of a key that was never used: %d %s", h.Status, h.Body)
			}
			if n := len(r.SentTo(away, target)); n != events+1 {
				t.Errorf("what could not be taken up was asked for")
			}
		})
	})
}
