package wire

import (
	"bytes"
	"errors"
	"net/http"
	"sync"
	"time"
)

// EventStream is the type of server-sent events.
const EventStream = "text/event-stream"

// ErrGone says that the client no longer reads what is written.
var ErrGone = errors.New("the client is gone")

// EventWriter answers one client with a stream, whole events only, and keeps the
// connection alive while there is nothing to write. It must be stopped.
type EventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
	kind    string
	every   time.Duration
	sign    func(buf []byte) []byte
	timer   *time.Timer

	mu      sync.Mutex // guards what follows: the timer writes too
	started bool
	flushed bool // nothing is written that is not on its way
	stopped bool
	wrote   time.Time
	crlf    bool    // what was written last ends its lines with CRLF
	spare   *[]byte // what buf was made from; nil: nothing is gathered
	buf     []byte
}

// writeBuffers are kept from one flush to the next.
var writeBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

// NewEventWriter answers with a stream of a content type. Whenever nothing was written
// for a while, sign appends what tells the client, and every proxy between, that the
// stream goes on.
func NewEventWriter(w http.ResponseWriter, kind string, every time.Duration, sign func(buf []byte) []byte) *EventWriter {
	e := &EventWriter{w: w, control: http.NewResponseController(w), kind: kind, every: every, sign: sign}
	e.mu.Lock()
	defer e.mu.Unlock() // it may go off at once
	e.timer = time.AfterFunc(every, e.keepAlive)
	return e
}

// Comment is a sign of life that every reader of server-sent events passes over.
func Comment(text string) func(buf []byte) []byte {
	return func(buf []byte) []byte { return append(append(append(buf, ": "...), text...), "\n\n"...) }
}

// HasBegun reports whether the answer has begun, so that an error can no longer have a
// status. What was only gathered counts: how fast it came must not change the answer.
func (e *EventWriter) HasBegun() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.started || len(e.buf) > 0
}

// Header changes the answer's header, unless it is out already.
func (e *EventWriter) Header(set func(http.Header)) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.started {
		set(e.w.Header())
	}
}

// Event sends one event of one line of data. Its name may be empty.
func (e *EventWriter) Event(name string, data []byte, more bool) error {
	return e.Gather(more, func(buf []byte) ([]byte, error) { return AppendEvent(buf, name, data), nil })
}

// AppendEvent appends one event of one line of data, which is JSON. Its name may be empty.
func AppendEvent(dst []byte, name string, data []byte) []byte {
	if name != "" {
		dst = append(append(append(dst, "event: "...), name...), '\n')
	}
	from := len(dst)
	return EscapeLineEnds(append(append(append(dst, "data: "...), data...), "\n\n"...), from)
}

// Gather appends whole events to those that are not written yet, and sends them all
// unless the next are already here.
func (e *EventWriter) Gather(more bool, add func(buf []byte) ([]byte, error)) (err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.take()
	if e.buf, err = add(e.buf); err != nil {
		return err
	}
	const most = 64 << 10 // what is already here is still written in bites
	if more && len(e.buf) < most {
		return nil
	}
	return e.send(nil, false)
}

// Send writes what is gathered, then more whole events, and flushes them unless the
// next are already here. It does not copy them.
func (e *EventWriter) Send(events []byte, more bool) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.send(events, more)
}

// FlushSoon has what is written next flushed even if nothing follows it.
func (e *EventWriter) FlushSoon() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timer.Reset(time.Millisecond)
}

// Stop ends the signs of life. Nothing is written after it returns.
func (e *EventWriter) Stop() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.stopped = true
	e.timer.Stop()
	e.give()
}

// send is Send for those who hold mu.
func (e *EventWriter) send(events []byte, more bool) error {
	for _, part := range [...][]byte{e.buf, events} {
		if len(part) == 0 {
			continue
		}
		e.begin()
		e.wrote, e.crlf, e.flushed = time.Now(), bytes.HasSuffix(part, []byte("\r\n")), false
		if _, err := e.w.Write(part); err != nil {
			return errors.Join(ErrGone, err)
		}
	}
	e.give()
	if more || e.flushed || !e.started {
		return nil
	}
	e.flushed = true
	if err := e.control.Flush(); err != nil {
		return errors.Join(ErrGone, err)
	}
	return nil
}

// take makes room for gathering. The caller holds mu.
func (e *EventWriter) take() {
	if e.spare == nil {
		e.spare = writeBuffers.Get().(*[]byte)
		e.buf = append(*e.spare, e.buf...)
	}
}

// give lets go of what was gathered: a stream that waits needs no room. The caller
// holds mu.
func (e *EventWriter) give() {
	const most = 256 << 10 // one huge frame must not keep its memory for ever
	if e.spare != nil && cap(e.buf) <= most {
		*e.spare = e.buf[:0]
		writeBuffers.Put(e.spare)
	}
	e.spare, e.buf = nil, nil
}

// Values of every stream's header, shared because they are never changed.
var noCache, no = []string{"no-cache"}, []string{"no"}

// begin sends the header. The caller holds mu.
func (e *EventWriter) begin() {
	if e.started {
		return
	}
	e.started = true
	h := e.w.Header()
	h.Set("Content-Type", e.kind)
	h["X-Accel-Buffering"] = no
	if h["Cache-Control"] == nil {
		h["Cache-Control"] = noCache
	}
	e.w.WriteHeader(http.StatusOK)
}

// keepAlive writes a sign of life, or what was gathered for longer than it should.
func (e *EventWriter) keepAlive() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.stopped {
		return
	}
	quiet := time.Since(e.wrote)
	if kept := len(e.buf) > 0 || e.started && !e.flushed; !kept && quiet < e.every { // something was sent meanwhile
		e.timer.Reset(e.every - quiet)
		return
	} else if !kept {
		e.buf = alike(e.sign(e.buf), e.crlf)
	}
	_ = e.send(nil, false) // the server sees by itself that a client is gone, and ends its request
	e.timer.Reset(e.every)
}

// alike gives a sign of life the line ends of the frames around it: a client that
// looks for one blank line reads past another kind.
func alike(sign []byte, crlf bool) []byte {
	if !crlf || bytes.Contains(sign, []byte("\r\n")) {
		return sign
	}
	return bytes.ReplaceAll(sign, []byte("\n"), []byte("\r\n"))
}
