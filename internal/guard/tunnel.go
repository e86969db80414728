package guard

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"time"
)

// tunnel asks an HTTP proxy for a connection to an address. The proxy never
// learns the name, so it cannot resolve it to something else than we checked.
type tunnel struct {
	proxy *url.URL // from the operator, so it may be private itself
	roots *x509.CertPool
}

// dial returns a connection whose other end is to. ctx bounds the dialling only.
func (t tunnel) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	conn, err := t.reach(ctx)
	if err != nil {
		return nil, fmt.Errorf("connect to proxy: %w", err)
	}
	// Writing and reading know nothing of ctx: its end makes both fail at once.
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	err = t.ask(conn, to)
	if !stop() {
		err = errors.Join(ctx.Err(), err)
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("tunnel through proxy: %w", err)
	}
	return conn, nil
}

// reach connects to the proxy itself.
func (t tunnel) reach(ctx context.Context) (net.Conn, error) {
	ports := map[string]string{"http": "80", "https": "443"}
	port, ok := ports[t.proxy.Scheme]
	if !ok {
		return nil, fmt.Errorf("scheme %q: only http and https proxies are used for URLs from callers", t.proxy.Scheme)
	}
	if p := t.proxy.Port(); p != "" {
		port = p
	}
	host := t.proxy.Hostname()
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil || t.proxy.Scheme == "http" {
		return conn, err
	}
	secure := tls.Client(conn, &tls.Config{RootCAs: t.roots, ServerName: host, MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

func (t tunnel) ask(conn net.Conn, to netip.AddrPort) error {
	r := &http.Request{
		Method: http.MethodConnect,
		URL:    &url.URL{Opaque: to.String()},
		Host:   to.String(),
		Header: http.Header{"User-Agent": {""}}, // send none
	}
	if user := t.proxy.User; user != nil {
		password, _ := user.Password()
		pair := user.Username() + ":" + password
		r.Header.Set("Proxy-Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	if err := r.Write(conn); err != nil {
		return err
	}
	answer := bufio.NewReader(io.LimitReader(conn, 64<<10))
	resp, err := http.ReadResponse(answer, r) //nolint:bodyclose // from here on the body is the tunnel
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("proxy answered %s", resp.Status)
	}
	// Neither TLS nor HTTP servers speak first, so these bytes are the proxy's.
	if answer.Buffered() > 0 {
		return errors.New("proxy sent bytes of its own")
	}
	return nil
}
