package bounds

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"stele/test/rig"
)

// TestThousandsOfWrongKeys guesses: half the keys have a right checksum, so that
// they reach the look-up. All are refused, and none is remembered. That none
// reads the database is access's own test.
func TestThousandsOfWrongKeys(t *testing.T) {
	t.Parallel()
	const growth = 12 << 20
	h := rig.Start(t, rig.Options{Env: []string{"GOGC=100"}}) // without the floor below which nothing is collected
	guess(t, h, 2*guesses)                                    // until the heap is as large as it gets
	before, after := rig.Resident(t, h.PID()), 0
	for range 3 { // memory that a server gives back after its start may be missing the first time
		guess(t, h, guesses)
		after = rig.Resident(t, h.PID())
		t.Logf("resident memory: %d KB, then %d KB", before>>10, after>>10)
		if after-before <= growth {
			return
		}
		before = after
	}
	t.Errorf("resident memory grew to %d bytes, each time by more than %d over %d wrong keys", after, growth, guesses)
}

// guess knocks n times, over a few connections that stay open.
func guess(t *testing.T, h *rig.House, n int) {
	t.Helper()
	const connections = 8
	var all sync.WaitGroup
	for range connections {
		all.Go(func() {
			for i := range n / connections {
				key := rig.Forge("sk_live_")
				if i%2 == 1 {
					key = rig.Mistype(key)
				}
				r := h.Request(t, "GET", "/api/v1/models")
				r.Header.Set("Authorization", "Bearer "+key)
				a, err := h.Send(r)
				if err != nil || a.Status != http.StatusUnauthorized || !strings.Contains(a.Body, "invalid_api_key") {
					t.Errorf("%s is answered with %d %s (%v)", key, a.Status, a.Body, err)
				}
			}
		})
	}
	all.Wait()
}
