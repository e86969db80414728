package limit

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/fault"
	"stele/internal/price"
	"stele/internal/wire"
)

// mostRetry is the longest wait after which a client tries again by itself.
const mostRetry = time.Minute

// usedUp is the part of an amount that may be left of a limit which is used up: what is
// settled seldom comes to the whole of it, because the last of it is less than a call could take.
const usedUp = 50

// refuse says that a counter has less than n.
func (c *counter) refuse(n int64, now time.Time) error {
	st, l := c.standingForCallers(now), c.rule.limit()
	c.reach(st.Left)
	code, after := fault.RateLimited, st.Reset
	what := strings.ReplaceAll(l.Text(), "%", "%%") // names may have it
	sentence := "The limit %q is reached: " + what + "."
	switch l.Measure {
	case Tokens, TokensIn, TokensOut:
		if st.Left > 0 {
			sentence = "The limit %q has " + l.Figure(st.Left) + " left of " + what + ", and this call could take more."
		}
	}
	switch {
	case l.Measure == Dollars:
		code = fault.InsufficientCredits
		sentence = "The budget %q is used up."
		if st.Left > 0 {
			sentence = "The budget %q has " + price.Amount(st.Left).Dollars() + " left of " + price.Amount(l.Amount).Dollars() + ", and this call could cost more."
		}
		if l.Credits {
			sentence = "The prepaid %s of this workspace are used up: " + price.Amount(st.Left).Dollars() + " is left, and this call could cost more."
		}
	case l.Simultaneous():
		code, after = fault.ConcurrencyLimit, time.Second
	case c.sliding:
		c.mu.Lock()
		after = c.recent.until(now, n, max(n, min(c.lease, c.most())))
		c.mu.Unlock()
	}
	if !c.name.End.IsZero() {
		sentence += " It begins anew at " + c.name.End.UTC().Format(time.RFC3339) + "."
	}
	e := fault.New(code, sentence, l.Name).With("limit", l.Name).With("amount", l.Count(l.Amount)).With("left", l.Count(st.Left))
	if !c.name.End.IsZero() {
		e = e.With("resets_at", wire.Time(c.name.End))
	}
	never := n > l.Amount && (!c.durable || l.Refuse) // however long the client waits
	e.RetryAfter, e.Spent = after, after > mostRetry || after == 0 || never
	e.Limits = []fault.Standing{st}
	return asOurs(l, e)
}

// reportRefusal tells that a limit refused a call.
func (s *Service) reportRefusal(l *Limit, why error) error {
	if s.Refused != nil {
		s.Refused(l.Measure)
	}
	return why
}

// reach has it noted that a limit is used up.
func (c *counter) reach(left int64) {
	if !c.durable || left > c.rule.limit().Amount/usedUp {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reached = true
}

// asOurs says that no upstream was asked, and whether another one could be.
func asOurs(l *Limit, e *fault.Error) error {
	e.Ours = true
	e.Elsewhere = slices.ContainsFunc(l.Subject, func(s Selector) bool { return s.By == ByProvider })
	return e
}

// refuseBusy says that the rest of a budget is held by calls under way.
func refuseBusy(l *Limit) error {
	return asOurs(l, fault.New(fault.RateLimited, "The rest of the budget %q is held for calls under way: try again in a moment.", l.Name).
		With("limit", l.Name).After(time.Second))
}

func refuseUnpriced(l *Limit, model string) error {
	e := fault.New(fault.InsufficientCredits, "The budget %q is in dollars, and the model %q has no price: an administrator can give it one, or let models without a price pass.", l.Name, model).
		With("limit", l.Name)
	e.Spent = true
	return asOurs(l, e)
}

func refuseUnreachable(l *Limit, err error) error {
	return asOurs(l, fault.New(fault.Unavailable, "The limit %q cannot be checked now: try again.", l.Name).After(time.Second).Because(err))
}

// Count is an amount of what the limit counts, as programs read it.
func (l *Limit) Count(n int64) string {
	if l.Measure == Dollars {
		return price.Amount(n).Decimal()
	}
	return strconv.FormatInt(n, 10)
}

// Figure is Count for people: $1,234.50 or 2,000,000.
func (l *Limit) Figure(n int64) string {
	if l.Measure == Dollars {
		return price.Amount(n).Dollars()
	}
	return price.GroupThousands(l.Count(n))
}
