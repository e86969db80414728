// Package telemetry is what the process tells those who watch it: the log, the metrics,
// spans for a collector, and the audit log sent on to where it is kept. It reads what
// others report and decides nothing.
package telemetry

import (
	"bytes"
	"io"
	"log/slog"
	"regexp"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/webhook"
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

var (
	secret              = regexp.MustCompile(`(` + access.Development.Prefix() + `|` + access.Production.Prefix() + `|` + webhook.SecretMark + `)[0-9A-Za-z+/=_-]+`)
	keyMark, secretMark = []byte(access.KeyMark), []byte(webhook.SecretMark)
)

// discreet writes lines without the secrets in them. It looks at whole lines,
// which costs less than looking at every value, and misses nothing. Lines that may
// wait are written together: each write costs a call into the system.
type discreet struct {
	to io.Writer

	mu    sync.Mutex // guards what follows
	held  []byte     // lines that wait
	armed bool       // they are written when the timer goes off
}

const (
	longestWait = 10 * time.Millisecond

	// mostHeld is what a system writes to a pipe in one piece: the lines of several processes
	// that share one do not mix.
	mostHeld = 4 << 10
)

// Write writes a line, after those that wait.
func (d *discreet) Write(line []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold(line)
	if err := d.send(); err != nil {
		return 0, err
	}
	return len(line), nil
}

// gather writes a line within a moment.
func (d *discreet) gather(line []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold(line)
	if !d.armed {
		d.armed = true
		time.AfterFunc(longestWait, d.flush)
	}
}

// flush writes what waits.
func (d *discreet) flush() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.armed = false
	_ = d.send() // there is no other place to tell it
}

func (d *discreet) hold(line []byte) {
	if len(d.held)+len(line) > mostHeld {
		_ = d.send()
	}
	if bytes.Contains(line, keyMark) || bytes.Contains(line, secretMark) {
		line = secret.ReplaceAll(line, []byte("$1••••"))
	}
	d.held = append(d.held, line...)
}

func (d *discreet) send() error {
	if len(d.held) == 0 {
		return nil
	}
	_, err := d.to.Write(d.held)
	if d.held = d.held[:0]; cap(d.held) > 4*mostHeld { // one line was long
		d.held = nil
	}
	return err
}
