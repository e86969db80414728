package limit

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

const (
	beat      = 500 * time.Millisecond
	idleAfter = 10 * time.Second // an unused counter is forgotten
	// doubtAfter is how long a node may be silent before the money it had on lease is in doubt.
	doubtAfter = 10 * time.Minute
	buryEvery  = 30 * time.Second
)

// Run shares out and gives back until ctx ends; then it gives back everything that is
// free.
func (s *Service) Run(ctx context.Context) {
	tick := time.NewTicker(beat)
	defer tick.Stop()
	var alive, buried time.Time
	failing := false
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTime)
			defer cancel()
			if err := s.giveBack(last, func(*counter) (keep, slack int64) { return 0, 0 }); err != nil {
				s.Log.LogAttrs(last, slog.LevelWarn, "what was on lease of limits is given back at the next start", slog.Any("error", err))
			}
			return
		case <-tick.C:
		}
		now := s.Now()
		err := s.beatBounded(ctx, &alive)
		if err == nil && now.Sub(buried) >= buryEvery {
			buried = now
			err = s.bury(ctx, now)
		}
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.LogAttrs(ctx, slog.LevelError, "limits cannot be shared: what this server has on lease is used", slog.Any("error", err))
		}
		failing = err != nil
		if failing {
			s.leaveAlone(2 * storeTime) // until the next beat is over
		} else {
			s.awayUntil.Store(0)
		}
	}
}

// beatBounded is Beat with an end, and with KeepAlive before it where that is due: a database
// that does not answer is away.
func (s *Service) beatBounded(ctx context.Context, alive *time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if now := s.Now(); now.Sub(*alive) >= aliveEvery {
		if err := errors.Join(s.KeepAlive(ctx), s.Store.ExpireCredits(ctx, now)); err != nil {
			return err
		}
		*alive = now
	}
	return s.Beat(ctx)
}

func (s *Service) bury(ctx context.Context, now time.Time) error {
	n, err := s.Store.Bury(ctx, now.Add(-doubtAfter))
	if n > 0 {
		s.Log.LogAttrs(ctx, slog.LevelWarn, "money on lease of servers that are gone is booked as in doubt", slog.Int("leases", n))
	}
	return err
}

// Beat is what is done twice a second: leases are shared out and given back.
func (s *Service) Beat(ctx context.Context) error {
	now := s.Now()
	s.each(func(c *counter) { c.tick() })
	if err := s.shareOut(ctx, now); err != nil {
		return err
	}
	if err := s.giveBack(ctx, func(c *counter) (keep, slack int64) { return c.keeps(now, s.Alone) }); err != nil {
		return err
	}
	s.forget(now)
	return s.noteReached(ctx)
}

// noteReached notes the limits that are used up, of those that refused callers since the
// last beat. What is held and comes back is not used up.
func (s *Service) noteReached(ctx context.Context) error {
	var ids []int64
	s.each(func(c *counter) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.reached && c.id != 0 {
			ids = append(ids, c.id)
		}
		c.reached = false
	})
	for _, id := range ids {
		if err := s.Store.MarkReached(ctx, id, usedUp); err != nil {
			return err
		}
	}
	return nil
}

// tick notes how much was asked for since the last beat.
func (c *counter) tick() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.simultaneous() {
		c.rate, c.demand = max(c.demand, c.rate/2), c.held
		return
	}
	second := c.demand * int64(time.Second/beat)
	c.rate = (c.rate + second + 1) / 2
	if c.demand == 0 && c.rate == 1 {
		c.rate = 0
	}
	c.demand = 0
}

// shareOut tells the others what this node asks of limits that slide, and takes its
// part: who asks for more gets more.
func (s *Service) shareOut(ctx context.Context, now time.Time) error {
	demand := make(map[int64]int64)
	byID := make(map[int64]*counter)
	s.each(func(c *counter) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.id != 0 && c.sliding && c.hasNews() {
			demand[c.id], byID[c.id] = c.rate, c
		}
	})
	if len(demand) == 0 {
		return nil
	}
	shares, err := s.shares(ctx, demand, now)
	if err != nil {
		return err
	}
	for id, share := range shares {
		c := byID[id]
		if c == nil {
			continue
		}
		c.mu.Lock()
		c.heed(share)
		c.mu.Unlock()
	}
	return nil
}

// heed takes over what is asked of all nodes. One that is asked for nothing has the share
// of one that is asked for a little, and need not keep to it: it has but what is free. The
// caller holds mu.
func (c *counter) heed(s Share) {
	ours := max(1, s.Demand)
	all := max(0, s.All-s.Demand) + ours
	c.share = (c.rule.limit().Amount*ours + all - 1) / all
	c.told = s.Demand
	c.scarce = s.Demand > 0 && s.All > s.Demand && s.Free < s.All
}

// shares are what this node and all of them ask of counters.
func (s *Service) shares(ctx context.Context, demand map[int64]int64, now time.Time) (map[int64]Share, error) {
	if !s.Alone {
		return s.Store.ShareOut(ctx, s.Node, demand, now)
	}
	all := make(map[int64]Share, len(demand))
	for id, n := range demand {
		all[id] = Share{Demand: n, All: n}
	}
	return all, nil
}

// hasNews reports whether the others must be told what is asked of a limit, or something
// is to be learned of them. Of the names that clients make up most are used once: those
// are not told again and again. The caller holds mu.
func (c *counter) hasNews() bool {
	return c.rate > 0 || c.told > 0 || c.share != c.rule.limit().Amount
}

// giveBack returns what is free beyond what a counter keeps, where that is more than slack. What was being given back
// when the database failed is sent again under its number, so that it counts once.
func (s *Service) giveBack(ctx context.Context, keeps func(*counter) (keep, slack int64)) error {
	if s.unsure == nil {
		s.unsure = s.takeUnused(keeps)
		s.sequence++
	}
	if len(s.unsure) > 0 {
		if err := s.Store.GiveBack(ctx, s.Node, s.sequence, s.unsure); err != nil {
			return err
		}
	}
	s.unsure = nil
	return nil
}

// takeUnused takes what is free beyond what a counter keeps out of the leases.
func (s *Service) takeUnused(keeps func(*counter) (keep, slack int64)) map[int64]int64 {
	back := make(map[int64]int64)
	now := s.Now()
	s.each(func(c *counter) {
		keep, slack := keeps(c)
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.asking != nil || c.id == 0 {
			return
		}
		if c.recalled {
			keep, slack, c.recalled = 0, 0, false
		}
		if n := c.idle(now) - keep; n > slack {
			c.lease -= n
			c.balance.Leased -= n
			back[c.id] = n
		}
	})
	return back
}

// idle is what of the lease nothing holds and nothing has taken.
func (c *counter) idle(now time.Time) int64 {
	if c.sliding {
		return c.lease - c.held - c.recent.total(now)
	}
	return c.lease - c.held - c.spent
}

// fadePart is the part of an amount in which that of a limit that slides is given back
// which nothing asks for any more: it becomes free for a minute, a little with every beat.
const fadePart = 50

// keeps is how much of what is free a counter keeps for the next second, and how much
// beyond that is not worth a statement: what is asked for goes up and down. Of a limit
// that slides, others may be waiting for it.
func (c *counter) keeps(now time.Time, alone bool) (keep, slack int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	over := !c.name.End.IsZero() && !now.Before(c.name.End)
	sliding := c.sliding
	switch {
	case sliding && c.rate == 0 && c.recent.total(now) > 0:
		return 0, c.rule.limit().Amount / fadePart
	case over, c.rate == 0, c.rule.limit().Soft, c.short: // the last pieces are for who can use them
		return 0, 0
	case sliding && c.lease > c.most():
		keep = max(0, c.most()-c.held-c.recent.total(now))
	case c.simultaneous():
		keep = max(0, c.rate-c.held)
	default:
		keep = max(2*c.rate, c.leaseAhead())
	}
	if sliding && !alone {
		return keep, 0
	}
	return keep, keep / 4
}

// forget drops counters that nothing uses.
func (s *Service) forget(now time.Time) {
	for _, r := range s.rules.Load().byID {
		r.mu.Lock()
		for key, c := range r.counters {
			c.mu.Lock()
			asked := now.Sub(c.found) <= idleAfter || now.Unix()-int64(c.used) <= int64(idleAfter/time.Second)
			c.gone = !asked && c.held == 0 && c.asking == nil && c.idle(now) == 0 && c.recent.total(now) == 0
			if c.gone {
				delete(r.counters, key)
				r.latest.CompareAndSwap(c, nil)
			}
			c.mu.Unlock()
		}
		r.mu.Unlock()
	}
}
