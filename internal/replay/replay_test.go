package replay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/replay"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/store/template"
	"stele/internal/uid"
)

// house is a database and the processes on it.
type house struct {
	*store.Store

	now atomic.Int64 // milliseconds
}

// engines runs a test on every database there is.
func engines(t *testing.T, test func(t *testing.T, h *house)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := template.Place(t, engine)
			s, err := store.Open(t.Context(), databaseURL, folder)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			h := &house{Store: s}
			h.now.Store(time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC).UnixMilli())
			test(t, h)
		})
	}
}

func (h *house) clock() time.Time { return time.UnixMilli(h.now.Load()).UTC() }

func (h *house) pass(d time.Duration) { h.now.Add(d.Milliseconds()) }

// process is a living one of these.
func (h *house) process(t *testing.T, node string) *replay.Service {
	t.Helper()
	if err := h.Beat(t.Context(), node, h.clock()); err != nil {
		t.Fatal(err)
	}
	return replay.New(replay.Options{Store: h, Node: node, Now: h.clock})
}

func request(key string) replay.Request {
	return replay.Request{Scope: replay.Scope{Workspace: "w", Route: "r", Key: key}, Fingerprint: "f", ID: uid.New("gen")}
}

func begin(t *testing.T, s *replay.Service, r replay.Request) *replay.Lock {
	t.Helper()
	lock, err := s.Begin(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return lock
}

// lock begins a request that must get a lock.
func lock(t *testing.T, s *replay.Service, r replay.Request) *replay.Lock {
	t.Helper()
	got := begin(t, s, r)
	if got.Answer != nil {
		t.Fatalf("answered %d instead of a lock", got.Answer.Status)
	}
	return got
}

func code(err error) fault.Code {
	if err == nil {
		return ""
	}
	return fault.From(err).Code
}

var created = replay.Answer{Status: 201, Type: "application/json; charset=utf-8", Body: []byte("{\"data\":\"\\u0000 ü\"}\n")}

func TestReplaysTheFirstAnswer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		r := request("k")
		first := lock(t, s, r)
		if first.ID != r.ID || first.Again {
			t.Errorf("%+v", first)
		}
		if err := first.Finish(t.Context(), created); err != nil {
			t.Fatal(err)
		}
		for _, s := range []*replay.Service{s, h.process(t, "two"), h.process(t, "one")} {
			again := begin(t, s, request("k"))
			if again.Answer == nil || again.Answer.Status != 201 || again.Answer.Type != created.Type || !bytes.Equal(again.Answer.Body, created.Body) {
				t.Errorf("%+v", again)
			}
			different := request("k")
			different.Fingerprint = "g"
			if _, err := s.Begin(t.Context(), different); code(err) != fault.IdempotencyConflict {
				t.Errorf("another body: %v", err)
			}
		}
		for _, other := range []replay.Scope{{Workspace: "w", Route: "r", Key: "K"}, {Workspace: "w", Route: "s", Key: "k"}, {Workspace: "x", Route: "r", Key: "k"}} {
			r := request("k")
			r.Scope = other
			lock(t, s, r).Leave()
		}
	})
}

func TestOfTwinsOneGetsATurnAndAllGetItsAnswer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		processes := []*replay.Service{h.process(t, "one"), h.process(t, "two")}
		var locks atomic.Int32
		var wg sync.WaitGroup
		for key := range 12 {
			for twin := range 10 {
				wg.Go(func() {
					got, err := processes[twin%2].Begin(t.Context(), request(fmt.Sprint(key)))
					if err != nil {
						t.Error(err)
						return
					}
					want := fmt.Sprintf("answer %d", key)
					if got.Answer == nil {
						locks.Add(1)
						if err := got.Finish(t.Context(), replay.Answer{Status: 201, Body: []byte(want)}); err != nil {
							t.Error(err)
						}
						return
					}
					if string(got.Answer.Body) != want {
						t.Errorf("%q, want %q", got.Answer.Body, want)
					}
				})
			}
		}
		wg.Wait()
		if locks.Load() != 12 {
			t.Errorf("%d locks for 12 keys", locks.Load())
		}
	})
}

func TestWhatIsFreedWasNeverUsed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		if err := lock(t, s, request("k")).Free(t.Context()); err != nil {
			t.Fatal(err)
		}
		r := request("k")
		r.Fingerprint = "another"
		if got := lock(t, s, r); got.Again || got.ID != r.ID {
			t.Errorf("%+v", got)
		}
	})
}

func TestAnEndedTurnHasEnded(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		first := lock(t, s, request("k"))
		if err := first.Finish(t.Context(), created); err != nil {
			t.Fatal(err)
		}
		first.Leave()
		if err := first.Free(t.Context()); !errors.Is(err, replay.ErrLost) && err != nil {
			t.Error(err)
		}
	})
}

func TestATurnThatWasLeftIsTakenUpUnderItsID(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		first := lock(t, s, request("k"))
		waiting := make(chan *replay.Lock)
		go func() {
			twin, err := s.Begin(t.Context(), request("k"))
			if err != nil {
				t.Error(err)
			}
			waiting <- twin
		}()
		first.Leave()
		second := <-waiting
		if second == nil || second.Answer != nil || !second.Again || second.ID != first.ID {
			t.Fatalf("%+v, want the id %s again", second, first.ID)
		}
		second.Leave()
		second.Leave() // nothing happens
		if third := lock(t, s, request("k")); !third.Again || third.ID != first.ID {
			t.Errorf("%+v", third)
		}
	})
}

func TestADeadProcessesTurnIsTakenUp(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		dead := lock(t, h.process(t, "one"), request("k"))
		h.pass(7 * time.Second)
		alive := h.process(t, "two")
		next := lock(t, alive, request("k"))
		if !next.Again || next.ID != dead.ID {
			t.Errorf("%+v, want the id %s again", next, dead.ID)
		}
		// It was only slow: what it made stands under the same id, and its answer is late.
		if err := dead.Finish(t.Context(), replay.Answer{Status: 201, Body: []byte("late")}); !errors.Is(err, replay.ErrLost) {
			t.Errorf("finish: %v", err)
		}
		if err := next.Finish(t.Context(), created); err != nil {
			t.Fatal(err)
		}
		if got := begin(t, alive, request("k")); got.Answer == nil || !bytes.Equal(got.Answer.Body, created.Body) {
			t.Errorf("%+v", got)
		}
	})
}

func TestAProcessAloneTakesUpAtOnce(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		dead := lock(t, h.process(t, "one"), request("k"))
		h.pass(time.Millisecond)
		restarted := replay.New(replay.Options{Store: h, Node: "two", Alone: true, Now: h.clock})
		if next := lock(t, restarted, request("k")); !next.Again || next.ID != dead.ID {
			t.Errorf("%+v, want the id %s again", next, dead.ID)
		}
	})
}

func TestAnswersAreForgottenAfterADay(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		for _, key := range []string{"a", "b"} {
			if err := lock(t, s, request(key)).Finish(t.Context(), created); err != nil {
				t.Fatal(err)
			}
		}
		h.pass(24*time.Hour - time.Second)
		if got := begin(t, s, request("a")); got.Answer == nil {
			t.Error("forgotten too early")
		}
		if n, err := s.Sweep(t.Context()); n != 0 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
		h.pass(2 * time.Second)
		r := request("a")
		r.Fingerprint = "another"
		if got := lock(t, s, r); got.Again || got.ID != r.ID {
			t.Errorf("%+v", got)
		}
		if n, err := s.Sweep(t.Context()); n != 1 || err != nil {
			t.Errorf("swept %d, %v", n, err)
		}
	})
}

func TestAClientThatGoesStopsWaiting(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		one, two := h.process(t, "one"), h.process(t, "two")
		lock(t, one, request("k"))
		gone := errors.New("the client is gone")
		for _, s := range []*replay.Service{one, two} {
			ctx, cancel := context.WithCancelCause(t.Context())
			cancelled := time.AfterFunc(20*time.Millisecond, func() { cancel(gone) })
			if _, err := s.Begin(ctx, request("k")); err == nil {
				t.Error("got a lock")
			}
			cancelled.Stop()
			cancel(nil)
		}
		// A client that stopped waiting is in no other's way.
		h.pass(time.Minute)
		if next := lock(t, h.process(t, "two"), request("k")); !next.Again {
			t.Errorf("%+v", next)
		}
		if next := lock(t, two, request("other")); next.Again {
			t.Errorf("%+v", next)
		}
	})
}

func TestABrokenStoreLeavesNothingBusy(t *testing.T) {
	t.Parallel()
	databaseURL, folder := template.Place(t, "sqlite")
	s, err := store.Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	service := replay.New(replay.Options{Store: s, Node: "one", Now: time.Now})
	held := lock(t, service, request("held"))
	s.Close()
	if err := held.Finish(t.Context(), created); err == nil {
		t.Error("finished on a closed database")
	}
	for range 2 { // the second would wait if the first were still busy
		if _, err := service.Begin(t.Context(), request("held")); code(err) != fault.Internal {
			t.Errorf("%v", err)
		}
	}
}

func TestWhichStatusesCount(t *testing.T) {
	t.Parallel()
	for status, want := range map[int]bool{
		200: true, 201: true, 204: true, 400: true, 404: true, 415: true, 422: true,
		304: false, 401: false, 402: false, 403: false, 405: false, 409: false, 413: false, 429: false, 500: false, 501: false, 502: false, 503: false, 504: false,
	} {
		if got := replay.Counts(status); got != want {
			t.Errorf("%d: %v", status, got)
		}
	}
}
