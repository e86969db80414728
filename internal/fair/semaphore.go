// Package fair shares what is scarce among tenants: places, workers, bytes. It
// must not know what is shared, nor who a tenant is: a workspace, a person, a network.
package fair

import (
	"container/list"
	"context"
	"errors"
	"slices"
	"sync"
)

// ErrTooMuch says that a tenant asked for more than one tenant may ever hold.
var ErrTooMuch = errors.New("more than one tenant may hold")

// Semaphore hands out units. Tenants that wait are served in turns, each tenant's
// own callers in the order they came, so that a tenant with a thousand callers waits
// no less than one with a single caller. No tenant holds more than its share.
type Semaphore struct {
	mu      sync.Mutex // guards all below
	size    int64
	share   int64 // what one tenant may hold at most
	taken   int64
	tenants map[string]*tenant // those that hold or wait for something
	turns   list.List          // of *tenant: those that wait, the next one first
}

type tenant struct {
	name    string
	held    int64
	waiting []*waiter
	turn    *list.Element // nil: no caller waits
}

type waiter struct {
	n     int64
	ready chan struct{} // closed when n is held
}

// Half is the share of one tenant in something of this size: half of it, but one at least.
func Half(size int64) int64 { return max(1, size/2) }

// New makes a semaphore of size units, of which one tenant holds share at most.
func New(size, share int64) *Semaphore {
	return &Semaphore{size: size, share: min(share, size), tenants: make(map[string]*tenant)}
}

// Resize changes the bounds. What is held stays held.
func (s *Semaphore) Resize(size, share int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.size, s.share = size, min(share, size)
	s.serve()
}

// Share is what one tenant may hold at most.
func (s *Semaphore) Share() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.share
}

// TryAcquire takes n units for a tenant if it can have them at once and no caller who
// could have them waits.
func (s *Semaphore) TryAcquire(name string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n > s.share || s.taken+n > s.size {
		return false
	}
	if s.turns.Len() == 0 { // the usual case
		t := s.tenant(name)
		free := t.held+n <= s.share
		if free {
			s.grant(t, n)
		}
		return free
	}
	t, w := s.tenant(name), &waiter{n: n, ready: make(chan struct{})}
	s.wait(t, w)
	s.serve()
	select {
	case <-w.ready:
		return true
	default:
		s.leave(t, w)
		return false
	}
}

// Acquire takes n units for a tenant, waiting for its turn until ctx ends. With an
// error nothing is held.
func (s *Semaphore) Acquire(ctx context.Context, name string, n int64) error {
	s.mu.Lock()
	if n > s.share {
		s.mu.Unlock()
		return ErrTooMuch
	}
	t, w := s.tenant(name), &waiter{n: n, ready: make(chan struct{})}
	s.wait(t, w)
	s.serve()
	s.mu.Unlock()
	select {
	case <-w.ready:
		return nil
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case <-w.ready: // granted in the meantime
		return nil
	default:
	}
	s.leave(t, w)
	s.serve() // others may have stood behind it
	return context.Cause(ctx)
}

// Release gives n units of a tenant back.
func (s *Semaphore) Release(name string, n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.tenants[name]
	if t == nil || t.held < n {
		panic("fair: released more than is held")
	}
	t.held -= n
	s.taken -= n
	s.forget(t)
	s.serve()
}

// Held is what a tenant holds now.
func (s *Semaphore) Held(name string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.tenants[name]; t != nil {
		return t.held
	}
	return 0
}

// Taken is what all tenants hold now.
func (s *Semaphore) Taken() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

func (s *Semaphore) tenant(name string) *tenant {
	t := s.tenants[name]
	if t == nil {
		t = &tenant{name: name}
		s.tenants[name] = t
	}
	return t
}

func (s *Semaphore) grant(t *tenant, n int64) {
	t.held += n
	s.taken += n
}

func (s *Semaphore) wait(t *tenant, w *waiter) {
	t.waiting = append(t.waiting, w)
	if t.turn == nil {
		t.turn = s.turns.PushBack(t)
	}
}

// serve gives what is free to those that wait. A tenant that holds its share is passed
// over; one whose turn it is and for whom too little is free is waited for, so that
// large wishes are not starved by small ones.
func (s *Semaphore) serve() {
	for e := s.turns.Front(); e != nil; {
		t := e.Value.(*tenant)
		w := t.waiting[0]
		if t.held+w.n > s.share {
			e = e.Next()
			continue
		}
		if s.taken+w.n > s.size {
			return
		}
		s.grant(t, w.n)
		close(w.ready)
		next := e.Next()
		s.leave(t, w)
		if t.turn != nil {
			s.turns.MoveToBack(t.turn)
			if next == nil {
				next = t.turn
			}
		}
		e = next
	}
}

// leave takes a caller out of its tenant's line.
func (s *Semaphore) leave(t *tenant, w *waiter) {
	if i := slices.Index(t.waiting, w); i >= 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	if len(t.waiting) == 0 && t.turn != nil {
		s.turns.Remove(t.turn)
		t.turn = nil
	}
	s.forget(t)
}

// forget drops tenants that neither hold nor wait, so that names do not pile up. A few
// are kept: the next request is most likely one of theirs.
func (s *Semaphore) forget(t *tenant) {
	const kept = 64
	if t.held == 0 && t.turn == nil && len(s.tenants) > kept {
		delete(s.tenants, t.name)
	}
}
