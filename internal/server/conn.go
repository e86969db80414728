package server

import (
	"bytes"
	"container/list"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

const (
	worthPacking = 2 << 10  // bytes: a shorter write fits net/http's own buffers
	mostPacked   = 64 << 10 // bytes that are held back
	worthNoting  = 1 << 10  // bytes: who sends so much is not idle

	// often is how long a connection stays noted. Noting each read would have thousands of
	// readers wait for the crowd's lock, each with half a head in its hands.
	often = 50 * time.Millisecond
)

// socket is what a conn is made of: a TCP connection, or one of a control socket.
type socket interface {
	net.Conn
	CloseWrite() error
}

// conn is a client's connection. It counts among those of its address, a client must
// take what is written to it, and it can hold writes back until they are flushed.
// net/http has 4 KB of its own and sends a longer chunk in three pieces, the last of
// them two bytes long: each costs a call into the system, a packet and the waking of
// the client.
type conn struct {
	socket
	crowd *crowd
	stall time.Duration // how long a client may take none of what is written

	// Guarded by crowd.mu.
	group *group        // nil: it counts no more
	at    *list.Element // of the group's order
	open  int           // requests that have arrived whole and are being served
	long  *list.Element // of the crowd's heads; nil: its head is short

	head    atomic.Int64 // bytes of the head that is on its way
	serving atomic.Int32 // requests whose head has arrived
	came    int          // bytes since it was last noted; only the reader's,
	noted   time.Time    // when that was, as well,
	ends    int          // and how many lines of a long head have come,
	sealed  bool         // unless they cannot be seen: it speaks TLS
	fixed   atomic.Bool  // the write deadline was set by the caller, not by the connection
	armed   atomic.Int64 // when the write deadline was set, in nanoseconds; 0: it is not
	since   atomic.Int64 // when the write under way began; 0: there is none

	reading sync.Mutex    // guards what follows
	spare   time.Duration // how much longer the first byte may take than a head; 0: it has come, or is a handshake's
	due     time.Time     // the deadline of reads; zero: none
	fresh   bool          // the socket has not been told of it
	timed   bool          // the socket has one
	waits   bool          // a read is under way

	mu      sync.Mutex // guards what follows
	holding bool
	held    *[]byte // nil: nothing is held back
	from    int     // where it begins in there
	lines   *[]byte // go into the head of the answer that is written next, from statusRoom on; nil: none
}

// packs are kept from one flush to the next.
var packs = sync.Pool{New: func() any { b := make([]byte, 0, 24<<10); return &b }}

// freePack gives a pack back.
func freePack(p *[]byte) {
	*p = (*p)[:0]
	packs.Put(p)
}

// statusRoom is left before header lines, for the status line: the rest of the answer is
// written behind them, and all of it is sent as it lies.
const statusRoom = 64

// Read reads what the client sends.
func (c *conn) Read(b []byte) (int, error) {
	if c.ends > 0 && c.tooManyLines() {
		for i := range b {
			b[i] = 'x'
		}
		return len(b), nil
	}
	n, err := c.receive(b)
	if c.came += n; c.came >= worthNoting {
		if now := time.Now(); now.Sub(c.noted) > often {
			c.came, c.noted = 0, now
			c.crowd.touch(c)
		}
	}
	if c.serving.Load() == 0 {
		c.growHead(b[:n])
	}
	return n, err
}

// growHead notes a part of a head.
func (c *conn) growHead(b []byte) {
	head := c.head.Add(int64(len(b)))
	before := head - int64(len(b))
	if before == 0 {
		const handshake = 22
		c.ends, c.sealed = 0, c.sealed || len(b) > 0 && b[0] == handshake
	}
	if head > shortHead {
		if before <= shortHead {
			c.crowd.lengthen(c)
		}
		if !c.sealed {
			c.ends += bytes.Count(b, []byte{'\n'})
		}
	}
}

// tooManyLines reports whether a head that is not whole yet has more lines than the bounds,
// which is known only when it is read further. Reading thousands takes many times their
// length, to refuse them. So no more of them is given to net/http, but one line that has
// no end: it answers 431 by itself as soon as that is too long.
func (c *conn) tooManyLines() bool {
	return c.serving.Load() == 0 && c.head.Load() > shortHead && c.ends > c.crowd.bounds().Headers
}

// Write sends b, or holds it back.
func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines == nil || !beginsAnswer(b) {
		return c.sendOrKeep(b)
	}
	c.putLines(b)
	if c.holding {
		return len(b), nil
	}
	_, err := c.send(nil)
	return len(b), err
}

// putLines keeps the beginning of an answer with the header lines behind its status line.
// It is no longer than net/http's buffer. The caller holds mu.
func (c *conn) putLines(b []byte) {
	lines := c.lines
	c.lines = nil
	status := bytes.IndexByte(b, '\n') + 1
	if c.held != nil || status > statusRoom {
		c.keep(b[:status])
		c.keep((*lines)[statusRoom:])
		c.keep(b[status:])
		freePack(lines)
		return
	}
	c.held, c.from = lines, statusRoom-status
	copy((*lines)[c.from:], b[:status])
	c.keep(b[status:])
}

// beginsAnswer reports whether b begins with the status line of an answer, which is none
// of those before it: 100 Continue.
func beginsAnswer(b []byte) bool {
	return bytes.HasPrefix(b, []byte("HTTP/1.")) && len(b) > 9 && b[9] != '1'
}

func (c *conn) sendOrKeep(b []byte) (int, error) {
	most := mostPacked
	if c.held != nil {
		most -= len(*c.held)
	}
	if !c.holding || len(b) > most {
		return c.send(b)
	}
	c.keep(b)
	return len(b), nil
}

// keep adds b to what is sent with the next write.
func (c *conn) keep(b []byte) {
	if c.held == nil {
		c.held = packs.Get().(*[]byte)
	}
	*c.held = append(*c.held, b...)
}

// insert has header lines go into the head of the answer that is written next.
func (c *conn) insert(lines *[]byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lines != nil {
		freePack(c.lines)
	}
	c.lines = lines
}

// ReadFrom sends all of r.
func (c *conn) ReadFrom(r io.Reader) (int64, error) { return io.Copy(struct{ io.Writer }{c}, r) }

// CloseWrite says that nothing more is sent.
func (c *conn) CloseWrite() error { return errors.Join(c.release(), c.socket.CloseWrite()) }

// Close ends the connection. What another goroutine is writing meanwhile fails.
func (c *conn) Close() error {
	var err error
	if c.mu.TryLock() {
		_, err = c.send(nil)
		c.mu.Unlock()
	}
	return errors.Join(err, c.drop())
}

// drop ends the connection without a word.
func (c *conn) drop() error {
	c.crowd.remove(c)
	return c.socket.Close()
}

// SetReadDeadline sets a time at which reads fail, those that wait already as well. The
// socket is told when there is one: net/http sets five for a small request, most of them while
// nothing is read, and telling the socket takes longer than reading such a request's body.
func (c *conn) SetReadDeadline(t time.Time) error {
	c.reading.Lock()
	defer c.reading.Unlock()
	c.due, c.fresh = t, true
	if !c.waits {
		return nil
	}
	return c.tellDue()
}

// tellDue tells the socket the deadline of reads. The caller holds reading.
func (c *conn) tellDue() error {
	fresh := c.fresh && (c.timed || !c.due.IsZero())
	if c.fresh = false; !fresh {
		return nil
	}
	due := c.due
	if c.spare > 0 && time.Until(due) > 0 {
		due = due.Add(c.spare)
	}
	c.timed = !due.IsZero()
	return c.socket.SetReadDeadline(due)
}

// receive reads from the socket, until the deadline.
func (c *conn) receive(b []byte) (int, error) {
	c.reading.Lock()
	c.waits = true
	_ = c.tellDue() // of a closed one the read tells
	c.reading.Unlock()
	n, err := c.socket.Read(b)
	c.reading.Lock()
	c.waits = false
	if n > 0 && c.spare > 0 {
		c.begin()
	}
	c.reading.Unlock()
	return n, err
}

// begin notes that the first byte of a connection has come: its head's time begins with it. The
// caller holds reading.
func (c *conn) begin() {
	c.spare = 0
	if !c.due.IsZero() {
		c.due, c.fresh = time.Now().Add(c.crowd.bounds().HeaderTime), true
	}
}

// SetWriteDeadline sets a time at which writes fail, come what may. Without one the
// connection minds by itself that the client takes what is written.
func (c *conn) SetWriteDeadline(t time.Time) error {
	if t.IsZero() {
		if c.fixed.Swap(false) {
			c.armed.Store(0)
		}
		return nil
	}
	c.fixed.Store(true)
	return c.socket.SetWriteDeadline(t)
}

// SetDeadline is SetReadDeadline and SetWriteDeadline.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// hold keeps back what is written from now on, until release.
func (c *conn) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// release sends what was held back.
func (c *conn) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	_, err := c.send(nil)
	return err
}

// finish holds nothing more back: what was held goes out with the next write, or
// when the connection is closed.
func (c *conn) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
}

// send sends what was held back, then b, and says how much of b. The caller holds mu.
func (c *conn) send(b []byte) (int, error) {
	if c.held == nil {
		return c.write(b)
	}
	held, first := c.held, (*c.held)[c.from:]
	c.held, c.from = nil, 0
	defer freePack(held)
	if len(b) == 0 {
		_, err := c.write(first)
		return 0, err
	}
	before := len(first)
	parts := net.Buffers{first, b}
	sent, err := c.press(func() (int64, error) { return parts.WriteTo(c.socket) })
	return max(0, int(sent)-before), err
}

func (c *conn) write(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	sent, err := c.press(func() (int64, error) { n, err := c.socket.Write(b); b = b[n:]; return int64(n), err })
	return int(sent), err
}

// arrive notes that the head of a request is here.
func (c *conn) arrive() {
	c.serving.Add(1)
	if c.head.Swap(0) > shortHead {
		c.crowd.shorten(c)
	}
}

// depart notes that such a request has been served.
func (c *conn) depart() { c.serving.Add(-1) }

func (c *conn) enter() { c.crowd.enter(c) }
func (c *conn) leave() { c.crowd.leave(c) }

type connKey struct{}

// withConn puts a request's connection into its context.
func withConn(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if p, ok := c.(*conn); ok {
		return context.WithValue(ctx, connKey{}, p)
	}
	return ctx
}
