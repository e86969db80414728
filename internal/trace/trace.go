// Package trace is a request's part of a distributed trace: a span for the request and one
// for each call that it makes, with the client's traceparent before it and the upstream's
// after it. It must not know who collects spans. Where none are collected it costs a look at the
// context, and nothing is made; of a trace that is not recorded its name is all that is made.
package trace

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/propagation"
	otel "go.opentelemetry.io/otel/trace"
)

// Header carries the place in a trace, as the W3C writes it.
const Header = "Traceparent"

// longest is how long a header about traces may be. The W3C asks for 512 of tracestate.
const longest = 512

// Tracer begins traces. The nil Tracer begins none. It is safe for concurrent use.
type Tracer struct {
	below uint64 // traces whose number is below are recorded, as OpenTelemetry's TraceIDRatioBased has it
	take  func(*Work)
}

// New makes a Tracer that records a part of the traces that begin here. Every span that
// has ended is handed to take, by the goroutine that ended it.
func New(part float64, take func(*Work)) *Tracer {
	return &Tracer{uint64(max(0, min(1, part)) * (1 << 63)), take}
}

// spanContext is a context that is somewhere in a trace.
type spanContext struct {
	context.Context
	trace    otel.TraceID
	span     otel.SpanID
	recorded bool       // by those who take part in the trace
	here     *recording // nil: not by us
}

type spanContextKey struct{}

func at(ctx context.Context) *spanContext {
	p, _ := ctx.Value(spanContextKey{}).(*spanContext)
	return p
}

// Value finds the place itself, so that a context and what it knows are one piece of memory.
func (p *spanContext) Value(key any) any {
	if _, ok := key.(spanContextKey); ok {
		return p
	}
	return p.Context.Value(key)
}

// Request begins the span of a request, in the trace that its client is in. A header that
// is not as the W3C has it, or too long, or there twice, counts as none.
func (t *Tracer) Request(ctx context.Context, method string, h http.Header) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	var parent otel.SpanContext
	if len(h[Header]) > 0 {
		parent = extract(header(h))
	}
	p := spanContext{Context: ctx, trace: parent.TraceID(), span: newSpanID(), recorded: parent.IsSampled()}
	if !parent.IsValid() {
		p.trace = newTraceID()
		p.recorded = binary.BigEndian.Uint64(p.trace[8:])>>1 < t.below
	}
	if !p.recorded {
		return &p, Span{}
	}
	return t.record(p, Work{Name: method, Server: true, Parent: parent.SpanID(), Remote: parent.IsValid(), State: parent.TraceState().String()})
}

// Continue begins a span in a trace that went on without a process: parent is what Parent
// gave. Of one that is not recorded only its name is passed on.
func (t *Tracer) Continue(ctx context.Context, parent, operation, subject string) (context.Context, Span) {
	if t == nil || parent == "" {
		return ctx, Span{}
	}
	from := extract(propagation.MapCarrier{"traceparent": parent})
	if !from.IsValid() {
		return ctx, Span{}
	}
	p := spanContext{Context: ctx, trace: from.TraceID(), span: from.SpanID(), recorded: from.IsSampled()}
	if !p.recorded {
		return &p, Span{}
	}
	return t.call(p, Work{Remote: true}, operation, subject)
}

// Start begins the span of a call that a request makes, if the request is recorded.
func Start(ctx context.Context, operation, subject string) (context.Context, Span) {
	p := at(ctx)
	if p == nil || p.here == nil {
		return ctx, Span{}
	}
	below := *p
	below.Context = ctx
	return p.here.tracer.call(below, Work{State: p.here.State}, operation, subject)
}

// call begins the span of a call below a place.
func (t *Tracer) call(below spanContext, w Work, operation, subject string) (context.Context, Span) {
	w.Name, w.Parent = operation+" "+subject, below.span
	below.span = newSpanID()
	ctx, span := t.record(below, w)
	span.Note(slog.String(Operation, operation))
	return ctx, span
}

func (t *Tracer) record(p spanContext, w Work) (context.Context, Span) {
	w.Trace, w.Span, w.Began = p.trace, p.span, time.Now()
	r := &recording{tracer: t, at: p, Work: w}
	r.at.here = r
	return &r.at, Span{r}
}

// From is the span that a context is in.
func From(ctx context.Context) Span {
	if p := at(ctx); p != nil {
		return Span{p.here}
	}
	return Span{}
}

// IsTraced reports whether a context is at a place in a trace.
func IsTraced(ctx context.Context) bool { return at(ctx) != nil }

// Parent is the place in a trace that a context is at, as a header has it; "" where there
// is none.
func Parent(ctx context.Context) string {
	p := at(ctx)
	if p == nil {
		return ""
	}
	text := make([]byte, 0, len("00-")+2*len(p.trace)+len("-")+2*len(p.span)+len("-01"))
	text = append(hex.AppendEncode(append(text, "00-"...), p.trace[:]), '-')
	text = append(hex.AppendEncode(text, p.span[:]), "-00"...)
	if p.recorded {
		text[len(text)-1] = '1'
	}
	return string(text)
}

// Inject has a request to an upstream carry its place in the trace. What a client's vendors
// say beside it stays here.
func Inject(ctx context.Context, h http.Header) {
	if parent := Parent(ctx); parent != "" {
		h[Header] = []string{parent}
	}
}

func newTraceID() (id otel.TraceID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:8], rand.Uint64()) //nolint:gosec // a name, no secret
		binary.NativeEndian.PutUint64(id[8:], rand.Uint64()) //nolint:gosec // see above
	}
	return id
}

func newSpanID() (id otel.SpanID) {
	for !id.IsValid() {
		binary.NativeEndian.PutUint64(id[:], rand.Uint64()) //nolint:gosec // see above
	}
	return id
}

// extract reads a place as the W3C writes it; an invalid one where there is none.
func extract(from propagation.TextMapCarrier) otel.SpanContext {
	return otel.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), from))
}

// header reads what a client sent.
type header http.Header

// Get is a header that is there once and not too long.
func (h header) Get(key string) string {
	values := http.Header(h).Values(key)
	if len(values) != 1 || len(values[0]) > longest {
		return ""
	}
	return values[0]
}

// Set is for carriers that are written to.
func (header) Set(string, string) {}

// Keys is for propagators that look for more than they know.
func (header) Keys() []string { return nil }
