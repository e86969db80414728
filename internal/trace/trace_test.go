package trace_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"stele/internal/trace"
)

const (
	known  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent = "00-" + known + "-00f067aa0ba902b7-01"
)

// recorder is a tracer that begins that part of traces, and what it has recorded.
func recorder(part float64) (*trace.Tracer, *tracetest.SpanRecorder) {
	spans := tracetest.NewSpanRecorder()
	return trace.New(sdk.NewTracerProvider(sdk.WithSpanProcessor(spans), sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(part))))), spans
}

// TestNobodyTraces shows that what is not traced makes nothing.
func TestNobodyTraces(t *testing.T) {
	ctx := context.Background()
	sent, h := http.Header{trace.Header: {parent}}, make(http.Header)
	var off *trace.Tracer
	made := testing.AllocsPerRun(100, func() {
		ctx, span := off.Request(ctx, http.MethodPost, sent)
		ctx, try := trace.Start(ctx, "chat", "m")
		trace.Inject(ctx, h)
		if span := trace.From(ctx); span.On() {
			span.Note(trace.Text(trace.Model, "m"))
		}
		try.End()
		ctx, step := off.Continue(ctx, parent, "poll", "m")
		step.End()
		span.Answered("req", http.MethodPost, "route", http.StatusOK)
		_ = ctx
	})
	if made != 0 || len(h) != 0 {
		t.Errorf("%v allocations, headers %v", made, h)
	}
}

// TestClientsTraceGoesOn follows a client's trace to the upstream.
func TestClientsTraceGoesOn(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(0)
	ctx, span := tracer.Request(context.Background(), http.MethodPost, http.Header{trace.Header: {parent}, "Tracestate": {"vendor=secret"}})
	inner, try := trace.Start(ctx, "chat", "m")
	h := make(http.Header)
	trace.Inject(inner, h)
	try.Fail("unavailable")
	try.End()
	span.Answered("req_1", http.MethodPost, "POST /x", http.StatusBadGateway)
	ended := spans.Ended()
	if len(ended) != 2 || ended[0].Name() != "chat m" || ended[1].Name() != "POST /x" || ended[0].Parent().SpanID() != ended[1].SpanContext().SpanID() ||
		ended[1].Parent().TraceID().String() != known || !ended[1].Parent().IsRemote() {
		t.Fatalf("%+v", ended)
	}
	if want := "00-" + known + "-" + ended[0].SpanContext().SpanID().String() + "-01"; h.Get("traceparent") != want || len(h) != 1 {
		t.Errorf("%v, want %s alone", h, want)
	}
}

// TestWhatIsNotRecordedIsPassedOn shows that an upstream learns of a trace that is not
// recorded here, and that it is not.
func TestWhatIsNotRecordedIsPassedOn(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(1)
	ctx, span := tracer.Request(context.Background(), http.MethodPost, http.Header{trace.Header: {strings.TrimSuffix(parent, "1") + "0"}})
	ctx, try := trace.Start(ctx, "chat", "m")
	h := make(http.Header)
	trace.Inject(ctx, h)
	try.End()
	span.Answered("req_1", http.MethodPost, "POST /x", http.StatusOK)
	if got := h.Get("traceparent"); !strings.HasPrefix(got, "00-"+known+"-") || !strings.HasSuffix(got, "-00") {
		t.Error(got)
	}
	if _, step := tracer.Continue(context.Background(), h.Get("traceparent"), "poll", "m"); step.On() || len(spans.Ended()) != 0 {
		t.Error("it is recorded")
	}
}

// TestWrongHeadersCountAsNone begins a trace of its own whatever else a client sends.
func TestWrongHeadersCountAsNone(t *testing.T) {
	t.Parallel()
	for name, values := range map[string][]string{
		"none": nil, "twice": {parent, parent}, "empty": {""}, "words": {"not a trace"}, "zeros": {"00-" + strings.Repeat("0", 32) + "-00f067aa0ba902b7-01"},
		"version ff": {"ff" + parent[2:]}, "upper case": {strings.ToUpper(parent)}, "long": {parent + "-" + strings.Repeat("a", 600)}, "longer version 0": {parent + "-aa"},
	} {
		tracer, spans := recorder(1)
		_, span := tracer.Request(context.Background(), http.MethodGet, http.Header{trace.Header: values})
		span.End()
		if got := spans.Ended(); len(got) != 1 || got[0].Parent().IsValid() || got[0].SpanContext().TraceID().String() == known {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestTasksGoOn continues a trace from what was kept of it.
func TestTasksGoOn(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(0)
	ctx, span := tracer.Request(context.Background(), http.MethodPost, http.Header{trace.Header: {parent}})
	kept := trace.Parent(ctx)
	span.End()
	_, step := tracer.Continue(context.Background(), kept, "submit", "m")
	step.End()
	ended := spans.Ended()
	if len(ended) != 2 || ended[1].Name() != "submit m" || ended[1].Parent().SpanID() != ended[0].SpanContext().SpanID() || ended[1].SpanContext().TraceID().String() != known {
		t.Errorf("%+v", ended)
	}
}
