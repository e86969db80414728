package limit

import (
	"context"
	"testing"
	"time"
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
		Input: 200, Output: 30000, Least: 16, Cost: func(in, out int64) int64 { return 2000*in + 8000*out },
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

// TestACallUnderLimitsTakesThreeAllocations are its hold, what is said of the limits, and
// what is written down with its row.
func TestACallUnderLimitsTakesThreeAllocations(t *testing.T) {
	s, a := company(t)
	if n := testing.AllocsPerRun(100, func() { serve(t, s, a) }); n > 3 {
		t.Errorf("%v allocations", n)
	}
}
