package api

import (
	"bytes"
	"errors"
	"net/http"
	"sync"
	"time"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

var errClientGone = errors.New("the client is gone")

// feed writes a stream to one client, whole events only, and keeps the
// connection alive while there is nothing to write.
type feed struct {
	w       http.ResponseWriter
	control *http.ResponseController
	encoder dialect.Encoder
	gather  dialect.ArrayEncoder // nil where frames that pass through go out as they came
	every   time.Duration
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

// feedBuffers are kept from one flush to the next.
var feedBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

func newFeed(w http.ResponseWriter, encoder dialect.Encoder, every time.Duration) *feed {
	f := &feed{w: w, control: http.NewResponseController(w), encoder: encoder, every: every}
	f.gather, _ = encoder.(dialect.ArrayEncoder)
	f.mu.Lock()
	defer f.mu.Unlock() // it may go off at once
	f.timer = time.AfterFunc(every, f.keepAlive)
	return f
}

// begun reports whether the answer has begun, so that an error can no longer have a
// status. What was only gathered counts: how fast it came must not change the answer.
func (f *feed) begun() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started || len(f.buf) > 0
}

// header changes the answer's header, unless it is out already.
func (f *feed) header(set func(http.Header)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.started {
		set(f.w.Header())
	}
}

// pump writes a reply until its end.
func (f *feed) pump(reply *chat.Reply) error {
	for chunk, err := range reply.Stream {
		if err != nil {
			return err
		}
		if reply.Passed && reply.Seen != nil && reply.Seen.Ended && !chunk.More {
			chunk.More = true // what ends the answer takes it along
			f.flushSoon()
		}
		if err := f.chunk(&chunk, reply.Passed); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if reply.Passed && f.gather != nil {
		f.buf = f.gather.EndArray(f.buf)
	}
	return f.send(nil, true) // whoever ends the answer flushes it
}

// flushSoon has what is written next flushed even if its upstream, which has said
// all, does not end its answer.
func (f *feed) flushSoon() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.timer.Reset(time.Millisecond)
}

func (f *feed) chunk(chunk *chat.Chunk, passed bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	const long = 2 << 10 // a longer run of frames is not worth copying
	if passed && f.gather == nil && !chunk.Hidden && (!chunk.More || len(chunk.Raw) > long) {
		return f.send(chunk.Raw, chunk.More)
	}
	f.take()
	switch {
	case passed && f.gather != nil:
		f.buf = f.gather.AppendFrames(f.buf, chunk.Raw)
	case passed && !chunk.Hidden:
		f.buf = append(f.buf, chunk.Raw...)
	case passed:
	default:
		for i := range chunk.Events {
			var err error
			if f.buf, err = f.encoder.Encode(f.buf, &chunk.Events[i]); err != nil {
				return err
			}
		}
	}
	const most = 64 << 10 // what is already here is still written in bites
	if chunk.More && len(f.buf) < most {
		return nil
	}
	return f.flush()
}

// flush writes what is gathered. The caller holds mu.
func (f *feed) flush() error { return f.send(nil, false) }

// send writes what is gathered, then more whole events, and flushes them unless
// the next are already here. The caller holds mu.
func (f *feed) send(events []byte, more bool) error {
	for _, part := range [...][]byte{f.buf, events} {
		if len(part) == 0 {
			continue
		}
		f.begin()
		f.wrote, f.crlf, f.flushed = time.Now(), bytes.HasSuffix(part, []byte("\r\n")), false
		if _, err := f.w.Write(part); err != nil {
			return errors.Join(errClientGone, err)
		}
	}
	f.give()
	if more || f.flushed || !f.started {
		return nil
	}
	f.flushed = true
	if err := f.control.Flush(); err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// take makes room for gathering. The caller holds mu.
func (f *feed) take() {
	if f.spare == nil {
		f.spare = feedBuffers.Get().(*[]byte)
		f.buf = append(*f.spare, f.buf...)
	}
}

// give lets go of what was gathered: a stream that waits needs no room. The caller
// holds mu.
func (f *feed) give() {
	const most = 256 << 10 // one huge frame must not keep its memory for ever
	if f.spare != nil && cap(f.buf) <= most {
		*f.spare = f.buf[:0]
		feedBuffers.Put(f.spare)
	}
	f.spare, f.buf = nil, nil
}

// begin sends the header. The caller holds mu.
func (f *feed) begin() {
	if f.started {
		return
	}
	f.started = true
	h := f.w.Header()
	h.Set("Content-Type", f.encoder.ContentType())
	h["Cache-Control"], h["X-Accel-Buffering"] = noCache, no
	f.w.WriteHeader(http.StatusOK)
}

// Values of every stream's header, shared because nobody changes them.
var noCache, no = []string{"no-cache"}, []string{"no"}

// keepAlive writes what tells the client, and every proxy between, that we are still there.
func (f *feed) keepAlive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	quiet := time.Since(f.wrote)
	if kept := len(f.buf) > 0 || f.started && !f.flushed; !kept && quiet < f.every { // something was sent meanwhile
		f.timer.Reset(f.every - quiet)
		return
	} else if !kept {
		f.buf = alike(f.encoder.KeepAlive(f.buf), f.crlf)
	}
	_ = f.flush() // a client that is gone is seen by whoever reads its request
	f.timer.Reset(f.every)
}

// alike gives a sign of life the line ends of the frames around it: a client that
// looks for one blank line reads past another kind.
func alike(sign []byte, crlf bool) []byte {
	if !crlf || bytes.Contains(sign, []byte("\r\n")) {
		return sign
	}
	return bytes.ReplaceAll(sign, []byte("\n"), []byte("\r\n"))
}

// fail writes the dialect's own error event.
func (f *feed) fail(e *fault.Error, requestID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.buf = f.encoder.Fail(f.buf, e, requestID)
	_ = f.flush() // the connection is broken off next
}

// stop ends the keep-alives. Nothing is written after it returns.
func (f *feed) stop() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.stopped = true
	f.timer.Stop()
	f.give()
}
