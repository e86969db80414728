// Package memory is the accountant of memory in flight: request bodies, buffered
// answers, fetched files, pictures being decoded. It must not know what the bytes are.
package memory

import (
	"context"
	"errors"
	"sync"
	"time"

	"stele/internal/fair"
	"stele/internal/fault"
	"stele/internal/pause"
)

// Patience is how long a caller waits for memory before it is told to come back.
const Patience = 2 * time.Second

// ErrFull is the cause of every refusal: the memory is taken by the callers themselves.
var ErrFull = errors.New("no memory is left for this caller")

// Budget is what may be in flight at once, how much of it one workspace may have, and
// how much of that one part of it: itself, or one of its keys.
type Budget struct {
	bytes *fair.Semaphore // by workspace
	parts *fair.Semaphore // by part of a workspace; it bounds parts, never all of them
}

// New makes a budget of size bytes, of which one workspace holds share at most.
func New(size, share int64) *Budget { return &Budget{fair.New(size, share), fair.New(size, share)} }

// Resize changes the bounds: of all, of a workspace, of a part of a workspace. What is held
// stays held.
func (b *Budget) Resize(size, share, part int64) {
	b.bytes.Resize(size, share)
	b.parts.Resize(size, min(part, share))
}

// Taken is how much is in flight now.
func (b *Budget) Taken() int64 { return b.bytes.Taken() }

// Open begins a lease of a workspace, which holds nothing yet. A nil Budget counts nothing.
func (b *Budget) Open(workspace string) *Lease { return b.OpenPart(workspace, "") }

// OpenPart begins a lease of a part of a workspace; "" is the workspace as a whole. Parts
// of different workspaces have different names.
func (b *Budget) OpenPart(workspace, part string) *Lease {
	if b == nil {
		return nil
	}
	return &Lease{budget: b, workspace: workspace, part: part}
}

// Fork begins a lease of the same workspace and part that has an end of its own.
func (l *Lease) Fork() *Lease {
	if l == nil {
		return nil
	}
	return l.budget.OpenPart(l.workspace, l.part)
}

// Hand gives all that the lease holds to a new one of the same workspace and part, which
// has an end of its own.
func (l *Lease) Hand() *Lease {
	next := l.Fork()
	if next == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	next.held, l.held = l.held, 0
	return next
}

// Lease is what one piece of work holds. It is safe for several goroutines. A nil
// Lease counts nothing, so that callers need no test.
type Lease struct {
	budget    *Budget
	workspace string
	part      string

	mu     sync.Mutex // guards all below
	held   int64
	closed bool
}

// Most is what the lease can have at best; 0 where nothing is counted.
func (l *Lease) Most() int64 {
	switch {
	case l == nil:
		return 0
	case l.part != "":
		return l.budget.parts.Share()
	}
	return l.budget.bytes.Share()
}

// Grow takes n more bytes before they are allocated. It waits for a moment where
// others hold them, and is then refused with a fault that names a time to come back.
func (l *Lease) Grow(ctx context.Context, n int64) error {
	if l == nil || n <= 0 {
		return nil
	}
	if l.try(n) {
		return l.keep(n)
	}
	if l.Held()+n > l.Most() { // waiting would not help
		return l.toRefusal(ctx, fair.ErrTooMuch)
	}
	bounded, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	if err := l.acquire(bounded, n); err != nil {
		return l.toRefusal(ctx, err)
	}
	return l.keep(n)
}

// Await is Grow for work that no caller stands beside: it waits until ctx ends. It looks
// now and then rather than standing in line, where the requests of its workspace would stand
// behind it. Work that holds something already must not call it, or two could wait for
// each other.
func (l *Lease) Await(ctx context.Context, n int64) error {
	if l == nil || n <= 0 {
		return nil
	}
	if n > l.Most() {
		return l.toRefusal(ctx, fair.ErrTooMuch)
	}
	const shortest, longest = 5 * time.Millisecond, 200 * time.Millisecond
	for wait := shortest; !l.try(n); wait = min(2*wait, longest) {
		if err := pause.For(ctx, wait); err != nil {
			return err
		}
	}
	return l.keep(n)
}

// Fits takes n more bytes and reports whether that was possible at once.
func (l *Lease) Fits(n int64) bool { return l == nil || n <= 0 || l.try(n) && l.keep(n) == nil }

func (l *Lease) try(n int64) bool {
	if l.part != "" && !l.budget.parts.TryAcquire(l.part, n) {
		return false
	}
	if l.budget.bytes.TryAcquire(l.workspace, n) {
		return true
	}
	if l.part != "" {
		l.budget.parts.Release(l.part, n)
	}
	return false
}

func (l *Lease) acquire(ctx context.Context, n int64) error {
	if l.part == "" {
		return l.budget.bytes.Acquire(ctx, l.workspace, n)
	}
	if err := l.budget.parts.Acquire(ctx, l.part, n); err != nil {
		return err
	}
	err := l.budget.bytes.Acquire(ctx, l.workspace, n)
	if err != nil {
		l.budget.parts.Release(l.part, n)
	}
	return err
}

func (l *Lease) release(n int64) {
	l.budget.bytes.Release(l.workspace, n)
	if l.part != "" {
		l.budget.parts.Release(l.part, n)
	}
}

func (l *Lease) keep(n int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // the work it was for has ended
		l.release(n)
		return context.Canceled
	}
	l.held += n
	return nil
}

func (l *Lease) toRefusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, fair.ErrTooMuch) {
		return fault.New(fault.BodyTooLarge, "This request needs more memory than one caller may have here.").Because(errors.Join(ErrFull, err))
	}
	return Full(err)
}

// Full says that there is no room just now.
func Full(why error) *fault.Error {
	return fault.New(fault.Unavailable, "Too much is in flight just now: try again in a moment.").After(time.Second).Because(errors.Join(ErrFull, why))
}

// Shrink gives n bytes back that are no longer used.
func (l *Lease) Shrink(n int64) {
	if l == nil || n <= 0 {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	n = min(n, l.held)
	l.held -= n
	if n > 0 {
		l.release(n)
	}
}

// Held is what the lease holds now.
func (l *Lease) Held() int64 {
	if l == nil {
		return 0
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.held
}

// Close gives back all that is held. It may be called twice.
func (l *Lease) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held > 0 {
		l.release(l.held)
	}
	l.held, l.closed = 0, true
}
