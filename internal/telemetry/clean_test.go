package telemetry_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"unicode"

	"stele/internal/telemetry"
)

// TestNothingLongOrOddGetsIntoTheLog notes what a client could have made up, in
// every way an attribute can be noted.
func TestNothingLongOrOddGetsIntoTheLog(t *testing.T) {
	t.Parallel()
	long, odd := strings.Repeat("x", 100_000), "a\x00b\x1b[31mc\u202ed\u2028e\nf\rg\u0085h\u200bi\xff"
	for _, format := range []string{"json", "text"} {
		for name, text := range map[string]string{"long": long, "odd": odd, "both": strings.Repeat(odd, 5000)} {
			for way, write := range map[string]func(*slog.Logger){
				"a text":            func(l *slog.Logger) { l.Info("request", slog.String("method", text)) },
				"an error":          func(l *slog.Logger) { l.Info("request", slog.Any("error", errors.New(text))) },
				"a cause":           func(l *slog.Logger) { l.Info("request", slog.Any("error", fmt.Errorf("ask: %w", errors.New(text)))) },
				"a panic":           func(l *slog.Logger) { l.Info("request", slog.Any("panic", text)) },
				"a list":            func(l *slog.Logger) { l.Info("request", slog.Any("list", []string{text})) },
				"a message":         func(l *slog.Logger) { l.Info(text) },
				"a key":             func(l *slog.Logger) { l.Info("request", slog.Int(text, 1)) },
				"a group":           func(l *slog.Logger) { l.Info("request", slog.Group("g", slog.String("a", text))) },
				"attributes before": func(l *slog.Logger) { l.With(slog.String("a", text)).Info("request") },
				"in a group":        func(l *slog.Logger) { l.WithGroup("g").Info("request", slog.String("a", text)) },
			} {
				var out bytes.Buffer
				write(telemetry.NewLog(&out, format, nil))
				line := strings.TrimSuffix(out.String(), "\n")
				if len(line) > 60_000 || (way == "a text" || way == "a key" || way == "a message") && len(line) > 2000 {
					t.Errorf("%s, %s, %s: a line of %d bytes", format, name, way, len(line))
				}
				if strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }) {
					t.Errorf("%s, %s, %s: %.200q", format, name, way, line)
				}
				for _, sign := range []string{`\u0000`, `\x00`, `\u001b`, `\x1b`, `\u202e`} {
					if strings.Contains(line, sign) {
						t.Errorf("%s, %s, %s has %s: %.200q", format, name, way, sign, line)
					}
				}
			}
		}
	}
}
