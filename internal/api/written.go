package api

import (
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/catalog"
)

// mostNarrowed is how many models are kept written that policies have taken targets from.
const mostNarrowed = 4096

// written keeps the models of the lists as they were written. A client may ask for lists
// without end, and writing a thousand models anew each time would take the processors
// from all others.
type written struct{ now atomic.Pointer[edition] }

// edition is what was written of one catalog within a minute: prices have their hours.
type edition struct {
	of    *catalog.Contents
	until time.Time

	mu       sync.RWMutex // guards what follows
	entries  map[entry][]byte
	narrowed int // of the entries
}

// entry is a model in a list.
type entry struct {
	shape    string // whose list
	place    int    // in the contents
	narrowed string // the providers that a policy has left; "": all
}

// edition is the one of now.
func (w *written) edition(of *catalog.Contents, now time.Time) *edition {
	e := w.now.Load()
	if e == nil || e.of != of || !now.Before(e.until) {
		e = &edition{of: of, until: now.Truncate(time.Minute).Add(time.Minute), entries: make(map[entry][]byte)}
		w.now.Store(e)
	}
	return e
}

// entry is a model as it is in a list, written where it is not yet.
func (e *edition) entry(at entry, write func() ([]byte, error)) ([]byte, error) {
	e.mu.RLock()
	known, ok := e.entries[at]
	e.mu.RUnlock()
	if ok {
		return known, nil
	}
	made, err := write()
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if at.narrowed != "" {
		if e.narrowed >= mostNarrowed {
			return made, nil
		}
		e.narrowed++
	}
	e.entries[at] = made
	return made, nil
}
