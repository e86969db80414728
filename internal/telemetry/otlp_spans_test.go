package telemetry

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	resourcepb "go.opentelemetry.io/proto/otlp/resource/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"stele/internal/trace"
)

func sender(t *testing.T) *OTLP {
	t.Helper()
	s, err := NewOTLP(OTLPOptions{Version: "1.2.3", Node: "node_1", Metrics: NewMetrics("1.2.3")})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func work() *trace.Work {
	return &trace.Work{
		Trace: [16]byte{1, 15: 2}, Span: [8]byte{3}, Parent: [8]byte{4}, Remote: true, State: "vendor=x", Name: "POST /api/v1/messages", Server: true,
		Began: time.Unix(1_800_000_000, 7), Took: 1500 * time.Millisecond, Failed: true, Code: "unavailable",
		Attrs: []trace.Attr{
			slog.String("text", "words"), slog.String("bad", "a\xffb"), slog.String("long", strings.Repeat("é", longestText)), slog.String("", ""),
			slog.Int64("number", -3), slog.Int64("zero", 0), slog.Float64("fraction", 0.25), slog.Bool("yes", true), slog.Bool("no", false),
		},
	}
}

func pair(key string, value *commonpb.AnyValue) *commonpb.KeyValue {
	return &commonpb.KeyValue{Key: key, Value: value}
}

func words(s string) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_StringValue{StringValue: s}}
}

func number(n int64) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_IntValue{IntValue: n}}
}

func yesNo(is bool) *commonpb.AnyValue {
	return &commonpb.AnyValue{Value: &commonpb.AnyValue_BoolValue{BoolValue: is}}
}

// TestSpansAreThoseOfOTLP reads what is sent with the types that were generated for it.
func TestSpansAreThoseOfOTLP(t *testing.T) {
	t.Parallel()
	s := sender(t)
	s.spans.take(work())
	s.spans.take(&trace.Work{Trace: [16]byte{1}, Span: [8]byte{5}, Name: "chat m", Began: time.Unix(5, 0)})
	message, _ := s.spans.next()
	var got tracepb.TracesData
	if err := proto.Unmarshal(s.request(message), &got); err != nil {
		t.Fatal(err)
	}
	full := &tracepb.Span{
		TraceId: []byte{1, 15: 2}, SpanId: []byte{3, 7: 0}, ParentSpanId: []byte{4, 7: 0}, TraceState: "vendor=x", Name: "POST /api/v1/messages", Kind: tracepb.Span_SPAN_KIND_SERVER,
		StartTimeUnixNano: 1_800_000_000_000_000_007, EndTimeUnixNano: 1_800_000_001_500_000_007, Flags: 0x301,
		Status: &tracepb.Status{Code: tracepb.Status_STATUS_CODE_ERROR, Message: "unavailable"},
		Attributes: []*commonpb.KeyValue{
			pair("text", words("words")), pair("bad", words("ab")), pair("long", words(strings.Repeat("é", longestText/2))), pair("", words("")),
			pair("number", number(-3)), pair("zero", number(0)), pair("fraction", &commonpb.AnyValue{Value: &commonpb.AnyValue_DoubleValue{DoubleValue: 0.25}}),
			pair("yes", yesNo(true)), pair("no", yesNo(false)),
		},
	}
	least := &tracepb.Span{
		TraceId: []byte{1, 15: 0}, SpanId: []byte{5, 7: 0}, Name: "chat m", Kind: tracepb.Span_SPAN_KIND_CLIENT,
		StartTimeUnixNano: 5_000_000_000, EndTimeUnixNano: 5_000_000_000, Flags: 0x101,
	}
	want := &tracepb.TracesData{ResourceSpans: []*tracepb.ResourceSpans{{
		Resource: &resourcepb.Resource{Attributes: []*commonpb.KeyValue{
			pair("service.instance.id", words("node_1")), pair("service.name", words("stele")), pair("service.version", words("1.2.3")),
		}},
		ScopeSpans: []*tracepb.ScopeSpans{{Scope: &commonpb.InstrumentationScope{Name: "stele"}, Spans: []*tracepb.Span{full, least}}},
	}}}
	if diff := cmp.Diff(want, &got, protocmp.Transform()); diff != "" {
		t.Error(diff)
	}
}

// TestNoMoreIsKeptThanMayBe has more spans end than a collector takes: each is sent once, or
// counted as lost.
func TestNoMoreIsKeptThanMayBe(t *testing.T) {
	t.Parallel()
	s := sender(t)
	big := &trace.Work{Name: "big", Attrs: []trace.Attr{slog.String(trace.Asked, strings.Repeat("x", longestText))}}
	const all = 1000
	for range all {
		s.spans.take(big)
	}
	sent, lost, bytes := 0, 0, 0
	for {
		message, missed := s.spans.next()
		lost += missed
		if message == nil {
			break
		}
		bytes += len(message) - headRoom
		var got tracepb.TracesData
		if err := proto.Unmarshal(s.request(message), &got); err != nil {
			t.Fatal(err)
		}
		sent += len(got.GetResourceSpans()[0].GetScopeSpans()[0].GetSpans())
		s.spans.releaseRoom(message)
	}
	if sent+lost != all || lost == 0 || bytes > mostWaiting || s.spans.waiting != 0 {
		t.Errorf("%d sent, %d lost, %d bytes", sent, lost, bytes)
	}
}

// BenchmarkSpan is what a span costs from its beginning until it waits to be sent.
func BenchmarkSpan(b *testing.B) {
	s := &OTLP{spans: newSpans()}
	w := work()
	w.Attrs = w.Attrs[4:]
	b.ReportAllocs()
	for b.Loop() {
		s.spans.take(w)
		if len(s.spans.full) > 0 {
			message, _ := s.spans.next()
			s.spans.releaseRoom(message)
		}
	}
}
