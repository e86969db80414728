package guard

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"os"
	"strings"
	"sync"
	"time"
)

// secure carries requests with a body over TLS and HTTP/2, which providers speak.
// net/http does the work, on connections that join what it sends. Hosts that speak
// HTTP/1.1 are remembered and left to the Transport.
type secure struct {
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	tls     *tls.Config
	connect time.Duration // for a handshake
	carrier *http.Transport
	off     bool // the operator has switched HTTP/2 off

	mu    sync.Mutex
	older map[string]bool // hosts, as URLs name them, that speak no HTTP/2
}

// mostOlder bounds what is remembered of hosts. One too many is asked again.
const mostOlder = 1000

var errOlder = errors.New("the server does not speak HTTP/2")

func newSecure(o Options, dial func(ctx context.Context, network, address string) (net.Conn, error)) *secure {
	s := &secure{dial: dial, connect: o.connect(), older: make(map[string]bool)}
	s.off = strings.Contains(os.Getenv("GODEBUG"), "http2client=0") // Go's own switch
	s.tls = &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12, NextProtos: []string{"h2", "http/1.1"}}
	s.carrier = o.transport()
	s.carrier.HTTP2.MaxReceiveBufferPerStream = wordWindow
	s.carrier.DialTLSContext = s.open
	// What open returns is no *tls.Conn, so that net/http takes it for a plain connection
	// on which HTTP/2 is known to be spoken.
	s.carrier.Protocols = new(http.Protocols)
	s.carrier.Protocols.SetUnencryptedHTTP2(true)
	return s
}

// open connects to a server and agrees with it on HTTP/2.
func (s *secure) open(ctx context.Context, network, address string) (net.Conn, error) {
	plain, err := s.dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	config := s.tls.Clone()
	if config.ServerName, _, err = net.SplitHostPort(address); err != nil {
		_ = plain.Close()
		return nil, err
	}
	conn := tls.Client(plain, config)
	within, cancel := context.WithTimeout(ctx, s.connect)
	defer cancel()
	err = conn.HandshakeContext(within)
	switch {
	case err == nil && conn.ConnectionState().NegotiatedProtocol == "h2":
		return newJoined(conn), nil
	case err == nil:
		err = errOlder
	case within.Err() != nil && ctx.Err() == nil:
		err = &net.OpError{Op: "dial", Net: network, Addr: plain.RemoteAddr(), Err: os.ErrDeadlineExceeded}
	}
	_ = plain.Close()
	return nil, err
}

// carries reports whether a request has a body, may go over HTTP/2, and can be sent
// again if it turns out that its server does not speak it.
func (s *secure) carries(r *http.Request) bool {
	if s.off || r.URL.Scheme != "https" || r.GetBody == nil ||
		len(r.Header["Expect"]) > 0 || len(r.Header["Upgrade"]) > 0 || httptrace.ContextClientTrace(r.Context()) != nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.older[r.URL.Host]
}

// remember keeps that a host speaks no HTTP/2.
func (s *secure) remember(host string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.older) >= mostOlder {
		clear(s.older)
	}
	s.older[host] = true
}
