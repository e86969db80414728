package operate

import (
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"stele/test/rig"
)

// TestServesTLS serves with a self-signed certificate and takes a renewed one without a restart.
func TestServesTLS(t *testing.T) {
	t.Parallel()
	folder, roots := t.TempDir(), x509.NewCertPool()
	rig.Certificate(t, folder, 1, roots)
	h := rig.Start(t, rig.Options{
		Config: fmt.Sprintf("tls: {cert_file: %[1]s/cert.pem, key_file: %[1]s/key.pem}\n", folder), Roots: roots,
	})
	if !strings.HasPrefix(h.URL, "https://127.0.0.1:") {
		t.Errorf("it serves at %s", h.URL)
	}
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	if n := serial(t, h, roots); n != 1 {
		t.Errorf("certificate %d is served", n)
	}
	answer, err := http.Get("http" + strings.TrimPrefix(h.URL, "https") + "/healthz")
	if err == nil {
		answer.Body.Close()
		if answer.StatusCode == http.StatusOK {
			t.Error("plain HTTP is served on the TLS port")
		}
	}
	rig.Certificate(t, folder, 2, roots)
	h.Signal(t, syscall.SIGHUP)
	rig.Eventually(t, "the renewed certificate is served", func() bool { return serial(t, h, roots) == 2 })
}

func serial(t *testing.T, h *rig.House, roots *x509.CertPool) int64 {
	t.Helper()
	conn, err := tls.Dial("tcp", strings.TrimPrefix(h.URL, "https://"), &tls.Config{RootCAs: roots})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	return conn.ConnectionState().PeerCertificates[0].SerialNumber.Int64()
}

// TestRemoteIsTheClientsOwn finds who sent a request in its log line.
func TestRemoteIsTheClientsOwn(t *testing.T) {
	t.Parallel()
	const client, forged = "203.0.113.9", "198.51.100.1"
	for _, c := range []struct{ name, config, sent, want string }{
		{"no proxy is trusted", "", client, "127.0.0.1"},
		{"another one is", "trusted_proxies: [10.0.0.0/8]\n", client, "127.0.0.1"},
		{"this one is", "trusted_proxies: [127.0.0.1]\n", client, client},
		{"a range with this one is", "trusted_proxies: [127.0.0.0/8]\n", client, client},
		{"what the client wrote itself is not", "trusted_proxies: [127.0.0.1]\n", forged + ", " + client, client},
		{"two are", "trusted_proxies: [127.0.0.1, 10.0.0.0/8]\n", forged + ", " + client + ", 10.1.2.3", client},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := rig.Start(t, rig.Options{Config: c.config})
			r := h.Request(t, "GET", "/api/v1/models?key=in-the-query-string")
			r.Header.Set("X-Forwarded-For", c.sent)
			r.Header.Set("X-Request-Id", "from-the-test")
			h.Keep("in-the-query-string")
			if a, err := h.Send(r); err != nil || a.Header.Get("X-Request-Id") != "from-the-test" {
				t.Fatalf("request id %q (%v)", a.Header.Get("X-Request-Id"), err)
			}
			line := h.AwaitLine(t, "who it was", func(l rig.Line) bool { return l.Text("request_id") == "from-the-test" })
			if line.Text("remote") != c.want || line.Text("path") != "/api/v1/models" {
				t.Errorf("the log says %v, want %s", line, c.want)
			}
		})
	}
}

func TestMetricsAreOnAPortOfTheirOwn(t *testing.T) {
	t.Parallel()
	listen := rig.FreePort(t)
	h := rig.Start(t, rig.Options{Config: "metrics: {listen: " + listen + "}\n"})
	h.Get(t, "/api/v1/models", "")
	rig.Eventually(t, "the request is counted", func() bool {
		r, err := http.NewRequest("GET", "http://"+listen+"/metrics", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		a, err := h.Send(r)
		return err == nil && a.Status == http.StatusOK && strings.Contains(a.Body,
			`stele_http_requests_total{method="GET",route="GET /api/v1/models",status="401"} 1`)
	})
	if a := h.Get(t, "/metrics", ""); strings.Contains(a.Body, "stele_http_requests_total") {
		t.Error("metrics are on the public port")
	}
}
