package server

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"time"
)

// exchange is a request and its answer on one of the listeners: it sees what is
// answered, and both directions go on or end.
type exchange struct {
	http.ResponseWriter
	bounds Bounds
	conn   *conn           // nil: a test's own connection
	in     body            // zero: the request has none
	ctx    context.Context //nolint:containedctx // that of the connection; nil: a listener without a log line
	id     string          // X-Request-Id of the answer; "": none
	lines  *[]byte         // of its head, beside what net/http writes; nil: none yet
	status int
	gone   bool // the client had left, or was cut off, when the answer began
	bytes  int64

	multi   bool  // HTTP/2: others write to the connection as well
	legible bool  // the connection sees the answer as it is: HTTP/1 without TLS
	expects bool  // the client sends its body when it is told to
	inside  bool  // the request has arrived whole
	packs   bool  // the answer is written in flushes
	head    int64 // bytes that its head counts for; 0: it is short
	hasty   bool  // what is left of the body is not waited for: the head itself is too much

	stream  *stream  // among the others over HTTP/2; nil: it does not count there
	among   *streams // those
	pending bool     // something is written and not flushed

	streams  *atomic.Int64 // where it counts while it is answered in pieces; nil: nowhere
	streamed bool          // it counts there
}

// newExchange begins an exchange. The request must be the caller's own copy: net/http
// looks at the body of the one it made.
func newExchange(w http.ResponseWriter, r *http.Request, b Bounds) *exchange {
	x := &exchange{ResponseWriter: w, bounds: b, multi: r.ProtoMajor > 1, expects: r.Header.Get("Expect") != ""}
	if x.conn, _ = r.Context().Value(connKey{}).(*conn); x.conn != nil {
		x.conn.arrive()
		x.legible = !x.multi && r.TLS == nil
	}
	x.calm()
	if r.Body == nil || r.Body == http.NoBody {
		x.enter()
		return x
	}
	if x.multi && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		_ = r.Body.Close() // which no route reads: what comes of it would lie here until the answer is given
	}
	x.in = body{from: r.Body, of: x, stall: b.BodyStall, chunked: r.ContentLength < 0 && !x.multi}
	r.Body = &x.in
	return x
}

// enter notes that the request has arrived whole: its connection is not closed for others' sake.
func (x *exchange) enter() {
	if x.conn != nil && !x.inside {
		x.inside = true
		x.conn.enter()
		if x.stream != nil {
			x.among.enter(x.stream)
		}
	}
}

// touch notes that the client sends, and not in drops.
func (x *exchange) touch() {
	if x.stream != nil {
		x.among.touch(x.stream)
	}
}

func (x *exchange) hasRest() bool { return x.in.from != nil && !x.in.ended }

// code is the status of the answer.
func (x *exchange) code() int { return cmp.Or(x.status, http.StatusOK) }

// WriteHeader begins the answer. Where the body has not arrived by then it is the
// connection's last: what follows cannot be told from the rest of the body.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 && status >= http.StatusOK {
		x.status = status
		x.gone = x.ctx != nil && x.ctx.Err() != nil
		x.packs = x.conn != nil && !x.multi && x.Header().Get("Content-Length") == ""
		if x.hasRest() && !x.multi && !x.restIsHere() {
			x.Header().Set("Connection", "close")
		}
		x.beginHead()
	}
	x.ResponseWriter.WriteHeader(status)
}

// restIsHere reads what is left of the body, if it is here already. Behind a deadline net/http
// reads no further in one that came in chunks, and what comes then must be read after the answer.
func (x *exchange) restIsHere() bool {
	return !x.expects && !x.hasty && !x.in.chunked && x.in.rest(restBytes, restTime, restTime)
}

// Write writes a part of the answer.
func (x *exchange) Write(b []byte) (int, error) {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	if x.packs && len(b) >= worthPacking {
		x.conn.hold()
	}
	n, err := x.write(b)
	x.bytes += int64(n)
	x.pending = x.pending || n > 0
	return n, err
}

// FlushError sends what was written, in one piece.
func (x *exchange) FlushError() error {
	if x.status == 0 {
		x.WriteHeader(http.StatusOK)
	}
	if x.streams != nil && !x.streamed {
		x.streamed = true
		x.streams.Add(1)
	}
	x.hurry()
	x.pending = false
	err := http.NewResponseController(x.ResponseWriter).Flush()
	x.calm()
	if x.packs {
		err = errors.Join(err, x.conn.release())
	}
	return err
}

// Unwrap lets http.ResponseController reach the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// write writes b. A connection of HTTP/1 minds its own time; of several answers on
// one each has its own.
func (x *exchange) write(b []byte) (n int, err error) {
	if !x.multi {
		return x.ResponseWriter.Write(b)
	}
	const piece = 64 << 10
	for more := true; more && err == nil; more = n < len(b) {
		var sent int
		x.hurry()
		sent, err = x.ResponseWriter.Write(b[n:min(n+piece, len(b))])
		n += sent
	}
	x.calm()
	return n, err
}

// hurry sets the time within which something must be written.
func (x *exchange) hurry() {
	if x.multi {
		if x.stream != nil {
			x.stream.since.Store(time.Now().UnixNano())
		}
		_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(x.bounds.WriteStall))
	}
}

// longCalm is how long a handler may take between two writes.
const longCalm = 24 * time.Hour

// calm lets the handler take its time until it writes again. The deadline is put off and
// not taken away: net/http may come to set one when it has closed the stream, and where
// there was none before, its new timer keeps the request with all its fields until it is due.
func (x *exchange) calm() {
	if x.multi {
		if x.stream != nil {
			x.stream.since.Store(0)
		}
		_ = http.NewResponseController(x.ResponseWriter).SetWriteDeadline(time.Now().Add(longCalm))
	}
}

// end leaves what was held back to net/http, which writes the end of the answer
// next, unless that is broken off. Patient, it first reads what the client still sends.
func (x *exchange) end(aborted, patient bool) {
	if x.hasRest() {
		if patient && !aborted && !x.expects && !x.hasty {
			_ = x.FlushError() // the answer first
			x.in.rest(lingerBytes, lingerPause, lingerTime)
		}
		x.in.leave()
	}
	if x.streamed {
		x.streams.Add(-1)
	}
	if x.pending && !aborted && x.stream != nil && x.among.wary(x.stream) {
		_ = x.FlushError()
	}
	if x.status == 0 && !aborted {
		x.beginHead()
	}
	x.hurry()
	switch {
	case !x.packs:
	case aborted:
		_ = x.conn.release() // a client that is gone is none to tell
	default:
		x.conn.finish()
	}
	if x.inside {
		x.conn.leave()
	}
	if x.conn != nil {
		x.conn.depart()
	}
}

// Unlogged serves a listener that has no log line: its requests go on or end all the same.
func Unlogged(bounds func() Bounds, next http.Handler) http.Handler {
	heads := newHeads()
	return http.HandlerFunc(func(w http.ResponseWriter, made *http.Request) {
		r := made.WithContext(made.Context())
		x := newExchange(w, r, bounds())
		defer func() {
			v := recover()
			x.end(v != nil, true)
			heads.leave(x, made)
			if v != nil {
				panic(v)
			}
		}()
		if heads.admit(x, r) {
			next.ServeHTTP(x, r)
		}
	})
}
