package telemetry

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How long a value of a line may be, in bytes. Anything may have come from a
// client; what is longer by nature has a row.
const usualLength = 256

var lengths = map[string]int{
	"error": 8 << 10, // its cause, a panic's stack among them
	"panic": 8 << 10,
	"stack": 16 << 10,
	"note":  4 << 10,
	"url":   2 << 10,
}

func lengthOf(key string) int {
	if n, ok := lengths[key]; ok {
		return n
	}
	return usualLength
}

// clean is the one way into the log: every value is cut to its length, and what a
// terminal or a collector might take for more than text is taken out.
type clean struct{ slog.Handler }

// Handle writes a record.
func (c clean) Handle(ctx context.Context, r slog.Record) error {
	plain := isPlain(r.Message)
	r.Attrs(func(a slog.Attr) bool {
		plain = plain && isClean(a)
		return plain
	})
	if plain { // as most are
		return c.Handler.Handle(ctx, r)
	}
	out := slog.NewRecord(r.Time, r.Level, tidy(r.Message, usualLength), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		out.AddAttrs(tidyAttr(a))
		return true
	})
	return c.Handler.Handle(ctx, out)
}

// isClean reports whether an attribute is short and plain, seen at a glance.
func isClean(a slog.Attr) bool {
	switch a.Value.Kind() { //exhaustive:ignore
	case slog.KindString:
		return isPlain(a.Value.String()) && isPlain(a.Key)
	case slog.KindAny, slog.KindGroup, slog.KindLogValuer:
		return false
	}
	return isPlain(a.Key)
}

// isPlain reports whether a text is short and of letters that every terminal has, and JSON as they are.
func isPlain(text string) bool {
	if len(text) > usualLength {
		return false
	}
	for i := 0; i < len(text); i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			if !strings.HasPrefix(text[i:], micro) {
				return false
			}
			i += len(micro) - 1
		}
	}
	return true
}

// micro is in the time that short requests took.
const micro = "µ"

// WithAttrs is a handler whose lines have these attributes, too.
func (c clean) WithAttrs(attrs []slog.Attr) slog.Handler {
	tidied := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		tidied[i] = tidyAttr(a)
	}
	return clean{c.Handler.WithAttrs(tidied)}
}

// WithGroup is a handler whose attributes are in a group.
func (c clean) WithGroup(name string) slog.Handler { return clean{c.Handler.WithGroup(name)} }

func tidyAttr(a slog.Attr) slog.Attr {
	a.Key = tidy(a.Key, usualLength)
	a.Value = a.Value.Resolve()
	most := lengthOf(a.Key)
	switch a.Value.Kind() { //exhaustive:ignore
	case slog.KindString:
		a.Value = slog.StringValue(tidy(a.Value.String(), most))
	case slog.KindAny:
		a.Value = tidyAny(a.Value, most)
	case slog.KindGroup:
		inner := make([]slog.Attr, len(a.Value.Group()))
		for i, b := range a.Value.Group() {
			inner[i] = tidyAttr(b)
		}
		a.Value = slog.GroupValue(inner...)
	}
	return a
}

// tidyAny writes errors out, and whatever else is too long or no text.
func tidyAny(v slog.Value, most int) slog.Value {
	held := v.Any()
	err, failed := held.(error)
	if failed {
		return slog.StringValue(tidy(err.Error(), most))
	}
	written := fmt.Sprintf("%+v", held)
	if tidied := tidy(written, most); held != nil && tidied != written {
		return slog.StringValue(tidied)
	}
	return v
}

// tidy is a text without what is no text, of most bytes at most. Only what is long by
// nature has several lines.
func tidy(text string, most int) string {
	unwelcome := func(r rune) bool {
		return isUnwelcome(r) && (most == usualLength || r != '\n' && r != '\t')
	}
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…" // a copy: the line must not hold the whole
	}
	if !strings.ContainsFunc(text, unwelcome) && utf8.ValidString(text) {
		return text
	}
	return strings.Map(func(r rune) rune {
		if isUnwelcome(r) {
			return utf8.RuneError
		}
		return r
	}, text)
}

// isUnwelcome are control characters, and those that turn or hide the text around them.
func isUnwelcome(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029'
}
