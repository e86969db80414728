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
)

// Patience is how long a caller waits for memory before it is told to come back.
const Patience = 2 * time.Second

// Budget is what may be in flight at once, and how much of it one tenant may have.
type Budget struct{ bytes *fair.Semaphore }

// New makes a budget of size bytes, of which one tenant holds share at most.
func New(size, share int64) *Budget { return &Budget{fair.New(size, share)} }

// Resize changes the bounds. What is held stays held.
func (b *Budget) Resize(size, share int64) { b.bytes.Resize(size, share) }

// Taken is how much is in flight now.
func (b *Budget) Taken() int64 { return b.bytes.Taken() }

// Open begins a lease of a tenant, which holds nothing yet. A nil Budget counts nothing.
func (b *Budget) Open(tenant string) *Lease {
	if b == nil {
		return nil
	}
	return &Lease{budget: b, tenant: tenant}
}

// Lease is what one piece of work holds. It is safe for several goroutines. A nil
// Lease counts nothing, so that callers need no test.
type Lease struct {
	budget *Budget
	tenant string

	mu     sync.Mutex // guards all below
	held   int64
	closed bool
}

// Grow takes n more bytes before they are allocated. It waits for a moment where
// others hold them, and is then refused with a fault that names a time to come back.
func (l *Lease) Grow(ctx context.Context, n int64) error {
	if l == nil || n <= 0 {
		return nil
	}
	if !l.budget.bytes.TryAcquire(l.tenant, n) {
		bounded, cancel := context.WithTimeout(ctx, Patience)
		defer cancel()
		if err := l.budget.bytes.Acquire(bounded, l.tenant, n); err != nil {
			return l.refusal(ctx, err)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed { // whom it was for is gone
		l.budget.bytes.Release(l.tenant, n)
		return context.Canceled
	}
	l.held += n
	return nil
}

func (l *Lease) refusal(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if errors.Is(err, fair.ErrTooMuch) {
		return fault.New(fault.BodyTooLarge, "This request needs more memory than one caller may have here.").Because(err)
	}
	return fault.New(fault.Unavailable, "Too much is in flight just now: try again in a moment.").After(time.Second).Because(err)
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
		l.budget.bytes.Release(l.tenant, n)
	}
}

// Close gives back all that is held. It may be called twice.
func (l *Lease) Close() {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.held > 0 {
		l.budget.bytes.Release(l.tenant, l.held)
	}
	l.held, l.closed = 0, true
}
