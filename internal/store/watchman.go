package store

import (
	"context"
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/pause"
)

const (
	watchEvery   = time.Second
	longestQuiet = 3 * time.Second // without a byte of the answer: then the server is asked whether it lives
	proofTime    = 3 * time.Second // for that
)

// watchman closes connections whose server has stopped answering, as after a loss of
// power or a cut of the network, of which TCP says nothing for many minutes. A statement
// may take as long as it likes while its server answers others.
type watchman struct {
	dialer net.Dialer
	end    context.CancelFunc
	done   chan struct{}

	mu    sync.Mutex // guards conns
	conns map[*watched]bool
}

func newWatchman() *watchman {
	ctx, end := context.WithCancel(context.Background())
	w := &watchman{end: end, done: make(chan struct{}), conns: make(map[*watched]bool)}
	w.dialer.KeepAliveConfig = net.KeepAliveConfig{Enable: true, Idle: 10 * time.Second, Interval: 5 * time.Second, Count: 3}
	go w.run(ctx)
	return w
}

func (w *watchman) close() {
	w.end()
	<-w.done
}

// dial connects to a server and watches the connection.
func (w *watchman) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := w.dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	c := &watched{Conn: conn, by: w, network: network, address: address}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = true
	return c, nil
}

func (w *watchman) run(ctx context.Context) {
	defer close(w.done)
	for pause.For(ctx, watchEvery) == nil {
		for server, conns := range w.listQuiet(time.Now()) {
			if !w.lives(ctx, server) && ctx.Err() == nil {
				for _, c := range conns {
					_ = c.Close()
				}
			}
		}
	}
}

// listQuiet lists the connections that have waited for long, by the address of their server.
func (w *watchman) listQuiet(now time.Time) map[[2]string][]*watched {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list map[[2]string][]*watched
	for c := range w.conns {
		if asked := c.asked.Load(); asked != 0 && now.Sub(time.UnixMilli(asked)) > longestQuiet {
			if list == nil {
				list = make(map[[2]string][]*watched)
			}
			list[[2]string{c.network, c.address}] = append(list[[2]string{c.network, c.address}], c)
		}
	}
	return list
}

// lives reports whether a server answers the first question of the protocol, whether it
// speaks TLS. Either answer will do, and no sign-in is needed for it.
func (w *watchman) lives(ctx context.Context, server [2]string) bool {
	ctx, cancel := context.WithTimeout(ctx, proofTime)
	defer cancel()
	conn, err := w.dialer.DialContext(ctx, server[0], server[1])
	if err != nil {
		return false
	}
	defer conn.Close()
	deadline, _ := ctx.Deadline()
	_ = conn.SetDeadline(deadline)
	question := binary.BigEndian.AppendUint32(nil, 8)
	question = binary.BigEndian.AppendUint32(question, 80877103) // SSLRequest
	if _, err := conn.Write(question); err != nil {
		return false
	}
	n, _ := conn.Read(make([]byte, 1))
	return n == 1
}

// watched is a connection that knows since when it waits for an answer.
type watched struct {
	net.Conn
	by               *watchman
	network, address string
	asked            atomic.Int64 // Unix milliseconds; 0: nothing is being waited for
}

// Write begins the wait for an answer.
func (c *watched) Write(b []byte) (int, error) {
	c.asked.CompareAndSwap(0, time.Now().UnixMilli())
	return c.Conn.Write(b)
}

// Read ends the wait with the first byte.
func (c *watched) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if n > 0 {
		c.asked.Store(0)
	}
	return n, err
}

// Close ends the watch as well.
func (c *watched) Close() error {
	c.by.mu.Lock()
	delete(c.by.conns, c)
	c.by.mu.Unlock()
	return c.Conn.Close()
}
