package assembly

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/config"
)

func TestProbeAsksTheConfiguredListener(t *testing.T) {
	t.Parallel()
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" {
			http.Error(w, "not ready", http.StatusServiceUnavailable)
		}
	})
	plain := httptest.NewServer(answer)
	defer plain.Close()
	cert, key := selfSigned(t, "*.example.com")
	secure := httptest.NewUnstartedServer(answer)
	pair, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	secure.TLS = &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12}
	secure.StartTLS()
	defer secure.Close()

	_, port, _ := strings.Cut(plain.Listener.Addr().String(), ":")
	for name, cfg := range map[string]*config.Config{
		"plain": {Listen: plain.Listener.Addr().String()},
		"all":   {Listen: ":" + port},
		"tls":   {Listen: secure.Listener.Addr().String(), TLS: config.TLS{CertFile: cert, KeyFile: key}},
	} {
		if err := Probe(t.Context(), cfg, "/healthz"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := Probe(t.Context(), cfg, "/readyz"); err == nil || !strings.Contains(err.Error(), "503 not ready") {
			t.Errorf("%s: %v", name, err)
		}
	}
	other, otherKey := selfSigned(t, "other.example.com")
	cfg := &config.Config{Listen: secure.Listener.Addr().String(), TLS: config.TLS{CertFile: other, KeyFile: otherKey}}
	if err := Probe(t.Context(), cfg, "/healthz"); err == nil {
		t.Error("another server's certificate was taken for ours")
	}
}

func selfSigned(t *testing.T, name string) (cert, key string) {
	t.Helper()
	secret, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &secret.PublicKey, secret)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(secret)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(file, kind string, der []byte) string {
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("cert.pem", "CERTIFICATE", der), write("key.pem", "PRIVATE KEY", raw)
}
