package replay_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/fault"
	"stele/internal/replay"
)

var stream = replay.Head{Status: 200, Type: "text/event-stream", Header: `{"A":"b"}`}

// unmade is an answer that must not be made.
func unmade(t *testing.T) replay.Making {
	t.Helper()
	return replay.Making{
		Make: func(context.Context, *replay.Take) replay.Result {
			t.Error("made a second time")
			return replay.Result{Err: errors.New("made a second time")}
		},
		Lost: func(r replay.Remains) replay.Answer {
			return replay.Answer{Status: max(r.Head.Status, 409), Type: r.Head.Type, Body: []byte("!" + r.Request), Ending: replay.Cut}
		},
		Linger: time.Minute, Most: 1 << 20,
	}
}

// making is an answer that do makes, in a goroutine of its own.
func making(t *testing.T, do func(ctx context.Context, take *replay.Take) replay.Result) replay.Making {
	t.Helper()
	m := unmade(t)
	m.Make, m.Request = do, "req_1"
	return m
}

func record(t *testing.T, s *replay.Service, r replay.Request, m replay.Making) *replay.Follower {
	t.Helper()
	f, err := s.Record(t.Context(), r, m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Leave)
	return f
}

// rest reads an answer to its end.
func rest(t *testing.T, f *replay.Follower) (text string, last replay.Part, err error) {
	t.Helper()
	for {
		part, err := f.Next(t.Context())
		if err != nil {
			return text, part, err
		}
		if text += string(part.Bytes); part.Ended {
			return text, part, nil
		}
	}
}

// wantRest reads an answer that must end so.
func wantRest(t *testing.T, f *replay.Follower, want string, cut, replayed bool) {
	t.Helper()
	text, last, err := rest(t, f)
	if err != nil || text != want || last.Cut != cut || f.IsReplay() != replayed {
		t.Errorf("%q, cut %v, replayed %v, %v; want %q", text, last.Cut, f.IsReplay(), err, want)
	}
}

func TestAnAnswerIsFollowedWhereverItIsMade(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		one, two := h.process(t, "one"), h.process(t, "two")
		goOn := make(chan struct{})
		first := record(t, one, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			if err := take.MarkAsked(ctx); err != nil {
				t.Error(err)
			}
			take.Begin(stream)
			for _, word := range []string{"a", "b"} {
				if err := take.Write(ctx, []byte(word)); err != nil {
					t.Error(err)
				}
				take.Flush(ctx)
				<-goOn
			}
			return replay.Result{}
		}))
		if part, err := first.Next(t.Context()); err != nil || string(part.Bytes) != "a" || part.Head != stream || part.Ended {
			t.Fatalf("%+v, %v", part, err)
		}
		twins := []*replay.Follower{record(t, one, request("k"), unmade(t)), record(t, two, request("k"), unmade(t))}
		for _, f := range twins { // before it is over
			if part, err := f.Next(t.Context()); err != nil || string(part.Bytes) != "a" || part.Head != stream || part.Ended {
				t.Fatalf("%+v, %v", part, err)
			}
		}
		different := request("k")
		different.Fingerprint = "g"
		for _, s := range []*replay.Service{one, two} {
			if _, err := s.Record(t.Context(), different, unmade(t)); code(err) != fault.IdempotencyConflict {
				t.Errorf("another body: %v", err)
			}
		}
		goOn <- struct{}{}
		goOn <- struct{}{}
		wantRest(t, first, "b", false, false)
		for _, f := range twins {
			wantRest(t, f, "b", false, true)
		}
		for _, s := range []*replay.Service{one, two, h.process(t, "three")} {
			wantRest(t, record(t, s, request("k"), unmade(t)), "ab", false, true)
		}
	})
}

func TestADeadProcessesAnswerEndsOnceForAll(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		dead := h.process(t, "dead")
		goOn := make(chan struct{})
		first := record(t, dead, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			_ = take.MarkAsked(ctx)
			take.Begin(stream)
			_ = take.Write(ctx, []byte("a"))
			take.Flush(ctx)
			<-goOn
			_ = take.Write(ctx, []byte("late"))
			take.Flush(ctx)
			return replay.Result{}
		}))
		if _, err := first.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		h.pass(time.Minute)
		next := h.process(t, "next")
		for range 2 {
			wantRest(t, record(t, next, request("k"), unmade(t)), "a!req_1", true, true)
		}
		close(goOn) // it was only slow
		if text, _, err := rest(t, first); code(err) != fault.IdempotencyOutcomeUnknown || text != "" {
			t.Errorf("%q, %v", text, err)
		}
		wantRest(t, record(t, dead, request("k"), unmade(t)), "a!req_1", true, true)
	})
}

func TestWhatWasNotAskedForIsMadeByTheNext(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		dead, began, release := h.process(t, "dead"), make(chan struct{}), make(chan struct{})
		record(t, dead, request("k"), making(t, func(context.Context, *replay.Take) replay.Result {
			close(began)
			<-release
			return replay.Result{Err: errors.New("dead")}
		}))
		defer close(release)
		<-began
		alone := replay.New(replay.Options{Store: h, Node: "alone", Alone: true, Now: h.clock})
		var made atomic.Int32
		h.pass(time.Minute)
		for range 2 {
			f := record(t, alone, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
				made.Add(1)
				take.Begin(replay.Head{Status: 400, Type: "application/json"})
				_ = take.Write(ctx, []byte("no"))
				return replay.Result{}
			}))
			if text, last, err := rest(t, f); text != "no" || last.Head.Status != 400 || err != nil {
				t.Errorf("%q %+v %v", text, last, err)
			}
		}
		if made.Load() != 1 {
			t.Errorf("made %d times", made.Load())
		}
	})
}

// unsent is a list of claims that no process outlives in a test: what is put down stays there.
type unsent struct {
	put   chan string
	never chan struct{}
}

func (u unsent) Put(claim string) { u.put <- claim }

func (u unsent) Strike(string) error {
	<-u.never
	return errors.New("dead")
}

func TestWhatWasMarkedAndNeverSentIsMadeByTheNext(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		h.process(t, "dead") // it beats
		list := unsent{make(chan string, 1), make(chan struct{})}
		dead := replay.New(replay.Options{Store: h, Node: "dead", Now: h.clock, Unsent: list})
		record(t, dead, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			return replay.Result{Err: take.MarkAsked(ctx)}
		}))
		defer close(list.never)
		claim := <-list.put
		for marked := false; !marked; {
			pieces, err := h.Pieces(t.Context(), claim, 0)
			if err != nil {
				t.Fatal(err)
			}
			marked = len(pieces) == 1
		}
		h.pass(time.Minute)
		next := h.process(t, "next")
		for _, owner := range []string{"another", "dead"} { // only that of the dead is taken back
			if err := next.ForgetUnsent(t.Context(), owner, []string{"kept_other", claim}); err != nil {
				t.Fatal(err)
			}
			if pieces, err := h.Pieces(t.Context(), claim, 0); err != nil || (len(pieces) == 0) != (owner == "dead") {
				t.Errorf("of %s: %v, %v", owner, pieces, err)
			}
		}
		made := 0
		f := record(t, next, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			made++
			take.Begin(stream)
			return replay.Result{Err: errors.Join(take.MarkAsked(ctx), take.Write(ctx, []byte("a")))}
		}))
		wantRest(t, f, "a", false, false)
		if made != 1 {
			t.Errorf("made %d times", made)
		}
		if err := next.ForgetUnsent(t.Context(), "next", []string{claim}); err != nil { // it is answered
			t.Fatal(err)
		}
		wantRest(t, record(t, next, request("k"), unmade(t)), "a", false, true)
	})
}

func TestNothingIsSentThatStaysOnTheListOfTheUnsent(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		list := unsent{make(chan string, 1), make(chan struct{})}
		close(list.never)
		s := replay.New(replay.Options{Store: h, Node: "one", Now: h.clock, Unsent: list})
		var marked error
		f := record(t, s, request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			marked = take.MarkAsked(ctx)
			return replay.Result{Err: marked, Free: !take.WasAsked()}
		}))
		if _, _, err := rest(t, f); err == nil || marked == nil {
			t.Errorf("%v, %v", marked, err)
		}
		f = record(t, h.process(t, "two"), request("k"), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			take.Begin(stream)
			return replay.Result{Err: take.Write(ctx, []byte("a"))}
		}))
		wantRest(t, f, "a", false, false)
	})
}

func TestOfManyTwinsOneMakesTheAnswer(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		processes := []*replay.Service{h.process(t, "one"), h.process(t, "two")}
		var made atomic.Int32
		var wg sync.WaitGroup
		for i := range 120 {
			wg.Go(func() {
				key := fmt.Sprint(i % 10)
				f := record(t, processes[i%2], request(key), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
					made.Add(1)
					_ = take.MarkAsked(ctx)
					take.Begin(stream)
					for range 20 {
						_ = take.Write(ctx, []byte(key))
						take.Flush(ctx)
					}
					return replay.Result{}
				}))
				if text, _, err := rest(t, f); err != nil || text != strings.Repeat(key, 20) {
					t.Errorf("%q, %v", text, err)
				}
			})
		}
		wg.Wait()
		if made.Load() != 10 {
			t.Errorf("%d answers were made for 10 keys", made.Load())
		}
	})
}

func TestWhatFailedIsToldToAllAndFreed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		busy := fault.New(fault.RateLimited, "Later.")
		release := make(chan struct{})
		m := making(t, func(context.Context, *replay.Take) replay.Result {
			<-release
			return replay.Result{Err: busy, Free: true}
		})
		followers := []*replay.Follower{record(t, s, request("k"), m), record(t, s, request("k"), unmade(t))}
		close(release)
		for _, f := range followers {
			if _, _, err := rest(t, f); !errors.Is(err, busy) {
				t.Errorf("%v", err)
			}
		}
		other := request("k")
		other.Fingerprint = "g"
		wantRest(t, record(t, s, other, making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			take.Begin(stream)
			_ = take.Write(ctx, []byte("a"))
			return replay.Result{}
		})), "a", false, false)
	})
}

func TestWhatFailedAfterItWasAskedForIsLost(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s, broken := h.process(t, "one"), errors.New("broken")
		for key, write := range map[string]string{"begun": "a", "asked": ""} {
			f := record(t, s, request(key), making(t, func(ctx context.Context, take *replay.Take) replay.Result {
				_ = take.MarkAsked(ctx)
				if write != "" {
					take.Begin(stream)
					_ = take.Write(ctx, []byte(write))
				}
				return replay.Result{Err: broken}
			}))
			if _, _, err := rest(t, f); !errors.Is(err, broken) {
				t.Errorf("%v", err)
			}
			wantRest(t, record(t, h.process(t, "two"), request(key), unmade(t)), "!req_1", true, true)
		}
	})
}

func TestWhatIsNotKeptIsGivenOnce(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*replay.Making){
		"too long": func(m *replay.Making) { m.Most = 10 }, "private": func(m *replay.Making) { m.Private = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(t *testing.T, h *house) {
				s, r := h.process(t, "one"), request("k")
				m := making(t, func(ctx context.Context, take *replay.Take) replay.Result {
					_ = take.MarkAsked(ctx)
					take.Begin(stream)
					for range 5 {
						if err := take.Write(ctx, []byte("abcd")); err != nil {
							t.Error(err)
						}
						take.Flush(ctx)
					}
					return replay.Result{}
				})
				change(&m)
				wantRest(t, record(t, s, r, m), strings.Repeat("abcd", 5), false, false)
				if _, _, err := rest(t, record(t, s, request("k"), unmade(t))); code(err) != fault.IdempotencyNotKept {
					t.Errorf("%v", err)
				}
				kept, err := h.Pieces(t.Context(), r.ID, 1)
				if err != nil || m.Private && len(kept) > 0 {
					t.Errorf("%d pieces are kept, %v", len(kept), err)
				}
			})
		})
	}
}

func TestAnAnswerIsGivenUpWhenNoClientComesBack(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, h *house) {
		s := h.process(t, "one")
		gone := make(chan error, 1)
		m := making(t, func(ctx context.Context, take *replay.Take) replay.Result {
			_ = take.MarkAsked(ctx)
			take.Begin(stream)
			_ = take.Write(ctx, []byte("a"))
			take.Flush(ctx)
			<-ctx.Done()
			gone <- context.Cause(ctx)
			_ = take.Write(context.WithoutCancel(ctx), []byte("!"))
			return replay.Result{Cut: true}
		})
		m.Linger = time.Millisecond
		f, err := s.Record(t.Context(), request("k"), m)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.Leave()
		if err := <-gone; !errors.Is(err, context.Canceled) || code(err) != fault.Unavailable {
			t.Errorf("%v", err)
		}
		wantRest(t, record(t, s, request("k"), unmade(t)), "a!", true, true)
		s.Stop(t.Context())
		if _, err := s.Record(t.Context(), request("other"), unmade(t)); code(err) != fault.Unavailable {
			t.Errorf("%v", err)
		}
	})
}
