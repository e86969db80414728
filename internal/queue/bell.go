package queue

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/riverqueue/river/riverdriver"
)

// bell tells River's client in this process that there may be work. It stands in
// for the engines' own notices: PostgreSQL's makes commits wait for each other,
// SQLite's is a table that is polled through the one writer.
type bell struct {
	rung chan struct{}

	mu    sync.Mutex // guards all below
	kinds map[string]bool
	since time.Time // when rings began to be counted
	rings int       // since then
	later bool      // it will ring by itself
}

// In a storm of jobs the bell rings once in a while for all of them: looking for work
// each time would take the database from those who bring it.
const (
	storm = 8 // more rings than these in one lull
	lull  = 100 * time.Millisecond
)

func newBell() *bell { return &bell{rung: make(chan struct{}, 1), kinds: make(map[string]bool)} }

// WaitForNotification waits for the bell. What it gives is River's word for a new job.
func (b *bell) WaitForNotification(ctx context.Context) (*riverdriver.Notification, error) {
	for {
		if kind, ok := b.take(); ok {
			return &riverdriver.Notification{Topic: "river_insert", Payload: `{"queue":"` + kind + `"}`}, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.rung:
		}
	}
}

// Close has nothing to do here, as all that follows.
func (*bell) Close(context.Context) error            { return nil }
func (*bell) Connect(context.Context) error          { return nil }
func (*bell) Listen(context.Context, string) error   { return nil }
func (*bell) Ping(context.Context) error             { return nil }
func (*bell) Schema() string                         { return "" }
func (*bell) SetAfterConnectExec(string)             {}
func (*bell) Unlisten(context.Context, string) error { return nil }

func (b *bell) ring(kind string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.kinds[kind] = true
	if time.Since(b.since) > lull {
		b.since, b.rings = time.Now(), 0
	}
	b.rings++
	switch {
	case b.rings <= storm:
		b.strike()
	case !b.later:
		b.later = true
		time.AfterFunc(lull, func() {
			b.mu.Lock()
			defer b.mu.Unlock()
			b.later = false
			b.strike()
		})
	}
}

func (b *bell) strike() {
	select {
	case b.rung <- struct{}{}:
	default: // it is ringing already
	}
}

func (b *bell) take() (string, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for kind := range b.kinds {
		delete(b.kinds, kind)
		return kind, true
	}
	return "", false
}

// belled is a driver of River that listens to the bell.
type belled[TX any] struct {
	riverdriver.Driver[TX]
	bell *bell
}

func driver[TX any](d riverdriver.Driver[TX], b *bell) riverdriver.Driver[TX] {
	return belled[TX]{d, b}
}

// GetListener gives the bell.
func (d belled[TX]) GetListener(*riverdriver.GetListenenerParams) riverdriver.Listener { return d.bell }

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
