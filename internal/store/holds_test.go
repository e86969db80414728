package store

import (
	"math/rand/v2"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/limit"
)

// However many holds are taken and settled, of several limits at once, and whatever is
// killed and buried meanwhile: rows, counters and ledger agree to the nano.
func TestManyHoldsAddUp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		for i, subject := range [][]limit.Selector{
			{}, {{By: limit.ByKey, Value: limit.Each}}, {{By: limit.ByUser, Value: limit.Each}}, {{By: limit.ByModel, Value: "m1"}},
		} {
			l := testLimit(limit.Dollars, limit.Day, 1e15)
			l.ID, l.Subject = "lim_"+strconv.Itoa(i), subject
			saveTestLimit(t, s, l)
		}
		var servers [3]atomic.Pointer[server]
		for i := range servers {
			servers[i].Store(startServer(t, s, t.TempDir()))
		}
		var taken atomic.Int64
		var clients sync.WaitGroup
		over := make(chan struct{})
		for range 30 {
			clients.Go(func() {
				for taken.Load() < manyHolds {
					v := servers[rand.IntN(len(servers))].Load()               //nolint:gosec // no secret
					if _, err := v.call(t.Context(), someCall()); err == nil { // else it died meanwhile
						taken.Add(1)
					}
				}
			})
		}
		go func() {
			clients.Wait()
			close(over)
		}()
		killUntil(t, s, servers[:], over)
		for i := range servers {
			settleUp(t, s, servers[i].Load())
		}
		v, err := s.VerifyMoney(t.Context(), time.Time{})
		if err != nil || len(v.Differences) != 0 || v.Counters < 100 || v.Rows < manyHolds {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// someCall is by one of some keys, for one of some end users.
func someCall() limit.Call {
	pick := func(name string, n int) string { return name + strconv.Itoa(rand.IntN(n)) } //nolint:gosec // no secret
	return limit.Call{Workspace: "default", Key: pick("key_", 20), User: pick("user ", 100), Model: pick("m", 3)}
}

// killUntil kills one server after the other until the work is over. Every third is
// buried as one that does not come back, before it comes back all the same.
func killUntil(t *testing.T, s *Store, servers []atomic.Pointer[server], over <-chan struct{}) {
	t.Helper()
	for kills := 0; ; kills++ {
		select {
		case <-over:
			return
		case <-time.After(100 * time.Millisecond):
		}
		at := &servers[kills%len(servers)]
		old := at.Load()
		old.kill()
		if kills%3 == 0 {
			if _, err := s.Bury(t.Context(), time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}
		at.Store(startServer(t, s, old.folder))
	}
}

// settleUp stops a server and books what its journal holds.
func settleUp(t *testing.T, s *Store, v *server) {
	t.Helper()
	v.stop()
	v.done.Wait()
	if err := v.journal.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Recover(t.Context(), v.journal.Owner(), time.Now()); err != nil {
		t.Fatal(err)
	}
}
