package limit

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"stele/internal/fault"
	"stele/internal/price"
)

// Ask is a call with the most that it can take.
type Ask struct {
	Call
	Input  int64        // tokens, at most
	Output int64        // tokens, at most
	Least  int64        // as many of output are worth asking for
	Sheet  *price.Sheet // what it is charged by, in whatever service tier: an account may have another one than its clients ask for; nil: it has no price

	reckoned bool // what follows is known
	dearest  int64
}

// of is what a call takes of a measure, at most.
func (a *Ask) of(m Measure) int64 {
	if m == Concurrent {
		return 1
	}
	if m == Dollars && a.Sheet != nil && !a.reckoned { // a call may fall under several budgets
		a.dearest, a.reckoned = int64(price.Dearest(a.Sheet, a.Input, a.Output)), true
	}
	return Used{Nano: a.dearest, Input: a.Input, Output: a.Output}.of(m)
}

// fit is the most output that takes no more than n of a measure, or -1 where even none does.
func (a *Ask) fit(m Measure, n int64) int64 {
	low, high := int64(-1), a.Output
	for low < high {
		middle := low + (high-low+1)/2
		if (&Ask{Input: a.Input, Output: middle, Sheet: a.Sheet}).of(m) <= n {
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
	ended   atomic.Bool
	parts   []part
	few     [fewLimits]part               // the parts of most holds
	told    [fewLimits / 2]fault.Standing // what callers are told of most
}

// fewLimits is how many most calls fall under. More cost an allocation.
const fewLimits = 4

// part is what a call holds of a counter.
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
	h := &Hold{service: s, began: now}
	h.parts = h.few[:0]
	for _, p := range s.parts(h.few[:0], &a.Call, now) {
		if p.of.rule.kind.Measure == Generations {
			continue // those of tasks
		}
		if l := p.of.rule.limit(); l.Measure == Dollars && a.Sheet == nil {
			if !l.Soft && !l.Unpriced {
				return nil, s.refused(l, unpriced(l, a.Model))
			}
			continue
		}
		h.parts = append(h.parts, p)
	}
	if len(h.parts) == 0 {
		return nil, nil //nolint:nilnil // no limit, no hold
	}
	if err := h.take(ctx, &a); err != nil {
		return nil, err
	}
	return h, nil
}

// take holds of all counters, or refuses the call. Then nothing is held.
func (h *Hold) take(ctx context.Context, a *Ask) error {
	s, until := h.service, h.began.Add(patience)
	for {
		short := h.tryAll(a)
		if short == nil {
			h.Output = a.Output
			return nil
		}
		if c := short.of; c.isGone() {
			short.of = c.rule.counter(c.name.Subject, h.began)
			continue
		}
		if err := s.makeRoom(ctx, short, a, until); err != nil {
			if e, ok := errors.AsType[*fault.Error](err); ok {
				e.Limits = h.Standings(s.Now())
			}
			return err
		}
		h.began = s.Now()
		for _, p := range h.parts {
			p.of.touch(h.began)
		}
	}
}

// tryAll holds of all counters, or of none; then the result is the one that has too little.
func (h *Hold) tryAll(a *Ask) (short *part) {
	for i := range h.parts {
		p := &h.parts[i]
		var ok bool
		if p.n, ok = p.of.try(a, h.began); !ok {
			for _, held := range h.parts[:i] {
				held.of.settle(held.n, 0, h.began)
			}
			return p
		}
	}
	return nil
}

// makeRoom returns when trying again makes sense: the counter that was short has more, or
// the call asks for less.
func (s *Service) makeRoom(ctx context.Context, short *part, a *Ask, until time.Time) error {
	c, n := short.of, short.n
	if err := c.ask(ctx, s, n); err != nil {
		if c.lend(n, s.Now()) {
			return nil
		}
		return s.refused(c.rule.limit(), unreachable(c.rule.limit(), err))
	}
	if c.enough(n, s.Now()) {
		return nil
	}
	if !c.rule.durable {
		return s.refused(c.rule.limit(), c.refusal(n, s.Now()))
	}
	most, pending := c.room(s.Now())
	if pending && s.Now().Before(until) {
		select {
		case <-c.wait():
		case <-time.After(lookAgain): // other servers do not tell
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
	if output := a.fit(c.rule.kind.Measure, most); !c.rule.limit().Refuse && output >= max(1, min(a.Least, a.Output)) && output < a.Output {
		a.Output, a.reckoned = output, false
		return nil
	}
	if pending {
		return s.refused(c.rule.limit(), busy(c.rule.limit()))
	}
	return s.refused(c.rule.limit(), c.refusal(n, s.Now()))
}

// Settle ends a hold with what the call took, and returns what is to be written down
// with its row. Only the first call counts.
func (h *Hold) Settle(u Used) []Charge {
	return h.settle(make([]Charge, 0, fewLimits), u) // small enough to be inlined: the list is on the caller's stack
}

func (h *Hold) settle(charges []Charge, u Used) []Charge {
	if h == nil || h.ended.Swap(true) {
		return charges
	}
	for _, p := range h.parts {
		actual := u.of(p.of.rule.kind.Measure)
		id := p.of.settle(p.n, actual, h.began)
		if p.of.rule.durable && actual != 0 {
			charges = append(charges, Charge{id, actual})
		}
	}
	return charges
}

// Release ends a hold of which nothing was taken.
func (h *Hold) Release() {
	if h == nil || h.ended.Swap(true) {
		return
	}
	for _, p := range h.parts {
		p.of.settle(p.n, 0, h.began)
	}
}

// Standings say how the limits stand that the call falls under, except budgets: those are
// no rates, which is what callers are told of. The list is the hold's, until the next call.
func (h *Hold) Standings(now time.Time) []fault.Standing {
	if h == nil {
		return nil
	}
	list := h.told[:0]
	for _, p := range h.parts {
		if p.of.rule.kind.Measure != Dollars {
			list = append(list, p.of.stands(now))
		}
	}
	return list
}
