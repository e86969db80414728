package api

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"stele/internal/fault"
	"stele/internal/scope"
	"stele/internal/wire"
)

// fail is the only place that answers errors.
func (d *Door) fail(w *startedWriter, r *http.Request, f family, err error) {
	e := fault.From(err)
	request := scope.From(r.Context())
	if w.started {
		// Half an answer is out: breaking off is the only honest end.
		letHear(r.Context())
		panic(http.ErrAbortHandler)
	}
	noteFailure(r, e)
	status, body := f.codec.EncodeError(e, request.ID)
	h := w.Header()
	sayRetry(h, f, e)
	if len(e.Limits) > 0 {
		sayLimits(headOf(w), f.name, e.Limits)
	}
	if status == http.StatusUnauthorized {
		// RFC 6750 wants a parameter: Foundation on Linux ends the program without one.
		h.Set("WWW-Authenticate", `Bearer realm="stele"`)
	}
	f.write(w, r, status, body)
}

// hearing is how long a client has for the error event that its stream ends with, before the
// connection breaks. Of a connection that is broken fetch gives nothing more, not even what has
// come: in Bun and in a Node that is behind, every other client never saw the error.
const hearing = 100 * time.Millisecond

// letHear gives the client this time. One that has heard hangs up, and then nobody waits.
func letHear(ctx context.Context) {
	gone := ctx.Done()
	switch {
	case whyInterrupted(ctx) != nil:
		gone = nil // ended from here: the client listens still
	case ctx.Err() != nil:
		return
	}
	timer := time.NewTimer(hearing)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-gone:
	}
}

// sayRetry says when trying again makes sense. OpenAI's and Anthropic's clients do that
// by themselves, after so many milliseconds where they are told, but take no wait of a
// minute or more for true.
func sayRetry(h http.Header, f family, e *fault.Error) {
	wire.SetRetryAfter(h, e.RetryAfter)
	switch own := f.name == openAI.name || f.name == anthropic.name; {
	case e.Lasting():
		h.Set("X-Should-Retry", "false")
	case e.RetryAfter > 0 && e.RetryAfter <= time.Minute && own:
		h.Set("Retry-After-Ms", strconv.FormatInt(min(e.RetryAfter, time.Minute-time.Millisecond).Milliseconds(), 10))
	}
}

// noteFailure puts what went wrong into the request's log line, its cause included.
func noteFailure(r *http.Request, e *fault.Error) {
	request := scope.From(r.Context())
	request.Note(slog.String("code", string(e.Code)))
	if e.Err != nil {
		request.Note(slog.Any("error", e.Err))
	}
}

// jsonType is the type of every answer but streams.
const jsonType = "application/json; charset=utf-8"

// jsonTypes is shared by all answers because it is never changed.
var jsonTypes = []string{jsonType}

// write answers with a JSON body.
func (f family) write(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := headOf(w)
	h.set("X-Content-Type-Options", "nosniff")
	if f.name == anthropic.name {
		h.set("Request-Id", scope.From(r.Context()).ID)
	}
	h.fields["Content-Type"] = jsonTypes
	h.fields.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone: nothing is left to tell it
}

// startedWriter remembers whether anything was written.
type startedWriter struct {
	http.ResponseWriter
	started bool
}

func (a *startedWriter) WriteHeader(status int) {
	a.started = true
	a.ResponseWriter.WriteHeader(status)
}

func (a *startedWriter) Write(b []byte) (int, error) {
	a.started = true
	return a.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController reach the connection.
func (a *startedWriter) Unwrap() http.ResponseWriter { return a.ResponseWriter }
