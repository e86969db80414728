package limit

import (
	"context"
	"slices"
	"testing"
	"time"
)

// toldStore notes what is told to the others.
type toldStore struct {
	Store
	told []map[int64]int64
}

func (s *toldStore) ShareOut(_ context.Context, _ string, demand map[int64]int64, _ time.Time) (map[int64]Share, error) {
	s.told = append(s.told, demand)
	shares := make(map[int64]Share, len(demand))
	for id, n := range demand {
		shares[id] = Share{Demand: n, All: n}
	}
	return shares, nil
}

// A name that is asked for once is told of until that has ended, and no more.
func TestWhatIsNotAskedForIsNotToldOf(t *testing.T) {
	t.Parallel()
	db := new(toldStore)
	s := New(Options{Store: db, Now: time.Now})
	l := Limit{ID: "lim_1", Measure: Requests, Window: Minute, Amount: 10}
	r := newRule(l)
	s.rules.Store(&rules{byID: map[string]*rule{l.ID: r}, all: []*rule{r}})
	for id, subject := range []string{"once", "never"} {
		r.counter(subject, time.Now()).id = int64(id + 1)
	}
	r.counter("once", time.Now()).demand = 1
	for range 6 {
		s.each(func(c *counter) { c.tick() })
		if err := s.shareOut(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	for _, demand := range db.told {
		if _, told := demand[2]; told {
			t.Error("what is never asked for is told of")
		}
	}
	last := db.told[len(db.told)-1]
	if n := len(db.told); n < 2 || n > 4 || last[1] != 0 {
		t.Errorf("told %d times, at last of %v", n, last)
	}
}

// A server that has the database for itself tells none of it, and a limit that is changed
// holds for it all the same.
func TestAServerAloneHasItsLimitsWhole(t *testing.T) {
	t.Parallel()
	s := New(Options{Now: time.Now, Alone: true}) // without a store: it would panic if it were asked
	l := Limit{ID: "lim_1", Measure: Requests, Window: Minute, Amount: 10}
	r := newRule(l)
	s.rules.Store(&rules{byID: map[string]*rule{l.ID: r}, all: []*rule{r}})
	c := r.counter("", time.Now())
	c.id, c.demand = 1, 5
	larger := l
	larger.Amount = 40
	r.current.Store(&larger)
	s.each(func(c *counter) { c.tick() })
	if err := s.shareOut(t.Context(), time.Now()); err != nil {
		t.Fatal(err)
	}
	if c.share != 40 {
		t.Errorf("its share is %d of 40", c.share)
	}
}

// What is asked for goes up and down: that alone gives nothing back. What is not asked
// for any more goes back whole.
func TestALittleMoreThanIsKeptIsNotGivenBack(t *testing.T) {
	t.Parallel()
	s := New(Options{Now: time.Now})
	l := Limit{ID: "lim_1", Measure: Dollars, Window: Total, Amount: 1 << 40}
	r := newRule(l)
	s.rules.Store(&rules{byID: map[string]*rule{l.ID: r}, all: []*rule{r}})
	c := r.counter("", time.Now())
	c.id, c.lease, c.spent = 1, 1200, 90
	for _, step := range []struct{ keeps, back int64 }{{1000, 0}, {800, 310}, {800, 0}, {0, 800}} {
		if got := s.takeUnused(func(*counter) (keep, slack int64) { return step.keeps, step.keeps / 4 })[1]; got != step.back {
			t.Errorf("keeping %d it gives %d back, not %d", step.keeps, got, step.back)
		}
	}
}

// returnedStore counts what is given back.
type returnedStore struct {
	Store
	statements int
	n          int64
}

func (s *returnedStore) GiveBack(_ context.Context, _ string, _ int64, unused map[int64]int64) error {
	s.statements++
	s.n += unused[1]
	return nil
}

// What was taken of a limit that slides becomes free again with every beat of the next
// minute. It does not take a statement each time, and at the end nothing is left.
func TestWhatFadesIsGivenBackInFewPieces(t *testing.T) {
	t.Parallel()
	for name, taken := range map[string]int64{"little": 60, "all": 6000} {
		now := time.Unix(1_000_000, 0)
		db := new(returnedStore)
		s := New(Options{Store: db, Now: func() time.Time { return now }, Alone: true})
		l := Limit{ID: "lim_1", Measure: Tokens, Window: Minute, Amount: 6000}
		r := newRule(l)
		s.rules.Store(&rules{byID: map[string]*rule{l.ID: r}, all: []*rule{r}})
		c := r.counter("", now)
		c.id, c.lease, c.used = 1, taken, uint32(now.Unix())
		for i := range int64(60) { // a minute of load lies behind
			c.recent.add(now.Add(time.Duration(i-60)*time.Second), taken/60)
		}
		for range 140 {
			now = now.Add(beat)
			if err := s.giveBack(t.Context(), func(c *counter) (int64, int64) { return c.keeps(now, true) }); err != nil {
				t.Fatal(err)
			}
			s.forget(now)
		}
		if db.n != taken || db.statements > 60 || taken == 60 && db.statements > 2 || len(r.counters) != 0 {
			t.Errorf("%s: %d of %d are given back with %d statements, %d counters are left", name, db.n, taken, db.statements, len(r.counters))
		}
	}
}

// What was on lease of a limit when it was higher is not used up first.
func TestALimitThatIsLoweredHoldsWithTheNextBeat(t *testing.T) {
	t.Parallel()
	db := &changedStore{list: []Limit{{ID: "lim_1", Measure: Requests, Window: Day, Amount: 1000}}}
	s := New(Options{Store: db, Now: time.Now})
	load := func(amount int64) {
		t.Helper()
		db.list[0].Amount = amount
		db.revision++
		if err := s.Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	load(1000)
	c := s.rules.Load().byID["lim_1"].counter("", time.Now())
	c.id, c.lease, c.spent, c.held, c.rate = 1, 50, 10, 2, 10
	beat := func() int64 {
		return s.takeUnused(func(c *counter) (keep, slack int64) { return c.keeps(time.Now(), true) })[1]
	}
	for _, step := range []struct{ amount, back, lease int64 }{{2000, 18, 32}, {5, 20, 12}, {6, 0, 12}} {
		if load(step.amount); beat() != step.back || c.lease != step.lease {
			t.Errorf("at %d it has %d on lease", step.amount, c.lease)
		}
	}
}

// changedStore has limits that are changed.
type changedStore struct {
	Store
	list     []Limit
	revision int64
}

func (s *changedStore) LimitRevision(context.Context) (int64, error) { return s.revision, nil }
func (s *changedStore) Limits(context.Context) ([]Limit, error)      { return slices.Clone(s.list), nil }
