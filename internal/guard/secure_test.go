package guard

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// overTLS is a server over TLS that says a body back, and a client that reaches it.
// records counts what clients send after the handshake.
func overTLS(t *testing.T, modern bool) (s *httptest.Server, client *direct, connections, records *atomic.Int32) {
	t.Helper()
	s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Protocol", r.Proto)
		_, _ = io.Copy(w, r.Body)
	}))
	connections, records = new(atomic.Int32), new(atomic.Int32)
	s.Listener = countedListener{s.Listener, connections, records}
	s.EnableHTTP2 = modern
	s.StartTLS()
	t.Cleanup(s.Close)
	roots := x509.NewCertPool()
	roots.AddCert(s.Certificate())
	client = Operator(Options{DisableCompression: true, RootCAs: roots}).Transport.(*direct)
	t.Cleanup(client.CloseIdleConnections)
	return s, client, connections, records
}

type countedListener struct {
	net.Listener
	connections, records *atomic.Int32
}

func (l countedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err == nil {
		l.connections.Add(1)
		c = &countedConn{Conn: c, records: l.records}
	}
	return c, err
}

// countedConn counts TLS records of data that are read.
type countedConn struct {
	net.Conn
	records *atomic.Int32
	rest    []byte
}

func (c *countedConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.rest = append(c.rest, b[:n]...)
	for len(c.rest) >= 5 {
		whole := 5 + int(c.rest[3])<<8 + int(c.rest[4])
		if len(c.rest) < whole {
			break
		}
		if c.rest[0] == 23 { // application data
			c.records.Add(1)
		}
		c.rest = c.rest[whole:]
	}
	return n, err
}

// The head of a request and its body travel in one record.
func TestAHeadWaitsForItsBody(t *testing.T) {
	t.Parallel()
	s, client, connections, records := overTLS(t, true)
	say := func() {
		status, header, body, failed := readWhole(post(t.Context(), t, client, s.URL, "hello"))
		if status != http.StatusOK || body != "hello" || failed || !strings.Contains(strings.Join(header, "\n"), "X-Protocol: HTTP/2.0") {
			t.Fatalf("%d %q %q %v", status, header, body, failed)
		}
	}
	say() // the connection is opened, and both sides say how they want it
	const requests = 50
	before := records.Load()
	for range requests {
		say()
	}
	if got := records.Load() - before; got > requests*5/4 { // pings and the like come on top
		t.Errorf("%d requests came in %d records", requests, got)
	}
	if connections.Load() != 1 {
		t.Errorf("%d connections", connections.Load())
	}
}

// Bodies of all lengths arrive as they were sent, whatever else is on the connection.
func TestJoinedRequestsStayApart(t *testing.T) {
	t.Parallel()
	s, client, _, _ := overTLS(t, true)
	var all sync.WaitGroup
	for i := range 16 {
		all.Go(func() {
			for _, size := range []int{0, 1, 100, company - 40, company, company + 1, 100_000} {
				sent := strings.Repeat(string(rune('!'+i)), size)
				_, _, body, failed := readWhole(post(t.Context(), t, client, s.URL, sent))
				if failed || body != sent {
					t.Errorf("%d bytes of %q: %d came back, failed %v", size, sent[:1], len(body), failed)
				}
			}
		})
	}
	all.Wait()
}

// A server that takes no body before it has seen the head sees the head, and may send
// no more before its caller reads than an answer may take of memory.
func TestAHeadDoesNotWaitForever(t *testing.T) {
	t.Parallel()
	s, client, _, _ := overTLS(t, true)
	for name, c := range map[string]struct {
		carrier http.RoundTripper
		window  uint32
	}{"words": {client, wordWindow}, "files": {client.rest, fileWindow}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = listener.Close() })
			var window uint32
			done := make(chan error, 1)
			go func() { done <- hesitate(listener, s.TLS, &window) }()
			status, _, _, failed := readWhole(post(t.Context(), t, c.carrier, "https://"+listener.Addr().String(), "hello"))
			if status != http.StatusOK || failed {
				t.Errorf("%d %v", status, failed)
			}
			if err := <-done; err != nil || window != c.window {
				t.Errorf("%v; the client takes %d bytes unread", err, window)
			}
		})
	}
}

// hesitate serves one request over HTTP/2, and lets its body come when its head has. It
// says how much the client takes before its caller reads it.
func hesitate(listener net.Listener, config *tls.Config, window *uint32) error {
	plain, err := listener.Accept()
	if err != nil {
		return err
	}
	defer plain.Close()
	conn := tls.Server(plain, config)
	if _, err := io.CopyN(io.Discard, conn, int64(len(http2.ClientPreface))); err != nil {
		return err
	}
	frames := http2.NewFramer(conn, conn)
	if err := frames.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
		return err
	}
	for {
		frame, err := frames.ReadFrame()
		if err != nil {
			return err
		}
		switch f := frame.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				*window, _ = f.Value(http2.SettingInitialWindowSize)
				err = frames.WriteSettingsAck()
			}
		case *http2.HeadersFrame:
			err = frames.WriteWindowUpdate(f.StreamID, 1<<16)
		case *http2.DataFrame:
			if f.StreamEnded() {
				var head bytes.Buffer
				_ = hpack.NewEncoder(&head).WriteField(hpack.HeaderField{Name: ":status", Value: "200"})
				return frames.WriteHeaders(http2.HeadersFrameParam{StreamID: f.StreamID, BlockFragment: head.Bytes(), EndStream: true, EndHeaders: true})
			}
		}
		if err != nil {
			return err
		}
	}
}

// A server that speaks only HTTP/1.1 is asked for HTTP/2 once.
func TestOlderServersAreReached(t *testing.T) {
	t.Parallel()
	s, client, connections, _ := overTLS(t, false)
	for range 10 {
		status, header, body, failed := readWhole(post(t.Context(), t, client, s.URL, "hello"))
		if status != http.StatusOK || body != "hello" || failed || !strings.Contains(strings.Join(header, "\n"), "X-Protocol: HTTP/1.1") {
			t.Fatalf("%d %q %q %v", status, header, body, failed)
		}
	}
	if connections.Load() != 2 {
		t.Errorf("%d connections for ten requests one after the other", connections.Load())
	}
}

// Go's switch for HTTP/2 stays one.
func TestHTTP2CanBeSwitchedOff(t *testing.T) {
	t.Setenv("GODEBUG", "http2client=0")
	s, client, _, _ := overTLS(t, true)
	status, header, _, failed := readWhole(post(t.Context(), t, client, s.URL, "hello"))
	if status != http.StatusOK || failed || !strings.Contains(strings.Join(header, "\n"), "X-Protocol: HTTP/1.1") {
		t.Errorf("%d %q %v", status, header, failed)
	}
}

// Only heads whose body follows and word of what was read wait.
func TestWhatCanWait(t *testing.T) {
	t.Parallel()
	frame := func(write func(*http2.Framer) error) []byte {
		var b bytes.Buffer
		if err := write(http2.NewFramer(&b, nil)); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	head := func(endStream, endHeaders bool) []byte {
		return frame(func(f *http2.Framer) error {
			return f.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: make([]byte, 300), EndStream: endStream, EndHeaders: endHeaders})
		})
	}
	window := frame(func(f *http2.Framer) error { return f.WriteWindowUpdate(3, 5000) })
	data := frame(func(f *http2.Framer) error { return f.WriteData(1, false, []byte("x")) })
	ping := frame(func(f *http2.Framer) error { return f.WritePing(false, [8]byte{}) })
	for name, c := range map[string]struct {
		frames []byte
		waits  bool
	}{
		"a head":              {head(false, true), true},
		"a head and windows":  {bytes.Join([][]byte{window, head(false, true), window}, nil), true},
		"a head without body": {head(true, true), false},
		"a part of a head":    {head(false, false), false},
		"half of a head":      {head(false, true)[:100], false},
		"a head and a half":   {bytes.Join([][]byte{head(false, true), window[:5]}, nil), false},
		"a body":              {data, false},
		"a head and a body":   {bytes.Join([][]byte{head(false, true), data}, nil), false},
		"a ping":              {ping, false},
		"the beginning":       {[]byte(http2.ClientPreface), false},
	} {
		if got := canWait(c.frames); got != c.waits {
			t.Errorf("%s: waits %v", name, got)
		}
	}
}
