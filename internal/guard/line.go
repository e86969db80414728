package guard

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	lineBuffer = 16 << 10  // as much as wire reads at once: a stream of small frames arrives in few reads
	mostHeader = 256 << 10 // bytes of an answer's header
	mostInform = 5         // answers of the 100s before the one that counts
)

var (
	errNotSent    = errors.New("nothing of the request was sent")
	errHeaderSize = errors.New("the answer's header is too long")
)

// line is a connection of direct. One request at a time uses it.
type line struct {
	of      *direct
	address string
	conn    net.Conn
	raw     syscall.RawConn // nil: it cannot be looked at
	look    func(fd uintptr) bool
	open    bool // as look saw it
	read    *bufio.Reader
	since   time.Time // when it became idle
	used    bool      // by a request before
	budget  int       // bytes that a header may still have; below 0: a body is read
}

func newLine(d *direct, address string, conn net.Conn) *line {
	l := &line{of: d, address: address, conn: conn}
	l.read = bufio.NewReaderSize(l, lineBuffer)
	if c, ok := conn.(syscall.Conn); ok {
		l.raw, _ = c.SyscallConn()
		l.look = func(fd uintptr) bool { // made once: it is looked at before every request
			l.open = silent(fd)
			return true
		}
	}
	return l
}

// Read reads from the connection, of a header no more than it may have.
func (l *line) Read(b []byte) (int, error) {
	if l.budget == 0 {
		return 0, errHeaderSize
	}
	n, err := l.conn.Read(b)
	if l.budget > 0 {
		l.budget = max(0, l.budget-n)
	}
	return n, err
}

// stands reports whether an idle connection is open and silent. One that says
// something unasked is about to end.
func (l *line) stands() bool {
	if l.raw == nil {
		return false
	}
	l.open = false
	err := l.raw.Read(l.look)
	return l.open && err == nil
}

// exchange sends a request and reads the header of its answer. The connection ends
// with the request's context.
func (l *line) exchange(r *http.Request) (*http.Response, error) {
	ctx := r.Context()
	a := &answerBody{line: l, ctx: ctx}
	a.stop = context.AfterFunc(ctx, func() { _ = l.conn.Close() })
	answer, err := a.begin(r)
	if err != nil {
		a.end(false)
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return nil, err
	}
	if answer.Body == http.NoBody {
		a.end(!answer.Close)
		return answer, nil
	}
	a.from, a.last = answer.Body, answer.Close
	answer.Body = a
	return answer, nil
}

// begin writes the request and reads the header. A long body is still being written
// while the header is read.
func (a *answerBody) begin(r *http.Request) (*http.Response, error) {
	l := a.line
	reused := l.used
	l.used = true
	if r.ContentLength > eager {
		a.sending = make(chan error, 1)
		go func() {
			_, err := send(l.conn, r)
			a.sending <- err
		}()
	} else if sent, err := send(l.conn, r); err != nil && sent == 0 && reused {
		return nil, errors.Join(errNotSent, err)
	} else if err != nil {
		// An upstream that refuses early may have said why before it closed.
		if answer, early := a.header(r); early == nil {
			answer.Close = true
			return answer, nil
		}
		return nil, err
	}
	return a.header(r)
}

// header reads the header of the answer that counts.
func (a *answerBody) header(r *http.Request) (*http.Response, error) {
	l := a.line
	if wait := l.of.firstByte; wait > 0 {
		_ = l.conn.SetReadDeadline(time.Now().Add(wait))
		defer func() { _ = l.conn.SetReadDeadline(time.Time{}) }()
	}
	l.budget = mostHeader
	for range mostInform {
		answer, err := http.ReadResponse(l.read, r)
		switch {
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
			return nil, fmt.Errorf("the connection ended before an answer: %w", err)
		case err != nil:
			return nil, err
		case answer.StatusCode >= http.StatusOK:
			l.budget = -1
			return answer, nil
		case answer.StatusCode == http.StatusSwitchingProtocols:
			return nil, errors.New("the upstream changes the protocol unasked")
		}
	}
	return nil, errors.New("the upstream informs without end")
}

// answerBody is the body of an answer. Read to its end it gives the connection back,
// closed before that it closes it.
type answerBody struct {
	line    *line
	ctx     context.Context //nolint:containedctx // that of the request, which the body ends with
	from    io.ReadCloser
	stop    func() bool
	sending chan error // nil: the request was written before the answer was read
	last    bool       // the connection ends with this answer
	err     error      // how reading ended; nil: it goes on, or the body was closed
	over    atomic.Bool
}

func (a *answerBody) Read(b []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	if a.over.Load() {
		return 0, http.ErrBodyReadAfterClose
	}
	n, err := a.from.Read(b)
	switch {
	case err == nil:
		return n, nil
	case errors.Is(err, io.EOF):
		a.end(!a.last)
	default:
		a.end(false)
		if a.ctx.Err() != nil {
			err = context.Cause(a.ctx)
		}
	}
	a.err = err
	return n, err
}

// Close ends the answer. It may be called while it is read.
func (a *answerBody) Close() error {
	a.end(false)
	return nil
}

// end leaves the connection, for other requests if it is good for them.
func (a *answerBody) end(good bool) {
	if !a.over.CompareAndSwap(false, true) {
		return
	}
	l := a.line
	good = a.stop() && good && l.read.Buffered() == 0 && a.isSent()
	if !good {
		_ = l.conn.Close()
		return
	}
	l.of.keep(l)
}

// isSent reports whether all of the request is out.
func (a *answerBody) isSent() bool {
	if a.sending == nil {
		return true
	}
	select {
	case err := <-a.sending:
		return err == nil
	default:
		return false
	}
}
