package guard

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// direct carries requests to what the operator configured. Plain HTTP/1.1, which
// upstreams in the operator's own network speak, it speaks itself: net/http's Transport
// keeps two goroutines for each connection and hands every request to them and back;
// here the caller writes and reads itself, which takes half the time and a third of the
// memory of an open stream. HTTP/2 over TLS is secure's, and what needs more (a proxy,
// packed answers, a trace) the Transport's.
type direct struct {
	dial      func(ctx context.Context, network, address string) (net.Conn, error)
	secure    *secure
	rest      *http.Transport
	proxy     func(*url.URL) (*url.URL, error) // nil: there is none
	unpacks   bool                             // the Transport asks for packed answers where a request does not say
	firstByte time.Duration                    // 0: as long as the request's context

	mu     sync.Mutex // guards what follows
	idle   map[string][]*line
	sweeps bool // a sweep is due
}

const (
	mostIdle = 64 // connections to a host
	idleTime = 90 * time.Second
	// eager is how much is written before the answer is looked for. Of longer bodies an
	// upstream may say that they are too long while they are still being sent.
	eager = 64 << 10
)

// RoundTrip sends a request and returns with the header of its answer.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	switch {
	case d.carries(r):
		return d.sendPlain(r)
	case d.secure.carries(r) && !d.isProxied(r.URL):
		return d.sendSecured(r)
	}
	return d.rest.RoundTrip(r)
}

// sendSecured sends a request over HTTP/2, or as the Transport can if its server does not
// speak it.
func (d *direct) sendSecured(r *http.Request) (*http.Response, error) {
	answer, err := d.secure.carrier.RoundTrip(r)
	if !errors.Is(err, errOlder) {
		return answer, err
	}
	d.secure.remember(r.URL.Host)
	if r, err = rewind(r); err != nil {
		return nil, err
	}
	return d.rest.RoundTrip(r)
}

// rewind gives a request with its body, which can be had again, from the beginning.
func rewind(r *http.Request) (*http.Request, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	second := *r
	second.Body = body
	return &second, nil
}

// sendPlain sends a request over a connection without TLS.
func (d *direct) sendPlain(r *http.Request) (*http.Response, error) {
	if r.Context().Err() != nil {
		closeBody(r)
		return nil, context.Cause(r.Context())
	}
	address := r.URL.Host
	if r.URL.Port() == "" {
		address = net.JoinHostPort(r.URL.Hostname(), "80")
	}
	if l := d.take(address); l != nil {
		answer, err := l.exchange(r)
		if !errors.Is(err, errNotSent) || r.GetBody == nil {
			return answer, err
		}
		if r, err = rewind(r); err != nil {
			return nil, err
		}
	}
	conn, err := d.dial(r.Context(), "tcp", address)
	if err != nil {
		closeBody(r)
		return nil, err
	}
	return newLine(d, address, conn).exchange(r)
}

// carries reports whether a request asks for nothing that only the Transport does.
func (d *direct) carries(r *http.Request) bool {
	switch {
	case r.URL.Scheme != "http", r.ContentLength < 0, r.ContentLength == 0 && r.Body != nil && r.Body != http.NoBody,
		r.Method != http.MethodPost && r.Method != http.MethodGet, r.Close, len(r.TransferEncoding) > 0, len(r.Trailer) > 0,
		d.unpacks && r.Header.Get("Accept-Encoding") == "", len(r.Header["Expect"]) > 0, len(r.Header["Upgrade"]) > 0,
		strings.ContainsFunc(r.URL.Host, strange), strings.ContainsFunc(r.Host, strange),
		httptrace.ContextClientTrace(r.Context()) != nil:
		return false
	}
	return !d.isProxied(r.URL)
}

// isProxied reports whether a URL is reached by a proxy, or cannot be.
func (d *direct) isProxied(u *url.URL) bool {
	if d.proxy == nil {
		return false
	}
	by, err := d.proxy(u)
	return by != nil || err != nil
}

// strange reports whether a letter is none that the name of a host has on the wire.
func strange(c rune) bool { return c <= ' ' || c > '~' }

// CloseIdleConnections closes what no request uses.
func (d *direct) CloseIdleConnections() {
	d.closeIdle(time.Now())
	d.secure.carrier.CloseIdleConnections()
	d.rest.CloseIdleConnections()
}

// take is a connection that was used before, if there is one that still stands.
func (d *direct) take(address string) *line {
	for {
		d.mu.Lock()
		list := d.idle[address]
		if len(list) == 0 {
			d.mu.Unlock()
			return nil
		}
		l := list[len(list)-1]
		d.idle[address] = list[:len(list)-1]
		d.mu.Unlock()
		if l.stands() {
			return l
		}
		_ = l.conn.Close()
	}
}

// keep takes a connection back whose answer was read to its end.
func (d *direct) keep(l *line) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.idle[l.address]) >= mostIdle {
		_ = l.conn.Close()
		return
	}
	l.since = time.Now()
	d.idle[l.address] = append(d.idle[l.address], l)
	d.sweepLater()
}

// sweepLater closes in time what stays idle. The caller holds mu.
func (d *direct) sweepLater() {
	if d.sweeps {
		return
	}
	d.sweeps = true
	time.AfterFunc(idleTime, func() { d.closeIdle(time.Now().Add(-idleTime)) })
}

// closeIdle closes connections that have been idle since a time or longer.
func (d *direct) closeIdle(since time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sweeps = false
	for address, list := range d.idle {
		old := 0
		for old < len(list) && !list[old].since.After(since) {
			_ = list[old].conn.Close()
			old++
		}
		if list = append(list[:0], list[old:]...); len(list) == 0 {
			delete(d.idle, address)
			continue
		}
		d.idle[address] = list
		d.sweepLater()
	}
}

// writeHead writes the request line and the header as they are sent.
func writeHead(b *bytes.Buffer, r *http.Request) {
	host := cmp.Or(r.Host, r.URL.Host)
	for _, piece := range [...]string{r.Method, " ", r.URL.RequestURI(), " HTTP/1.1\r\nHost: ", host, "\r\n"} {
		b.WriteString(piece)
	}
	if r.ContentLength > 0 || r.Method == http.MethodPost {
		b.WriteString("Content-Length: ")
		b.Write(strconv.AppendInt(b.AvailableBuffer(), r.ContentLength, 10))
		b.WriteString("\r\n")
	}
	_ = r.Header.WriteSubset(b, ownHeaders)
	b.WriteString("\r\n")
}

// ownHeaders are not taken from a request's header.
var ownHeaders = map[string]bool{"Host": true, "Content-Length": true, "Transfer-Encoding": true, "Trailer": true, "Connection": true}

// sender writes a request's head and body. What is short waits for what follows it, so
// that a body in pieces is not sent in packets of a few bytes.
type sender struct {
	conn    net.Conn
	waiting []byte // the head, and what is short of the body
	left    int64  // bytes of the body that are still to come
	sent    int64
}

// small is what is cheaper copied than gathered.
const small = 8 << 10

// heads are where heads are written, with room for a small body.
var heads = sync.Pool{New: func() any { return bytes.NewBuffer(make([]byte, 0, small)) }}

func (s *sender) Write(b []byte) (n int, err error) {
	s.left -= int64(len(b))
	waiting := s.waiting
	if len(waiting)+len(b) <= small {
		s.waiting = append(waiting, b...)
		if s.left > 0 {
			return len(b), nil
		}
		waiting, n, b = s.waiting, len(b), nil
	}
	s.waiting = nil
	var all int64
	switch {
	case len(b) == 0:
		all, err = count(s.conn.Write(waiting))
	case len(waiting) == 0:
		all, err = count(s.conn.Write(b))
	default:
		all, err = (&net.Buffers{waiting, b}).WriteTo(s.conn)
	}
	s.sent += all
	return max(n, int(all)-len(waiting), 0), err
}

func count(n int, err error) (int64, error) { return int64(n), err }

func send(conn net.Conn, r *http.Request) (sent int64, err error) {
	defer closeBody(r)
	written := heads.Get().(*bytes.Buffer)
	defer func() {
		if written.Reset(); written.Cap() <= 2*small {
			heads.Put(written)
		}
	}()
	writeHead(written, r)
	s := &sender{conn: conn, waiting: written.Bytes(), left: r.ContentLength}
	if r.Body == nil || r.Body == http.NoBody {
		_, err = s.Write(nil)
		return s.sent, err
	}
	whole := int64(len(s.waiting)) + r.ContentLength
	if _, err = io.Copy(s, r.Body); err == nil && s.sent != whole {
		err = errors.New("the body is not as long as was said")
	}
	return s.sent, err
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		_ = r.Body.Close()
	}
}
