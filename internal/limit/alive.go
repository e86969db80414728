package limit

import (
	"context"
	"errors"
	"time"
)

const (
	aliveEvery = 5 * time.Second
	// GoneAfter is how long a node may be silent before the others get its part of limits on
	// what runs at the same time.
	GoneAfter = 15 * time.Second
)

var errAsking = errors.New("a lease is being asked for")

// KeepAlive says that this node lives, and frees what those hold that do not. It is called
// every few seconds, before anything is given back.
func (s *Service) KeepAlive(ctx context.Context) error {
	now := s.Now()
	s.lost = s.lost || !s.heard.IsZero() && now.Sub(s.heard) >= GoneAfter
	if err := s.Store.BeatLimits(ctx, s.Node, now); err != nil {
		return err
	}
	s.heard = now
	if s.lost {
		if err := s.rejoin(ctx); err != nil {
			return err
		}
		s.lost = false
	}
	return s.Store.FreeSilent(ctx, now.Add(-GoneAfter))
}

// rejoin begins anew with limits on what runs at the same time: the others may have got
// what this node had on lease of them. What still runs here is part of the next lease.
func (s *Service) rejoin(ctx context.Context) error {
	var errs []error
	s.each(func(c *counter) {
		if c.rule.kind.Simultaneous() {
			errs = append(errs, c.rejoin(ctx, s))
		}
	})
	return errors.Join(errs...)
}

func (c *counter) rejoin(ctx context.Context, s *Service) error {
	c.mu.Lock() // calls wait for the database here, once after it was away
	defer c.mu.Unlock()
	if c.id == 0 || c.lease == 0 {
		return nil
	}
	if c.asking != nil {
		return errAsking // at the next beat
	}
	ctx, cancel := context.WithTimeout(ctx, storeTime)
	defer cancel()
	if err := s.Store.EndLease(ctx, s.Node, c.id); err != nil {
		return err
	}
	c.lease, c.asked = 0, time.Time{}
	return nil
}
