package store

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/limit"
	"stele/internal/store/storetest"
)

// cutOff is a database that a server can be cut off from.
type cutOff struct {
	*Store
	away atomic.Bool
}

var errAway = errors.New("the database is away")

func (c *cutOff) BeatLimits(ctx context.Context, node string, now time.Time) error {
	if c.away.Load() {
		return errAway
	}
	return c.Store.BeatLimits(ctx, node, now)
}

// TestWhatADeadServerHadOfABoundIsFree has servers with a connection each keep to a bound on
// what runs at the same time at a provider, through the silence and the return of one.
func TestWhatADeadServerHadOfABoundIsFree(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := storetest.Copy(t, engine, migrate)
			var now atomic.Int64
			now.Store(time.Now().UnixMilli())
			const bound = 5
			var stores []*cutOff
			var servers []*limit.Service
			for _, name := range []string{"node_one", "node_two"} {
				s, err := Open(t.Context(), databaseURL, folder)
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(s.Close)
				if len(servers) == 0 {
					l := testLimit(limit.Concurrent, "", bound)
					l.Subject = []limit.Selector{{By: limit.ByProvider, Value: "acme"}}
					saveTestLimit(t, s, l)
				}
				db := &cutOff{Store: s}
				v := limit.New(limit.Options{Store: db, Node: name, Log: slog.New(slog.DiscardHandler), Now: func() time.Time { return time.UnixMilli(now.Load()) }})
				if err := errors.Join(v.Load(t.Context()), v.KeepAlive(t.Context())); err != nil {
					t.Fatal(err)
				}
				stores, servers = append(stores, db), append(servers, v)
			}
			// take holds as many as it gets, ten at most.
			take := func(v *limit.Service) (holds []*limit.Hold) {
				for range 10 {
					hold, err := reserve(t.Context(), v, limit.Ask{Call: limit.Call{Workspace: "default", Key: "k", Provider: "acme"}})
					if e, ok := errors.AsType[*fault.Error](err); err != nil && (!ok || e.Code.Status() != 429) {
						t.Fatal(err)
					}
					if err != nil {
						break
					}
					holds = append(holds, hold)
				}
				return holds
			}
			pass := func(d time.Duration) { now.Add(d.Milliseconds()) }
			alive := func(list ...*limit.Service) {
				t.Helper()
				for _, v := range list {
					if err := v.KeepAlive(t.Context()); err != nil && !errors.Is(err, errAway) {
						t.Fatal(err)
					}
				}
			}
			one, two := servers[0], servers[1]
			lost := take(one)
			if n := len(lost) + len(take(two)); n != bound {
				t.Fatalf("%d at the same time, want %d", n, bound)
			}
			stores[0].away.Store(true)
			pass(limit.GoneAfter / 2)
			alive(servers...)
			if n := len(take(two)); n != 0 {
				t.Errorf("%d of a server that was silent for a moment are given away", n)
			}
			pass(limit.GoneAfter/2 + time.Second)
			alive(two, one, two)
			all := take(two)
			if len(all) != bound {
				t.Errorf("of a server that is gone %d are free, want %d", len(all), bound)
			}
			// It was only cut off. What it had is the other's now, and what still runs there counts.
			stores[0].away.Store(false)
			pass(time.Second)
			alive(one, two)
			if n := len(take(one)); n != 0 {
				t.Errorf("a server that comes back takes %d of what the other has", n)
			}
			for _, hold := range append(all, lost...) {
				hold.Settle(limit.Used{})
			}
			pass(time.Second)
			for _, v := range []*limit.Service{two, one, two, one} {
				if err := v.Beat(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if n := len(take(one)) + len(take(two)); n != bound {
				t.Errorf("%d at the same time in the end, want %d", n, bound)
			}
		})
	}
}
