package limit

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/internal/fault"
)

// Ask is a call with the most that it can take.
type Ask struct {
	Call
	Input  int64                           // tokens, at most
	Output int64                           // tokens, at most
	Least  int64                           // as many of output are worth asking for
	Cost   func(input, output int64) int64 // at most, in billionths of a USD; nil: it has no price
}

// of is what a call takes of a measure, at most.
func (a *Ask) of(m Measure) int64 {
	switch m {
	case Dollars:
		if a.Cost == nil {
			return 0
		}
		return a.Cost(a.Input, a.Output)
	case Tokens:
		return a.Input + a.Output
	case TokensIn:
		return a.Input
	case TokensOut:
		return a.Output
	case Requests, Concurrent:
		return 1
	}
	return 0
}

// fit is the most output that takes no more than n of a measure, or -1 where even none does.
func (a *Ask) fit(m Measure, n int64) int64 {
	low, high := int64(-1), a.Output
	for low < high {
		middle := low + (high-low+1)/2
		if (&Ask{Input: a.Input, Output: middle, Cost: a.Cost}).of(m) <= n {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// Used is what a call truly took.
type Used struct {
	Nano   int64
	Input  int64
	Output int64
}

func (u Used) of(m Measure) int64 {
	switch m {
	case Dollars:
		return u.Nano
	case Tokens:
		return u.Input + u.Output
	case TokensIn:
		return u.Input
	case TokensOut:
		return u.Output
	case Requests:
		return 1
	}
	return 0
}

// Hold is what a call may take. The nil Hold is one without limits.
type Hold struct {
	Output int64 // tokens: less than was asked for where no more could be paid

	service *Service
	began   time.Time
	once    sync.Once
	parts   []part
}

type part struct {
	of *counter
	n  int64
}

// Reserve holds the most that a call can take, of every limit it falls under, or
// refuses it. Where less is left the call gets a smaller bound of output, if that is
// enough for an answer.
func (s *Service) Reserve(ctx context.Context, a Ask) (*Hold, error) {
	if !s.Any(a.Workspace) {
		return nil, nil //nolint:nilnil // no limit, no hold
	}
	now := s.Now()
	var list []*counter
	for _, c := range s.counters(&a.Call, now) {
		if c.rule.kind.Measure == Generations {
			continue // those of tasks
		}
		if l := c.rule.limit(); l.Measure == Dollars && a.Cost == nil {
			if !l.Soft && !l.Unpriced {
				return nil, s.refused(l, unpriced(l, a.Model))
			}
			continue
		}
		list = append(list, c)
	}
	if len(list) == 0 {
		return nil, nil //nolint:nilnil // no limit, no hold
	}
	return s.reserve(ctx, list, &a)
}

// reserve holds of all counters, or refuses the call.
func (s *Service) reserve(ctx context.Context, list []*counter, a *Ask) (*Hold, error) {
	until := s.Now().Add(patience)
	for {
		began := s.Now()
		parts, short := tryAll(list, a, began)
		if short == nil {
			return &Hold{Output: a.Output, service: s, began: began, parts: parts}, nil
		}
		if err := s.makeRoom(ctx, short, a, until); err != nil {
			if e, ok := errors.AsType[*fault.Error](err); ok {
				e.Limits = standings(list, s.Now())
			}
			return nil, err
		}
	}
}

// tryAll holds of all counters, or of none; then the second result is one that has too little.
func tryAll(list []*counter, a *Ask, now time.Time) ([]part, *counter) {
	parts := make([]part, 0, len(list))
	for _, c := range list {
		n := c.need(a)
		if !c.try(n, now) {
			for _, p := range parts {
				p.of.settle(p.n, 0, now)
			}
			return nil, c
		}
		parts = append(parts, part{c, n})
	}
	return parts, nil
}

// makeRoom returns when trying again makes sense: the counter has more, or the call
// asks for less.
func (s *Service) makeRoom(ctx context.Context, c *counter, a *Ask, until time.Time) error {
	m, n := c.rule.kind.Measure, c.need(a)
	if err := c.ask(ctx, s, n); err != nil {
		if c.lend(n, s.Now()) {
			return nil
		}
		return s.refused(c.rule.limit(), unreachable(c.rule.limit(), err))
	}
	if c.enough(n, s.Now()) {
		return nil
	}
	if !c.rule.kind.Durable() {
		return s.refused(c.rule.limit(), c.refusal(n, s.Now()))
	}
	most, pending := c.room(s.Now())
	if pending && s.Now().Before(until) {
		select {
		case <-c.wait():
		case <-time.After(lookAgain): // other servers tell nobody
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
	if output := a.fit(m, most); !c.rule.limit().Refuse && output >= max(1, min(a.Least, a.Output)) && output < a.Output {
		a.Output = output
		return nil
	}
	if pending {
		return s.refused(c.rule.limit(), busy(c.rule.limit()))
	}
	return s.refused(c.rule.limit(), c.refusal(n, s.Now()))
}

// Settle ends a hold with what the call took, and returns what is to be written down
// with its row. Only the first call counts.
func (h *Hold) Settle(u Used) (charges []Charge) {
	if h == nil {
		return nil
	}
	h.once.Do(func() {
		for _, p := range h.parts {
			actual := u.of(p.of.rule.kind.Measure)
			id := p.of.settle(p.n, actual, h.began)
			if p.of.rule.kind.Durable() && actual != 0 {
				charges = append(charges, Charge{id, actual})
			}
		}
	})
	return charges
}

// Release ends a hold of which nothing was taken.
func (h *Hold) Release() {
	if h == nil {
		return
	}
	h.once.Do(func() {
		for _, p := range h.parts {
			p.of.settle(p.n, 0, h.began)
		}
	})
}

// Standings say how the limits stand that the call falls under.
func (h *Hold) Standings() []fault.Standing {
	if h == nil {
		return nil
	}
	list := make([]*counter, len(h.parts))
	for i, p := range h.parts {
		list[i] = p.of
	}
	return standings(list, h.service.Now())
}

func standings(counters []*counter, now time.Time) []fault.Standing {
	list := make([]fault.Standing, len(counters))
	for i, c := range counters {
		st := c.standing(now)
		list[i] = st.told()
	}
	return list
}

// told is what callers are told of it.
func (st *Standing) told() fault.Standing {
	l := st.Limit
	return fault.Standing{Name: l.Name, Measure: string(l.Measure), Amount: l.Amount, Left: st.Left, Window: l.Window.Length(), Reset: st.Reset}
}
