package guard_test

import (
	"encoding/pem"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"stele/internal/guard"
)

func TestOperatorReachesLoopback(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(hello))
	t.Cleanup(s.Close)
	got, err := fetch(t, guard.Operator(guard.Options{}), s.URL)
	if want := "hello " + s.Listener.Addr().String(); err != nil || got.body != want {
		t.Errorf("got %q, %v, want %q", got.body, err, want)
	}
}

func TestOperatorFollowsNoRedirect(t *testing.T) {
	t.Parallel()
	trap := newTrap(t)
	defer trap.untouched(t)
	s := httptest.NewServer(redirectTo("http://127.0.0.1:" + trap.port + "/"))
	t.Cleanup(s.Close)
	got, err := fetch(t, guard.Operator(guard.Options{}), s.URL+"/go")
	if err != nil || got.StatusCode != http.StatusFound || got.Header.Get("Location") == "" {
		t.Errorf("got %v, %v, want the 302 itself", got, err)
	}
}

func TestOperatorKeepsConnections(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	s := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	s.Start()
	t.Cleanup(s.Close)
	c := guard.Operator(guard.Options{})
	for range 3 {
		if _, err := fetch(t, c, s.URL); err != nil {
			t.Fatal(err)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("%d connections for three requests", n)
	}
}

func TestOperatorUsesTheProxyByName(t *testing.T) {
	t.Parallel()
	var asked []string
	p := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.RequestURI)
		w.WriteHeader(http.StatusBadGateway)
	}))
	u, _ := url.Parse(p.URL)
	c := guard.Operator(guard.Options{Proxy: func(*url.URL) (*url.URL, error) { return u, nil }})
	if got, err := fetch(t, c, "http://upstream.test/v1"); err != nil || got.StatusCode != http.StatusBadGateway {
		t.Errorf("http: got %v, %v, want the proxy's own answer", got, err)
	}
	if _, err := fetch(t, c, "https://upstream.test/v1"); err == nil {
		t.Error("https: no error although there was no tunnel")
	}
	c.CloseIdleConnections()
	p.Close()
	if want := []string{"GET http://upstream.test/v1", "CONNECT upstream.test:443"}; !slices.Equal(asked, want) {
		t.Errorf("the proxy was asked for %q, want %q", asked, want)
	}
}

func TestPrivateAuthorityIsHonoured(t *testing.T) {
	t.Parallel()
	s := httptest.NewUnstartedServer(http.HandlerFunc(hello))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	if _, err := fetch(t, guard.Operator(guard.Options{}), s.URL); err == nil {
		t.Error("trusted a certificate that nobody signed")
	}

	file := filepath.Join(t.TempDir(), "ca.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}
	if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	roots, err := guard.Roots(file)
	if err != nil {
		t.Fatal(err)
	}
	got, err := fetch(t, guard.Operator(guard.Options{RootCAs: roots}), s.URL)
	if err != nil || got.ProtoMajor != 2 {
		t.Errorf("got %v, %v, want an answer over HTTP/2", got, err)
	}
}

func TestRootsWithoutCertificates(t *testing.T) {
	t.Parallel()
	if pool, err := guard.Roots(""); pool != nil || err != nil {
		t.Errorf("no file: got %v, %v", pool, err)
	}
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".missing"} {
		if _, err := guard.Roots(file); err == nil {
			t.Errorf("%s: no error", file)
		}
	}
}

func TestLocalSpeaksToTheSocket(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "guard") //nolint:usetesting // t.TempDir may be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	path := filepath.Join(dir, "control.sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := &httptest.Server{Listener: l, Config: &http.Server{Handler: http.HandlerFunc(hello)}}
	s.Start()
	t.Cleanup(s.Close)
	got, err := fetch(t, guard.Local(path), "http://stele/health")
	if err != nil || got.body != "hello stele" {
		t.Errorf("got %q, %v", got.body, err)
	}
}
