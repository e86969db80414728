package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"regexp"
	"strings"
	"time"

	"stele/internal/scope"
)

// probe is the route of health checks.
const probe = "probe"

var errPanic = errors.New("panic")

// finish writes the request's one log line and counts it. The query string is
// not in it: people put keys there.
func (s *Server) finish(r *http.Request, request *scope.Request, x *exchange, took time.Duration, aborted bool) {
	status := x.code()
	level := slog.LevelInfo
	switch {
	case request.Route() == probe && status == http.StatusOK:
		level = slog.LevelDebug // every few seconds, for ever
	case status == http.StatusServiceUnavailable, status == 529, status == http.StatusNotImplemented:
		level = slog.LevelWarn // meant: draining, overload, a room to come
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	var room [24]slog.Attr // on the stack, for as many as there usually are
	facts := append(room[:0],
		slog.String("request_id", request.ID),
		slog.String("method", r.Method),
		slog.String("path", Redact(r.URL.Path)),
		slog.Int("status", status),
		slog.String("took", took.String()),
		slog.Int64("bytes", x.bytes),
		slog.String("remote", request.Remote),
	)
	if aborted {
		facts = append(facts, slog.Bool("aborted", true))
	}
	if ctx := context.Background(); s.Log.Enabled(ctx, level) {
		line := slog.NewRecord(time.Now(), level, "request", 0) // where it is written is always here: not worth finding out
		line.AddAttrs(append(facts, request.Facts()...)...)
		_ = s.Log.Handler().Handle(ctx, line) // there is no other place to tell it
	}
	s.Observe(Served{Route: request.Route(), Method: r.Method, Status: status, Took: took})
}

var keyText = regexp.MustCompile(`sk_(dev|live)_[0-9A-Za-z]*`)

// Redact takes API keys out of a text that goes into a log.
func Redact(text string) string {
	if !strings.Contains(text, "sk_") { // most of them, by far
		return text
	}
	return keyText.ReplaceAllString(text, "sk_${1}_••••")
}
