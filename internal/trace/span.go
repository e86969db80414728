package trace

import (
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	otel "go.opentelemetry.io/otel/trace"
)

// Names of attributes: OpenTelemetry's for generative models and HTTP, then our own.
const (
	Operation       = "gen_ai.operation.name"
	Provider        = "gen_ai.provider.name"
	RequestModel    = "gen_ai.request.model"
	RequestStream   = "gen_ai.request.stream"
	ResponseModel   = "gen_ai.response.model"
	FirstChunk      = "gen_ai.response.time_to_first_chunk"
	InputTokens     = "gen_ai.usage.input_tokens"
	CacheReadTokens = "gen_ai.usage.cache_read.input_tokens"
	CacheMadeTokens = "gen_ai.usage.cache_creation.input_tokens"
	OutputTokens    = "gen_ai.usage.output_tokens"
	ReasoningTokens = "gen_ai.usage.reasoning.output_tokens"

	errorType  = "error.type"
	httpMethod = "http.request.method"
	httpRoute  = "http.route"
	httpStatus = "http.response.status_code"

	RequestID = "stele.request_id"
	Workspace = "stele.workspace"
	Model     = "stele.model"
	Tries     = "stele.tries"
	Cost      = "stele.cost_usd"
	Task      = "stele.generation"
	Asked     = "stele.request.body"
	Said      = "stele.response.body"
)

// Fact is an attribute with its value.
type Fact = attribute.KeyValue

// Text is a fact in words.
func Text(key, value string) Fact { return attribute.String(key, value) }

// Number is a count.
func Number(key string, n int64) Fact { return attribute.Int64(key, n) }

// Fraction is a number that need not be whole.
func Fraction(key string, n float64) Fact { return attribute.Float64(key, n) }

// Flag is what is so, or is not.
func Flag(key string, is bool) Fact { return attribute.Bool(key, is) }

// Span is a piece of work that is recorded. The zero Span is of work that is not.
type Span struct{ span otel.Span }

// On reports whether what is said of the span is kept.
func (s Span) On() bool { return s.span != nil && s.span.IsRecording() }

// Note notes facts. They cost something to put together: On says whether to. Never a key,
// and a prompt or an answer only where they may be kept.
func (s Span) Note(facts ...Fact) {
	if s.span != nil {
		s.span.SetAttributes(facts...)
	}
}

// Fail says that the work failed; code is one of ours.
func (s Span) Fail(code string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, code)
		s.Note(Text(errorType, code))
	}
}

// End ends the span. What is said afterwards is lost.
func (s Span) End() {
	if s.span != nil {
		s.span.End()
	}
}

// Answered ends the span of a request: it is called as its route is.
func (s Span) Answered(id, method, route string, status int) {
	if !s.On() {
		return
	}
	facts := append(make([]Fact, 0, 4), Text(RequestID, id), Text(httpMethod, method), Number(httpStatus, int64(status)))
	if route != "" {
		s.span.SetName(route)
		facts = append(facts, Text(httpRoute, route))
	}
	s.Note(facts...)
	if status >= http.StatusInternalServerError {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
