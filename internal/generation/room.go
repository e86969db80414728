package generation

import (
	"context"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

// countAgain is how long a count of unfinished tasks may be used. What this
// process adds meanwhile it adds up itself, so only what other processes accept
// in that time can go beyond a limit.
const countAgain = time.Second

// counts remembers how many unfinished tasks keys have. Counting takes longer the
// more there are, and most keys are far from their limit.
type counts struct {
	mu   sync.Mutex // guards keys
	keys map[string]count
}

type count struct {
	n  int // at the time, and what was ordered since
	at time.Time
}

// add takes one more for a key where an earlier count says that there is room.
func (c *counts) add(key string, most int, now time.Time) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	last, ok := c.keys[key]
	if !ok || now.Sub(last.at) > countAgain || last.n >= most {
		return false
	}
	last.n++
	c.keys[key] = last
	return true
}

// set remembers a count. Those that have become old are forgotten.
func (c *counts) set(key string, n int, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.keys == nil {
		c.keys = make(map[string]count)
	}
	for other, last := range c.keys {
		if now.Sub(last.at) > countAgain {
			delete(c.keys, other)
		}
	}
	c.keys[key] = count{n, now}
}

// room refuses a key that has too much on its way already.
func (s *Service) room(ctx context.Context, who access.Principal, most int) error {
	if most <= 0 || who.Key == "" || s.counts.add(who.Key, most, s.Now()) {
		return nil
	}
	n, err := s.Store.Unfinished(ctx, who.Key)
	if err != nil {
		return err
	}
	if n >= most {
		return fault.New(fault.ConcurrencyLimit, "This key has %d unfinished generations, which is the limit: wait for one to end.", n).
			With("limit", most).After(5 * time.Second)
	}
	s.counts.set(who.Key, n+1, s.Now())
	return nil
}
