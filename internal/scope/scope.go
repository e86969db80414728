// Package scope is what travels in a request's context: its id, where it came
// from, and the attributes its one log line will carry. Who is calling is never in
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
	attrs *[]slog.Attr // nil: there are none
}

// lists of attributes are kept from one request to the next.
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

// Note adds attributes to the request's log line. Never a key, a prompt or a body.
func (r *Request) Note(attrs ...slog.Attr) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attrs == nil {
		r.attrs = lists.Get().(*[]slog.Attr)
	}
	*r.attrs = append(*r.attrs, attrs...)
}

// Attrs returns what was noted so far, until DropAttrs. The caller must not change it.
func (r *Request) Attrs() []slog.Attr {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attrs == nil {
		return nil
	}
	return slices.Clip(*r.attrs)
}

// DropAttrs lets go of the attributes, because the log line has them. What is noted later is in none.
func (r *Request) DropAttrs() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.attrs == nil {
		return
	}
	clear(*r.attrs)
	*r.attrs = (*r.attrs)[:0]
	lists.Put(r.attrs)
	r.attrs = nil
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
