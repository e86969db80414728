package store

import (
	"context"
	"sync"
	"time"
)

const (
	politely = 1           // how much of what nobody waits for is done at a time while somebody waits
	longest  = time.Second // what has waited for so long is not polite any more
)

// courtesy has what nobody waits for make room for what somebody waits for: a burst
// of orders is taken before it is worked on.
type courtesy struct {
	freely int // how many at a time while nobody waits; the pool has some more connections

	mu      sync.Mutex // guards all below
	urgent  int
	other   int
	waiting []waiter
}

type waiter struct {
	turn  chan struct{} // closed when it has come
	since time.Time
}

// serve marks an urgent change until done is called.
func (c *courtesy) serve() (done func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.urgent++
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.urgent--
		c.admit()
	}
}

// wait returns when it is the turn of a change that is not urgent, which lasts
// until done is called.
func (c *courtesy) wait(ctx context.Context) (done func(), err error) {
	turn := make(chan struct{})
	c.mu.Lock()
	c.waiting = append(c.waiting, waiter{turn, time.Now()})
	c.admit()
	c.mu.Unlock()
	leave := func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.other--
		c.admit()
	}
	select {
	case <-turn:
		return leave, nil
	case <-ctx.Done():
		go func() { <-turn; leave() }() // it comes all the same
		return nil, context.Cause(ctx)
	}
}

// admit lets in as many as there is room for. The caller holds the lock.
func (c *courtesy) admit() {
	for len(c.waiting) > 0 {
		first, most := c.waiting[0], c.freely
		if c.urgent > 0 && time.Since(first.since) < longest {
			most = politely
		}
		if c.other >= most {
			return
		}
		close(first.turn)
		c.waiting = c.waiting[1:]
		c.other++
	}
}
