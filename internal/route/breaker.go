package route

import (
	"errors"
	"fmt"
	"time"
)

const (
	failuresToOpen = 5
	openFor        = 10 * time.Second
	longestWait    = time.Minute     // a provider that asks for more is tried again then
	firstChance    = 2 * time.Second // how long the server that opened a breaker may be the one that tries
	claimedFor     = 5 * time.Second // and one that claimed the trial afterwards
	unclaimed      = 5 * time.Second // after that it is tried all the same: the servers may not hear of each other
)

var (
	errOpen    = errors.New("the breaker is open")
	errUntried = errors.New("the breaker is open until a server has claimed the trial")
	errGone    = errors.New("the caller is gone") // says nothing of the target
)

// waiting says that a provider does not want to be called for a while.
type waiting struct{ left time.Duration }

func (w *waiting) Error() string { return fmt.Sprintf("the provider asked to wait for %s", w.left) }

// The states of a breaker.
const (
	stateClosed   = "closed"
	stateHalfOpen = "half-open"
	stateOpen     = "open"
)

// breaker holds requests back from a target: those of one caller, or of all.
type breaker struct {
	failures int // in a row
	open     bool
	opened   time.Time
	until    time.Time       // while it is open: then it is tried
	trying   map[string]bool // callers who do
	wait     time.Time       // the provider asked not to be called before

	// Of several servers one tries.
	trier  string    // which of them; "": any may claim it, or there is only this one
	tryBy  time.Time // after which any may claim it
	wanted bool      // callers of this server wait for it
}

// refuse says why a request must not pass; nil: it may.
func (b *breaker) refuse(caller, here string, now time.Time) error {
	if now.Before(b.wait) {
		return &waiting{b.wait.Sub(now)}
	}
	switch {
	case !b.open:
		return nil
	case now.Before(b.until), b.trying[caller]:
		b.wanted = true
		return errOpen
	case b.trier != here && now.Before(b.tryBy.Add(unclaimed)):
		b.wanted = true
		return errUntried
	}
	return nil
}

// try lets a request through, and reports whether it is a trial.
func (b *breaker) try(caller string) bool {
	if !b.open {
		return false
	}
	if b.trying == nil {
		b.trying = make(map[string]bool)
	}
	b.trying[caller] = true
	return true
}

// trip opens the breaker. The server that saw the failures tries first; where that has
// failed, any server that wants to: it may be this one that cannot reach the provider.
func (b *breaker) trip(here string, now time.Time) {
	b.until = now.Add(openFor)
	b.trier, b.tryBy = here, b.until.Add(firstChance)
	if b.open && !now.Before(b.opened.Add(openFor)) {
		b.trier, b.tryBy = "", b.until
	}
	b.open, b.opened, b.wanted = true, now.Truncate(time.Millisecond), false // as precise as it is kept
}

// close lets requests pass again, and reports whether they did not.
func (b *breaker) close() (was bool) {
	was = b.open
	b.failures, b.open, b.wanted, b.trier = 0, false, false, ""
	return was
}

// idle reports whether the breaker has nothing to say.
func (b *breaker) idle(now time.Time) bool { return !b.open && b.failures == 0 && !now.Before(b.wait) }

func (b *breaker) state(now time.Time) string {
	switch {
	case now.Before(b.wait), b.open && now.Before(b.until):
		return stateOpen
	case b.open:
		return stateHalfOpen
	}
	return stateClosed
}
