package server

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// dialFrom opens a connection from one of the machine's own loopback addresses.
func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	c, err := (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}).DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// says reports whether a connection answers a request.
func says(t *testing.T, c net.Conn, path string) bool {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", path); err != nil {
		return false
	}
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return false
	}
	defer answer.Body.Close()
	_, err = io.Copy(io.Discard, answer.Body)
	return err == nil && answer.StatusCode == http.StatusOK
}

// held is how many connections the crowd counts.
func (w *crowd) held() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.total
}

func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("never: " + what)
		}
	}
}

// TestAGoodClientGetsInBesideManySlowOnes fills an address's bound with connections
// that are silent, send a header in drops, or a body in drops: newcomers of the same
// address are served, each of them, and those that wait for answers stay.
func TestAGoodClientGetsInBesideManySlowOnes(t *testing.T) {
	t.Parallel()
	const most = 20
	h := open(t, Bounds{PerAddress: most, Connections: 10 * most})
	var gone atomic.Int32
	for i := range 10 * most {
		c := h.at[[]string{"main", "console", "metrics"}[i%3]](t)
		_, _ = io.WriteString(c, []string{"", "GET /hea", "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx"}[i/3%3])
		go func() {
			_, _ = io.Copy(io.Discard, c)
			gone.Add(1)
		}()
	}
	await(t, "all are in but those that made room", func() bool { return gone.Load() >= 9*most })
	for range 3 * most {
		for _, name := range []string{"main", "console", "metrics"} {
			if !says(t, h.at[name](t), "/healthz") {
				t.Fatalf("a good client is not served at %s", name)
			}
		}
	}
	if n := h.crowd.held(); n > most {
		t.Errorf("%d connections are open", n)
	}
}

// TestThoseWhoWaitForAnAnswerAreNotClosed fills the bounds with requests that are
// being served: then newcomers are refused, and no other client pays.
func TestThoseWhoWaitForAnAnswerAreNotClosed(t *testing.T) {
	t.Parallel()
	const most = 8
	leave := make(chan struct{})
	var inside sync.WaitGroup
	inside.Add(most)
	server := bareServer(t, Bounds{PerAddress: most, Connections: 2 * most}, false, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if r.URL.Path == "/wait" {
			inside.Done()
			<-leave
		}
	})
	var waiting []net.Conn
	for i := range most {
		c := dialFrom(t, "127.0.0.1", server.Listener.Addr().String())
		if i%2 == 0 {
			fmt.Fprintf(c, "GET /wait HTTP/1.1\r\nHost: x\r\n\r\n")
		} else {
			fmt.Fprintf(c, "POST /wait HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n")
		}
		waiting = append(waiting, c)
	}
	inside.Wait()
	if says(t, dialFrom(t, "127.0.0.1", server.Listener.Addr().String()), "/") {
		t.Error("there was room for one more")
	}
	if !says(t, dialFrom(t, "127.0.0.2", server.Listener.Addr().String()), "/") {
		t.Error("another address is not served")
	}
	close(leave)
	for i, c := range waiting {
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatalf("request %d was cut off: %v", i, err)
		}
		_ = answer.Body.Close()
	}
}

// TestTheAddressWithTheMostMakesRoom fills the bound of all from one address, after
// others have opened a few.
func TestTheAddressWithTheMostMakesRoom(t *testing.T) {
	t.Parallel()
	const most = 30
	h := open(t, Bounds{PerAddress: most, Connections: most})
	at := h.Addr().String()
	var good []net.Conn
	for _, from := range []string{"127.0.0.2", "127.0.0.3", "127.0.0.3"} {
		c := dialFrom(t, from, at)
		if !says(t, c, "/healthz") {
			t.Fatal("a good client is not served")
		}
		good = append(good, c)
	}
	for range 3 * most {
		_ = dialFrom(t, "127.0.0.9", at)
	}
	if !says(t, dialFrom(t, "127.0.0.4", at), "/healthz") {
		t.Error("a newcomer is not served")
	}
	for i, c := range good {
		if !says(t, c, "/healthz") {
			t.Errorf("good client %d has lost its connection", i)
		}
	}
}

// TestAnswersNobodyReadsMakeRoom fills the bound with clients that read nothing.
func TestAnswersNobodyReadsMakeRoom(t *testing.T) {
	t.Parallel()
	w := newCrowd(func() Bounds { return Bounds{PerAddress: 1, Connections: 1} }, func() []netip.Prefix { return nil })
	near, _ := net.Pipe()
	stuck := &conn{socket: half{near}, crowd: w, stall: time.Hour}
	if !w.admit(stuck) {
		t.Fatal("the first one is refused")
	}
	stuck.enter()
	newcomer := &conn{socket: half{near}, crowd: w}
	if w.admit(newcomer) {
		t.Error("one that waits for its answer was closed")
	}
	stuck.since.Store(time.Now().Add(-2 * patience).UnixNano())
	if !w.admit(newcomer) || stuck.group != nil {
		t.Error("one that does not take its answer keeps its place")
	}
}

type half struct{ net.Conn }

func (half) CloseWrite() error    { return nil }
func (half) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1} }

// TestConnectionsAreCountedByNetwork: one owner has all addresses of an IPv6 network.
func TestConnectionsAreCountedByNetwork(t *testing.T) {
	t.Parallel()
	w := newCrowd(func() Bounds { return standard }, func() []netip.Prefix { return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")} })
	for address, want := range map[string]string{
		"192.0.2.7":           "192.0.2.7/32",
		"::ffff:192.0.2.7":    "192.0.2.7/32",
		"2001:db8:1:2:3::4":   "2001:db8:1:2::/64",
		"2001:db8:1:2:ffff::": "2001:db8:1:2::/64",
		"10.1.2.3":            "10.1.2.3/32 shared",
	} {
		at, shared := w.networkOf(&net.TCPAddr{IP: net.ParseIP(address), Port: 1})
		got := at.String()
		if shared {
			got += " shared"
		}
		if got != want {
			t.Errorf("%s counts as %s, want %s", address, got, want)
		}
	}
	if _, shared := w.networkOf(&net.UnixAddr{Name: strings.Repeat("x", 3)}); !shared {
		t.Error("a socket has an address")
	}
}

// TestNothingIsLeftOfConnectionsThatEnded opens and closes many.
func TestNothingIsLeftOfConnectionsThatEnded(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{PerAddress: 10, Connections: 15})
	for range 50 {
		c := h.at["main"](t)
		says(t, c, "/healthz")
		_ = c.Close()
	}
	for range 20 {
		_ = h.at["console"](t).Close()
	}
	await(t, "no connection is counted", func() bool { return h.crowd.held() == 0 })
	h.crowd.mu.Lock()
	defer h.crowd.mu.Unlock()
	if len(h.crowd.groups) > 0 || len(h.crowd.sizes) > 1 {
		t.Errorf("%d groups, %d sizes", len(h.crowd.groups), len(h.crowd.sizes))
	}
}

// TestLongHeadsMakeRoom has many clients send much of a head and never its end.
func TestLongHeadsMakeRoom(t *testing.T) {
	t.Parallel()
	server := bareServer(t, Bounds{}, false, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") })
	at := server.Listener.Addr().String()
	var all []net.Conn
	for range 2 * longHeads {
		c := dialFrom(t, "127.0.0.1", at)
		_, _ = io.WriteString(c, "GET / HTTP/1.1\r\nHost: x\r\nX-A: "+strings.Repeat("h", 3*shortHead))
		all = append(all, c)
	}
	closed := 0
	for _, c := range all[:longHeads] {
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		if _, err := c.Read(make([]byte, 1)); err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			closed++
		}
		if closed > longHeads/2 {
			break
		}
	}
	if closed <= longHeads/2 {
		t.Errorf("of %d long heads %d made room", len(all), closed)
	}
	for range 3 { // of one connection
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("X-A", strings.Repeat("h", 20<<10))
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("a good client with a long head: %s", answer.Status)
		}
	}
}
