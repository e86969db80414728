package route

import (
	"errors"
	"sync"
	"time"

	"stele/internal/fault"
)

const (
	mostCallers = 64          // that are known of one target
	lately      = time.Minute // callers that asked since then have a say
)

// address tells targets apart.
type address struct{ provider, model string }

// circuit is what holds requests back from one target. Each caller has a breaker of
// its own, which opens when that caller's requests fail. The common one opens when it
// is the provider that fails: when it cannot be reached at all, or when the requests
// of several callers fail, and these are most of those who ask. It is the same with the
// time for which a provider does not want to be called.
type circuit struct {
	target address
	news   *news

	mu        sync.Mutex // guards all below
	common    breaker
	own       map[string]*breaker  // of callers whose last request failed
	asked     map[string]time.Time // callers, and when they last did
	failing   map[string]bool      // callers whose requests failed since one succeeded, or since it opened
	unreached int                  // of the failures in a row the last ones that never reached the provider
	served    time.Time            // when the target last served this server
}

// allow lets a request of a caller through until done is called with what the target is
// to blame for: nil for nothing, errGone where that was not learned. Or it refuses it.
func (c *circuit) allow(caller string, now time.Time) (done func(blame error, now time.Time), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.own[caller]
	if err = c.common.refuse(caller, c.news.node, now); err == nil && own != nil {
		trier := c.news.node
		if c.common.open { // the server that tries for all callers tries for this one as well
			trier = own.trier
		}
		err = own.refuse(caller, trier, now)
	}
	if err != nil {
		return nil, err
	}
	common, alone := c.common.try(caller), own != nil && own.try(caller)
	return func(blame error, now time.Time) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if common {
			delete(c.common.trying, caller)
		}
		if alone {
			delete(own.trying, caller)
		}
		if !errors.Is(blame, errGone) {
			c.noteOwn(caller, blame, alone, now)
			c.note(caller, blame, now)
		}
	}, nil
}

// noteOwn tells a caller's own breaker how a request ended. What began before it opened
// says nothing new.
func (c *circuit) noteOwn(caller string, blame error, trial bool, now time.Time) {
	own := c.own[caller]
	if own == nil && blame != nil {
		own = c.makeOwn(caller)
	}
	if own == nil || own.open && !trial {
		return
	}
	if blame == nil {
		if own.close() {
			c.news.note(breakerName{c.target, caller})
		}
		if own.idle(now) {
			delete(c.own, caller)
		}
		return
	}
	own.failures++
	if trial || own.failures >= failuresToOpen {
		own.trip(c.news.node, now)
		c.news.note(breakerName{c.target, caller})
	}
}

func (c *circuit) makeOwn(caller string) *breaker {
	if c.own == nil {
		c.own = make(map[string]*breaker)
	}
	for name := range c.own { // any: whose it was has to fail some times more
		if len(c.own) < mostCallers {
			break
		}
		delete(c.own, name)
	}
	c.own[caller] = new(breaker)
	return c.own[caller]
}

// note tells the common breaker how a request ended.
func (c *circuit) note(caller string, blame error, now time.Time) {
	c.ask(caller, now)
	if blame == nil {
		c.served, c.unreached = now, 0
		clear(c.failing)
		if c.common.close() {
			c.news.note(breakerName{c.target, ""})
		}
		return
	}
	c.common.failures++
	c.unreached++
	if e, ok := errors.AsType[*fault.Error](blame); !ok || !e.Unreached {
		c.unreached = 0
	}
	if c.failing == nil {
		c.failing = make(map[string]bool)
	}
	if len(c.failing) < mostCallers {
		c.failing[caller] = true
	}
	if c.isBlamed(now) {
		c.common.trip(c.news.node, now)
		clear(c.failing) // those who try next are to say whether it still fails
		c.news.note(breakerName{c.target, ""})
	}
}

// isBlamed reports whether it is the provider that fails, and not what callers ask of it.
func (c *circuit) isBlamed(now time.Time) bool {
	if c.unreached >= failuresToOpen {
		return true
	}
	return c.common.failures >= failuresToOpen && len(c.failing) >= 2 && 2*len(c.failing) > c.active(now)
}

// active counts the callers that asked lately.
func (c *circuit) active(now time.Time) (n int) {
	for _, at := range c.asked {
		if now.Sub(at) < lately {
			n++
		}
	}
	return n
}

// hold keeps a caller off the target for as long as its provider has asked for. If most
// of those who ask were told so, it counts for all callers.
func (c *circuit) hold(caller string, wait time.Duration, now time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	own := c.own[caller]
	if own == nil {
		own = c.makeOwn(caller)
	}
	own.wait = now.Add(min(wait, longestWait))
	c.news.note(breakerName{c.target, caller})
	told := 0
	for _, b := range c.own {
		if now.Before(b.wait) {
			told++
		}
	}
	if told >= 2 && 2*told > c.active(now) {
		c.common.wait = own.wait
		c.news.note(breakerName{c.target, ""})
	}
}

// ask remembers that a caller asked.
func (c *circuit) ask(caller string, now time.Time) {
	if c.asked == nil {
		c.asked = make(map[string]time.Time)
	}
	if _, known := c.asked[caller]; !known && len(c.asked) >= mostCallers {
		oldest, first := now, caller
		for name, at := range c.asked {
			if at.Before(oldest) {
				oldest, first = at, name
			}
		}
		delete(c.asked, first)
	}
	c.asked[caller] = now
}

// states are those of the common breaker and of the callers' own.
func (c *circuit) states(now time.Time) []Breaker {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := []Breaker{{Model: c.target.model, State: c.common.state(now), InRow: c.common.failures}}
	for caller, own := range c.own {
		list = append(list, Breaker{Model: c.target.model, Caller: caller, State: own.state(now), InRow: own.failures})
	}
	return list
}
