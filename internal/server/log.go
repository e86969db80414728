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
func (s *Server) finish(r *http.Request, request *scope.Request, w *watched, took time.Duration, aborted bool) {
	status := w.status
	if status == 0 {
		status = http.StatusOK
	}
	level := slog.LevelInfo
	switch {
	case request.Route() == probe && status == http.StatusOK:
		level = slog.LevelDebug // every few seconds, for ever
	case status == http.StatusServiceUnavailable, status == 529, status == http.StatusNotImplemented:
		level = slog.LevelWarn // meant: draining, overload, a room to come
	case status >= http.StatusInternalServerError:
		level = slog.LevelError
	}
	facts := []slog.Attr{
		slog.String("request_id", request.ID),
		slog.String("method", r.Method),
		slog.String("path", Redact(r.URL.Path)),
		slog.Int("status", status),
		slog.String("took", took.String()),
		slog.Int64("bytes", w.bytes),
		slog.String("remote", request.Remote),
	}
	if aborted {
		facts = append(facts, slog.Bool("aborted", true))
	}
	s.Log.LogAttrs(context.Background(), level, "request", append(facts, request.Facts()...)...)
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

// watched sees what was answered.
type watched struct {
	http.ResponseWriter
	status int
	bytes  int64
}

func (w *watched) WriteHeader(status int) {
	if w.status == 0 && status >= http.StatusOK {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(b)
	w.bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }
