package fair

import (
	"context"
	"sync"
	"time"
)

const (
	firstReturn = 500 * time.Millisecond // for one who finds the waiting room full
	lastReturn  = 30 * time.Second
	manyTurned  = 1024        // tenants that were turned away, before old ones are forgotten
	turnedFor   = time.Minute // how long that is remembered
)

// Line is a semaphore of single places with a waiting room. Callers wait for their
// turn for a while; those who find no room, or whose patience ends, are told when to
// come back. No tenant takes more than half of the room that is left, so that there
// is always some for another one.
type Line struct {
	places   *Semaphore
	room     int
	patience time.Duration

	mu      sync.Mutex // guards all below
	crowd   int        // callers in the waiting room
	waiting map[string]int
	turned  map[string]turned
}

// turned is how many callers of a tenant were turned away and not served since.
type turned struct {
	n  int
	at time.Time
}

// NewLine makes a line for size places, of which one tenant holds share at most, and
// a waiting room for room callers, each of whom waits for patience at most.
func NewLine(size, share int64, room int, patience time.Duration) *Line {
	return LineFor(New(size, share), room, patience)
}

// LineFor makes a line for the places of a semaphore, which other callers may take
// without standing in it.
func LineFor(places *Semaphore, room int, patience time.Duration) *Line {
	return &Line{places: places, room: room, patience: patience, waiting: make(map[string]int), turned: make(map[string]turned)}
}

// Enter takes a place for a tenant, which is held until leave is called. Where leave
// is nil there was none, and the caller may come back after again.
func (l *Line) Enter(ctx context.Context, tenant string) (leave func(), again time.Duration) {
	if !l.places.TryAcquire(tenant, 1) && !l.wait(ctx, tenant) {
		return nil, l.turnAway(tenant)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if t, ok := l.turned[tenant]; ok {
		if t.n--; t.n <= 0 {
			delete(l.turned, tenant)
		} else {
			l.turned[tenant] = t
		}
	}
	return sync.OnceFunc(func() { l.places.Release(tenant, 1) }), 0
}

// Held is how many places a tenant holds now.
func (l *Line) Held(tenant string) int64 { return l.places.Held(tenant) }

// Share is how many places one tenant may hold.
func (l *Line) Share() int64 { return l.places.Share() }

func (l *Line) wait(ctx context.Context, tenant string) bool {
	if !l.sit(tenant) {
		return false
	}
	defer l.rise(tenant)
	bounded, cancel := context.WithTimeout(ctx, l.patience)
	defer cancel()
	return l.places.Acquire(bounded, tenant, 1) == nil
}

func (l *Line) sit(tenant string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[tenant] >= (l.room-l.crowd+l.waiting[tenant])/2 {
		return false
	}
	l.waiting[tenant]++
	l.crowd++
	return true
}

func (l *Line) rise(tenant string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.crowd--
	if l.waiting[tenant]--; l.waiting[tenant] == 0 {
		delete(l.waiting, tenant)
	}
}

// turnAway is when to come back: the later the more of the tenant's callers were
// turned away before.
func (l *Line) turnAway(tenant string) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	if len(l.turned) >= manyTurned {
		for name, t := range l.turned {
			if now.Sub(t.at) > turnedFor {
				delete(l.turned, name)
			}
		}
	}
	t := l.turned[tenant]
	if now.Sub(t.at) > turnedFor {
		t.n = 0
	}
	t.n, t.at = t.n+1, now
	l.turned[tenant] = t
	return min(time.Duration(1+int64(t.n)/l.places.Share())*firstReturn, lastReturn)
}
