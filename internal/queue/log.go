package queue

import (
	"context"
	"log/slog"
)

// quiet takes River's log one level down: what it calls an error it mostly tries again.
type quiet struct{ slog.Handler }

func lower(l slog.Level) slog.Level {
	if l >= slog.LevelWarn {
		return l - 4
	}
	return slog.LevelDebug
}

// Enabled asks for the level that will be written.
func (h quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return h.Handler.Enabled(ctx, lower(l))
}

// Handle writes a record at its lower level.
func (h quiet) Handle(ctx context.Context, r slog.Record) error {
	r.Level = lower(r.Level)
	return h.Handler.Handle(ctx, r)
}

// WithAttrs keeps it quiet.
func (h quiet) WithAttrs(a []slog.Attr) slog.Handler { return quiet{h.Handler.WithAttrs(a)} }

// WithGroup keeps it quiet.
func (h quiet) WithGroup(name string) slog.Handler { return quiet{h.Handler.WithGroup(name)} }
