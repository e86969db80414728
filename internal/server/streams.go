package server

import (
	"container/list"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// streams are the requests over HTTP/2. Hundreds of them may be on one connection, so
// that bounds on connections do not bound them: each counts as a connection does. When
// there is no room for a newcomer one of them makes it: of those whose body is on its way
// the one that nothing has come of for the longest, or one whose client does not take its
// answer. Never one that waits for its answer.
type streams struct {
	bounds func() Bounds

	mu     sync.Mutex // guards what follows
	coming list.List  // of *stream: what has not arrived whole, what was of use the longest ago first
	served list.List  // of *stream: the others
	places map[netip.Prefix]int
	ended  int
}

// net/http writes the end of a short answer when its handler has returned and counts no
// more, and waits there for a client that takes nothing. So the answers of an address that
// has some requests open are written before, and every now and then one of any address.
const (
	someOpen   = 16
	nowAndThen = 16
)

// stream is a request over HTTP/2 among the others.
type stream struct {
	x     *exchange
	at    netip.Prefix // of its connection
	since atomic.Int64 // when the write under way began; 0: there is none

	// Guarded by streams.mu.
	in    *list.List // nil: it counts no more
	entry *list.Element

	ending sync.Mutex // guards over
	over   bool       // net/http must not be asked about it any more
}

func newStreams(bounds func() Bounds) *streams {
	return &streams{bounds: bounds, places: make(map[netip.Prefix]int)}
}

// admit lets a request in, at another's expense where there is no room. Where there is
// none to be had it is broken off: an answer might wait for its client as well.
func (s *streams) admit(x *exchange, crowd *crowd) {
	if !x.multi || x.conn == nil {
		return
	}
	at, shared := crowd.networkOf(x.conn.RemoteAddr())
	bounds := s.bounds()
	s.mu.Lock()
	var victim *stream
	switch {
	case !x.inside && s.coming.Len() >= max(1, bounds.PerAddress/4): // one that is moving goes to the back
		victim = s.dispensable(func(*stream) bool { return true })
	case !shared && s.places[at] >= bounds.PerAddress:
		victim = s.dispensable(func(other *stream) bool { return other.at == at })
	case s.coming.Len()+s.served.Len() >= bounds.Connections:
		victim = s.dispensable(func(*stream) bool { return true })
	default:
		s.add(x, at)
		s.mu.Unlock()
		return
	}
	if victim != nil {
		s.takeOut(victim)
		s.add(x, at)
	}
	s.mu.Unlock()
	if victim == nil {
		x.status = http.StatusServiceUnavailable // as the log has it
		panic(http.ErrAbortHandler)
	}
	victim.reset()
}

// dispensable is the request that all can do best without, or nil. The caller holds mu.
func (s *streams) dispensable(among func(*stream) bool) *stream {
	for e := s.coming.Front(); e != nil; e = e.Next() {
		if n := e.Value.(*stream); among(n) {
			return n
		}
	}
	now := time.Now().UnixNano()
	for e := s.served.Front(); e != nil; e = e.Next() {
		n := e.Value.(*stream)
		if since := n.since.Load(); since != 0 && now-since > int64(patience) && among(n) {
			return n
		}
	}
	return nil
}

func (s *streams) add(x *exchange, at netip.Prefix) {
	n := &stream{x: x, at: at, in: &s.coming}
	if x.inside {
		n.in = &s.served
	}
	n.entry = n.in.PushBack(n)
	s.places[at]++
	x.stream, x.among = n, s
}

func (s *streams) takeOut(n *stream) {
	n.in.Remove(n.entry)
	n.in, n.entry = nil, nil
	if s.places[n.at]--; s.places[n.at] == 0 {
		delete(s.places, n.at)
	}
}

// enter notes that a request has arrived whole.
func (s *streams) enter(n *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.in == &s.coming {
		s.coming.Remove(n.entry)
		n.in = &s.served
		n.entry = n.in.PushBack(n)
	}
}

// touch notes that a body goes on.
func (s *streams) touch(n *stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.in != nil {
		n.in.MoveToBack(n.entry)
	}
}

// wary reports whether the answer to a request is to be written before its handler returns.
func (s *streams) wary(n *stream) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended++
	return s.places[n.at] > someOpen || s.ended%nowAndThen == 0
}

// leave notes that a request is over. Until it returns net/http has not let go of it.
func (s *streams) leave(x *exchange) {
	n := x.stream
	if n == nil {
		return
	}
	s.mu.Lock()
	if n.in != nil {
		s.takeOut(n)
	}
	s.mu.Unlock()
	n.ending.Lock()
	defer n.ending.Unlock()
	n.over = true
}

// reset breaks a request off. Its handler finds out.
func (n *stream) reset() {
	n.ending.Lock()
	defer n.ending.Unlock()
	if !n.over {
		_ = http.NewResponseController(n.x.ResponseWriter).SetWriteDeadline(time.Unix(1, 0))
	}
}
