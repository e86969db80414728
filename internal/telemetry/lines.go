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
	buffer := lineBuffers.Get().(*[]byte)
	defer lineBuffers.Put(buffer)
	b := (*buffer)[:0]
	b = append(b, `{"time":"`...)
	b = r.Time.AppendFormat(b, time.RFC3339Nano)
	b = append(append(append(b, `","level":"`...), r.Level.String()...), `","msg":`...)
	b, plain := appendText(b, r.Message)
	r.Attrs(func(a slog.Attr) bool {
		b = append(b, ',')
		if b, plain = appendText(b, a.Key); plain && a.Key != "" {
			b, plain = appendValue(append(b, ':'), a.Value)
			return plain
		}
		plain = false
		return false
	})
	if !plain || r.Time.IsZero() {
		return l.Handler.Handle(ctx, r)
	}
	b = append(b, '}', '\n')
	*buffer = b
	_, err := l.w.Write(b)
	return err
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
