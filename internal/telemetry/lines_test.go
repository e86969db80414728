package telemetry

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// request is a log line as every request leaves one.
func request() slog.Record {
	line := slog.NewRecord(time.Date(2026, 11, 15, 1, 2, 3, 456789, time.UTC), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("request_id", "req_01234567890123456789012345"), slog.String("method", "POST"), slog.String("path", "/api/v1/chat/completions"),
		slog.Int("status", 200), slog.String("took", "12.3456ms"), slog.Int64("bytes", 31234), slog.String("remote", "127.0.0.1"),
		slog.String("workspace", "default"), slog.String("key", "key_01234567890123456789012345"), slog.Bool("client_gone", true),
		slog.String("model", "local/gpt-4.1"), slog.String("code", ""), slog.Int("tries", 1), slog.Int64("input_tokens", -20),
	)
	return line
}

func TestALineIsWhatSlogWouldWrite(t *testing.T) {
	t.Parallel()
	for name, attr := range map[string]slog.Attr{
		"plain":       slog.String("model", "gpt <4> & more"),
		"escapes":     slog.String("model", "a \"b\" \\ ü"),
		"a moment":    slog.String("took", "123.4µs"),
		"an odd key":  slog.String("a\"b", "c"),
		"no key":      {},
		"an error":    slog.Any("error", errors.New("it \"broke\"")),
		"a group":     slog.Group("g", slog.Int("a", 1), slog.String("b", "c")),
		"a duration":  slog.Duration("took", time.Second),
		"a number":    slog.Float64("n", 1.5),
		"a time":      slog.Time("at", time.Unix(1, 2).UTC()),
		"a thing":     slog.Any("list", []string{"a"}),
		"nothing":     slog.Any("nothing", nil),
		"a valuer":    slog.Any("v", slog.IntValue(3)),
		"another one": slog.Uint64("u", 7),
	} {
		var got, want bytes.Buffer
		line := request()
		line.AddAttrs(attr)
		for _, err := range []error{
			newLines(&discreet{to: &got}, nil).Handle(t.Context(), line),
			slog.NewJSONHandler(&want, nil).Handle(t.Context(), line),
			newLines(&discreet{to: &got}, nil).WithAttrs([]slog.Attr{attr}).WithGroup("x").Handle(t.Context(), line),
			slog.NewJSONHandler(&want, nil).WithAttrs([]slog.Attr{attr}).WithGroup("x").Handle(t.Context(), line),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if got.String() != want.String() {
			t.Errorf("%s:\n%swant\n%s", name, &got, &want)
		}
	}
}

// TestALineOfAttributesIsThatOfARecord writes attributes without a record, where they are plain.
func TestALineOfAttributesIsThatOfARecord(t *testing.T) {
	t.Parallel()
	line := request()
	var attrs []slog.Attr
	line.Attrs(func(a slog.Attr) bool {
		attrs = append(attrs, a)
		return true
	})
	var got, want bytes.Buffer
	handler := newLines(&discreet{to: &got}, nil)
	if !handler.Line(line.Time, line.Level, line.Message, attrs) {
		t.Error("it is not written")
	}
	handler.to.flush()
	if err := slog.NewJSONHandler(&want, nil).Handle(t.Context(), line); err != nil || got.String() != want.String() {
		t.Errorf("%v\n%swant\n%s", err, &got, &want)
	}
	got.Reset()
	if handler.Line(line.Time, line.Level, "odd \"message\"", attrs) || handler.Line(line.Time, line.Level, "m", append(attrs, slog.Any("error", errors.New("e")))) || got.Len() > 0 {
		t.Errorf("something is written that is not plain: %s", &got)
	}
}

func BenchmarkLine(b *testing.B) {
	var out bytes.Buffer
	for name, handler := range map[string]slog.Handler{"ours": newLines(&discreet{to: &out}, nil), "slog": slog.NewJSONHandler(&out, nil)} {
		b.Run(name, func(b *testing.B) {
			line := request()
			b.ReportAllocs()
			for b.Loop() {
				out.Reset()
				if err := handler.Handle(b.Context(), line); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLinesThatMayWaitAreWrittenTogether counts the writes of a hundred requests, and looks
// that what may not wait comes at once and after what was there before it.
func TestLinesThatMayWaitAreWrittenTogether(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var out counted
		handler := newLines(&discreet{to: &out}, nil)
		attrs := []slog.Attr{slog.String("key", "sk_live_abcdef"), slog.Int("status", 200)}
		for range 100 {
			handler.Line(time.Now(), slog.LevelInfo, "request", attrs)
		}
		time.Sleep(longestWait)
		synctest.Wait()
		if lines := strings.Count(out.text, "\n"); lines != 100 || out.writes > 5 || strings.Contains(out.text, "abcdef") || out.longest > mostHeld {
			t.Errorf("%d lines in %d writes, the longest of %d bytes:\n%s", lines, out.writes, out.longest, out.text)
		}
		out = counted{}
		handler.Line(time.Now(), slog.LevelInfo, "first", attrs)
		handler.Line(time.Now(), slog.LevelError, "second", attrs)
		if first, second := strings.Index(out.text, "first"), strings.Index(out.text, "second"); first < 0 || second < first {
			t.Errorf("an error is not told at once: %q", out.text)
		}
		time.Sleep(2 * longestWait)
		synctest.Wait()
		if out.writes != 1 {
			t.Errorf("%d writes", out.writes)
		}
	})
}

type counted struct {
	text            string
	writes, longest int
}

func (c *counted) Write(b []byte) (int, error) {
	c.text += string(b)
	c.writes++
	c.longest = max(c.longest, len(b))
	return len(b), nil
}
