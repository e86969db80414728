// Package scope is what travels in a request's context: its id, where it came
// from, and the facts its one log line will carry. Who is calling is never in
// here; that is a parameter.
package scope

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"stele/internal/memory"
)

// Request is the scope of one request. It is safe for use by several goroutines.
type Request struct {
	ID     string // X-Request-Id of the answer
	Remote string // the client's address, seen through trusted proxies
	Secure bool   // the client came over TLS, here or at a trusted proxy
	Record string // id of the row that says what was used; only who serves the request sets and reads it

	// Memory is what the request may hold. The door that knows the caller opens it and
	// closes it when the request has ended; below, code that buffers grows it first. Nil counts nothing.
	Memory *memory.Lease

	mu    sync.Mutex // guards what follows
	route string
	facts *[]slog.Attr // nil: there are none
}

// lists of facts are kept from one request to the next.
var lists = sync.Pool{New: func() any { l := make([]slog.Attr, 0, 16); return &l }}

type contextKey struct{}

// With returns a context that carries r.
func With(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, contextKey{}, r)
}

// From returns the request's scope. Outside a request it is an empty one, so
// that callers need no test.
func From(ctx context.Context) *Request {
	if r, ok := ctx.Value(contextKey{}).(*Request); ok {
		return r
	}
	return &Request{}
}

// Note adds facts to the request's log line. Never a key, a prompt or a body.
func (r *Request) Note(facts ...slog.Attr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.facts == nil {
		r.facts = lists.Get().(*[]slog.Attr)
	}
	*r.facts = append(*r.facts, facts...)
}

// Facts returns what was noted so far, until DropFacts. The caller must not change it.
func (r *Request) Facts() []slog.Attr {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.facts == nil {
		return nil
	}
	return slices.Clip(*r.facts)
}

// DropFacts lets go of the facts, because the log line has them. What is noted later is in none.
func (r *Request) DropFacts() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.facts == nil {
		return
	}
	clear(*r.facts)
	*r.facts = (*r.facts)[:0]
	lists.Put(r.facts)
	r.facts = nil
}

// SetRoute records the pattern of the route that serves the request.
func (r *Request) SetRoute(route string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.route = route
}

// Route is the pattern recorded by SetRoute, or "" where none serves the request.
func (r *Request) Route() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.route
}
