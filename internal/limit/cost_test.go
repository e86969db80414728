package limit

import (
	"context"
	"testing"
	"time"

	"stele/internal/price"
)

// generous is a store that gives whatever is asked for.
type generous struct {
	Store
	limits []Limit
	ids    int64
}

func (g *generous) LimitRevision(context.Context) (int64, error) { return 1, nil }
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

// serve is what limits do for one call.
func serve(t testing.TB, s *Service, a Ask) {
	t.Helper()
	hold, err := s.Reserve(t.Context(), a)
	if err != nil {
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
	b.ReportAllocs()
	for b.Loop() {
		serve(b, s, a)
	}
}

// TestACallUnderLimitsTakesTwoAllocations are its hold, with what is said of the limits, and
// what is written down with its row.
func TestACallUnderLimitsTakesTwoAllocations(t *testing.T) {
	s, a := company(t)
	if n := testing.AllocsPerRun(100, func() { serve(t, s, a) }); n > 2 {
		t.Errorf("%v allocations", n)
	}
}

// TestACallFindsACounterThatIsForgottenMeanwhile has a counter go between being found and
// being held of: what the call holds is on lease of the one that is known, or nobody would
// give it back.
func TestACallFindsACounterThatIsForgottenMeanwhile(t *testing.T) {
	t.Parallel()
	s, a := company(t)
	now := s.Now()
	h := &Hold{service: s, began: now, parts: s.parts(nil, &a.Call, now)}
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
	if held != len(h.parts) || s.parts(nil, &a.Call, now)[0].of != h.parts[0].of {
		t.Errorf("%d of %d counters are known", held, len(h.parts))
	}
}
