package route

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"stele/internal/fault"
	"stele/internal/memory"
)

// Health is how a provider has served in the last hour, as far as this process
// knows. Servers tell each other all of it but the breakers, which they share as they change.
type Health struct {
	Tries    int        `json:"tries"`
	Failures int        `json:"failures"` // of them, that were the provider's
	InARow   int        `json:"in_a_row"` // failures since it last served
	Last     time.Time  `json:"last"`     // of the last try
	Served   time.Time  `json:"served"`   // of the last success
	Failed   time.Time  `json:"failed"`   // of the last failure
	Code     fault.Code `json:"code"`
	Message  string     `json:"message"`  // of the last failure, for operators; it may hold the upstream's words
	Rejected bool       `json:"rejected"` // the last failure was about credentials
	Breakers []Breaker  `json:"-"`
}

// With is what two servers know of a provider. Failures in a row are those since it last
// served either of them.
func (h Health) With(other Health) Health {
	served := later(h.Served, other.Served)
	inARow := 0
	for _, one := range [...]Health{h, other} {
		if one.Failed.After(served) {
			inARow += one.InARow
		}
	}
	if other.Failed.After(h.Failed) {
		h.Failed, h.Code, h.Message, h.Rejected = other.Failed, other.Code, other.Message, other.Rejected
	}
	h.Tries, h.Failures, h.InARow = h.Tries+other.Tries, h.Failures+other.Failures, inARow
	h.Last, h.Served = later(h.Last, other.Last), served
	return h
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// Breaker is the state of a breaker of a target.
type Breaker struct {
	Model  string // the upstream's name
	Caller string // whom it holds back; "" for all callers
	State  string // closed, half-open or open
	InRow  int    // failures in a row
}

const minutes = 60

// tally counts the tries of one provider, minute by minute.
type tally struct {
	mu     sync.Mutex // guards all below
	ring   [minutes]struct{ minute, tries, failures int64 }
	health Health
}

type tallies struct {
	mu sync.RWMutex // guards by
	by map[string]*tally
}

func (t *tallies) of(provider string) *tally {
	t.mu.RLock()
	one := t.by[provider]
	t.mu.RUnlock()
	if one != nil {
		return one
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.by == nil {
		t.by = make(map[string]*tally)
	}
	if t.by[provider] == nil {
		t.by[provider] = new(tally)
	}
	return t.by[provider]
}

// Note counts a try of a provider that Do did not make.
func (r *Router) Note(provider string, err error) {
	if !errors.Is(err, context.Canceled) { // the client is gone: that says nothing of the provider
		r.tallies.of(provider).note(r.now(), err, 1)
	}
}

// NoteBroken says that a try which had begun to answer failed in the end.
func (r *Router) NoteBroken(provider string, err error) {
	if _, failed := failure(err); failed {
		r.tallies.of(provider).note(r.now(), err, 0)
	}
}

func (t *tally) note(now time.Time, err error, tries int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	minute := now.Unix() / 60
	slot := &t.ring[minute%minutes]
	if slot.minute != minute {
		slot.minute, slot.tries, slot.failures = minute, 0, 0
	}
	slot.tries += tries
	t.health.Last = now
	e, failed := failure(err)
	if !failed {
		t.health.Served, t.health.InARow = now, 0
		return
	}
	slot.failures++
	t.health.InARow++
	t.health.Failed, t.health.Code, t.health.Message = now, e.Code, e.Message
	if e.Err != nil {
		t.health.Message = e.Err.Error() // what clients hear is in our words
	}
	t.health.Rejected = e.Credentials
}

// failure finds what is the provider's doing. A refusal of the request itself
// shows that the provider is well.
func failure(err error) (*fault.Error, bool) {
	e, ok := errors.AsType[*fault.Error](err)
	if !ok || e.Ordered || e.Away || errors.Is(err, memory.ErrFull) {
		return nil, false
	}
	switch e.Code {
	case fault.Unavailable, fault.UpstreamError, fault.UpstreamTimeout, fault.RateLimited:
		return e, true
	}
	return nil, false
}

// Health is how the providers are that were tried since the start.
func (r *Router) Health() map[string]Health {
	all := make(map[string]Health)
	r.tallies.mu.RLock()
	known := maps.Clone(r.tallies.by)
	r.tallies.mu.RUnlock()
	first := r.now().Unix()/60 - minutes + 1
	for provider, t := range known {
		t.mu.Lock()
		h := t.health
		for _, slot := range t.ring {
			if slot.minute >= first {
				h.Tries += int(slot.tries)
				h.Failures += int(slot.failures)
			}
		}
		t.mu.Unlock()
		all[provider] = h
	}
	for _, c := range r.circuits.all() {
		h := all[c.target.provider]
		h.Breakers = append(h.Breakers, c.states(r.now())...)
		all[c.target.provider] = h
	}
	for _, h := range all {
		slices.SortFunc(h.Breakers, func(a, b Breaker) int {
			return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.Caller, b.Caller))
		})
	}
	return all
}

// Forget lets go of all that is known of a provider: its account is another now.
func (r *Router) Forget(provider string) {
	r.tallies.mu.Lock()
	delete(r.tallies.by, provider)
	r.tallies.mu.Unlock()
	r.circuits.forget(provider)
}
