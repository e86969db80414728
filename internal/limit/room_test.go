package limit

import (
	"context"
	"testing"
	"time"

	"stele/internal/price"
)

// crowded is a store in front of which others are faster: what a caller leases is gone when
// it arrives, a few times.
type crowded struct {
	Store
	service *Service
	limits  []Limit
	others  int // that are faster
	asked   int
}

func (s *crowded) LimitRevision(context.Context) (int64, error) { return 0, nil }
func (s *crowded) Limits(context.Context) ([]Limit, error)      { return s.limits, nil }

func (s *crowded) Lease(_ context.Context, _ string, name Counter, l *Limit, need, _ int64) (int64, Balance, error) {
	s.asked++
	if s.others--; s.others >= 0 {
		c := s.service.rules.Load().byID[l.ID].counter(name.Subject, time.Now())
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.sliding {
			c.recent.add(time.Now(), need)
		} else {
			c.spent += need
		}
	}
	leased := int64(s.asked) * need
	return need, Balance{ID: 1, Amount: l.Amount, Leased: leased, Ours: leased}, nil
}

// TestWhatOthersTookMeanwhileIsAskedForAgain: a caller whose lease went to others is not
// refused as long as the limit has more, and is when it has none.
func TestWhatOthersTookMeanwhileIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for _, l := range []Limit{
		{Name: "rate", Measure: Requests, Window: Minute, Amount: 100},
		{Name: "tokens", Measure: Tokens, Window: Minute, Amount: 100_000},
		{Name: "requests of a day", Measure: Requests, Window: Day, Amount: 100},
		{Name: "budget", Measure: Dollars, Window: Day, Amount: 5e8},
	} {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			l.ID, l.Workspace = "lim_1", "w"
			for _, others := range []int{3, 1000} {
				db := &crowded{limits: []Limit{l}, others: others}
				db.service = New(Options{Now: time.Now, Store: db})
				if err := db.service.Load(t.Context()); err != nil {
					t.Fatal(err)
				}
				var h Hold
				a := Ask{Call: Call{Workspace: "w", Key: "k", Model: "m", Provider: "p"}, Input: 100, Output: 1000, Least: 1000, Sheet: price.MustPrice("2 - - 8").Sheet}
				err := db.service.Reserve(t.Context(), &a, &h)
				if others == 3 && (err != nil || db.asked != 4) {
					t.Errorf("asked %d times: %v", db.asked, err)
				}
				if others > 100 && err == nil {
					t.Errorf("asked %d times, it got through", db.asked)
				}
			}
		})
	}
}
