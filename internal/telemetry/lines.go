package telemetry

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"stele/internal/jsonscan"
)

// lines writes records of plain attributes as slog's own handler does, with less work,
// and without a record: there is one for every request. Whatever is not plain is cleaned and left to slog.
type lines struct {
	slog.Handler
	to *discreet
}

func newLines(to *discreet, options *slog.HandlerOptions) *lines {
	return &lines{clean{slog.NewJSONHandler(to, options)}, to}
}

var lineBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 1<<10); return &b }}

// Handle writes a record.
func (l *lines) Handle(ctx context.Context, r slog.Record) error {
	attrs := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	var err error
	if l.line(r.Time, r.Level, r.Message, attrs, func(line []byte) { _, err = l.to.Write(line) }) {
		return err
	}
	return l.Handler.Handle(ctx, r)
}

// Line writes a line of attributes that are in no record, and reports whether it does: all of
// them must be plain. One that tells of nothing wrong may wait a moment for others.
func (l *lines) Line(at time.Time, level slog.Level, message string, attrs []slog.Attr) bool {
	write := l.to.gather
	if level >= slog.LevelWarn {
		write = func(line []byte) { _, _ = l.to.Write(line) } // there is no other place to tell it
	}
	return l.line(at, level, message, attrs, write)
}

func (l *lines) line(at time.Time, level slog.Level, message string, attrs []slog.Attr, write func(line []byte)) bool {
	if at.IsZero() || !isPlain(message) {
		return false
	}
	buffer := lineBuffers.Get().(*[]byte)
	defer lineBuffers.Put(buffer)
	var moment [len(time.RFC3339Nano) + 2]byte
	w := jsonscan.NewWriter((*buffer)[:0])
	w.Open(jsonscan.Object).PlainKey("time").Raw(append(at.AppendFormat(append(moment[:0], '"'), time.RFC3339Nano), '"')).
		PlainKey("level").Plain(level.String()).PlainKey("msg").Plain(message)
	for _, f := range attrs {
		if f.Key == "" || !isPlain(f.Key) || !writePlain(w.PlainKey(f.Key), f.Value) {
			return false
		}
	}
	*buffer = append(w.Close(jsonscan.Object).Bytes(), '\n')
	write(*buffer)
	return true
}

// writePlain writes a value, and reports whether it may be written as it is.
func writePlain(w *jsonscan.Writer, v slog.Value) bool {
	switch v.Kind() { //exhaustive:ignore
	case slog.KindString:
		text := v.String()
		if !isPlain(text) {
			return false
		}
		w.Plain(text)
	case slog.KindInt64:
		w.Int(v.Int64())
	case slog.KindBool:
		w.Bool(v.Bool())
	default:
		return false
	}
	return true
}
