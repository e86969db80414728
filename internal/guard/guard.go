// Package guard is the one way out: every outgoing request of the program is
// made by a client from here. Caller reaches what a caller named and only public
// addresses, Operator reaches what the operator configured, Local reaches our
// own control socket, Self our own listener. It must not know who asks, what is sent or what a refusal
// looks like to a client.
package guard

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// Options says how clients leave the machine. The zero value is usable: public
// addresses, system certificates, no proxy.
type Options struct {
	// AllowPrivate lists what Caller may reach although it is not public. Every
	// address of a name must be allowed, so "localhost" needs 127.0.0.0/8 and
	// ::1/128 where it has both. An address that wraps another (NAT64) is
	// allowed by its own prefix only, never by the wrapped one's.
	AllowPrivate []netip.Prefix

	// RootCAs verifies servers and https proxies; nil is the system's pool.
	RootCAs *x509.CertPool

	// Proxy gives the proxy for a URL, or nil to go directly; a nil Proxy is
	// never a proxy. See ProxyFromEnvironment. Operator lets the proxy resolve
	// names. Caller does not: it resolves and checks here, then asks the proxy
	// for a tunnel to the address it checked, for http as for https.
	Proxy func(*url.URL) (*url.URL, error)

	// Resolve finds the addresses of a name for Caller; nil asks the system.
	Resolve func(ctx context.Context, host string) ([]netip.Addr, error)

	// Connect bounds resolving and connecting, and once more the TLS handshake.
	// Zero is 5 seconds.
	Connect time.Duration

	// FirstByte bounds the wait for the response's header; zero leaves it to the
	// request's context. Nothing here bounds the body.
	FirstByte time.Duration

	// Stay makes Caller follow no redirect: a 3xx is returned as it came.
	Stay bool

	// DisableCompression leaves bodies as the server sent them. Otherwise
	// requests without Accept-Encoding ask for gzip and bodies arrive unpacked,
	// so a caller that caps a body caps what it unpacks to, and Content-Length is gone.
	DisableCompression bool
}

// Caller returns a client for URLs that come from a caller: webhooks and input
// media. It connects to public addresses and to AllowPrivate only, follows at
// most five redirects and checks each as it checked the first URL. Whatever it
// will not do is a *Refused in the error's chain. An address is checked when it
// is dialled; a connection kept alive stays with that address. When a redirect
// leaves the origin, only headers that say what is wanted travel along.
func Caller(o Options) *http.Client {
	if o.Stay {
		return &http.Client{Transport: newGate(o), CheckRedirect: stay}
	}
	return &http.Client{Transport: newGate(o), CheckRedirect: checkRedirect}
}

// Operator returns a client for URLs that the operator configured, which may be
// private. It follows no redirect: requests carry the provider's key, and the key
// goes where the operator said and nowhere else. A 3xx is returned as it came.
func Operator(o Options) *http.Client {
	t := o.transport()
	t.DialContext = (&net.Dialer{Timeout: o.connect()}).DialContext
	t.MaxIdleConnsPerHost = 64 // few hosts, many requests at once
	if o.Proxy != nil {
		t.Proxy = func(r *http.Request) (*url.URL, error) { return o.Proxy(r.URL) }
	}
	return &http.Client{Transport: &direct{
		dial: t.DialContext, secure: newSecure(o, t.DialContext), rest: t, proxy: o.Proxy,
		unpacks: !o.DisableCompression, firstByte: o.FirstByte, idle: make(map[string][]*line),
	}, CheckRedirect: stay}
}

// Dialer returns what connects to servers that the operator configured and that do not
// speak HTTP, such as the one for mail. They may be private, and no proxy is asked.
func Dialer(o Options) func(ctx context.Context, network, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: o.connect()}).DialContext
}

// Local returns a client that speaks HTTP over the unix socket at socketPath,
// whatever host the URL names.
func Local(socketPath string) *http.Client {
	t := Options{}.transport()
	d := &net.Dialer{Timeout: Options{}.connect()}
	t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "unix", socketPath)
	}
	return &http.Client{Transport: t, CheckRedirect: stay}
}

// Self returns a client that reaches this machine's own server at an address,
// whatever host the URL names; roots are what its certificate is checked against.
func Self(address string, roots *x509.CertPool) *http.Client {
	t := Options{RootCAs: roots}.transport()
	d := &net.Dialer{Timeout: Options{}.connect()}
	t.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
		return d.DialContext(ctx, "tcp", address)
	}
	return &http.Client{Transport: t, CheckRedirect: stay}
}

func (o Options) connect() time.Duration {
	if o.Connect > 0 {
		return o.Connect
	}
	return 5 * time.Second
}

// transport is what all clients share. It does not know yet how to dial.
func (o Options) transport() *http.Transport {
	return &http.Transport{
		TLSClientConfig:        &tls.Config{RootCAs: o.RootCAs, MinVersion: tls.VersionTLS12},
		TLSHandshakeTimeout:    o.connect(),
		ResponseHeaderTimeout:  o.FirstByte,
		ExpectContinueTimeout:  time.Second,
		IdleConnTimeout:        90 * time.Second,
		MaxIdleConns:           256,
		ReadBufferSize:         16 << 10, // a stream of small frames arrives in few reads
		MaxResponseHeaderBytes: 256 << 10,
		DisableCompression:     o.DisableCompression,
		ForceAttemptHTTP2:      true, // a custom dial or TLS config switches it off otherwise
		// Many streams share one HTTP/2 connection. Without pings a dead one would
		// hold all of them, and swallow new ones, until TCP gives up.
		HTTP2: &http.HTTP2Config{SendPingTimeout: 30 * time.Second, PingTimeout: 15 * time.Second, MaxReceiveBufferPerStream: fileWindow},
	}
}

// What a server may send over HTTP/2 before the caller reads it, which is what an answer takes of memory whose client does
// not: words come slowly enough for little, files would wait for every round trip.
const (
	wordWindow = 256 << 10
	fileWindow = 1 << 20
)

func stay(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
