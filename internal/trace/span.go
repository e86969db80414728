package trace

import (
	"log/slog"
	"net/http"
	"sync"
	"time"
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

// Attr is an attribute with its value: a text, a whole number, a fraction or a flag.
type Attr = slog.Attr

// Work is a piece of work that was recorded, as those who collect spans get it.
type Work struct {
	Trace  [16]byte
	Span   [8]byte
	Parent [8]byte // zero: it is the first of its trace
	Remote bool    // the parent is another process's
	State  string  // what the client's vendors say, which goes on to collectors
	Name   string
	Server bool // it serves a client; otherwise it is a call
	Began  time.Time
	Took   time.Duration
	Attrs  []Attr // no key is there twice
	Failed bool
	Code   string // why it failed; "": that is not known
}

// recording is a span that is being recorded.
type recording struct {
	tracer *Tracer
	at     spanContext

	mu sync.Mutex // guards what follows
	Work
	ended bool
	room  [12]Attr // for as many as there usually are
}

// Span is a piece of work that is recorded. The zero Span is of work that is not. It is safe
// for use by several goroutines.
type Span struct{ at *recording }

// On reports whether what is said of the span is kept.
func (s Span) On() bool {
	if s.at == nil {
		return false
	}
	s.at.mu.Lock()
	defer s.at.mu.Unlock()
	return !s.at.ended
}

// Note notes attributes. They cost something to put together: On says whether to. Never a key,
// and a prompt or an answer only where they may be kept.
func (s Span) Note(attrs ...Attr) {
	s.change(func(r *recording) {
		for _, f := range attrs {
			r.note(f)
		}
	})
}

// note adds an attribute, or replaces the one of its key.
func (r *recording) note(f Attr) {
	for i := range r.Attrs {
		if r.Attrs[i].Key == f.Key {
			r.Attrs[i] = f
			return
		}
	}
	if r.Attrs == nil {
		r.Attrs = r.room[:0]
	}
	r.Attrs = append(r.Attrs, f)
}

// Fail says that the work failed; code is one of ours.
func (s Span) Fail(code string) {
	s.change(func(r *recording) {
		r.Failed, r.Code = true, code
		r.note(slog.String(errorType, code))
	})
}

// End ends the span. What is said afterwards is lost.
func (s Span) End() {
	if s.change(func(r *recording) { r.ended, r.Took = true, time.Since(r.Began) }) {
		s.at.tracer.take(&s.at.Work) // nothing changes it any more
	}
}

// EndAnswered ends the span of a request: it is called as its route is.
func (s Span) EndAnswered(id, method, route string, status int) {
	if !s.On() {
		return
	}
	s.Note(slog.String(RequestID, id), slog.String(httpMethod, method), slog.Int64(httpStatus, int64(status)))
	s.change(func(r *recording) {
		if route != "" {
			r.Name = route
			r.note(slog.String(httpRoute, route))
		}
		r.Failed = r.Failed || status >= http.StatusInternalServerError
	})
	s.End()
}

// change changes what is said of a span that has not ended, and reports whether it did.
func (s Span) change(do func(*recording)) bool {
	if s.at == nil {
		return false
	}
	s.at.mu.Lock()
	defer s.at.mu.Unlock()
	if s.at.ended {
		return false
	}
	do(s.at)
	return true
}
