package limit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"stele/internal/pause"
)

// Portion is what a task holds of a counter from its order to its end.
type Portion struct {
	Counter int64   `json:"counter"`
	Measure Measure `json:"measure"`
	N       int64   `json:"n"`
	Soft    bool    `json:"-"` // it is held where less is left as well
}

// Settle is what a task took of its portions that cost so much: what is written down
// with its row, and what it held until then.
func Settle(list []Portion, nano int64) (taken, released []Charge) {
	for _, p := range list {
		released = append(released, Charge{p.Counter, p.N})
		if n := (Used{Nano: nano}).of(p.Measure.unit()); n != 0 {
			taken = append(taken, Charge{p.Counter, n})
		}
	}
	return taken, released
}

// Short says that a counter has less than a task would hold. Nothing was saved.
type Short struct {
	Balance Balance
	N       int64
}

func (e *Short) Error() string {
	return fmt.Sprintf("counter %d has %d, not %d", e.Balance.ID, e.Balance.Free(), e.N)
}

// TaskHold is what a task to come must find of limits. Its portions are held by the
// transaction that writes the task. The nil TaskHold is one without limits.
type TaskHold struct {
	Portions []Portion

	service  *Service
	until    time.Time
	rates    *Hold // of requests a minute
	counters map[int64]*counter
}

// ReserveTask finds what a task must hold that costs so much. Rates are held at once,
// the rest is for who writes the task.
func (s *Service) ReserveTask(ctx context.Context, call Call, nano int64) (*TaskHold, error) {
	if !s.Any(call.Workspace) {
		return nil, nil //nolint:nilnil // no limit, no hold
	}
	h := &TaskHold{service: s, until: s.Now().Add(patience), counters: make(map[int64]*counter)}
	rates := &Hold{service: s, began: s.Now()}
	for _, c := range s.ofTasks(&call) {
		if c.sliding {
			rates.parts = append(rates.parts, part{of: c})
			continue
		}
		if err := c.find(ctx, s, false); err != nil {
			return nil, err
		}
		p := c.portion(nano)
		h.Portions, h.counters[p.Counter] = append(h.Portions, p), c
	}
	slices.SortFunc(h.Portions, func(a, b Portion) int { return cmp.Compare(a.Counter, b.Counter) })
	if err := rates.take(ctx, &Ask{Call: call}); err != nil {
		return nil, err
	}
	h.rates = rates
	return h, nil
}

// ofTasks are the counters that a task falls under. It holds nothing of most of them, so
// they are looked for again: that has them remembered.
func (s *Service) ofTasks(call *Call) (list []*counter) {
	now := s.Now()
	for _, p := range s.rules.Load().appendParts(nil, call, now) {
		if slices.Contains([]Measure{Dollars, Requests, Generations}, p.of.rule.kind.Measure) {
			list = append(list, p.of.rule.counter(p.of.name.Subject, now))
		}
	}
	return list
}

// find asks the database for the counter where its number is not known, or where a fresh
// balance is wanted.
func (c *counter) find(ctx context.Context, s *Service, fresh bool) error {
	c.mu.Lock()
	known := c.id != 0
	c.mu.Unlock()
	if known && !fresh {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	_, b, err := s.Store.Lease(ctx, s.Node, c.name, c.rule.limit(), 0, 0)
	if err != nil {
		return refuseUnreachable(c.rule.limit(), err)
	}
	c.keepBalance(b, s.Now())
	return nil
}

// keepBalance keeps a balance of the database.
func (c *counter) keepBalance(b Balance, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b.Ours = c.lease
	c.id, c.balance, c.asked = b.ID, b, now
}

// portion is what a task that costs so much holds of the counter.
func (c *counter) portion(nano int64) Portion {
	c.mu.Lock()
	defer c.mu.Unlock()
	p := Portion{Counter: c.id, Measure: c.rule.kind.Measure, N: 1, Soft: c.rule.limit().Soft}
	if p.Measure == Dollars {
		p.N = nano
	}
	return p
}

// Wait returns nil when trying again makes sense after a counter was short: servers give
// back what they have on lease for chats and do not use. Else it refuses the task.
func (h *TaskHold) Wait(ctx context.Context, short *Short) error {
	s, c := h.service, h.counters[short.Balance.ID]
	c.keepBalance(short.Balance, s.Now())
	onLease := short.Balance.Free()+short.Balance.Leased >= short.N && short.Balance.Leased > 0
	if onLease && s.Now().Before(h.until) {
		c.mu.Lock()
		c.short = true // this server gives its part back with the next beat
		c.mu.Unlock()
		return pause.For(ctx, lookAgain)
	}
	if onLease {
		return s.reportRefusal(c.rule.limit(), refuseBusy(c.rule.limit()))
	}
	return s.reportRefusal(c.rule.limit(), c.refuse(short.N, s.Now()))
}

// Release ends the hold of a task that was not written. Its portions were never held.
func (h *TaskHold) Release() {
	if h != nil {
		h.rates.Release()
	}
}

// Preview says how the limits would stand after a task that costs so much, or refuses
// it as its order would be. Nothing is held.
func (s *Service) Preview(ctx context.Context, call Call, nano int64) ([]Standing, error) {
	if !s.Any(call.Workspace) {
		return nil, nil
	}
	var list []Standing
	for _, c := range s.ofTasks(&call) {
		if err := c.find(ctx, s, !c.sliding); err != nil {
			return nil, err
		}
		p, st := c.portion(nano), c.standing(s.Now())
		if !p.Soft && st.Left < p.N {
			return nil, c.refuse(p.N, s.Now())
		}
		st.Left = max(0, st.Left-p.N)
		list = append(list, st)
	}
	return list, nil
}
