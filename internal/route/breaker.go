// Package route tries the targets of a model until one serves: order, retries,
// breakers. It must not know what is tried.
package route

import (
	"container/list"
	"errors"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"

	"stele/internal/fault"
)

const (
	failuresToOpen = 5
	openFor        = 10 * time.Second
	mostCircuits   = 4096        // targets; names of models may be the clients' own
	mostCallers    = 64          // that are known of one target
	lately         = time.Minute // callers that asked since then have a say
)

var (
	errOpen = errors.New("the breaker is open")
	errGone = errors.New("the caller is gone") // says nothing of the target
)

// breakers keeps the breakers of each target, so that one that is down costs no caller
// a wait. Targets that were not asked for longest are forgotten.
type breakers struct {
	mu     sync.Mutex // guards all below
	by     map[address]*list.Element
	recent list.List // of *circuit, the one used last first
}

// address tells targets apart.
type address struct{ provider, model string }

func (b *breakers) of(target address) *circuit {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e := b.by[target]; e != nil {
		b.recent.MoveToFront(e)
		return e.Value.(*circuit)
	}
	if b.by == nil {
		b.by = make(map[address]*list.Element)
	}
	for b.recent.Len() >= mostCircuits {
		last := b.recent.Back()
		delete(b.by, last.Value.(*circuit).target)
		b.recent.Remove(last)
	}
	c := &circuit{target: target}
	b.by[target] = b.recent.PushFront(c)
	return c
}

// circuit is what holds requests back from one target. Each caller has a breaker of
// its own, which opens when that caller's requests fail. The common one opens when it
// is the provider that fails: when it cannot be reached at all, or when the requests
// of several callers fail, and these are most of those who ask.
type circuit struct {
	target address

	mu        sync.Mutex           // guards all below
	own       map[string]*breaker  // of callers whose last request failed
	asked     map[string]time.Time // callers, and when they last did
	failing   map[string]bool      // callers whose requests failed since one succeeded, or since it opened
	failures  int                  // in a row
	unreached int                  // of them the last ones, in a row, that never reached the provider
	open      bool
	until     time.Time       // while it is open: then each caller may try once
	trying    map[string]bool // those who do
}

type breaker = gobreaker.TwoStepCircuitBreaker[struct{}]

// allow lets a request of a caller through until done is called with what the target is
// to blame for: nil for nothing, errGone where that was not learned. Or it refuses it.
func (c *circuit) allow(caller string, now time.Time) (done func(blame error, now time.Time), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	trial := c.open
	if trial && (now.Before(c.until) || c.trying[caller]) {
		return nil, errOpen
	}
	var end func(error)
	if own := c.own[caller]; own != nil {
		if end, err = own.Allow(); err != nil {
			return nil, err
		}
	}
	if trial {
		c.trying[caller] = true
	}
	return func(blame error, now time.Time) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if trial {
			delete(c.trying, caller)
		}
		c.noteOwn(caller, blame, end)
		if !errors.Is(blame, errGone) {
			c.note(caller, blame, now)
		}
	}, nil
}

// noteOwn keeps a caller's own breaker, for as long as it has something to say.
func (c *circuit) noteOwn(caller string, blame error, end func(error)) {
	own := c.own[caller]
	switch {
	case end != nil:
		end(blame)
	case blame == nil, errors.Is(blame, errGone):
		return
	default:
		if own == nil {
			own = c.newOwn(caller)
		}
		if end, err := own.Allow(); err == nil {
			end(blame)
		}
	}
	if own != nil && own.State() == gobreaker.StateClosed && own.Counts().ConsecutiveFailures == 0 {
		delete(c.own, caller)
	}
}

func (c *circuit) newOwn(caller string) *breaker {
	if c.own == nil {
		c.own = make(map[string]*breaker)
	}
	for name := range c.own { // any: whose it was has to fail some times more
		if len(c.own) < mostCallers {
			break
		}
		delete(c.own, name)
	}
	own := gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, Timeout: openFor, IsExcluded: func(err error) bool { return errors.Is(err, errGone) },
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= failuresToOpen },
	})
	c.own[caller] = own
	return own
}

// note tells the common breaker how a request ended.
func (c *circuit) note(caller string, blame error, now time.Time) {
	c.ask(caller, now)
	if blame == nil {
		c.failures, c.unreached, c.open = 0, 0, false
		clear(c.failing)
		return
	}
	c.failures++
	c.unreached++
	if e, ok := errors.AsType[*fault.Error](blame); !ok || !e.Unreached {
		c.unreached = 0
	}
	if c.failing == nil {
		c.failing, c.trying = make(map[string]bool), make(map[string]bool)
	}
	if len(c.failing) < mostCallers {
		c.failing[caller] = true
	}
	if c.blamed(now) {
		c.open, c.until = true, now.Add(openFor)
		clear(c.failing) // those who try next are to say whether it still fails
	}
}

// blamed reports whether it is the provider that fails, and not what callers ask of it.
func (c *circuit) blamed(now time.Time) bool {
	if c.unreached >= failuresToOpen {
		return true
	}
	if c.failures < failuresToOpen || len(c.failing) < 2 {
		return false
	}
	active := 0
	for _, at := range c.asked {
		if now.Sub(at) < lately {
			active++
		}
	}
	return 2*len(c.failing) > active
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
	common := Breaker{Model: c.target.model, State: gobreaker.StateClosed.String(), InRow: c.failures}
	switch {
	case c.open && now.Before(c.until):
		common.State = gobreaker.StateOpen.String()
	case c.open:
		common.State = gobreaker.StateHalfOpen.String()
	}
	list := []Breaker{common}
	for caller, own := range c.own {
		state, failures := own.State(), int(own.Counts().ConsecutiveFailures)
		if state != gobreaker.StateClosed {
			failures = failuresToOpen // it began to count anew when it opened
		}
		list = append(list, Breaker{Model: c.target.model, Caller: caller, State: state.String(), InRow: failures})
	}
	return list
}
