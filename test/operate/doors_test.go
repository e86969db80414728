package operate

import (
	"bufio"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

// TestDoorsApart serves pages at a listener of their own, with metrics behind a token.
func TestDoorsApart(t *testing.T) {
	t.Parallel()
	pages, metrics := rig.FreePort(t), rig.FreePort(t)
	const token = "a-token-of-some-length"
	h := rig.Start(t, rig.Options{Config: fmt.Sprintf(
		"console: {listen: %q}\nmetrics: {listen: %q, token: %q}\nlimits: {body_stall: 500ms}\n", pages, metrics, token)})
	h.Keep(token)
	ask := func(at, path, bearer string) rig.Answer {
		r, err := http.NewRequest("GET", "http://"+at+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if bearer != "" {
			r.Header.Set("Authorization", "Bearer "+bearer)
		}
		a, err := h.Send(r)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	main := strings.TrimPrefix(h.URL, "http://")
	for _, c := range []struct {
		at, path, bearer string
		status           int
	}{
		{main, "/healthz", "", 200}, {main, "/api/v1/models", "", 401}, {main, "/console/signin", "", 404}, {main, "/reference", "", 404}, {main, "/", "", 404},
		{pages, "/healthz", "", 200}, {pages, "/api/v1/models", "", 404}, {pages, "/console/signin", "", 200}, {pages, "/reference", "", 200},
		{metrics, "/metrics", "", 401}, {metrics, "/metrics", token + "x", 401}, {metrics, "/metrics", token, 200},
	} {
		if a := ask(c.at, c.path, c.bearer); a.Status != c.status {
			t.Errorf("%+v: %d %.100s", c, a.Status, a.Body)
		}
	}
	for _, at := range []string{main, pages, metrics} {
		stuck(t, at)
	}
}

// stuck sends one byte of a thousand, with and without a handler that reads: each
// is answered, and its connection ends.
func stuck(t *testing.T, at string) {
	t.Helper()
	for _, path := range []string{"/healthz", "/files/x", "/nothing", "/console/signin", "/api/v1/files", "/api/v1/chat/completions", "/metrics"} {
		c, err := net.Dial("tcp", at)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		_ = c.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\nx", path)
		reader := bufio.NewReader(c)
		answer, err := http.ReadResponse(reader, nil)
		if err != nil {
			t.Errorf("%s%s: %v", at, path, err)
			continue
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		if _, err := reader.ReadByte(); err == nil || strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s%s: the connection stays (%v)", at, path, err)
		}
	}
}

// TestTLSIsForGood tells browsers so where the public URL says it, and at none else.
func TestTLSIsForGood(t *testing.T) {
	t.Parallel()
	folder, roots := t.TempDir(), x509.NewCertPool()
	rig.Certificate(t, folder, 1, roots)
	tls := fmt.Sprintf("tls: {cert_file: %[1]s/cert.pem, key_file: %[1]s/key.pem}\n", folder)
	for _, c := range []struct {
		config, want string
		roots        *x509.CertPool
	}{
		{"", "", nil},
		{tls, "", roots},
		{"hsts: 1h\n", "", nil},
	} {
		h := rig.Start(t, rig.Options{Config: c.config, Roots: c.roots})
		for _, path := range []string{"/healthz", "/api/v1/models", "/console/signin", "/nothing"} {
			if got := h.Get(t, path, "").Header.Get("Strict-Transport-Security"); got != c.want {
				t.Errorf("%s %s: %q", c.config, path, got)
			}
		}
	}
}
