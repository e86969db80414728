package generation

import (
	"context"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
)

const (
	// countAgain is how long a count of unfinished tasks is used. What this process
	// adds meanwhile it adds up itself, so only what other processes accept in that time
	// can go beyond a limit.
	countAgain = time.Second
	// countTime is how long counting may take.
	countTime = 10 * time.Second
)

// counts remembers how many unfinished tasks keys have. Counting takes longer the
// more there are, and most keys are far from their limit.
type counts struct {
	mu   sync.Mutex // guards keys and what they point to
	keys map[string]*count
}

type count struct {
	n     int // at the time, and what was ordered since
	at    time.Time
	known bool
	again *recount // nil: it is not counted just now
}

// recount is one caller's look into the database, for all who ask meanwhile.
type recount struct {
	done  chan struct{}
	added int // orders that were taken meanwhile
	err   error
}

// take takes one more for a key that has fewer than most. Where the last count is old one
// caller counts, and the others go by the old one. It reports how many there are, and
// whether there was room.
func (c *counts) take(key string, most int, now time.Time, unfinished func() (int, error)) (n int, room bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.keys[key]
	if k == nil {
		c.tidy(now)
		k = &count{}
		c.keys[key] = k
	}
	if k.known && k.n < most && (k.again != nil || now.Sub(k.at) <= countAgain) {
		if k.n++; k.again != nil {
			k.again.added++
		}
		return k.n, true, nil
	}
	again := k.again
	if again == nil {
		again = &recount{done: make(chan struct{})}
		k.again = again
		c.mu.Unlock()
		counted, err := unfinished()
		c.mu.Lock()
		k.n, k.at, k.known, k.again, again.err = counted+again.added, now, err == nil, nil, err
		close(again.done)
	} else {
		c.mu.Unlock()
		<-again.done // soon: counting has a time limit
		c.mu.Lock()
	}
	if again.err != nil || k.n >= most {
		return k.n, false, again.err
	}
	k.n++
	return k.n, true, nil
}

// tidy forgets counts that have become old. The caller holds mu.
func (c *counts) tidy(now time.Time) {
	if c.keys == nil {
		c.keys = make(map[string]*count)
	}
	for key, k := range c.keys {
		if k.again == nil && now.Sub(k.at) > countAgain {
			delete(c.keys, key)
		}
	}
}

// checkRoom refuses a key that has too much on its way already.
func (s *Service) checkRoom(ctx context.Context, who access.Principal, most int) error {
	if most <= 0 || who.Key == "" {
		return nil
	}
	n, room, err := s.counts.take(who.Key, most, s.Now(), func() (int, error) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countTime) // others wait for it, too
		defer cancel()
		return s.Store.CountUnfinished(ctx, who.Key, most)
	})
	if err != nil || room {
		return err
	}
	return fault.New(fault.ConcurrencyLimit, "This key has %d unfinished generations, which is the limit: wait for one to end.", n).
		With("limit", most).After(5 * time.Second)
}
