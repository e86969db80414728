package guard_test

import (
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/guard"
)

// proxy is a real CONNECT proxy on 127.0.0.1. It connects to loopback and
// answers 502 for everything else: tests do not leave the machine.
type proxy struct {
	*httptest.Server
	url *url.URL

	mu      sync.Mutex // guards what follows
	targets []string
	auth    []string
}

func newProxy(t *testing.T) *proxy {
	t.Helper()
	p := &proxy{}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	p.url, _ = url.Parse(p.URL)
	return p
}

func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	p.targets = append(p.targets, r.Method+" "+r.Host)
	p.auth = append(p.auth, r.Header.Get("Proxy-Authorization"))
	p.mu.Unlock()
	to, err := netip.ParseAddrPort(r.Host)
	if r.Method != http.MethodConnect || err != nil || !to.Addr().IsLoopback() {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	out, err := net.Dial("tcp", to.String())
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer out.Close()
	in, buffered, err := w.(http.Hijacker).Hijack()
	if err != nil {
		panic(err)
	}
	defer in.Close()
	_, _ = io.WriteString(in, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(out, buffered)
		out.Close()
	}()
	_, _ = io.Copy(in, out)
}

func (p *proxy) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.targets)
}

func hello(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Proxy-Authorization") != "" {
		http.Error(w, "the proxy's password came through", http.StatusTeapot)
		return
	}
	_, _ = io.WriteString(w, "hello "+r.Host)
}

func port(s *httptest.Server) string {
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

func TestProxyIsAskedForTheCheckedAddress(t *testing.T) {
	t.Parallel()
	for _, scheme := range []string{"http", "https"} {
		t.Run(scheme, func(t *testing.T) {
			t.Parallel()
			p := newProxy(t)
			p.url.User = url.UserPassword("stele", "pass")
			s := unstarted(t, http.HandlerFunc(hello))
			o := guard.Options{
				AllowPrivate: []netip.Prefix{neighbour},
				Resolve:      answers("127.0.0.2"),
				Proxy:        func(*url.URL) (*url.URL, error) { return p.url, nil },
			}
			if scheme == "http" {
				s.Start()
			} else {
				s.StartTLS()
				o.RootCAs = s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
			}
			// The test certificate is for example.com: TLS still verifies the name.
			host := "example.com:" + port(s)
			got, err := fetch(t, guard.Caller(o), scheme+"://"+host+"/")
			if err != nil || got.body != "hello "+host {
				t.Fatalf("got %q, %v", got.body, err)
			}
			if asked, want := p.asked(), []string{"CONNECT 127.0.0.2:" + port(s)}; !slices.Equal(asked, want) {
				t.Errorf("the proxy was asked for %q, want %q", asked, want)
			}
			if want := "Basic " + base64.StdEncoding.EncodeToString([]byte("stele:pass")); p.auth[0] != want {
				t.Errorf("the proxy got %q, want %q", p.auth[0], want)
			}
		})
	}
}

func TestProxiedNameMustMatchTheCertificate(t *testing.T) {
	t.Parallel()
	p := newProxy(t)
	s := unstarted(t, http.HandlerFunc(hello))
	s.StartTLS()
	_, err := fetch(t, guard.Caller(guard.Options{
		AllowPrivate: []netip.Prefix{neighbour},
		Resolve:      answers("127.0.0.2"),
		RootCAs:      s.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs,
		Proxy:        func(*url.URL) (*url.URL, error) { return p.url, nil },
	}), "https://other.test:"+port(s)+"/")
	if err == nil || !strings.Contains(err.Error(), "other.test") {
		t.Errorf("got %v, want a complaint about the certificate", err)
	}
}

func TestSecureProxyIsVerifiedWithTheSameRoots(t *testing.T) {
	t.Parallel()
	p := &proxy{}
	p.Server = httptest.NewTLSServer(p)
	t.Cleanup(p.Close)
	p.url, _ = url.Parse(p.URL)
	s := serveNeighbour(t, http.HandlerFunc(hello))
	o := guard.Options{
		AllowPrivate: []netip.Prefix{neighbour},
		Resolve:      answers("127.0.0.2"),
		Proxy:        func(*url.URL) (*url.URL, error) { return p.url, nil },
	}
	if _, err := fetch(t, guard.Caller(o), "http://example.com:"+port(s)+"/"); err == nil {
		t.Error("trusted a proxy whose certificate nobody signed")
	}
	o.RootCAs = p.Client().Transport.(*http.Transport).TLSClientConfig.RootCAs
	got, err := fetch(t, guard.Caller(o), "http://example.com:"+port(s)+"/")
	if err != nil || !strings.HasPrefix(got.body, "hello") {
		t.Errorf("got %q, %v", got.body, err)
	}
}

func TestProxyThatGivesNoTunnelIsAnError(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"HTTP/1.1 403 Forbidden\r\n\r\n":   "403 Forbidden",
		"HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 ": "bytes of its own",
		"SSH-2.0-OpenSSH\r\n":              "malformed",
		"":                                 "deadline exceeded", // it never answers
	} {
		t.Run(want, func(t *testing.T) {
			t.Parallel()
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { l.Close() })
			go func() {
				conn, err := l.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, answer)
				_, _ = io.Copy(io.Discard, conn) // until the client hangs up
			}()
			o := guard.Options{
				Resolve: answers("93.184.215.14"),
				Proxy: func(*url.URL) (*url.URL, error) {
					return &url.URL{Scheme: "http", Host: l.Addr().String()}, nil
				},
			}
			if answer == "" {
				o.Connect = 50 * time.Millisecond
			}
			_, err = fetch(t, guard.Caller(o), "https://example.com/")
			if err == nil || !strings.Contains(err.Error(), "proxy: ") || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestProxyThatCannotBeUsedIsNotGoneAround(t *testing.T) {
	t.Parallel()
	unreadable := errors.New("unreadable")
	for name, choose := range map[string]func(*url.URL) (*url.URL, error){
		"scheme":  func(*url.URL) (*url.URL, error) { return &url.URL{Scheme: "socks5", Host: "127.0.0.1:1"}, nil },
		"setting": func(*url.URL) (*url.URL, error) { return nil, unreadable },
	} {
		c := guard.Caller(guard.Options{Resolve: answers("93.184.215.14"), Proxy: choose})
		if _, err := fetch(t, c, "https://example.com/"); err == nil || !strings.Contains(err.Error(), "proxy: ") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
