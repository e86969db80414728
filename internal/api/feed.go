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
	gather  dialect.Gatherer // nil where frames that pass through go out as they came
	every   time.Duration
	timer   *time.Timer

	mu      sync.Mutex // guards what follows: the timer writes too
	started bool
	stopped bool
	wrote   time.Time
	crlf    bool    // what was written last ends its lines with CRLF
	spare   *[]byte // what buf was made from
	buf     []byte
}

// feedBuffers are kept from one stream to the next.
var feedBuffers = sync.Pool{New: func() any { b := make([]byte, 0, 8<<10); return &b }}

func newFeed(w http.ResponseWriter, encoder dialect.Encoder, every time.Duration) *feed {
	f := &feed{w: w, control: http.NewResponseController(w), encoder: encoder, every: every, spare: feedBuffers.Get().(*[]byte)}
	f.buf = *f.spare
	f.gather, _ = encoder.(dialect.Gatherer)
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
		if err := f.chunk(&chunk, reply.Passed); err != nil {
			return err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if reply.Passed && f.gather != nil {
		f.buf = f.gather.Gathered(f.buf)
	}
	return f.flush()
}

func (f *feed) chunk(chunk *chat.Chunk, passed bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case passed && f.gather != nil:
		f.buf = f.gather.Gather(f.buf, chunk.Raw)
	case passed && !chunk.Hidden && len(f.buf) == 0 && !chunk.More:
		return f.write(chunk.Raw) // nothing to gather: its own bytes go out
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
	if len(f.buf) == 0 || chunk.More && len(f.buf) < most {
		return nil
	}
	return f.flush()
}

// flush writes what is gathered. The caller holds mu.
func (f *feed) flush() error {
	if len(f.buf) == 0 {
		return nil
	}
	err := f.write(f.buf)
	f.buf = f.buf[:0]
	return err
}

// write writes whole events and flushes them. The caller holds mu.
func (f *feed) write(events []byte) error {
	if len(events) == 0 {
		return nil
	}
	f.begin()
	f.wrote, f.crlf = time.Now(), bytes.HasSuffix(events, []byte("\r\n"))
	_, err := f.w.Write(events)
	if err == nil {
		err = f.control.Flush()
	}
	if err != nil {
		return errors.Join(errClientGone, err)
	}
	return nil
}

// begin sends the header. The caller holds mu.
func (f *feed) begin() {
	if f.started {
		return
	}
	f.started = true
	h := f.w.Header()
	h.Set("Content-Type", f.encoder.ContentType())
	h.Set("Cache-Control", "no-cache")
	h.Set("X-Accel-Buffering", "no")
	f.w.WriteHeader(http.StatusOK)
}

// keepAlive writes what tells the client, and every proxy between, that we are still there.
func (f *feed) keepAlive() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.stopped {
		return
	}
	if quiet := time.Since(f.wrote); quiet < f.every { // something was written meanwhile
		f.timer.Reset(f.every - quiet)
		return
	}
	if len(f.buf) == 0 {
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
	const most = 256 << 10 // one huge frame must not keep its memory for ever
	if cap(f.buf) <= most {
		*f.spare = f.buf[:0]
		feedBuffers.Put(f.spare)
	}
	f.buf = nil
}
