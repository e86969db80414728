package access

import (
	"sync"
	"time"

	"stele/internal/recent"
)

const (
	freeFailures = 5                // failures before a visitor has to wait
	freeOfSite   = 50               // from a whole site of IPv6
	siege        = 50               // failures at one account, from everywhere, after which a new place has one free
	firstWait    = 15 * time.Second // doubled by every failure after that
	longestWait  = 15 * time.Minute
	forgetAfter  = time.Hour
	mostTracked  = 20_000 // bounds memory whatever names are tried
	mostSteps    = 100    // of which the audit log hears in an hour, however many places they come from
)

// attempt is one try at becoming a person.
type attempt struct {
	account string // what is tried: an address, or a person's second factor
	remote  string // where from
	device  string // a browser that this person has signed in with before; "" for any other
}

// throttle slows down guessing without locking people out: failures count where
// they come from, for the account and in all. A browser that the person has used
// before has a count of its own, so strangers cannot stand in its way.
type throttle struct {
	sharing

	now func() time.Time

	mu    sync.Mutex // guards what follows
	tries *recent.Map[string, *tries]
	hour  time.Time // in which
	steps int       // as many steps were told of
}

type tries struct {
	failures int
	last     time.Time
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, tries: recent.New[string, *tries](mostTracked)}
}

// count is where a failure counts, and how many are free there.
type count struct {
	name string
	free int
}

// counts are those of an attempt, that of the account in that place first. The
// caller holds the lock.
func (t *throttle) counts(a attempt) []count {
	if a.device != "" {
		return []count{{"device " + a.device + " at " + a.account, freeFailures}}
	}
	network, site := networks(a.remote)
	free := freeFailures
	if e := t.find("account " + a.account); e != nil && e.failures >= siege {
		free = 1
	}
	counts := []count{{"account " + a.account + " from " + network, free}, {"network " + network, freeFailures}}
	if site != "" {
		counts = append(counts, count{"site " + site, freeOfSite})
	}
	return counts
}

// wait says how long an attempt has to wait.
func (t *throttle) wait(a attempt) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var longest time.Duration
	for _, c := range t.counts(a) {
		e := t.find(c.name)
		if e == nil || e.failures < c.free {
			continue
		}
		wait := longestWait
		if doublings := e.failures - c.free; doublings < 6 {
			wait = min(firstWait<<doublings, longestWait)
		}
		longest = max(longest, wait-t.now().Sub(e.last))
	}
	return longest
}

// fail counts a failed attempt. It reports whether that is a step worth writing
// down: the first failure at an account from a place, or one that makes the wait longer.
func (t *throttle) fail(a attempt) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	step := false
	for i, c := range t.counts(a) {
		e := t.note(c.name)
		step = step || e.failures >= c.free || (i == 0 && e.failures == 1)
	}
	if a.device == "" {
		t.note("account " + a.account)
	}
	return step
}

// succeed takes an attempt back that was counted as a failure before it was known,
// and forgets the failures at the account from that place.
func (t *throttle) succeed(a attempt) {
	t.mu.Lock()
	defer t.mu.Unlock()
	counts := append(t.counts(a), count{name: "account " + a.account})
	for i, c := range counts {
		one, ok := t.tries.Peek(c.name)
		if !ok {
			continue
		}
		if one.failures--; i == 0 || one.failures <= 0 {
			t.tries.Delete(c.name)
		}
	}
}

// tell reports whether a step may still be written down in this hour.
func (t *throttle) tell() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if this := t.now().Truncate(time.Hour); !this.Equal(t.hour) {
		t.hour, t.steps = this, 0
	}
	t.steps++
	return t.steps <= mostSteps
}

func (t *throttle) find(name string) *tries {
	one, ok := t.tries.Peek(name)
	if !ok || t.now().Sub(one.last) > forgetAfter {
		return nil
	}
	return one
}

// note counts one failure under a name. The name that was used longest ago goes
// when there are too many.
func (t *throttle) note(name string) *tries {
	now := t.now()
	one, ok := t.tries.Use(name)
	if !ok {
		one = new(tries)
		t.tries.Put(name, one)
	}
	if now.Sub(one.last) > forgetAfter {
		one.failures = 0
	}
	one.failures++
	one.last = now
	return one
}
