package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/scope"
)

// probe is the route of health checks.
const probe = "probe"

var errPanic = errors.New("panic")

// ending is how a request ended.
type ending struct {
	status  int
	took    time.Duration
	aborted bool
}

// outcome is the status of an exchange in the log and in the metrics. Whatever failed because
// its client had left is no failure of ours, unless the program itself did.
func (x *exchange) outcome(request *scope.Request) int {
	status := x.code()
	if !x.gone || status < http.StatusInternalServerError {
		return status
	}
	if slices.ContainsFunc(request.Attrs(), func(a slog.Attr) bool { return a.Key == panicked }) {
		return status
	}
	return fault.StatusClientGone
}

// panicked is the attribute of a request in which the program failed.
const panicked = "panic"

// finish writes the request's one log line and counts it. The query string is
// not in it: people put keys there.
func (s *Server) finish(r *http.Request, request *scope.Request, x *exchange, end ending) {
	status, took := end.status, end.took
	level := slog.LevelInfo
	switch {
	case request.Route() == probe && status == http.StatusOK:
		level = slog.LevelDebug // every few seconds, for ever
	case status == http.StatusServiceUnavailable, status == 529, status == http.StatusNotImplemented:
		level = slog.LevelWarn // meant: draining, overload, a room to come
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	if s.Log.Enabled(context.Background(), level) {
		list := factLists.Get().(*[]slog.Attr)
		attrs := append((*list)[:0],
			slog.String("request_id", request.ID),
			slog.String("method", r.Method),
			slog.String("path", access.HideKeys(r.URL.Path)),
			slog.Int("status", status),
			slog.String("took", took.String()),
			slog.Int64("bytes", x.bytes),
			slog.String("remote", request.Remote),
		)
		if end.aborted {
			attrs = append(attrs, slog.Bool("aborted", true))
		}
		if x.gone {
			attrs = append(attrs, slog.Bool("client_gone", true))
		}
		attrs = append(attrs, request.Attrs()...)
		s.write(level, attrs)
		clear(attrs)
		*list = attrs[:0]
		factLists.Put(list)
	}
	s.Observe(Served{Route: request.Route(), Method: r.Method, Status: status, Took: took})
}

// factLists are kept from one request to the next.
var factLists = sync.Pool{New: func() any { l := make([]slog.Attr, 0, 32); return &l }}

// liner is a log that takes the attrs of a line from where they lie. A slog.Record would
// have a copy of them all.
type liner interface {
	// Line writes a line, or reports that it cannot and wrote nothing.
	Line(at time.Time, level slog.Level, message string, attrs []slog.Attr) bool
}

func (s *Server) write(level slog.Level, attrs []slog.Attr) {
	const message = "request"
	handler, now := s.Log.Handler(), time.Now()
	if l, ok := handler.(liner); ok && l.Line(now, level, message, attrs) {
		return
	}
	line := slog.NewRecord(now, level, message, 0) // where it is written is always here: not worth finding out
	line.AddAttrs(attrs...)
	_ = handler.Handle(context.Background(), line) // there is no other place to tell it
}
