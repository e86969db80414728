package limit

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"
	"unsafe"

	"stele/internal/price"
)

// generous is a store that gives whatever is asked for.
type generous struct {
	Store
	limits   []Limit
	revision int64
	ids      int64
}

func (g *generous) LimitRevision(context.Context) (int64, error) { return g.revision, nil }
func (g *generous) Limits(context.Context) ([]Limit, error)      { return g.limits, nil }

func (g *generous) Lease(context.Context, string, Counter, *Limit, int64, int64) (int64, Balance, error) {
	g.ids++
	return 1 << 60, Balance{ID: g.ids, Amount: 1 << 61, Leased: 1 << 60, Ours: 1 << 60}, nil
}

// company is the limits of one: a budget and a rate of each key, a budget of the
// workspace, tokens of a model.
func company(t testing.TB) (*Service, Ask) {
	t.Helper()
	s := New(Options{Now: time.Now, Store: &generous{limits: []Limit{
		{ID: "lim_1", Workspace: "w", Name: "key", Measure: Dollars, Window: Month, Amount: 1 << 50, Subject: []Selector{{ByKey, Each}}},
		{ID: "lim_2", Workspace: "w", Name: "rate", Measure: Requests, Window: Minute, Amount: 1 << 50, Subject: []Selector{{ByKey, Each}}},
		{ID: "lim_3", Workspace: "w", Name: "all", Measure: Dollars, Window: Month, Amount: 1 << 50},
		{ID: "lim_4", Workspace: "w", Name: "tokens", Measure: Tokens, Window: Day, Amount: 1 << 50, Subject: []Selector{{ByModel, "m"}}},
	}}})
	if err := s.Load(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s, Ask{
		Call:  Call{Workspace: "w", Key: "key_1", Person: "usr_1", Model: "m", Provider: "p"},
		Input: 200, Output: 30000, Least: 16, Sheet: price.MustPrice("2 - - 8").Sheet,
	}
}

// serve is what limits do for one call, whose memory the hold is part of.
func serve(t testing.TB, s *Service, a Ask, hold *Hold) {
	t.Helper()
	if err := s.Reserve(t.Context(), &a, hold); err != nil {
		t.Fatal(err)
	}
	if list := hold.Standings(time.Now()); len(list) == 0 {
		t.Fatal("nothing is said of the limits")
	}
	if text := ChargesText(hold.Settle(Used{Nano: 5000, Input: 100, Output: 100})); text == "" {
		t.Fatal("nothing was charged")
	}
}

func BenchmarkACallUnderLimits(b *testing.B) {
	s, a := company(b)
	var hold Hold
	b.ReportAllocs()
	for b.Loop() {
		serve(b, s, a, &hold)
	}
}

// TestACallUnderLimitsTakesOneAllocation is what is written down with its row.
func TestACallUnderLimitsTakesOneAllocation(t *testing.T) {
	s, a := company(t)
	var hold Hold
	if n := testing.AllocsPerRun(100, func() { serve(t, s, a, &hold) }); n > 1 {
		t.Errorf("%v allocations", n)
	}
}

// TestACallFindsACounterThatIsForgottenMeanwhile has a counter go between being found and
// being held of: what the call holds is on lease of the one that is known, or it would never be
// given back.
func TestACallFindsACounterThatIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	s, a := company(t)
	now := s.Now()
	h := &Hold{service: s, began: now, parts: s.rules.Load().appendParts(nil, &a.Call, now)}
	s.forget(now.Add(2 * idleAfter))
	if err := h.take(t.Context(), &a); err != nil {
		t.Fatal(err)
	}
	held := 0
	s.each(func(c *counter) {
		for _, p := range h.parts {
			if p.of == c && !c.gone {
				held++
			}
		}
	})
	if held != len(h.parts) || s.rules.Load().appendParts(nil, &a.Call, now)[0].of != h.parts[0].of {
		t.Errorf("%d of %d counters are known", held, len(h.parts))
	}
}

// TestCallsFindTheirOwnCounters has calls of several sorts in turns, the first of each before
// its counters are kept and the second after, and again once limits and the day have changed.
func TestCallsFindTheirOwnCounters(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)
	db := &generous{limits: []Limit{
		{ID: "lim_1", Workspace: "w", Measure: Dollars, Window: Day, Amount: 1 << 50, Subject: []Selector{{ByKey, Each}}},
		{ID: "lim_2", Workspace: "w", Measure: Tokens, Window: Minute, Amount: 1 << 50, Subject: []Selector{{ByModel, "m"}}},
		{ID: "lim_3", Measure: Requests, Window: Hour, Amount: 1 << 50, Subject: []Selector{{ByProvider, Each}, {ByPerson, Each}}},
		{ID: "lim_4", Workspace: "w", Measure: Generations, Amount: 1 << 50},
	}}
	s := New(Options{Now: func() time.Time { return now }, Store: db})
	var calls []Call
	for _, workspace := range []string{"w", "v"} {
		for _, key := range []string{"key_1", "key_2"} {
			for _, model := range []string{"m", "n"} {
				for _, provider := range []string{"p", "q"} {
					for _, user := range []string{"", "ann", "bob"} {
						calls = append(calls, Call{Workspace: workspace, Key: key, Person: "usr" + key, User: user, Model: model, Provider: provider})
					}
				}
			}
		}
	}
	changes := []func(){
		func() {},
		func() { now = now.Add(time.Hour) },
		func() { now = now.Add(12 * time.Hour) },
		func() { s.forget(now.Add(time.Hour)) },
		func() {
			db.revision++
			db.limits = append(db.limits, Limit{ID: "lim_5", Workspace: "w", Measure: Requests, Window: Total, Amount: 1 << 50, Subject: []Selector{{ByUser, Each}}})
		},
		func() { db.revision, db.limits = db.revision+1, db.limits[1:] },
	}
	for step, change := range changes {
		change()
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		back := slices.Clone(calls)
		slices.Reverse(back) // so that the next step begins with the last set that was kept
		for _, call := range append(slices.Clone(calls), back...) {
			ask, hold := Ask{Call: call, Input: 1, Output: 1, Sheet: price.MustPrice("2 - - 8").Sheet}, Hold{}
			if err := s.Reserve(t.Context(), &ask, &hold); err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, l := range db.limits {
				if subject, fits := l.subject(&call); fits && l.Measure != Generations {
					want = append(want, l.ID+" "+subject+" "+l.spanAt(now, time.UTC).start.String())
				}
			}
			var got []string
			for _, p := range hold.parts {
				got = append(got, p.of.name.Limit+" "+p.of.name.Subject+" "+p.of.name.Start.String())
				if p.of.gone {
					t.Errorf("step %d, %+v holds of a counter that is forgotten", step, call)
				}
			}
			slices.Sort(got)
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Fatalf("step %d, %+v falls under %q, want %q", step, call, got, want)
			}
			hold.Settle(Used{})
		}
	}
}

// TestACallIsToldHowLimitsStoodWhenItBegan lets another call and three seconds come between.
func TestACallIsToldHowLimitsStoodWhenItBegan(t *testing.T) {
	t.Parallel()
	s, a := company(t)
	now := time.Now()
	s.Options.Now = func() time.Time { return now }
	var first, second Hold
	if err := errors.Join(s.Reserve(t.Context(), &a, &first), s.Reserve(t.Context(), &a, &second)); err != nil {
		t.Fatal(err)
	}
	before := slices.Clone(first.Standings(now))
	after, next := first.Standings(now.Add(3*time.Second)), second.Standings(now)
	for i := range before {
		passed := before[i].Reset - after[i].Reset
		if after[i].Left != before[i].Left || passed != 3*time.Second || next[i].Left > before[i].Left {
			t.Errorf("%s: %+v, then %+v; the next call %+v", before[i].Name, before[i], after[i], next[i])
		}
	}
	if len(before) != 2 || before[0].Terms != `"rate";q=1125899906842624;w=60` {
		t.Errorf("%d limits are told of, the first %q", len(before), before[0].Terms)
	}
}

// TestWhatEveryCallMovesIsOnOneCacheLine looks where counters lie: their size makes it a
// multiple of 64.
func TestWhatEveryCallMovesIsOnOneCacheLine(t *testing.T) {
	t.Parallel()
	const line = 64
	r := newRule(Limit{Measure: Requests, Window: Total, Subject: []Selector{{ByKey, Each}}})
	for i := range 100 {
		c := r.counter(strconv.Itoa(i), time.Now())
		if at, end := uintptr(unsafe.Pointer(c)), unsafe.Offsetof(c.recent); at%line != 0 || end != line {
			t.Fatalf("a counter lies at %x, and it takes %d bytes", at, end)
		}
	}
}
