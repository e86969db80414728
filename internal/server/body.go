package server

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"stele/internal/fault"
)

// body is a request's body whose client must go on sending: the next byte comes
// within a bound, and all of them at a rate that does not hold a place for hours.
// What is read to its end has no deadline any more, so that a long answer can follow.
type body struct {
	from io.ReadCloser
	of   *exchange

	stall time.Duration // until the next byte
	begun time.Time     // zero: nothing of it was read
	armed time.Time     // when the deadline was set
	came  int64         // bytes

	chunked bool // its length is not announced, over HTTP/1
	unnoted int  // bytes since it was last noted that they come
	ended   bool // all of it has arrived
	closed  bool
	slow    bool
	err     error // what ended it early
}

// Read reads on.
func (b *body) Read(p []byte) (int, error) {
	switch {
	case b.closed:
		return 0, http.ErrBodyReadAfterClose
	case b.err != nil:
		return 0, b.err
	case b.ended:
		return 0, io.EOF
	}
	b.arm()
	n, err := b.from.Read(p)
	b.came += int64(n)
	if b.unnoted += n; b.unnoted >= worthNoting {
		b.unnoted = 0
		b.of.touch()
	}
	switch {
	case err == io.EOF: //nolint:errorlint // never wrapped by a reader
		b.end()
	case errors.Is(err, os.ErrDeadlineExceeded):
		b.slow = true
		b.err = fault.New(fault.InvalidRequestBody, "The request body came too slowly: nothing for %s, or less than %d bytes a second.",
			b.stall, b.of.bounds.BodyRate).Because(errors.Join(fault.ErrSlow, err))
	case err != nil:
		b.err = err
	}
	if b.err != nil {
		return n, b.err
	}
	return n, err
}

// Trust gives a client twice the time. The door that knows it calls it before it reads.
func (b *body) Trust() { b.stall = 2 * b.of.bounds.BodyStall }

// Close ends the reading. What is left is the server's business.
func (b *body) Close() error {
	b.closed = true
	return nil
}

// arm gives the client its time for the next byte.
func (b *body) arm() {
	now := time.Now()
	if b.begun.IsZero() {
		b.begun = now
		b.of.expects = false // it is told to, and sends
	}
	if now.Sub(b.armed) < min(time.Second, b.stall/4) {
		return
	}
	until := now.Add(b.stall)
	due := b.begun.Add(4*b.stall + time.Duration(float64(b.came)/float64(b.of.bounds.BodyRate)*float64(time.Second)))
	if due.Before(until) {
		until = due
	}
	b.armed = now
	_ = http.NewResponseController(b.of.ResponseWriter).SetReadDeadline(until) // a test's writer may have none
}

func (b *body) end() {
	if b.ended {
		return
	}
	b.ended = true
	_ = http.NewResponseController(b.of.ResponseWriter).SetReadDeadline(time.Time{})
	b.of.enter()
}

// rest reads what is left as long as it keeps coming, within bounds, and reports
// whether that was all.
func (b *body) rest(most int, pause, within time.Duration) bool {
	if b.ended || b.slow || b.err != nil && !errors.Is(b.err, os.ErrDeadlineExceeded) {
		return b.ended
	}
	control, last := http.NewResponseController(b.of.ResponseWriter), time.Now().Add(within)
	b.err = nil
	for buffer := make([]byte, lingerPiece); most > 0 && b.err == nil; {
		until := time.Now().Add(pause)
		if last.Before(until) {
			until = last
		}
		if b.err = control.SetReadDeadline(until); b.err != nil {
			return false
		}
		n, err := b.from.Read(buffer)
		most -= n
		if err == io.EOF { //nolint:errorlint // see Read
			b.end()
			return true
		}
		b.err = err
	}
	return false
}

// leave has nothing read any more: net/http looks for the end of a body by itself,
// and would wait for it.
func (b *body) leave() {
	if !b.ended {
		_ = http.NewResponseController(b.of.ResponseWriter).SetReadDeadline(time.Now())
	}
}
