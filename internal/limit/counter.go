package limit

import (
	"context"
	"sync"
	"time"

	"stele/internal/fault"
)

// counter is what this node has of one limit for one subject in one window. Requests
// move its numbers; only when its lease is too small is the database asked.
type counter struct {
	// What every call moves fills the first 64 bytes, which processors take from each other as one.
	unit    unit          // as the rule has it
	sliding bool          // as well
	durable bool          // as well
	gone    bool          // it is forgotten, and holds nothing any more
	mu      sync.Mutex    // guards gone and what follows, but for rule, name and found
	used    uint32        // when it was last held of, or waited for, in Unix seconds
	id      int64         // in the database; 0 until it was asked
	lease   int64         // what this node was given in all
	held    int64         // by requests under way
	spent   int64         // settled by requests that have ended, in the window
	demand  int64         // asked for since the last beat of the clock, refused or not; of what runs at the same time, the most of it at once
	changed chan struct{} // closed when something was given back; nil while nothing waits

	recent  recent  // as spent, of a limit that slides
	share   int64   // this node's part of a sliding limit by what is asked of all nodes; all of it until others are heard of
	scarce  bool    // the nodes ask for more than is there: each keeps to its share
	lent    int64   // of its share, beyond the lease, while the database is away
	rule    *rule   // never changes
	balance Balance // as last seen
	told    int64   // what the others were told last that is asked of it in a second

	recalled bool // nothing of the lease is kept at the next beat

	asked   time.Time // when the balance was seen
	short   bool      // it did not suffice then
	typical typical   // what a call takes
	rate    int64     // as demand, in a second, of late
	reached bool      // callers were refused since the last beat because next to nothing is left
	asking  chan struct{}

	name  Counter
	found time.Time // when it was last looked for; guarded by the rule's mu
}

// covers reports whether a time falls into the counter's window.
func (c *counter) covers(now time.Time) bool { return span{c.name.Start, c.name.End}.has(now) }

// free is what could be held now.
func (c *counter) free(now time.Time) int64 {
	if c.sliding {
		return min(c.lease+c.lent, c.most()) - c.held - c.recent.total(now)
	}
	return c.lease - c.held - c.spent
}

// most is how much of a sliding limit this node may use. As long as some of it is free for
// all that is the whole, whichever node asked for how much of late.
func (c *counter) most() int64 {
	if c.scarce {
		return c.share
	}
	return c.rule.limit().Amount
}

// lend lets a node use its share of a limit that slides without a lease, and reports
// whether that suffices for n. The shares of all nodes that are asked are together the limit.
func (c *counter) lend(n int64, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.id == 0 || !c.sliding {
		return false
	}
	c.lent = max(0, c.share-c.lease)
	return c.free(now) >= n
}

// need is what a call must find of the counter. A rate is about what calls take as a
// rule: held in full, most of it would be held for nothing. The caller holds mu.
func (c *counter) need(a *Ask) int64 {
	most := a.of(c.unit)
	if c.sliding && c.unit != requests {
		if usual := c.typical.most(); usual > 0 {
			return min(most, usual)
		}
	}
	return most
}

// try holds what a call needs, or nothing, and notes how much that is and how the counter
// stands with it.
func (p *part) try(a *Ask, now time.Time) bool {
	c := p.of
	c.mu.Lock()
	defer c.mu.Unlock()
	p.n = 0
	if c.gone {
		return false
	}
	c.used = uint32(now.Unix())
	p.n = c.need(a)
	if c.simultaneous() {
		c.demand = max(c.demand, c.held+p.n)
	} else {
		c.demand += p.n
	}
	free := c.free(now)
	if c.id == 0 || free < p.n && !c.rule.limit().Soft {
		return false
	}
	if c.countsAtOnce() {
		c.recent.add(now, p.n)
	} else {
		c.held += p.n
	}
	if c.unit != dollars {
		p.left, p.reset = c.left(free-p.n), c.reset(now)
	}
	return true
}

// look notes how the counter stands.
func (p *part) look(now time.Time) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.left, p.reset = p.of.left(p.of.free(now)), p.of.reset(now)
}

// standing is what was noted, as callers are told of it.
func (p *part) standing(now time.Time) fault.Standing {
	st := fault.Standing{Policy: p.of.rule.policy.Load(), Left: p.left}
	if p.reset != 0 {
		st.Reset = max(0, time.UnixMilli(p.reset).Sub(now))
	}
	return st
}

// simultaneous reports whether the limit is on what runs at the same time: of it nothing is
// used up, and what ends is free again.
func (c *counter) simultaneous() bool { return !c.sliding && !c.durable }

// countsAtOnce reports whether a call counts from its beginning: a rate of requests does not
// ask how long they last.
func (c *counter) countsAtOnce() bool { return c.sliding && c.unit == requests }

// settle ends a hold of n that began at a time and of which actual was taken.
// It returns the counter's id.
func (c *counter) settle(n, actual int64, began time.Time) (id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.countsAtOnce():
		c.recent.add(began, actual-n)
	case c.sliding:
		c.held -= n
		c.recent.add(began, actual)
		c.typical.add(actual)
	default:
		c.held -= n
		if c.durable {
			c.spent += actual
		}
	}
	if c.changed != nil && actual < n {
		close(c.changed)
		c.changed = nil
	}
	return c.id
}

// ask leases at least n from the database, together with the requests that ask at the same time.
// It returns when the counter's balance is fresh.
func (c *counter) ask(ctx context.Context, s *Service, n int64) error {
	for {
		c.mu.Lock()
		if c.needNotAsk(n, s.Now()) {
			c.mu.Unlock()
			return nil
		}
		if c.asking == nil {
			if s.isAway() {
				c.mu.Unlock()
				return errAway
			}
			break
		}
		asking := c.asking
		c.mu.Unlock()
		select {
		case <-asking:
			if c.enough(n, s.Now()) {
				return nil
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	done := make(chan struct{})
	c.asking, c.lent = done, 0
	need := max(0, n-c.free(s.Now())) // a lease that was overdrawn is made good as well
	if c.rule.limit().Soft {
		need = 0
	}
	want := max(need, 2*max(c.rate, c.demand), c.leaseAhead())
	c.mu.Unlock()

	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
	defer cancel()
	got, balance, err := s.Store.Lease(ctx, s.Node, c.name, c.rule.limit(), need, want)

	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking = nil
	close(done)
	if err != nil {
		s.leaveAlone(time.Second)
		return err
	}
	c.id, c.balance, c.asked = balance.ID, balance, s.Now()
	c.lease += got
	c.short = got < need
	if c.changed != nil && got > 0 {
		close(c.changed)
		c.changed = nil
	}
	return nil
}

// leaseAhead is how much of a limit that lasts a node has on lease for times in which the
// database is away, as long as that is little of what is left.
func (c *counter) leaseAhead() int64 {
	if !c.durable {
		return 0
	}
	return min(c.rate*aheadSeconds, max(0, c.balance.Free())/aheadPart)
}

// needNotAsk reports whether the database need not be asked for n: it has no more to give,
// or had none a moment ago.
func (c *counter) needNotAsk(n int64, now time.Time) bool {
	if c.id == 0 {
		return false
	}
	if c.sliding && c.lease >= c.rule.limit().Amount {
		return true
	}
	return now.Sub(c.asked) < lookAgain && c.free(now)+c.balance.Free() < n
}

func (c *counter) enough(n int64, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id != 0 && (c.rule.limit().Soft || c.free(now) >= n)
}

// room is what could be had at most, here and from the database as it was last seen,
// and whether requests under way will give some back.
func (c *counter) room(now time.Time) (most int64, pending bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	most = c.free(now) + max(0, c.balance.Free())
	if c.sliding {
		most = min(most, c.most()-c.held-c.recent.total(now))
	}
	return most, c.held > 0 || c.balance.Leased > c.balance.Ours || c.balance.Held > 0
}

// wait is closed when something was given back.
func (c *counter) wait() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

// standing is how the counter stands, as far as this node knows.
func (c *counter) standing(now time.Time) Standing {
	told := c.standingForCallers(now)
	return Standing{Limit: c.rule.limit(), Subject: c.name.Subject, Left: told.Left, Reset: told.Reset}
}

// standingForCallers is the same as callers are told of it.
func (c *counter) standingForCallers(now time.Time) fault.Standing {
	p := part{of: c}
	p.look(now)
	return p.standing(now)
}

// left is how much of the limit can still be taken, as far as this node knows, where so much
// is free here. The caller holds mu.
func (c *counter) left(free int64) int64 {
	l := c.rule.limit()
	if l.Soft {
		return min(max(0, l.Amount-c.balance.Settled-c.spent), l.Amount)
	}
	return min(max(0, free)+max(0, c.balance.Free()), l.Amount)
}

// reset is when the limit begins anew, or some of it comes back, in Unix milliseconds; 0:
// never. The caller holds mu and knows what is free now.
func (c *counter) reset(now time.Time) int64 {
	switch {
	case c.sliding && c.recent.sum > 0:
		return min((c.recent.slots[0].at+recentSlots+1)*slotLength.Milliseconds(), now.UnixMilli()+time.Minute.Milliseconds())
	case c.sliding:
		return now.UnixMilli() + slotLength.Milliseconds()
	case !c.name.End.IsZero():
		return c.name.End.UnixMilli()
	}
	return 0
}

// Standing is how much of a limit is left.
type Standing struct {
	Limit   *Limit
	Subject string
	Left    int64
	Reset   time.Duration // until it begins anew, or some of it comes back; 0: never

	Balance    Balance // as the database has it
	Mark       int     // the highest threshold that was passed, in percent; 0: none
	Start, End time.Time
}
