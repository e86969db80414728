// Package telemetry is what the process tells those who watch it: the log and
// the metrics. It reads what others report and decides nothing.
package telemetry

import (
	"io"
	"log/slog"
	"regexp"
)

// NewLog makes the log: text for people, json for collectors. Whatever looks
// like an API key is taken out of every text, should one ever get that far.
func NewLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level, ReplaceAttr: redact}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

var secret = regexp.MustCompile(`(sk_dev_|sk_live_|whsec_)[0-9A-Za-z+/=_-]+`)

// redact makes a value fit to be read: no secrets, durations with their unit.
func redact(_ []string, a slog.Attr) slog.Attr {
	switch a.Value.Kind() {
	case slog.KindString:
		if s := a.Value.String(); secret.MatchString(s) {
			a.Value = slog.StringValue(secret.ReplaceAllString(s, "$1••••"))
		}
	case slog.KindDuration: // 1.2ms says more than 1200000
		a.Value = slog.StringValue(a.Value.Duration().String())
	case slog.KindAny:
		if err, ok := a.Value.Any().(error); ok {
			a.Value = slog.StringValue(secret.ReplaceAllString(err.Error(), "$1••••"))
		}
	}
	return a
}
