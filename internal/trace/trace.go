// Package trace is a request's part of a distributed trace: a span for the request and one
// for each call that it makes, with the client's traceparent before it and the upstream's
// after it. It must not know who collects spans. Where none are collected it costs a look at the
// context, and nothing is made.
package trace

import (
	"context"
	"encoding/hex"
	"net/http"

	"go.opentelemetry.io/otel/propagation"
	otel "go.opentelemetry.io/otel/trace"
)

// Header carries the place in a trace, as the W3C writes it.
const Header = "Traceparent"

// name is that of the instrumentation.
const name = "stele"

// longest is how long a header about traces may be. The W3C asks for 512 of tracestate.
const longest = 512

// Tracer begins traces. The nil Tracer begins none. It is safe for concurrent use.
type Tracer struct{ tracer otel.Tracer }

// New makes a Tracer whose spans go to a provider.
func New(p otel.TracerProvider) *Tracer { return &Tracer{p.Tracer(name)} }

// Request begins the span of a request, in the trace that its client is in. A header that
// is not as the W3C has it, or too long, or there twice, counts as none.
func (t *Tracer) Request(ctx context.Context, method string, h http.Header) (context.Context, Span) {
	if t == nil {
		return ctx, Span{}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, header(h))
	ctx, span := t.tracer.Start(ctx, method, otel.WithSpanKind(otel.SpanKindServer))
	return ctx, Span{span}
}

// Continue begins a span in a trace that went on without a process: parent is what Parent
// gave. Of one that is not recorded only its name is passed on.
func (t *Tracer) Continue(ctx context.Context, parent, operation, subject string) (context.Context, Span) {
	if t == nil || parent == "" {
		return ctx, Span{}
	}
	ctx = propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": parent})
	if !otel.SpanContextFromContext(ctx).IsSampled() {
		return ctx, Span{}
	}
	return start(ctx, t.tracer, operation, subject)
}

// Start begins the span of a call that a request makes, if the request is recorded.
func Start(ctx context.Context, operation, subject string) (context.Context, Span) {
	parent := otel.SpanFromContext(ctx)
	if !parent.IsRecording() {
		return ctx, Span{}
	}
	return start(ctx, parent.TracerProvider().Tracer(name), operation, subject)
}

func start(ctx context.Context, t otel.Tracer, operation, subject string) (context.Context, Span) {
	ctx, span := t.Start(ctx, operation+" "+subject, otel.WithSpanKind(otel.SpanKindClient), otel.WithAttributes(Text(Operation, operation)))
	return ctx, Span{span}
}

// From is the span that a context is in.
func From(ctx context.Context) Span {
	if span := otel.SpanFromContext(ctx); span.IsRecording() {
		return Span{span}
	}
	return Span{}
}

// Parent is the place in a trace that a context is at, as a header has it; "" where there
// is none.
func Parent(ctx context.Context) string {
	at := otel.SpanContextFromContext(ctx)
	if !at.IsValid() {
		return ""
	}
	trace, span := at.TraceID(), at.SpanID()
	text := make([]byte, 0, len("00-")+2*len(trace)+len("-")+2*len(span)+len("-01"))
	text = append(hex.AppendEncode(append(text, "00-"...), trace[:]), '-')
	text = append(hex.AppendEncode(text, span[:]), "-00"...)
	if at.IsSampled() {
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
