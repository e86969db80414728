package server

import (
	"errors"
	"os"
	"time"
)

// press writes until all is written, as long as the client takes something of it
// within each stall. How much that is the system knows: a slow client may take
// kilobytes a second from the system's buffers for a long time before there is room
// in them again. The caller holds mu.
func (c *conn) press(write func() (int64, error)) (sent int64, err error) {
	now := time.Now() // once for both: there is a write for every chunk of a stream
	c.since.Store(now.UnixNano())
	defer c.since.Store(0)
	left, quiet := -1, 0
	for ; ; now = time.Now() {
		c.arm(now)
		n, err := write()
		sent += n
		if err == nil || c.fixed.Load() || !errors.Is(err, os.ErrDeadlineExceeded) {
			return sent, err
		}
		before := left
		left = untakenBytes(c.socket)
		if n > 0 || left >= 0 && (before < 0 || left < before) {
			quiet = 0
		} else if quiet++; quiet == 2 {
			return sent, err
		}
		c.armed.Store(0)
	}
}

// arm sets the next time to look whether a write goes on: twice in a stall. The
// deadline of a moment ago will do.
func (c *conn) arm(now time.Time) {
	half := c.stall / 2
	if c.fixed.Load() || now.UnixNano()-c.armed.Load() < int64(min(time.Second, half/4)) {
		return
	}
	c.armed.Store(now.UnixNano())
	_ = c.socket.SetWriteDeadline(now.Add(half))
}

// stuck reports whether a write has been waiting for the client for a while.
func (c *conn) stuck(now time.Time, longer time.Duration) bool {
	since := c.since.Load()
	return since != 0 && now.UnixNano()-since > int64(longer)
}
