package guard_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"syscall"
	"testing"

	"stele/internal/guard"
)

// trap is a private service on 127.0.0.1 and, where there is IPv6, on ::1 with
// the same port. Nothing may ever connect to it.
type trap struct {
	port      string
	v6        bool
	listeners []net.Listener
	visitors  chan string // the remote address of each connection, in order
}

func newTrap(t *testing.T) *trap {
	t.Helper()
	tr := &trap{visitors: make(chan string, 100)}
	for range 20 { // the port that is free on 127.0.0.1 may be taken on ::1
		v4, err := net.Listen("tcp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		_, tr.port, _ = net.SplitHostPort(v4.Addr().String())
		v6, err := net.Listen("tcp6", "[::1]:"+tr.port)
		if err == nil {
			tr.v6, tr.listeners = true, []net.Listener{v4, v6}
			break
		}
		if tr.listeners = []net.Listener{v4}; !errors.Is(err, syscall.EADDRINUSE) {
			break
		}
		v4.Close()
		tr.listeners = nil
	}
	if len(tr.listeners) == 0 {
		t.Fatal("no port is free on both loopback addresses")
	}
	var serving sync.WaitGroup
	for _, l := range tr.listeners {
		serving.Go(func() { tr.serve(l) })
	}
	t.Cleanup(func() {
		for _, l := range tr.listeners {
			l.Close()
		}
		serving.Wait()
	})
	return tr
}

func (tr *trap) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		tr.visitors <- conn.RemoteAddr().String()
		// An honest answer: an intruder is not to mistake it for a refusal.
		_, _ = http.ReadRequest(bufio.NewReader(conn))
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nsecret")
		conn.Close()
	}
}

// untouched fails t if anyone connected. It knocks on each listener itself:
// connections are accepted in order, so an earlier visitor shows before the knock.
func (tr *trap) untouched(t *testing.T) {
	t.Helper()
	for _, l := range tr.listeners {
		conn, err := net.Dial(l.Addr().Network(), l.Addr().String())
		if err != nil {
			t.Fatalf("the trap is not set: %v", err)
		}
		self := conn.LocalAddr().String()
		for visitor := range tr.visitors {
			if visitor == self {
				break
			}
			t.Errorf("%s connected to the private service", visitor)
		}
		conn.Close()
	}
}

// answers is a resolver that gives every name the same addresses.
func answers(texts ...string) func(context.Context, string) ([]netip.Addr, error) {
	return func(context.Context, string) ([]netip.Addr, error) {
		var list []netip.Addr
		for _, text := range texts {
			list = append(list, netip.MustParseAddr(text))
		}
		return list, nil
	}
}

// neighbour is the one address that tests allow: it stands for the internet.
var neighbour = netip.MustParsePrefix("127.0.0.2/32")

// serveNeighbour serves h on 127.0.0.2, which Linux has without being asked.
func serveNeighbour(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	s := unstarted(t, h)
	s.Start()
	return s
}

func unstarted(t *testing.T, h http.Handler) *httptest.Server {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.2:0")
	if err != nil {
		t.Skipf("this system has only one loopback address: %v", err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: h}}
	t.Cleanup(s.Close)
	return s
}

// redirectTo answers every path with a redirect to location, byte for byte.
func redirectTo(location string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/go" {
			w.WriteHeader(http.StatusTeapot) // the location was relative: still here
			return
		}
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		defer conn.Close()
		fmt.Fprintf(conn, "HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", location)
	})
}

// answer is a response that has been read.
type answer struct {
	*http.Response
	body string
}

// fetch gets url and reads the whole body.
func fetch(t *testing.T, c *http.Client, url string) (answer, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return answer{}, err
	}
	return send(t, c, r)
}

func send(t *testing.T, c *http.Client, r *http.Request) (answer, error) {
	t.Helper()
	t.Cleanup(c.CloseIdleConnections)
	resp, err := c.Do(r)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	return answer{resp, string(body)}, err
}

// mustRefuse ends t unless err is a refusal.
func mustRefuse(t *testing.T, err error) {
	t.Helper()
	if _, ok := errors.AsType[*guard.Refused](err); !ok {
		t.Fatalf("got %v, want a *guard.Refused", err)
	}
}
