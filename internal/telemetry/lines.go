package telemetry

import (
	"context"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lines writes records of plain facts as slog's own handler does, for half of the
// work: there is one for every request. Whatever is not plain is cleaned and left to slog.
type lines struct {
	slog.Handler
	to *discreet
}

func newLines(to *discreet, options *slog.HandlerOptions) *lines {
	return &lines{clean{slog.NewJSONHandler(to, options)}, to}
}

// micro is in the time that short requests took.
const micro = "µ"

var lineBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 1<<10); return &b }}

// Handle writes a record.
func (l *lines) Handle(ctx context.Context, r slog.Record) error {
	facts := make([]slog.Attr, 0, r.NumAttrs())
	r.Attrs(func(a slog.Attr) bool {
		facts = append(facts, a)
		return true
	})
	var err error
	if l.line(r.Time, r.Level, r.Message, facts, func(line []byte) { _, err = l.to.Write(line) }) {
		return err
	}
	return l.Handler.Handle(ctx, r)
}

// Line writes a line of facts that are in no record, and reports whether it does: all of
// them must be plain. One that tells of nothing wrong may wait a moment for others.
func (l *lines) Line(at time.Time, level slog.Level, message string, facts []slog.Attr) bool {
	write := l.to.gather
	if level >= slog.LevelWarn {
		write = func(line []byte) { _, _ = l.to.Write(line) } // there is no other place to tell it
	}
	return l.line(at, level, message, facts, write)
}

func (l *lines) line(at time.Time, level slog.Level, message string, facts []slog.Attr, write func(line []byte)) bool {
	buffer := lineBuffers.Get().(*[]byte)
	defer lineBuffers.Put(buffer)
	b := append((*buffer)[:0], `{"time":"`...)
	b = at.AppendFormat(b, time.RFC3339Nano)
	b = append(append(append(b, `","level":"`...), level.String()...), `","msg":`...)
	b, plain := appendText(b, message)
	for i := 0; plain && i < len(facts); i++ {
		if b, plain = appendText(append(b, ','), facts[i].Key); plain {
			b, plain = appendValue(append(b, ':'), facts[i].Value)
		}
		plain = plain && facts[i].Key != ""
	}
	if !plain || at.IsZero() {
		return false
	}
	*buffer = append(b, '}', '\n')
	write(*buffer)
	return true
}

func appendValue(b []byte, v slog.Value) (_ []byte, plain bool) {
	switch v.Kind() { //exhaustive:ignore
	case slog.KindString:
		return appendText(b, v.String())
	case slog.KindInt64:
		return strconv.AppendInt(b, v.Int64(), 10), true
	case slog.KindBool:
		return strconv.AppendBool(b, v.Bool()), true
	}
	return b, false
}

// appendText appends a text that needs no escapes and is not to be cut.
func appendText(b []byte, text string) (_ []byte, plain bool) {
	if len(text) > usualLength {
		return b, false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			if !strings.HasPrefix(text[i:], micro) {
				return b, false
			}
			i += len(micro) - 1
		}
	}
	return append(append(append(b, '"'), text...), '"'), true
}
