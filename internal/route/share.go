package route

import (
	"maps"
	"slices"
	"sync"
	"time"

	"stele/internal/label"
)

const (
	longestShared = 512             // bytes of a model's name; what is longer stays here
	mostTold      = 256             // states in one go
	keptFor       = 5 * time.Minute // a breaker that no server tries is closed then
)

// State is what servers tell each other of a target that is not well.
type State struct {
	Provider, Model string
	Caller          string    // whom it holds back; "" for all callers
	Opened          time.Time // when its breaker opened; zero: it is closed
	Until           time.Time // then it is tried
	Trier           string    // by this server; "": by any that claims it
	TryBy           time.Time // after which any may claim it
	Wait            time.Time // the provider asked not to be called before; zero: it did not
	Node            string    // who says so
}

// Well reports whether nothing is held back any more.
func (s State) Well() bool { return s.Opened.IsZero() && s.Wait.IsZero() }

// Expires is when the state is not worth knowing any more.
func (s State) Expires() time.Time {
	if s.Opened.IsZero() || s.Until.Add(keptFor).Before(s.Wait) {
		return s.Wait
	}
	return s.Until.Add(keptFor)
}

// breakerName names a breaker.
type breakerName struct {
	target address
	caller string
}

// news is what this server has not told the others yet, and what is known to them.
type news struct {
	node string // the name of this server; "": there are no others

	mu    sync.Mutex // guards all below; no other lock is taken under it
	fresh map[breakerName]bool
	known map[breakerName]bool
}

// note notes that a breaker has changed.
func (n *news) note(m breakerName) {
	if n.node == "" || len(m.target.model) > longestShared || label.Clean(m.target.model, longestShared) != m.target.model {
		return
	}
	n.mu.Lock()
	n.fresh[m] = true
	n.mu.Unlock()
}

func (n *news) forget(provider string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for m := range n.known {
		if m.target.provider == provider {
			n.fresh[m] = true
		}
	}
}

// Share has the router tell others what it learns, under the name of this server. It is
// called before the first request.
func (r *Router) Share(node string) {
	r.circuits.news = news{node: node, fresh: make(map[breakerName]bool), known: make(map[breakerName]bool)}
}

// HasNews reports whether there is something to tell, or a target that is not well.
func (r *Router) HasNews() bool {
	n := &r.circuits.news
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.fresh)+len(n.known) > 0
}

// News are the states that changed here since it was last asked, those that are well again
// among them. What could not be told is given to TakeBack.
func (r *Router) News() []State {
	n := &r.circuits.news
	n.mu.Lock()
	var names []breakerName
	for m := range n.fresh {
		if len(names) == mostTold {
			break
		}
		names = append(names, m)
		delete(n.fresh, m)
	}
	n.mu.Unlock()
	var told []State
	for _, m := range names {
		s := r.stateOf(m)
		n.setKnown(m, !s.Well())
		told = append(told, s)
	}
	return told
}

// TakeBack takes back what the others could not be told.
func (r *Router) TakeBack(list []State) {
	n := &r.circuits.news
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, s := range list {
		n.fresh[breakerName{address{s.Provider, s.Model}, s.Caller}] = true
	}
}

// WantedBreakers are the breakers that this server would try, and that no other one tries.
func (r *Router) WantedBreakers() []State {
	n, now := &r.circuits.news, r.now()
	n.mu.Lock()
	known := slices.Collect(maps.Keys(n.known))
	n.mu.Unlock()
	var list []State
	for _, m := range known {
		c := r.circuits.find(m.target)
		if c == nil {
			continue
		}
		c.mu.Lock()
		b := c.breaker(m.caller)
		wanted := b != nil && b.open && b.wanted && b.trier != n.node && !now.Before(b.until) && !now.Before(b.tryBy)
		c.mu.Unlock()
		if wanted {
			s := r.stateOf(m)
			s.Trier, s.TryBy = n.node, now.Add(claimedFor)
			list = append(list, s)
		}
	}
	return list
}

// Hear takes over all that the servers know of targets that are not well. What was known
// and is not among it is well again.
func (r *Router) Hear(all []State) {
	n, now := &r.circuits.news, r.now()
	heard := make(map[breakerName]bool, len(all))
	for _, s := range all {
		m := breakerName{address{s.Provider, s.Model}, s.Caller}
		if s.Expires().After(now) {
			heard[m] = true
			r.take(m, s, now)
		}
	}
	n.mu.Lock()
	var gone []breakerName
	for m := range n.known {
		if !heard[m] && !n.fresh[m] {
			gone = append(gone, m)
		}
	}
	n.mu.Unlock()
	for _, m := range gone {
		r.heal(m, now)
	}
}

// take takes over what another server says, or what this one said before, unless it knows
// better: because its own requests were served since, or because something has changed here.
func (r *Router) take(m breakerName, s State, now time.Time) {
	n, c := &r.circuits.news, r.circuits.of(m.target)
	c.mu.Lock()
	defer c.mu.Unlock()
	if n.isFresh(m) {
		return
	}
	n.setKnown(m, true)
	b := c.breaker(m.caller)
	if b == nil {
		b = c.makeOwn(m.caller)
	}
	b.wait = earlier(s.Wait, now.Add(longestWait)) // whatever the other server's clock says
	if s.Opened.IsZero() || s.Node != n.node && c.served.After(s.Opened) {
		b.close()
		return
	}
	if !b.open || !b.opened.Equal(s.Opened) {
		b.wanted = false
	}
	b.open, b.opened, b.until = true, s.Opened, earlier(s.Until, now.Add(openFor))
	b.trier, b.tryBy = s.Trier, s.TryBy
	b.failures = max(b.failures, failuresToOpen)
	if m.caller == "" {
		c.unreached = max(c.unreached, failuresToOpen-1) // one more that does not reach it opens it again
	}
}

// heal closes a breaker that another server has seen to be well.
func (r *Router) heal(m breakerName, now time.Time) {
	n := &r.circuits.news
	n.setKnown(m, false)
	c := r.circuits.find(m.target)
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.breaker(m.caller)
	if b == nil || n.isFresh(m) {
		return
	}
	b.close()
	b.wait = time.Time{}
	if m.caller == "" {
		c.unreached = 0
		clear(c.failing)
	} else if b.idle(now) {
		delete(c.own, m.caller)
	}
}

// stateOf is what is to be told of a breaker. One that is not there is well.
func (r *Router) stateOf(m breakerName) State {
	s := State{Provider: m.target.provider, Model: m.target.model, Caller: m.caller, Node: r.circuits.news.node}
	c := r.circuits.find(m.target)
	if c == nil {
		return s
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	b := c.breaker(m.caller)
	if b == nil {
		return s
	}
	if b.open {
		s.Opened, s.Until, s.Trier, s.TryBy = b.opened, b.until, b.trier, b.tryBy
	}
	if r.now().Before(b.wait) {
		s.Wait = b.wait
	}
	return s
}

// breaker is that of a caller, or the common one; nil where there is none. The caller
// holds the lock.
func (c *circuit) breaker(caller string) *breaker {
	if caller == "" {
		return &c.common
	}
	return c.own[caller]
}

func (n *news) setKnown(m breakerName, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if known {
		n.known[m] = true
	} else {
		delete(n.known, m)
	}
}

func (n *news) isFresh(m breakerName) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.fresh[m]
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
