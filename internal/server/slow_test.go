package server

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/fault"
)

// house is a server with every listener there is.
type house struct {
	*Server
	control string // the socket's path
	at      map[string]func(t *testing.T) net.Conn
}

// open runs a server with these bounds. Its pages read bodies under /read, the first byte of
// them where a path ends in /begin, and answer without under any other path.
func open(t *testing.T, bounds Bounds) *house {
	t.Helper()
	door := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/begin") {
			_, _ = io.CopyN(io.Discard, r.Body, 1)
		}
		if r.URL.Path != "/read" {
			_, _ = io.WriteString(w, "done")
			return
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			e := fault.From(err)
			w.WriteHeader(e.Status())
			_, _ = w.Write(e.Envelope("id"))
			return
		}
		fmt.Fprintf(w, "%d bytes", len(body))
	})
	h := &house{control: filepath.Join(t.TempDir(), "s")}
	h.Server = New(Options{
		Listen: "127.0.0.1:0", ConsoleListen: "127.0.0.1:0", MetricsListen: "127.0.0.1:0",
		API: door, Files: door, Pages: door, Metrics: door,
		TrustedProxies: func() []netip.Prefix { return nil },
		Ready:          func(context.Context) error { return nil },
		Drain:          func() time.Duration { return 5 * time.Second },
		Observe:        func(Served) {},
		Bounds:         bounds.withDefaults,
		Log:            slog.New(slog.DiscardHandler),
	})
	if err := h.Listen(); err != nil {
		t.Fatal(err)
	}
	control, err := NewControl(h.control, bounds.withDefaults, Commands{
		Reload: func(context.Context) (string, error) { return "", nil }, Refresh: func(context.Context) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	run(t, h.Server)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { control.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
	dial := func(network, at string) func(*testing.T) net.Conn {
		return func(t *testing.T) net.Conn {
			t.Helper()
			c, err := (&net.Dialer{}).DialContext(t.Context(), network, at)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = c.Close() })
			return c
		}
	}
	h.at = map[string]func(*testing.T) net.Conn{
		"main": dial("tcp", h.Addr().String()), "console": dial("tcp", h.ConsoleAddr()),
		"metrics": dial("tcp", h.MetricsAddr()), "control": dial("unix", h.control),
	}
	return h
}

// run serves until the test ends.
func run(t *testing.T, s *Server) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { _ = s.Run(ctx); close(done) }()
	t.Cleanup(func() { cancel(); <-done })
}

// TestABodyNobodyReadsEndsSoon sends one byte of a thousand where no handler reads
// them: the answer comes all the same, and then the end.
func TestABodyNobodyReadsEndsSoon(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{})
	var all sync.WaitGroup
	defer all.Wait()
	for _, path := range []string{"/healthz", "/readyz", "/files/x", "/nothing", "/console/signin", "/api/v1/files", "/metrics", "/reload"} {
		for name, dial := range h.at {
			for kind, head := range map[string]string{
				"announced": "Content-Length: 1000\r\n\r\nx",
				"chunked":   "Transfer-Encoding: chunked\r\n\r\n3e8\r\nx",
				"nothing":   "Content-Length: 1000\r\n\r\n",
				"trailer":   "Transfer-Encoding: chunked\r\nTrailer: A\r\n\r\n0\r\n",
				"waiting":   "Content-Length: 1000\r\nExpect: 100-continue\r\n\r\n",
			} {
				for _, method := range []string{"GET", "POST", "BREW"} {
					c := dial(t)
					all.Go(func() {
						if err := endsSoon(c, method+" "+path+" HTTP/1.1\r\nHost: x\r\n"+head); err != nil {
							t.Errorf("%s: %s %s, %s: %v", name, method, path, kind, err)
						}
					})
				}
			}
		}
	}
}

// endsSoon reports what is wrong unless a request is answered and its connection then ends.
func endsSoon(c net.Conn, request string) error {
	if _, err := io.WriteString(c, request); err != nil {
		return err
	}
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	reader := bufio.NewReader(c)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if !answer.Close {
		return errors.New("the connection is to be used again")
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		return err
	}
	if _, err := reader.ReadByte(); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("it stays open (%w)", err)
	}
	return nil
}

// TestABodyThatStopsIsAnsweredWith408 has a handler wait for the rest.
func TestABodyThatStopsIsAnsweredWith408(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{BodyStall: 200 * time.Millisecond})
	for _, name := range []string{"console", "metrics"} {
		c := h.at[name](t)
		fmt.Fprintf(c, "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\nx")
		text, err := io.ReadAll(c)
		if err != nil || !bytes.HasPrefix(text, []byte("HTTP/1.1 408")) || !bytes.Contains(text, []byte("invalid_request_body")) {
			t.Errorf("%s: %s (%v)", name, text, err)
		}
	}
}

// TestABodyInDropsEndsAtLast brings a byte long before each stall, for ever.
func TestABodyInDropsEndsAtLast(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{BodyStall: 100 * time.Millisecond, BodyRate: 1 << 20})
	c := h.at["console"](t)
	fmt.Fprintf(c, "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n")
	stop := make(chan struct{})
	defer close(stop)
	go func() {
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
			}
			if _, err := c.Write([]byte("x")); err != nil {
				return
			}
		}
	}()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("it was answered with %s", answer.Status)
	}
}

// scaled fails unless a law holds with a stall or with one of some longer ones: a busy
// machine may itself stand still for a short one.
func scaled(t *testing.T, stall time.Duration, law func(stall time.Duration) error) {
	t.Helper()
	for _, times := range []time.Duration{1, 5, 25} {
		err := law(times * stall)
		if err == nil {
			return
		}
		t.Logf("with a stall of %s: %v", times*stall, err)
	}
	t.Error("it holds with no stall")
}

// TestASlowBodyThatMovesArrives takes many times the stall, a byte at a time.
func TestASlowBodyThatMovesArrives(t *testing.T) {
	t.Parallel()
	scaled(t, 400*time.Millisecond, func(stall time.Duration) error {
		h := open(t, Bounds{BodyStall: stall})
		c := h.at["console"](t)
		const size = 50
		fmt.Fprintf(c, "POST /read HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n", size)
		tick := time.NewTicker(stall / 20)
		defer tick.Stop()
		for range size {
			<-tick.C
			if _, err := c.Write([]byte("x")); err != nil {
				return err
			}
		}
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			return err
		}
		defer answer.Body.Close()
		if text, _ := io.ReadAll(answer.Body); answer.StatusCode != http.StatusOK || string(text) != "50 bytes" || answer.Close {
			return fmt.Errorf("%s %s", answer.Status, text)
		}
		return nil
	})
}

// TestALongAnswerOutlivesTheBodysDeadline streams for many stalls after a body was read.
func TestALongAnswerOutlivesTheBodysDeadline(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		scaled(t, 50*time.Millisecond, func(stall time.Duration) error { return longAnswer(t, secure, stall) })
	}
}

func longAnswer(t *testing.T, secure bool, stall time.Duration) error {
	t.Helper()
	server := bareServer(t, Bounds{BodyStall: stall, WriteStall: 2 * stall}, secure, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		timer := time.NewTimer(10 * stall)
		defer timer.Stop()
		_, _ = io.WriteString(w, "a")
		_ = http.NewResponseController(w).Flush()
		select {
		case <-r.Context().Done():
			panic(http.ErrAbortHandler)
		case <-timer.C:
		}
		_, _ = io.WriteString(w, "b")
	})
	answer, err := server.Client().Post(server.URL, "text/plain", strings.NewReader(strings.Repeat("x", 100_000))) //nolint:noctx // a test's own server
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	if text, err := io.ReadAll(answer.Body); err != nil || string(text) != "ab" || (answer.ProtoMajor == 2) != secure {
		return fmt.Errorf("%s: %q, %w", answer.Proto, text, err)
	}
	return nil
}

// bareServer serves a handler behind nothing but the bounds; secure, over HTTP/2.
func bareServer(t *testing.T, bounds Bounds, secure bool, handler http.HandlerFunc) *httptest.Server {
	t.Helper()
	get := bounds.withDefaults
	server := httptest.NewUnstartedServer(nil)
	server.Listener = doorway{server.Listener, newCrowd(get, func() []netip.Prefix { return nil }), secure}
	server.Config = newHTTP(Unlogged(get, handler), get())
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelDebug)
	if server.EnableHTTP2 = secure; secure {
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	return server
}

// TestSlowBodiesEndOverHTTP2 has a stream's body stop.
func TestSlowBodiesEndOverHTTP2(t *testing.T) {
	t.Parallel()
	server := bareServer(t, Bounds{BodyStall: 100 * time.Millisecond}, true, func(w http.ResponseWriter, r *http.Request) {
		_, err := io.ReadAll(r.Body)
		w.WriteHeader(fault.From(err).Status())
	})
	reader, writer := io.Pipe()
	defer writer.Close()
	go func() { _, _ = writer.Write([]byte("x")) }()
	answer, err := server.Client().Post(server.URL, "text/plain", reader) //nolint:noctx // a test's own server
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.ProtoMajor != 2 || answer.StatusCode != http.StatusRequestTimeout {
		t.Errorf("%s %s", answer.Proto, answer.Status)
	}
}

// TestAnAnswerNobodyReadsEnds writes more than any buffer holds to a client that
// reads none of it.
func TestAnAnswerNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		ended := make(chan error, 1)
		server := bareServer(t, Bounds{WriteStall: 100 * time.Millisecond}, secure, func(w http.ResponseWriter, _ *http.Request) {
			var err error
			for piece := make([]byte, 1<<20); err == nil; {
				_, err = w.Write(piece)
			}
			ended <- err
		})
		if secure {
			answer, err := server.Client().Get(server.URL) //nolint:noctx // a test's own server
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
		} else {
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		}
		select {
		case err := <-ended:
			if err == nil {
				t.Error("it was written")
			}
		case <-time.After(time.Minute):
			t.Fatal("the answer goes on for ever")
		}
	}
}

// TestASlowReaderThatMovesHasItAll reads a long answer for many stalls.
func TestASlowReaderThatMovesHasItAll(t *testing.T) {
	t.Parallel()
	for _, secure := range []bool{false, true} {
		scaled(t, 800*time.Millisecond, func(stall time.Duration) error { return readSlowly(t, secure, stall) })
	}
}

func readSlowly(t *testing.T, secure bool, stall time.Duration) error {
	t.Helper()
	const size = 24 << 20
	server := bareServer(t, Bounds{WriteStall: stall}, secure, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(size))
		_, _ = w.Write(make([]byte, size)) // in one piece
	})
	answer, err := server.Client().Get(server.URL) //nolint:noctx // a test's own server
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	tick := time.NewTicker(stall / 20)
	defer tick.Stop()
	got := int64(0)
	for err == nil {
		<-tick.C
		var n int64
		n, err = io.CopyN(io.Discard, answer.Body, size/60)
		got += n
	}
	if !errors.Is(err, io.EOF) || got != size {
		return fmt.Errorf("%s: %d of %d bytes, %w", answer.Proto, got, size, err)
	}
	return nil
}

// TestABodyThatIsHereKeepsItsConnection answers before a short body was read.
func TestABodyThatIsHereKeepsItsConnection(t *testing.T) {
	t.Parallel()
	h := open(t, Bounds{})
	c := h.at["console"](t)
	reader := bufio.NewReader(c)
	for range 3 {
		fmt.Fprintf(c, "POST /unread HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello")
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		if answer.Close || string(text) != "done" {
			t.Errorf("%v %s", answer.Close, text)
		}
	}
}

// TestTheHandshakeEnds says nothing to a listener that speaks TLS.
func TestTheHandshakeEnds(t *testing.T) {
	t.Parallel()
	server := bareServer(t, Bounds{HeaderTime: 100 * time.Millisecond}, true, func(http.ResponseWriter, *http.Request) {})
	c, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_ = c.SetReadDeadline(time.Now().Add(time.Minute))
	if n, err := c.Read(make([]byte, 1)); n > 0 || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("it stays open: %d, %v", n, err)
	}
}

// TestHeadersAreBounded sends too long a header, too many lines, and one too slowly.
func TestHeadersAreBounded(t *testing.T) {
	t.Parallel()
	h, hasty := open(t, Bounds{Headers: 50}), open(t, Bounds{HeaderTime: 200 * time.Millisecond})
	for name, dial := range h.at {
		for kind, head := range map[string]struct {
			text, status string
		}{
			"long":  {"A: " + strings.Repeat("x", 100<<10) + "\r\n\r\n", "HTTP/1.1 431"},
			"slow":  {"A: x", ""},
			"lines": {strings.Repeat("A: x\r\n", 60) + "\r\n", "HTTP/1.1 431"},
			"many":  {strings.Repeat("A: x\r\n", 5000) + "\r\n", "HTTP/1.1 431"},
			"names": {func() string {
				var b strings.Builder
				for i := range 60 {
					fmt.Fprintf(&b, "A%d: x\r\n", i)
				}
				return b.String() + "\r\n"
			}(), "HTTP/1.1 431"},
		} {
			if name == "control" && kind != "long" {
				continue // it has the usual bounds
			}
			at := dial
			if kind == "slow" {
				at = hasty.at[name]
			}
			c := at(t)
			_ = c.SetDeadline(time.Now().Add(time.Minute))
			_, _ = io.WriteString(c, "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"+head.text)
			text, _ := io.ReadAll(c) // the rest of a long header may meet a closed connection
			if !strings.HasPrefix(string(text), head.status) || head.status == "" && len(text) > 0 {
				t.Errorf("%s, %s: %s", name, kind, text)
			}
		}
	}
}
