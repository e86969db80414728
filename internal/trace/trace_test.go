package trace_test

import (
	"context"
	"encoding/hex"
	"log/slog"
	"maps"
	"net/http"
	"strings"
	"testing"

	"stele/internal/trace"
)

const (
	known  = "4bf92f3577b34da6a3ce929d0e0e4736"
	parent = "00-" + known + "-00f067aa0ba902b7-01"
)

// recorder is a tracer that begins that part of traces, and what it has recorded.
func recorder(part float64) (*trace.Tracer, *[]*trace.Work) {
	ended := new([]*trace.Work)
	return trace.New(part, func(w *trace.Work) { *ended = append(*ended, w) }), ended
}

func text(id []byte) string { return hex.EncodeToString(id) }

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
			span.Note(slog.String(trace.Model, "m"))
		}
		try.End()
		ctx, step := off.Continue(ctx, parent, "poll", "m")
		step.End()
		span.EndAnswered("req", http.MethodPost, "route", http.StatusOK)
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
	span.EndAnswered("req_1", http.MethodPost, "POST /x", http.StatusBadGateway)
	if len(*spans) != 2 {
		t.Fatalf("%+v", *spans)
	}
	called, served := (*spans)[0], (*spans)[1]
	if called.Name != "chat m" || called.Server || called.Parent != served.Span || called.Remote || !called.Failed || called.Code != "unavailable" {
		t.Errorf("the try: %+v", called)
	}
	if served.Name != "POST /x" || !served.Server || text(served.Trace[:]) != known || text(served.Parent[:]) != "00f067aa0ba902b7" || !served.Remote ||
		!served.Failed || served.State != "vendor=secret" {
		t.Errorf("the request: %+v", served)
	}
	if want := "00-" + known + "-" + text(called.Span[:]) + "-01"; h.Get("traceparent") != want || len(h) != 1 {
		t.Errorf("%v, want %s alone", h, want)
	}
}

// TestFactsAreNotedUntilTheEnd shows what is kept of a span: the last of every key, and
// nothing after its end, however often that is said.
func TestFactsAreNotedUntilTheEnd(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(1)
	ctx, span := tracer.Request(context.Background(), http.MethodPost, nil)
	span.Note(slog.Int64(trace.Tries, 1), slog.String(trace.Model, "m"))
	trace.From(ctx).Note(slog.Int64(trace.Tries, 2))
	span.EndAnswered("req_1", http.MethodPost, "POST /x", http.StatusOK)
	span.Note(slog.String(trace.Workspace, "late"))
	span.Fail("late")
	span.End()
	if len(*spans) != 1 || span.On() || (*spans)[0].Failed {
		t.Fatalf("%+v", *spans)
	}
	attrs := make(map[string]string)
	for _, f := range (*spans)[0].Attrs {
		attrs[f.Key] = f.Value.String()
	}
	want := map[string]string{
		trace.Tries: "2", trace.Model: "m", trace.RequestID: "req_1", "http.request.method": "POST", "http.response.status_code": "200", "http.route": "POST /x",
	}
	if !maps.Equal(attrs, want) || len((*spans)[0].Attrs) != len(want) {
		t.Errorf("%v", (*spans)[0].Attrs)
	}
}

// TestAPartOfTracesIsRecorded counts how many of those that begin here are, and what the
// others cost.
func TestAPartOfTracesIsRecorded(t *testing.T) {
	t.Parallel()
	tracer, spans := recorder(0.25)
	for range 4000 {
		_, span := tracer.Request(context.Background(), http.MethodPost, nil)
		span.End()
	}
	if n := len(*spans); n < 800 || n > 1200 { // 7 standard deviations
		t.Errorf("%d of 4000", n)
	}
	ids := make(map[string]bool)
	for _, w := range *spans {
		ids[text(w.Trace[:])+text(w.Span[:])] = true
	}
	if len(ids) != len(*spans) {
		t.Errorf("%d names for %d spans", len(ids), len(*spans))
	}
}

// TestWhatIsNotRecordedIsItsName counts what is made for a request that is not recorded: its place, the
// context, and the header of the upstream.
func TestWhatIsNotRecordedIsItsName(t *testing.T) {
	tracer, spans := recorder(0)
	ctx, h := context.Background(), make(http.Header)
	made := testing.AllocsPerRun(100, func() {
		ctx, span := tracer.Request(ctx, http.MethodPost, nil)
		ctx, try := trace.Start(ctx, "chat", "m")
		trace.Inject(ctx, h)
		try.End()
		span.EndAnswered("req", http.MethodPost, "route", http.StatusOK)
	})
	if made > 4 || len(*spans) != 0 || !strings.HasSuffix(h.Get("traceparent"), "-00") {
		t.Errorf("%v allocations, %v", made, h)
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
	span.EndAnswered("req_1", http.MethodPost, "POST /x", http.StatusOK)
	if got := h.Get("traceparent"); !strings.HasPrefix(got, "00-"+known+"-") || !strings.HasSuffix(got, "-00") {
		t.Error(got)
	}
	if _, step := tracer.Continue(context.Background(), h.Get("traceparent"), "poll", "m"); step.On() || len(*spans) != 0 {
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
		if got := *spans; len(got) != 1 || got[0].Parent != [8]byte{} || text(got[0].Trace[:]) == known {
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
	ended := *spans
	if len(ended) != 2 || ended[1].Name != "submit m" || ended[1].Parent != ended[0].Span || text(ended[1].Trace[:]) != known || !ended[1].Remote {
		t.Errorf("%+v", ended)
	}
}
