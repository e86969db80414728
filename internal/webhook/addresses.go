package webhook

import (
	"context"
	"net/url"
	"strings"
	"sync"
	"time"

	"stele/internal/fair"
	"stele/internal/recent"
)

const (
	mostTogether  = 64              // messages on their way at a time, to all addresses
	toOneAddress  = 16              // of them, a workspace's to one address
	addressRoom   = 64              // messages that wait for an address
	addressPause  = 2 * time.Second // how long they wait before they go back into the queue
	silentAfter   = 3               // tries without an answer in a row
	silentAnswer  = 5 * time.Second // how long an address that is known to be silent has for its answer
	firstRest     = 2 * time.Second // between tries at an address that is silent; it doubles
	longestRest   = 2 * time.Minute
	mostAddresses = 4096 // whose standing is known
)

// addresses hold back what goes to one address: a few messages at a time, and one
// where the address does not answer, so that a silent one keeps its own workspace's
// messages from going out, if any, and no other's. An address is a host as one
// workspace names it.
type addresses struct {
	places *fair.Line
	now    func() time.Time

	mu    sync.Mutex // guards all below
	known *recent.Map[string, *standing]
}

// standing is what is known of an address.
type standing struct {
	silent int // tries in a row that were not answered
	trying bool
	rest   time.Time // while it is silent: nothing goes there before
}

func newAddresses(now func() time.Time) *addresses {
	return &addresses{
		places: fair.NewLine(mostTogether, toOneAddress, addressRoom, addressPause), now: now, known: recent.New[string, *standing](mostAddresses),
	}
}

// visit is a try at an address.
type visit struct {
	within time.Duration // for the answer
	end    func(answered bool)
}

// enter begins a try at an address, or says when to come back.
func (a *addresses) enter(ctx context.Context, workspace, address string) (v *visit, again time.Duration) {
	key := workspace + " " + hostOf(address)
	if silent, again := a.probe(key); again > 0 {
		return nil, again
	} else if silent {
		return &visit{silentAnswer, func(answered bool) { a.note(key, answered, true) }}, 0
	}
	leave, again := a.places.Enter(ctx, key)
	if leave == nil {
		return nil, again
	}
	return &visit{answerTime, func(answered bool) {
		leave()
		a.note(key, answered, false)
	}}, 0
}

// probe begins the one try that a silent address gets at a time.
func (a *addresses) probe(key string) (silent bool, again time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.standing(key)
	if s.silent < silentAfter {
		return false, 0
	}
	if wait := s.rest.Sub(a.now()); wait > 0 {
		return true, wait
	}
	if s.trying {
		return true, rest(s.silent)
	}
	s.trying = true
	return true, 0
}

func (a *addresses) note(key string, answered, probe bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.standing(key)
	if probe {
		s.trying = false
	}
	if answered {
		s.silent = 0
		return
	}
	s.silent++
	if s.silent >= silentAfter {
		s.rest = a.now().Add(rest(s.silent))
	}
}

func rest(silent int) time.Duration {
	return min(firstRest<<min(max(silent-silentAfter, 0), 10), longestRest)
}

// standing is what is known of an address. Those not used for longest are forgotten.
// The caller holds the lock.
func (a *addresses) standing(key string) *standing {
	s, ok := a.known.Use(key)
	if !ok {
		s = new(standing)
		a.known.Put(key, s)
	}
	return s
}

// hostOf is the host of an address, however it is spelled.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
}
