// Package telemetry is what the process tells those who watch it: the log and
// the metrics. It reads what others report and decides nothing.
package telemetry

import (
	"bytes"
	"io"
	"log/slog"
	"regexp"
	"sync"
)

// NewLog makes the log: text for people, json for collectors. Whatever looks
// like a key is taken out of every line, should one ever get that far, and every
// value is cut and cleaned: any of them may be a client's.
func NewLog(w io.Writer, format string, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	out := &discreet{to: w}
	if format == "json" {
		return slog.New(newLines(out, options))
	}
	return slog.New(clean{slog.NewTextHandler(out, options)})
}

var secret = regexp.MustCompile(`(sk_dev_|sk_live_|whsec_)[0-9A-Za-z+/=_-]+`)

// discreet writes lines without the secrets in them. It looks at whole lines,
// which costs less than looking at every value, and misses nothing.
type discreet struct {
	mu sync.Mutex // one line at a time
	to io.Writer
}

// Write writes a line.
func (d *discreet) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !bytes.Contains(line, []byte("sk_")) && !bytes.Contains(line, []byte("whsec_")) {
		return d.to.Write(line)
	}
	if _, err := d.to.Write(secret.ReplaceAll(line, []byte("$1••••"))); err != nil {
		return 0, err
	}
	return len(line), nil
}
