package telemetry

import (
	"context"
	"io"
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
	w io.Writer
}

func newLines(w io.Writer, options *slog.HandlerOptions) slog.Handler {
	return &lines{clean{slog.NewJSONHandler(w, options)}, w}
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
	if written, err := l.line(r.Time, r.Level, r.Message, facts); written {
		return err
	}
	return l.Handler.Handle(ctx, r)
}

// Line writes a line of facts that are in no record, and reports whether it did: all of
// them must be plain.
func (l *lines) Line(at time.Time, level slog.Level, message string, facts []slog.Attr) bool {
	written, _ := l.line(at, level, message, facts) // there is no other place to tell it
	return written
}

func (l *lines) line(at time.Time, level slog.Level, message string, facts []slog.Attr) (written bool, err error) {
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
		return false, nil
	}
	*buffer = append(b, '}', '\n')
	_, err = l.w.Write(*buffer)
	return true, err
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
