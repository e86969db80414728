package oidc

import (
	"context"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
)

// askAgainAfter is how long a failed question is taken for the answer: people who
// wait at the door must not be a burden for a provider that is down.
const askAgainAfter = 5 * time.Second

// discovery asks a provider once for what it tells of itself. No lock is held
// while the provider thinks: those who come meanwhile wait for the same answer, as
// long as they like.
type discovery struct {
	ask func(ctx context.Context) (*oidc.Provider, error) // ends by itself
	now func() time.Time

	mu   sync.Mutex // guards call
	call *question
}

// question is one that was asked. What follows done is there when it is closed.
type question struct {
	done  chan struct{}
	found *oidc.Provider
	err   error
	at    time.Time // when it was answered
}

func (d *discovery) provider(ctx context.Context) (*oidc.Provider, error) {
	q := d.current(ctx)
	select {
	case <-q.done:
		return q.found, q.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// current is the question whose answer counts. The first one asks it, and does not
// take it along when they leave.
func (d *discovery) current(ctx context.Context) *question {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.call != nil {
		select {
		case <-d.call.done:
			if d.call.err == nil || d.now().Sub(d.call.at) < askAgainAfter {
				return d.call
			}
		default:
			return d.call
		}
	}
	q := &question{done: make(chan struct{})}
	d.call = q
	go func() {
		defer close(q.done)
		q.found, q.err = d.ask(context.WithoutCancel(ctx))
		q.at = d.now()
	}()
	return q
}
