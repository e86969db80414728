// Package background turns work that answers only when it is done into a maker
// that accepts work at once, tells how far it is, and can be stopped. What it
// holds lives as long as the process: who needs more must say so. It must not
// know what is made.
package background

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"stele/internal/fair"
	"stele/internal/inflight"
	"stele/internal/media"
)

// Craft makes something in one go. It reports its progress from 0 to 1 and gives
// up when ctx ends. Its errors are *media.Failure where the client may know why.
type Craft func(ctx context.Context, req media.Request, report func(progress float64)) ([]media.Output, error)

// Options say how a craft is worked.
type Options struct {
	Parallel int           // pieces of work of one workspace at the same time, and twice as many of all; the others wait for their turn
	Quick    time.Duration // how long Submit waits for work that may be done by then
	Repeats  bool          // making something again costs nothing
	Hold     time.Duration // how long outputs wait to be fetched

	Working *inflight.Registry // of what is made in this process, and may bring it down; nil for none
}

// Maker works a craft in the background. It is safe for concurrent use.
type Maker struct {
	craft   Craft
	options Options
	slots   *fair.Semaphore
	line    *fair.Line // for slots that are taken before the work is submitted
	group   sync.WaitGroup
	stop    context.CancelFunc
	ctx     context.Context //nolint:containedctx // that of the work, which outlives the request that ordered it

	mu      sync.Mutex // guards all below
	resting bool
	work    map[string]*piece
	entered map[string]*slot // of work that is not submitted yet
}

// How many callers wait for a slot, and for how long, before they are told to come back.
const (
	lineRoom  = 256
	linePause = 2 * time.Second
)

// New makes a maker of a craft.
func New(craft Craft, o Options) *Maker {
	m := &Maker{craft: craft, options: o, slots: newSlots(o.Parallel), work: make(map[string]*piece), entered: make(map[string]*slot)}
	m.line = fair.LineFor(m.slots, lineRoom, linePause)
	m.options.Hold = cmp.Or(m.options.Hold, time.Hour)
	m.ctx, m.stop = context.WithCancel(context.Background())
	return m
}

// Close stops all work and waits for it.
func (m *Maker) Close() {
	m.stop()
	m.group.Wait()
}

// Repeats reports whether lost work may be ordered again.
func (m *Maker) Repeats() bool { return m.options.Repeats }

type ticket struct {
	Key string `json:"key"`
}

// TakeSlot takes a slot for the work of a key, so that it begins as soon as it is submitted:
// work that waits for one here is lost with the process. leave gives it back unless the
// work has begun, which does so at its end. Where leave is nil there was none, and the
// caller may come back after again.
func (m *Maker) TakeSlot(ctx context.Context, workspace, key string) (leave func(), again time.Duration) {
	free, again := m.line.Enter(ctx, workspace)
	if free == nil {
		return nil, again
	}
	own := &slot{free}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.resting {
		free()
		return nil, linePause
	}
	if before := m.entered[key]; before != nil { // of a try that another one follows already
		before.free()
	}
	m.entered[key] = own
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.entered[key] == own {
			delete(m.entered, key)
			free()
		}
	}, 0
}

// slot is a place among those that work at the same time.
type slot struct{ free func() }

// slotOf is the slot that a key has taken, which is the caller's from then on; nil where
// it has none. The caller holds mu.
func (m *Maker) slotOf(key string) *slot {
	own := m.entered[key]
	delete(m.entered, key)
	return own
}

// Submit starts the work of a key, or joins it where it is being done. Work that has
// failed is begun anew: who submits it again knows why.
func (m *Maker) Submit(ctx context.Context, req media.Request) (media.Status, error) {
	if m.ctx.Err() != nil {
		return media.Status{}, &media.Failure{Class: media.Transient, Message: "This server is stopping."}
	}
	p := m.start(req)
	if m.options.Quick > 0 && p.hasBegun() {
		quick := time.NewTimer(m.options.Quick)
		defer quick.Stop()
		select {
		case <-p.done:
		case <-quick.C:
		case <-ctx.Done():
		}
	}
	status := p.status()
	status.Ticket, _ = json.Marshal(ticket{req.Key})
	return status, nil
}

func (m *Maker) start(req media.Request) *piece {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	if p := m.work[req.Key]; p != nil && !p.hasFailed() {
		return p
	}
	ctx, cancel := context.WithCancel(m.ctx)
	p := &piece{cancel: cancel, done: make(chan struct{}), state: media.Pending}
	own := m.slotOf(req.Key)
	if own != nil || m.slots.TryAcquire(req.Workspace, 1) {
		p.state = media.Processing
	}
	if own == nil {
		own = &slot{func() { m.slots.Release(req.Workspace, 1) }}
	}
	m.work[req.Key] = p
	m.group.Go(func() {
		defer cancel()
		if p.hasBegun() || m.waitForSlot(ctx, req.Workspace, p) {
			defer own.free()
			outputs, err := m.make(ctx, req, p.report)
			p.end(ctx, outputs, err)
			return
		}
		p.end(ctx, nil, ctx.Err())
	})
	return p
}

// newSlots gives one workspace what it may have, however many others there are: what takes all
// processors beside another workspace takes twice as long, and no longer.
func newSlots(parallel int) *fair.Semaphore {
	n := int64(max(1, parallel))
	return fair.New(2*n, n)
}

// waitForSlot waits until it is the turn of the piece.
func (m *Maker) waitForSlot(ctx context.Context, workspace string, p *piece) bool {
	if m.slots.Acquire(ctx, workspace, 1) != nil {
		return false
	}
	if !p.begin() {
		m.slots.Release(workspace, 1)
		return false
	}
	return true
}

func (m *Maker) make(ctx context.Context, req media.Request, report func(float64)) (outputs []media.Output, err error) {
	end, err := m.options.Working.Begin(ctx, req.Key, req.Deaths)
	if err != nil {
		return nil, err
	}
	defer end()
	defer func() {
		if r := recover(); r != nil {
			err = &media.Failure{Class: media.Panicked, Message: "The model failed.", Err: fmt.Errorf("panic: %v", r)}
		}
	}()
	return m.craft(ctx, req, report)
}

// sweep lets go of what was never fetched.
func (m *Maker) sweep() {
	for key, p := range m.work {
		if p.hasEndedBefore(time.Now().Add(-m.options.Hold)) {
			delete(m.work, key)
		}
	}
}

func (m *Maker) find(t media.Ticket) (*piece, string) {
	var named ticket
	if json.Unmarshal(t, &named) != nil {
		return nil, ""
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.work[named.Key], named.Key
}

// Holds reports whether the work of a key is here.
func (m *Maker) Holds(key string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.work[key] != nil
}

// Busy reports whether any work is here that may still be asked for.
func (m *Maker) Busy() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	return len(m.work) > 0
}

// Rest gives no more places: what waits for one is for another process. Work that may be
// made again goes on.
func (m *Maker) Rest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.resting = !m.options.Repeats
}

// HasOwed reports whether any work that cannot be made again is under way, or done and not
// fetched yet.
func (m *Maker) HasOwed() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.sweep()
	for _, p := range m.work {
		if !m.options.Repeats && !p.hasFailed() {
			return true
		}
	}
	return false
}

// KeyOf is the key of the work that a ticket is for.
func KeyOf(t media.Ticket) string {
	var named ticket
	_ = json.Unmarshal(t, &named) // a ticket of no workspace has no key
	return named.Key
}

// Poll tells how far work is. Work of another process is gone.
func (m *Maker) Poll(_ context.Context, t media.Ticket) (media.Status, error) {
	p, _ := m.find(t)
	if p == nil {
		return media.Status{}, &media.Failure{Class: media.Gone, Message: "The work was lost when a server stopped."}
	}
	status := p.status()
	status.Ticket = t
	return status, nil
}

// Cancel stops work, if it is still being done.
func (m *Maker) Cancel(_ context.Context, t media.Ticket) error {
	if p, _ := m.find(t); p != nil {
		p.cancel()
	}
	return nil
}

// Withdraw stops work that has not begun, and reports whether it did.
func (m *Maker) Withdraw(t media.Ticket) bool {
	p, _ := m.find(t)
	return p != nil && p.withdraw()
}

// Forget lets go of outputs that were copied.
func (m *Maker) Forget(t media.Ticket) {
	p, key := m.find(t)
	if p == nil {
		return
	}
	p.cancel()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.work, key)
}
