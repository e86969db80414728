package limit

import (
	"context"
	"errors"
	"slices"
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
	Fast   bool         // a service is asked for that is faster and dearer

	reckoned bool // what follows is known
	dearest  int64
}

// of is what a call takes of a measure, at most.
func (a *Ask) of(m unit) int64 {
	switch m {
	case concurrent:
		return 1
	case dollars:
		if a.Sheet != nil && !a.reckoned { // a call may fall under several budgets
			a.dearest, a.reckoned = int64(price.Dearest(a.Sheet, a.Input, a.Output, a.Fast)), true
		}
		return a.dearest
	}
	return Used{Input: a.Input, Output: a.Output}.of(m)
}

// fit is the most output that takes no more than n of a measure, or -1 where even none does.
func (a *Ask) fit(m unit, n int64) int64 {
	low, high := int64(-1), a.Output
	for low < high {
		middle := low + (high-low+1)/2
		if (&Ask{Input: a.Input, Output: middle, Sheet: a.Sheet, Fast: a.Fast}).of(m) <= n {
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

func (u Used) of(m unit) int64 {
	switch m {
	case dollars:
		return u.Nano
	case tokens:
		return u.Input + u.Output
	case tokensIn:
		return u.Input
	case tokensOut:
		return u.Output
	case requests:
		return 1
	}
	return 0
}

// Hold is what a call may take. It is part of the call's own memory. The zero Hold is one
// without limits.
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

	left  int64 // of the limit, once that is held; of a budget it is not noted
	reset int64 // when it begins anew, in Unix milliseconds, or some of it comes back; 0: never
}

// Reserve holds in h the most that a call can take, of every limit it falls under, or
// refuses it; then h holds nothing. Where less is left the call gets a smaller bound of
// output, if that is enough for an answer.
func (s *Service) Reserve(ctx context.Context, a *Ask, h *Hold) error {
	h.Release()
	h.Output, h.parts, a.reckoned = a.Output, h.few[:0], false
	if s == nil {
		return nil
	}
	all := s.rules.Load()
	h.service, h.began = s, s.Now()
	if kept := all.findSet(&a.Call, h.began); kept != nil {
		for _, c := range kept.counters {
			h.parts = append(h.parts, part{of: c})
		}
	} else {
		h.parts = all.appendParts(h.parts, &a.Call, h.began)
		h.parts = slices.DeleteFunc(h.parts, func(p part) bool { return p.of.unit == generations }) // those of tasks
		all.keepSet(&a.Call, h.parts)
	}
	if a.Sheet == nil {
		if err := h.passUnpriced(a); err != nil {
			h.parts = nil
			return err
		}
	}
	h.ended.Store(false)
	err := h.take(ctx, a)
	if err != nil {
		h.ended.Store(true)
	}
	return err
}

// passUnpriced leaves budgets out that a model without a price passes, or refuses the call.
func (h *Hold) passUnpriced(a *Ask) error {
	for _, p := range h.parts {
		if l := p.of.rule.limit(); p.of.unit == dollars && !l.Soft && !l.Unpriced {
			return h.service.reportRefusal(l, refuseUnpriced(l, a.Model))
		}
	}
	h.parts = slices.DeleteFunc(h.parts, func(p part) bool { return p.of.unit == dollars })
	return nil
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
			s.rules.Load().dropSet(&a.Call)
			short.of = c.rule.counter(c.name.Subject, h.began)
			continue
		}
		if err := s.makeRoom(ctx, short, a, until); err != nil {
			if e, ok := errors.AsType[*fault.Error](err); ok {
				e.Limits = h.look(s.Now())
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
		if !p.try(a, h.began) {
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
		return s.reportRefusal(c.rule.limit(), refuseUnreachable(c.rule.limit(), err))
	}
	if c.enough(n, s.Now()) {
		return nil
	}
	most, pending := c.room(s.Now())
	if most >= n && s.Now().Before(until) {
		return nil // what was leased went to callers who came meanwhile, and there is more
	}
	if !c.durable {
		return s.reportRefusal(c.rule.limit(), c.refuse(n, s.Now()))
	}
	if pending && s.Now().Before(until) {
		select {
		case <-c.wait():
		case <-time.After(lookAgain): // other servers do not tell
		case <-ctx.Done():
			return ctx.Err()
		}
		return nil
	}
	if output := a.fit(c.unit, most); !c.rule.limit().Refuse && output >= max(1, min(a.Least, a.Output)) && output < a.Output {
		a.Output, a.reckoned = output, false
		return nil
	}
	if pending {
		return s.reportRefusal(c.rule.limit(), refuseBusy(c.rule.limit()))
	}
	return s.reportRefusal(c.rule.limit(), c.refuse(n, s.Now()))
}

// Settle ends a hold with what the call took, and returns what is to be written down
// with its row. Only the first call counts.
func (h *Hold) Settle(u Used) []Charge {
	return h.settle(make([]Charge, 0, fewLimits), u) // small enough to be inlined: the list is on the caller's stack
}

func (h *Hold) settle(charges []Charge, u Used) []Charge {
	if len(h.parts) == 0 || h.ended.Swap(true) {
		return charges
	}
	for i := range h.parts {
		p := &h.parts[i]
		actual := u.of(p.of.unit)
		id := p.of.settle(p.n, actual, h.began)
		if p.of.durable && actual != 0 {
			charges = append(charges, Charge{id, actual})
		}
	}
	return charges
}

// Release ends a hold of which nothing was taken.
func (h *Hold) Release() {
	if len(h.parts) == 0 || h.ended.Swap(true) {
		return
	}
	for _, p := range h.parts {
		p.of.settle(p.n, 0, h.began)
	}
}

// Standings say how the limits stood that the call falls under when it began, except
// budgets: those are no rates, which is what callers are told of. When they begin anew is
// reckoned from now. The list is the hold's, until the next call.
func (h *Hold) Standings(now time.Time) []fault.Standing {
	list := h.told[:0]
	for i := range h.parts {
		if p := &h.parts[i]; p.of.unit != dollars {
			list = append(list, p.standing(now))
		}
	}
	return list
}

// look is Standings of a call that was refused: as they stand now. The list is the caller's, since the call may be
// tried elsewhere.
func (h *Hold) look(now time.Time) []fault.Standing {
	for i := range h.parts {
		h.parts[i].look(now)
	}
	return slices.Clone(h.Standings(now))
}
