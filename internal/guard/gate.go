package guard

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"slices"
)

const maxRedirects = 5

// gate is Caller's transport. It checks each request's URL, redirected ones too,
// before the dialer checks where it leads.
type gate struct {
	// One transport per scheme, because a dial is told the host but not the
	// scheme, and the scheme decides on the proxy.
	http, https *http.Transport
}

func newGate(o Options) *gate {
	d := newDialer(o)
	transport := func(scheme string) *http.Transport {
		t := o.transport()
		t.DialContext = func(ctx context.Context, _, hostport string) (net.Conn, error) {
			return d.dial(ctx, scheme, hostport)
		}
		return t
	}
	return &gate{http: transport("http"), https: transport("https")}
}

// RoundTrip sends r to its URL's canonical host.
func (g *gate) RoundTrip(r *http.Request) (*http.Response, error) {
	u, err := canonical(r.URL)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper owes this, also when it fails
		}
		return nil, err
	}
	if u.Host != r.URL.Host {
		r = r.Clone(r.Context())
		if r.Host == r.URL.Host {
			r.Host = u.Host
		}
		r.URL = u
	}
	if u.Scheme == "https" {
		return g.https.RoundTrip(r)
	}
	return g.http.RoundTrip(r)
}

// CloseIdleConnections makes http.Client's method of that name work.
func (g *gate) CloseIdleConnections() {
	g.http.CloseIdleConnections()
	g.https.CloseIdleConnections()
}

// checkRedirect decides whether Caller goes on to r. The address of its host is
// checked when it is dialled, like any other.
func checkRedirect(r *http.Request, via []*http.Request) error {
	u, err := canonical(r.URL)
	if err != nil {
		return err
	}
	if len(via) > maxRedirects {
		return &Refused{Host: u.Hostname(), Reason: tooMany}
	}
	if via[len(via)-1].URL.Scheme == "https" && u.Scheme == "http" {
		return &Refused{Host: u.Hostname(), Reason: downgrade}
	}
	if hasLeft(via[0].URL, append(via[1:len(via):len(via)], r)) {
		keepHarmless(r.Header)
	}
	return nil
}

// hasLeft reports whether any of the hops is at another origin than start. Once
// left, coming back changes nothing: net/http takes the headers of each hop from
// the first request, so the hop in between would get to choose their use.
func hasLeft(start *url.URL, hops []*http.Request) bool {
	return slices.ContainsFunc(hops, func(r *http.Request) bool {
		return r.URL.Scheme != start.Scheme || r.URL.Host != start.Host
	})
}

// keepHarmless drops all headers that are not known to carry no secret. net/http
// drops Authorization and Cookie only, keeps them for subdomains and other ports,
// and does not know x-api-key and its cousins.
func keepHarmless(h http.Header) {
	for name := range h {
		switch name {
		case "Accept", "Accept-Encoding", "Accept-Language", "Content-Encoding", "Content-Type", "Range", "User-Agent":
		default:
			delete(h, name)
		}
	}
}
