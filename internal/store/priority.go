package store

import (
	"context"
	"sync"
	"time"

	"stele/internal/fair"
)

// priority is how soon a change is saved.
type priority struct {
	urgent    bool   // a client waits for it
	word      bool   // a provider's word, which is lost with the process: it waits for no client
	workspace string // whose turn it is; "" for the program's own
}

var (
	urgent     = priority{urgent: true}
	background = priority{} // no client waits for it, or few people do
)

const (
	politely     = 1           // background changes at a time while a client waits
	mostPatience = time.Second // after so long they are polite no more
)

// writePriority has what no client waits for make room for what a client waits for: a
// burst of orders is taken before it is worked on. Workspaces take turns.
type writePriority struct {
	size       int64 // background changes at a time while no client waits; the pool has some more connections
	background *fair.Semaphore
	words      *fair.Semaphore // beside them

	mu     sync.Mutex // guards urgent
	urgent int
}

func newWritePriority(size int64) *writePriority {
	words := max(1, size/4)
	return &writePriority{size: size, background: fair.New(size, size), words: fair.New(words, words)}
}

// serve marks an urgent change until done is called.
func (p *writePriority) serve() (done func()) {
	p.count(1)
	return func() { p.count(-1) }
}

func (p *writePriority) count(n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.urgent == 0 {
		p.background.Resize(politely, politely)
	}
	if p.urgent += n; p.urgent == 0 {
		p.background.Resize(p.size, p.size)
	}
}

// wait returns when it is the turn of a change that is not urgent, which lasts
// until done is called.
func (p *writePriority) wait(ctx context.Context, workspace string) (done func(), err error) {
	if !p.background.TryAcquire(workspace, 1) {
		tired := time.AfterFunc(mostPatience, func() { p.background.Resize(p.size, p.size) })
		defer tired.Stop()
		if err := p.background.Acquire(ctx, workspace, 1); err != nil {
			return nil, err
		}
	}
	return func() { p.background.Release(workspace, 1) }, nil
}

// hear returns when it is the turn of a provider's word, which lasts until done is called.
func (p *writePriority) hear(ctx context.Context, workspace string) (done func(), err error) {
	if err := p.words.Acquire(ctx, workspace, 1); err != nil {
		return nil, err
	}
	return func() { p.words.Release(workspace, 1) }, nil
}
