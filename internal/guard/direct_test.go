package guard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// raw is a server that reads a request and writes bytes as they are. It closes the
// connection after the answer if keep is false.
func raw(t *testing.T, answer string, keep bool) (url string, connections *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	connections = new(atomic.Int32)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			connections.Add(1)
			go func() {
				defer conn.Close()
				r := bufio.NewReader(conn)
				for {
					request, err := http.ReadRequest(r)
					if err != nil {
						return
					}
					_, _ = io.Copy(io.Discard, request.Body)
					if _, err := io.WriteString(conn, answer); err != nil || !keep {
						return
					}
				}
			}()
		}
	}()
	return "http://" + listener.Addr().String(), connections
}

func post(ctx context.Context, t *testing.T, carrier http.RoundTripper, url, body string) (*http.Response, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat?x=%20y", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	return carrier.RoundTrip(r)
}

func operator() *direct { return Operator(Options{DisableCompression: true}).Transport.(*direct) }

// Whatever an upstream answers, it is read as net/http's own Transport reads it.
func TestAnswersAreReadAsTheTransportReadsThem(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]string{
		"length":           "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b\r\n\r\nhello",
		"chunks":           "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n",
		"until the end":    "HTTP/1.1 200 OK\r\n\r\nhello",
		"old":              "HTTP/1.0 200 OK\r\n\r\nhello",
		"old, kept":        "HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 2\r\n\r\nok",
		"nothing":          "HTTP/1.1 204 No Content\r\n\r\n",
		"empty":            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
		"refused":          "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 3\r\nContent-Length: 2\r\n\r\nno",
		"elsewhere":        "HTTP/1.1 307 Temporary Redirect\r\nLocation: http://example.com/\r\nContent-Length: 0\r\n\r\n",
		"hints first":      "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"go on first":      "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
		"trailer":          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-T\r\n\r\n2\r\nok\r\n0\r\nX-T: v\r\n\r\n",
		"cut in length":    "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
		"cut in chunks":    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
		"bad chunk":        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhello",
		"two lengths":      "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
		"no answer":        "",
		"not HTTP":         "SSH-2.0-OpenSSH\r\n\r\n",
		"header cut":       "HTTP/1.1 200 OK\r\nContent-Le",
		"endless header":   "HTTP/1.1 200 OK\r\nX-Long: " + strings.Repeat("a", 2*mostHeader) + "\r\nContent-Length: 2\r\n\r\nok",
		"another protocol": "HTTP/1.1 101 Switching Protocols\r\nUpgrade: foo\r\nConnection: upgrade\r\n\r\n",
		"rest":             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
		"set-cookie":       "HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\nset-cookie: c=d\r\nContent-Length: 2\r\n\r\nok",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := raw(t, answer, false)
			d := operator()
			status, header, body, failed := readWhole(post(t.Context(), t, d, url, "{}"))
			status2, header2, body2, failed2 := readWhole(post(t.Context(), t, d.rest, url, "{}"))
			if name == "another protocol" { // the Transport hands it over; no one asks for it here
				failed2 = true
				status2, body2, header2 = 0, "", header
			}
			if status != status2 || body != body2 || failed != failed2 || strings.Join(header, "\n") != strings.Join(header2, "\n") {
				t.Errorf("%d %q %v %q; the Transport has %d %q %v %q", status, header, failed, body, status2, header2, failed2, body2)
			}
		})
	}
}

func readWhole(answer *http.Response, err error) (status int, header []string, body string, failed bool) {
	if err != nil {
		return 0, nil, "", true
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if _, again := answer.Body.Read(make([]byte, 1)); err == nil && again != io.EOF { //nolint:errorlint // as bodies say it
		err = again
	}
	var b strings.Builder
	_ = answer.Header.Write(&b)
	_ = answer.Trailer.Write(&b)
	return answer.StatusCode, strings.Split(b.String(), "\r\n"), string(text), err != nil
}

// What is sent is what the Transport sends, but for the order of its lines.
func TestRequestsArriveAsTheyAreMade(t *testing.T) {
	t.Parallel()
	type arrived struct {
		uri, host, body string
		header          http.Header
		length          int64
	}
	got := make(chan arrived, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- arrived{r.RequestURI, r.Host, string(body), r.Header, r.ContentLength}
	}))
	defer server.Close()
	for _, size := range []int{0, 2, eager, eager + 1, 3 << 20} {
		var seen [2]arrived
		d := operator()
		for i, carrier := range []http.RoundTripper{d, d.rest} {
			r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/a%2Fb?c=d&e=%20", strings.NewReader(strings.Repeat("x", size)))
			r.Host = "other.example"
			r.Header.Set("User-Agent", "stele")
			r.Header["X-Two"] = []string{"1", "2\r\nX-Evil: 3"}
			if i == 1 {
				r.Header["X-Two"][1] = "2  X-Evil: 3" // which the Transport refuses rather than mends
			}
			answer, err := carrier.RoundTrip(r)
			if err != nil {
				t.Fatal(err)
			}
			_ = answer.Body.Close()
			seen[i] = <-got
		}
		if seen[0].uri != seen[1].uri || seen[0].host != seen[1].host || seen[0].body != seen[1].body || seen[0].length != seen[1].length || len(seen[0].header) != len(seen[1].header) {
			t.Errorf("%d bytes: %.300v, by the Transport %.300v", size, seen[0], seen[1])
		}
	}
}

func TestAConnectionIsUsedAgain(t *testing.T) {
	t.Parallel()
	url, connections := raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true)
	d := operator()
	for range 5 {
		if _, _, body, failed := readWhole(post(t.Context(), t, d, url, "{}")); body != "ok" || failed {
			t.Fatal(body, failed)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections", n)
	}
	d.CloseIdleConnections()
	_, _, _, _ = readWhole(post(t.Context(), t, d, url, "{}"))
	if n := connections.Load(); n != 2 {
		t.Errorf("%d connections after the idle one was closed", n)
	}
}

// A request whose caller has left is not sent, on a connection that stands neither.
func TestARequestThatIsOverIsNotSent(t *testing.T) {
	t.Parallel()
	url, _ := raw(t, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n", true)
	d := operator()
	_, _, _, _ = readWhole(post(t.Context(), t, d, url, "{}"))
	why := errors.New("gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for range 20 {
		answer, err := post(ctx, t, d, url, "{}")
		if err == nil {
			_ = answer.Body.Close()
		}
		if !errors.Is(err, why) {
			t.Fatalf("it was sent: %v", err)
		}
	}
}

// A server closes an idle connection whenever it likes: no request may be lost by that.
func TestAConnectionThatTheServerClosedIsNotUsed(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",              // then closes
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 408 ", // says something unasked, then closes
	} {
		url, connections := raw(t, answer, false)
		d := operator()
		for i := range int32(5) {
			if _, _, body, failed := readWhole(post(t.Context(), t, d, url, "{}")); body != "ok" || failed {
				t.Fatal(body, failed)
			}
			d.mu.Lock()
			list := d.idle[strings.TrimPrefix(url, "http://")]
			for _, l := range list { // the end has arrived before the next request is made
				for l.stands() {
					runtime.Gosched()
				}
			}
			d.mu.Unlock()
			if n := connections.Load(); n != i+1 {
				t.Errorf("%d connections for %d requests", n, i+1)
			}
		}
	}
}

func TestAnEarlyRefusalOfALongBodyIsHeard(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	done := make(chan struct{})
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		_, _ = io.WriteString(conn, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
		<-done // and never reads
	}()
	defer close(done)
	status, _, body, failed := readWhole(post(t.Context(), t, operator(), "http://"+listener.Addr().String(), strings.Repeat("x", 32<<20)))
	if status != http.StatusRequestEntityTooLarge || body != "no" || failed {
		t.Errorf("%d %q %v", status, body, failed)
	}
}

func TestTheEndOfTheContextEndsTheConnection(t *testing.T) {
	t.Parallel()
	arrived, gone := make(chan struct{}, 8), make(chan struct{}, 8)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Content-Length") == "2" {
			_, _ = io.WriteString(w, "a")
			_ = http.NewResponseController(w).Flush()
		}
		_, _ = io.Copy(io.Discard, r.Body)
		arrived <- struct{}{}
		<-r.Context().Done()
		gone <- struct{}{}
	}))
	defer server.Close()
	why := errors.New("enough")
	for _, body := range []string{"{}", "silent"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { <-arrived; cancel(why) }()
		answer, err := post(ctx, t, operator(), server.URL, body)
		if err == nil {
			_, err = io.ReadAll(answer.Body)
			_ = answer.Body.Close()
		}
		if !errors.Is(err, why) {
			t.Errorf("%s: %v", body, err)
		}
		<-gone
	}
}

func TestABodyThatIsNotReadToItsEndClosesItsConnection(t *testing.T) {
	t.Parallel()
	gone := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
		close(gone)
	}))
	defer server.Close()
	answer, err := post(t.Context(), t, operator(), server.URL, "{}")
	if err != nil {
		t.Fatal(err)
	}
	read := make(chan error)
	go func() { _, err := answer.Body.Read(make([]byte, 1)); read <- err }()
	_ = answer.Body.Close()
	if err := <-read; err == nil {
		t.Error("a closed body was read")
	}
	<-gone
}

func TestManyAtOnceKeepTheirAnswersApart(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		_, _ = w.Write(body)
	}))
	defer server.Close()
	d := operator()
	var wg sync.WaitGroup
	for i := range 32 {
		wg.Go(func() {
			for j := range 50 {
				want := strings.Repeat(strconv.Itoa(i*1000+j)+" ", 1+(i*j)%20000)
				if _, _, body, failed := readWhole(post(t.Context(), t, d, server.URL, want)); body != want || failed {
					t.Errorf("%.20q is not %.20q: %v", body, want, failed)
					return
				}
			}
		})
	}
	wg.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, list := range d.idle {
		if len(list) > mostIdle {
			t.Errorf("%d are idle", len(list))
		}
	}
}
