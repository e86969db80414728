package assembly

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"stele/internal/config"
	"stele/internal/guard"
	"stele/internal/telemetry"
)

// Probe asks the server that listens as configured, on this machine, for a path that
// says how it is.
func Probe(ctx context.Context, cfg *config.Config, path string) error {
	address, err := ownAddress(cfg.Listen)
	if err != nil {
		return err
	}
	at, roots := "http://"+address, (*x509.CertPool)(nil)
	if cfg.TLS.On() {
		name, own, err := ownCertificate(cfg.TLS)
		if err != nil {
			return err
		}
		at, roots = "https://"+name, own
	}
	return askSelf(ctx, address, roots, at+path, "")
}

// ProbeMetrics asks the listener of metrics of a server on this machine.
func ProbeMetrics(ctx context.Context, cfg *config.Config) error {
	address, err := ownAddress(cfg.Metrics.Listen)
	if err != nil {
		return err
	}
	return askSelf(ctx, address, nil, "http://"+address+"/metrics", cfg.Metrics.Token.Reveal())
}

// ProbeCollector asks whether the collector of telemetry takes what it would be sent.
func ProbeCollector(ctx context.Context, cfg *config.Config, getenv func(string) string) error {
	client, err := OperatorClient(cfg, getenv)
	if err != nil {
		return err
	}
	return telemetry.Reach(ctx, client, cfg.Telemetry.OTLP.Endpoint, cfg.Telemetry.OTLP.Headers.Reveal())
}

// askSelf asks a listener of our own for an address.
func askSelf(ctx context.Context, address string, roots *x509.CertPool, url, token string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	answer, err := guard.Self(address, roots).Do(request)
	if err != nil {
		return fmt.Errorf("no server answers at %s: %w", address, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(answer.Body, 256))
		return fmt.Errorf("the server at %s says %d %s", address, answer.StatusCode, strings.TrimSpace(string(said)))
	}
	return nil
}

// ownAddress is where a listener is reached from its own machine.
func ownAddress(listen string) (string, error) {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return "", fmt.Errorf("listen address: %w", err)
	}
	if addr, err := netip.ParseAddr(host); host == "" || err == nil && addr.IsUnspecified() {
		host = "127.0.0.1"
		if addr.Is6() && !addr.Is4In6() {
			host = "::1"
		}
	}
	return net.JoinHostPort(host, port), nil
}

// ownCertificate is a name that the server's certificate is good for, and the
// certificate as the only one that is trusted.
func ownCertificate(files config.TLS) (name string, roots *x509.CertPool, err error) {
	pair, err := tls.LoadX509KeyPair(files.CertFile, files.KeyFile)
	if err != nil {
		return "", nil, fmt.Errorf("read certificate: %w", err)
	}
	roots = x509.NewCertPool()
	roots.AddCert(pair.Leaf)
	switch {
	case len(pair.Leaf.DNSNames) > 0:
		name = strings.Replace(pair.Leaf.DNSNames[0], "*", "probe", 1)
	case len(pair.Leaf.IPAddresses) > 0:
		name = net.JoinHostPort(pair.Leaf.IPAddresses[0].String(), "443")
	default:
		name = "localhost"
	}
	return name, roots, nil
}
