package api

import (
	"math"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fair"
	"stele/internal/fault"
)

// ample is how many keys' worth of places a workspace has.
const ample = 4

// concurrency bounds the requests of a kind that may be open at a time: so many of one key,
// and so many of one workspace, however many keys it makes.
type concurrency struct {
	what  string
	bound func() int64 // of one key, as the settings have it now; 0: any number

	keys       *fair.Semaphore
	workspaces *fair.Semaphore

	mu  sync.Mutex // guards what follows
	now int64      // the bound both have
}

func newConcurrency(what string, bound func() int64) *concurrency {
	return &concurrency{what: what, bound: bound, keys: fair.New(math.MaxInt64, 0), workspaces: fair.New(math.MaxInt64, 0)}
}

// take takes a place for a request, which must leave it.
func (p *concurrency) take(who access.Principal) (leave func(), err error) {
	most := p.settle()
	if !p.keys.TryAcquire(who.Key, 1) {
		return nil, p.refuseFull("key", most)
	}
	if !p.workspaces.TryAcquire(who.Workspace, 1) {
		p.keys.Release(who.Key, 1)
		return nil, p.refuseFull("workspace", ample*most)
	}
	key, workspace := who.Key, who.Workspace // all that is held on to of a caller
	return func() {
		p.workspaces.Release(workspace, 1)
		p.keys.Release(key, 1)
	}, nil
}

// settle takes the settings' bound over, and says what it is.
func (p *concurrency) settle() int64 {
	most := p.bound()
	if most <= 0 {
		most = math.MaxInt64 / ample
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.now != most {
		p.now = most
		p.keys.Resize(math.MaxInt64, most)
		p.workspaces.Resize(math.MaxInt64, ample*most)
	}
	return most
}

func (p *concurrency) refuseFull(whose string, most int64) error {
	return fault.New(fault.ConcurrencyLimit, "This %s has %d %s open, which is as many as it may have.", whose, most, p.what).
		With("limit", most).After(time.Second)
}
