package server

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"sync"
)

const (
	worthPacking = 2 << 10  // bytes: a shorter write fits net/http's own buffers
	mostPacked   = 64 << 10 // bytes that are held back
)

// packed is a client's connection that can hold writes back until they are
// flushed. net/http has 4 KB of its own and sends a longer chunk in three pieces,
// the last of them two bytes long: each costs a call into the system, a packet and
// the waking of whoever reads.
type packed struct {
	*net.TCPConn

	mu      sync.Mutex // guards what follows
	holding bool
	held    *[]byte // nil: nothing is held back
}

// packs are kept from one flush to the next.
var packs = sync.Pool{New: func() any { b := make([]byte, 0, 24<<10); return &b }}

// Write sends b, or holds it back.
func (c *packed) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.holding {
		return c.send(b)
	}
	if c.held == nil {
		c.held = packs.Get().(*[]byte)
	}
	if len(*c.held)+len(b) > mostPacked {
		return c.send(b)
	}
	*c.held = append(*c.held, b...)
	return len(b), nil
}

// ReadFrom sends a file without copying it through here.
func (c *packed) ReadFrom(r io.Reader) (int64, error) {
	if err := c.release(); err != nil {
		return 0, err
	}
	return c.TCPConn.ReadFrom(r)
}

// CloseWrite says that nothing more is sent.
func (c *packed) CloseWrite() error { return errors.Join(c.release(), c.TCPConn.CloseWrite()) }

// Close ends the connection.
func (c *packed) Close() error { return errors.Join(c.release(), c.TCPConn.Close()) }

// hold keeps back what is written from now on, until release.
func (c *packed) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = true
}

// release sends what was held back.
func (c *packed) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
	_, err := c.send(nil)
	return err
}

// finish holds nothing more back: what was held goes out with the next write, or
// when the connection is closed.
func (c *packed) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.holding = false
}

// send sends what was held back, then b, and says how much of b. The caller holds mu.
func (c *packed) send(b []byte) (int, error) {
	if c.held == nil {
		if len(b) == 0 {
			return 0, nil
		}
		return c.TCPConn.Write(b)
	}
	held := c.held
	c.held = nil
	defer func() {
		*held = (*held)[:0]
		packs.Put(held)
	}()
	if len(b) == 0 {
		_, err := c.TCPConn.Write(*held)
		return 0, err
	}
	before := len(*held)
	sent, err := (&net.Buffers{*held, b}).WriteTo(c.TCPConn)
	return max(0, int(sent)-before), err
}

// packer makes the connections of a listener packed.
type packer struct{ net.Listener }

// Accept waits for the next connection.
func (l packer) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if tcp, ok := c.(*net.TCPConn); ok {
		return &packed{TCPConn: tcp}, nil
	}
	return c, err
}

type packedKey struct{}

// withPacked puts a request's connection into its context.
func withPacked(ctx context.Context, c net.Conn) context.Context {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	if p, ok := c.(*packed); ok {
		return context.WithValue(ctx, packedKey{}, p)
	}
	return ctx
}
