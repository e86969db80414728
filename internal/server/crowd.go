package server

import (
	"container/list"
	"net"
	"net/netip"
	"sync"
	"time"
)

// patience is how long a client may keep a write waiting before its connection is
// one of those that make room for newcomers.
const patience = 5 * time.Second

// A head may be long, but few are at a time: while it is read it takes several times
// its size, and no caller is known yet whose memory that could be.
const (
	shortHead = 4 << 10
	longHeads = 64
)

// crowd is every connection of the process. When there is no room for a newcomer,
// the address with the most connections gives one up: the one that has been of least
// use for the longest, never one that waits for its answer. So a client gets in
// beside ten thousand that only hold their place, also from their own address.
type crowd struct {
	bounds  func() Bounds
	trusted func() []netip.Prefix // whose connections are many clients'

	mu     sync.Mutex // guards what follows
	total  int
	groups map[netip.Prefix]*group
	sizes  []map[*group]struct{} // the groups by how many connections they have
	heads  list.List             // of *conn: those whose head is long and not yet there, the oldest first
}

// group is the connections of one address: of one network where an address is one
// of the countless of its owner.
type group struct {
	at    netip.Prefix
	conns map[*conn]struct{}
	order list.List // of *conn: the one that was of use the longest ago is first
}

func newCrowd(bounds func() Bounds, trusted func() []netip.Prefix) *crowd {
	return &crowd{bounds: bounds, trusted: trusted, groups: make(map[netip.Prefix]*group)}
}

// admit lets a connection in, at another's expense where there is no room. It
// reports false where there is none to be had.
func (w *crowd) admit(c *conn) bool {
	at, shared := w.networkOf(c.RemoteAddr())
	bounds := w.bounds()
	w.mu.Lock()
	g := w.groups[at]
	var victim *conn
	switch {
	case !shared && g != nil && len(g.conns) >= bounds.PerAddress:
		victim = g.dispensable()
	case w.total >= bounds.Connections:
		victim = w.dispensable()
	default:
		w.add(c, at)
		w.mu.Unlock()
		return true
	}
	if victim != nil {
		w.takeOut(victim)
		w.add(c, at)
	}
	w.mu.Unlock()
	if victim == nil {
		return false
	}
	_ = victim.socket.Close() // its handler finds out
	return true
}

// dispensable is the connection that all can do best without, or nil. The caller holds mu.
func (w *crowd) dispensable() *conn {
	for n := len(w.sizes) - 1; n > 0; n-- {
		for g := range w.sizes[n] {
			if c := g.dispensable(); c != nil {
				return c
			}
		}
	}
	return nil
}

// dispensable is the connection the group can do best without, or nil.
func (g *group) dispensable() *conn {
	for e := g.order.Front(); e != nil; e = e.Next() {
		if c := e.Value.(*conn); c.open == 0 { // those that wait for an answer are not in its way for long
			return c
		}
	}
	now := time.Now()
	for c := range g.conns {
		if c.stuck(now, patience) {
			return c
		}
	}
	return nil
}

// enter notes that a request of c has arrived whole and is being served.
func (w *crowd) enter(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.open++
	if c.group != nil {
		c.group.order.MoveToBack(c.at)
	}
}

// leave notes that such a request has been served.
func (w *crowd) leave(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.open--; c.group != nil {
		c.group.order.MoveToBack(c.at)
	}
}

// touch notes that a connection is of use: its client sends, and not in drops.
func (w *crowd) touch(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.group != nil {
		c.group.order.MoveToBack(c.at)
	}
}

// lengthen notes that the head of c is long. The one that has been on its way for the
// longest makes room: a good client's is here in a moment.
func (w *crowd) lengthen(c *conn) {
	w.mu.Lock()
	if c.group == nil || c.long != nil {
		w.mu.Unlock()
		return
	}
	c.long = w.heads.PushBack(c)
	var victim *conn
	if w.heads.Len() > longHeads {
		victim = w.heads.Front().Value.(*conn)
		w.takeOut(victim)
	}
	w.mu.Unlock()
	if victim != nil {
		_ = victim.socket.Close() // who reads from it finds out
	}
}

// shorten notes that the head of c is here.
func (w *crowd) shorten(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.forget(c)
}

func (w *crowd) forget(c *conn) {
	if c.long != nil {
		w.heads.Remove(c.long)
		c.long = nil
	}
}

// remove forgets a connection. It may be called twice.
func (w *crowd) remove(c *conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if c.group != nil {
		w.takeOut(c)
	}
}

func (w *crowd) add(c *conn, at netip.Prefix) {
	g := w.groups[at]
	if g == nil {
		g = &group{at: at, conns: make(map[*conn]struct{})}
		w.groups[at] = g
	}
	g.conns[c] = struct{}{}
	c.group, c.at = g, g.order.PushBack(c)
	w.total++
	w.rank(g, len(g.conns)-1)
}

func (w *crowd) takeOut(c *conn) {
	g := c.group
	g.order.Remove(c.at)
	c.group, c.at = nil, nil
	w.forget(c)
	delete(g.conns, c)
	w.total--
	w.rank(g, len(g.conns)+1)
	if len(g.conns) == 0 {
		delete(w.groups, g.at)
	}
}

// rank puts a group where its size belongs.
func (w *crowd) rank(g *group, before int) {
	now := len(g.conns)
	if before > 0 {
		delete(w.sizes[before], g)
	}
	for len(w.sizes) <= now {
		w.sizes = append(w.sizes, nil)
	}
	if now > 0 {
		if w.sizes[now] == nil {
			w.sizes[now] = make(map[*group]struct{})
		}
		w.sizes[now][g] = struct{}{}
	}
	for n := len(w.sizes) - 1; n > now && len(w.sizes[n]) == 0; n-- {
		w.sizes = w.sizes[:n]
	}
}

// networkOf is what a connection is counted by: an IPv4 address, or the network of an
// IPv6 one. It is shared where many clients come from there: a trusted proxy's, or
// no address at all.
func (w *crowd) networkOf(remote net.Addr) (at netip.Prefix, shared bool) {
	at, ok := networkOf(remote)
	return at, !ok || within(remote.(*net.TCPAddr).AddrPort().Addr().Unmap().WithZone(""), w.trusted())
}

func networkOf(remote net.Addr) (at netip.Prefix, ok bool) {
	tcp, ok := remote.(*net.TCPAddr)
	if !ok {
		return at, false
	}
	addr := tcp.AddrPort().Addr().Unmap().WithZone("")
	bits := addr.BitLen()
	if addr.Is6() {
		bits = 64
	}
	at, err := addr.Prefix(bits)
	return at, err == nil
}

// doorway is a listener whose connections belong to the crowd.
type doorway struct {
	net.Listener
	crowd  *crowd
	secure bool // it speaks TLS
}

// Accept waits for the next connection there is room for.
func (l doorway) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		s, ok := accepted.(socket)
		if !ok {
			return accepted, nil
		}
		c := &conn{socket: s, crowd: l.crowd, stall: l.crowd.bounds().WriteStall, spare: l.spare()}
		if l.crowd.admit(c) {
			keepLittleUnsent(s)
			return c, nil
		}
		_ = s.Close()
	}
}

// spare is how much longer than a head the first byte of a connection may take. Go's clients,
// and the proxies written in Go, open one more than they come to need and use it for a later
// request: to close it early would meet that on its way, and what is posted is not sent again.
func (l doorway) spare() time.Duration {
	if l.secure {
		return 0 // the first byte is the handshake's
	}
	b := l.crowd.bounds()
	return max(0, b.Idle-b.HeaderTime)
}
