package access

import (
	"sync"
	"time"
)

const (
	freeFailures = 5                // failures before anybody has to wait
	firstWait    = 15 * time.Second // doubled by every failure after that
	longestWait  = 15 * time.Minute
	forgetAfter  = time.Hour
	mostTracked  = 10_000 // bounds memory whatever names are tried
	mostSteps    = 100    // of which the audit log hears in an hour, however many places they come from
)

// throttle slows down guessing: by account, so that many machines do not help,
// and by address, so that many accounts do not either.
type throttle struct {
	now func() time.Time

	mu    sync.Mutex // guards what follows
	tries map[string]*tries
	hour  time.Time // in which
	steps int       // as many steps were told of
}

type tries struct {
	failures int
	last     time.Time
}

func newThrottle(now func() time.Time) *throttle {
	return &throttle{now: now, tries: make(map[string]*tries)}
}

// wait says how long the next attempt under any of the names has to wait.
func (t *throttle) wait(names ...string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	var longest time.Duration
	for _, name := range names {
		e := t.tries[name]
		if e == nil || e.failures < freeFailures {
			continue
		}
		wait := longestWait
		if doublings := e.failures - freeFailures; doublings < 6 {
			wait = min(firstWait<<doublings, longestWait)
		}
		longest = max(longest, wait-t.now().Sub(e.last))
	}
	return longest
}

// fail counts a failed attempt under each of the names. It reports whether that is
// a step worth writing down: the first failure under the first name, or one that
// makes somebody wait longer.
func (t *throttle) fail(names ...string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	step := false
	for i, name := range names {
		e := t.tries[name]
		if e == nil || now.Sub(e.last) > forgetAfter {
			t.makeRoom(now)
			e = new(tries)
			t.tries[name] = e
		}
		e.failures++
		e.last = now
		step = step || e.failures >= freeFailures || (i == 0 && e.failures == 1)
	}
	return step
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

// clear forgets the failures under a name.
func (t *throttle) clear(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.tries, name)
}

func (t *throttle) makeRoom(now time.Time) {
	if len(t.tries) < mostTracked {
		return
	}
	for name, e := range t.tries {
		if now.Sub(e.last) > forgetAfter {
			delete(t.tries, name)
		}
	}
	for name := range t.tries { // still full: any one goes, the attack is wider than we can watch
		if len(t.tries) < mostTracked {
			return
		}
		delete(t.tries, name)
	}
}
