package trace

import (
	"net/http"
	"time"

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

// Span is a piece of work that is recorded. The zero Span is of work that is not.
type Span struct{ span otel.Span }

// On reports whether what is said of the span is kept.
func (s Span) On() bool { return s.span != nil && s.span.IsRecording() }

// Text notes a fact. Never a key, and a prompt or an answer only where they may be kept.
func (s Span) Text(key, value string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.String(key, value))
	}
}

// Number notes a count.
func (s Span) Number(key string, n int64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Int64(key, n))
	}
}

// Fraction notes a number that need not be whole.
func (s Span) Fraction(key string, n float64) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Float64(key, n))
	}
}

// Flag notes what is so.
func (s Span) Flag(key string) {
	if s.span != nil {
		s.span.SetAttributes(attribute.Bool(key, true))
	}
}

// Seconds notes how long something took.
func (s Span) Seconds(key string, d time.Duration) { s.Fraction(key, d.Seconds()) }

// Fail says that the work failed; code is one of ours.
func (s Span) Fail(code string) {
	if s.span != nil {
		s.span.SetStatus(codes.Error, code)
		s.span.SetAttributes(attribute.String(errorType, code))
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
	if route != "" {
		s.span.SetName(route)
		s.span.SetAttributes(attribute.String(httpRoute, route))
	}
	s.span.SetAttributes(attribute.String(RequestID, id), attribute.String(httpMethod, method), attribute.Int(httpStatus, status))
	if status >= http.StatusInternalServerError {
		s.span.SetStatus(codes.Error, "")
	}
	s.span.End()
}
