package doctor

import (
	"context"
	"crypto/tls"
	"net"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"stele/internal/assembly"
)

// A certificate is renewed weeks before its end; later something has failed.
const (
	soonOver   = 14 * 24 * time.Hour
	nearlyOver = 3 * 24 * time.Hour
)

// How long a server of this machine, and a collector, may take to answer.
const (
	ownTime       = 2 * time.Second
	collectorTime = 15 * time.Second
)

// isOpen reports whether other machines can reach a listener.
func isOpen(listen string) bool {
	host, _, err := net.SplitHostPort(listen)
	if err != nil {
		return false // none, or a socket
	}
	addr, err := netip.ParseAddr(host)
	return host != "localhost" && (err != nil || !addr.IsLoopback())
}

// public is the address that clients are given, as far as it is set.
func (p *patient) public() *url.URL {
	u, err := url.Parse(p.Config.PublicURL)
	if err != nil || p.Config.PublicURL == "" {
		return nil
	}
	return u
}

func (p *patient) usesTLS() bool { return p.public() != nil && p.public().Scheme == "https" }

func lookListener(_ context.Context, p *patient) []Finding {
	var found []Finding
	for _, at := range [][2]string{{"listen", p.Config.Listen}, {"console.listen", p.Config.Console.Listen}} {
		name, listen := at[0], at[1]
		switch {
		case !isOpen(listen) || p.Config.TLS.On():
		case p.usesTLS():
			found = append(found, one(Note, "let only the proxy reach it, by a firewall or by listening on loopback",
				"%s: %s is open to other machines without TLS; public_url says that a proxy adds it", name, listen)...)
		default:
			found = append(found, one(Bad, "set tls.cert_file and tls.key_file, or listen on 127.0.0.1 behind a proxy that has TLS",
				"%s: %s is open to other machines without TLS: keys and passwords can be read on the way", name, listen)...)
		}
	}
	return found
}

func lookPublicURL(_ context.Context, p *patient) []Finding {
	u := p.public()
	switch {
	case u == nil && isOpen(p.Config.Listen):
		return one(Warning, "set public_url to the address that clients use", "public_url is not set: addresses of files and links name %s", p.Config.Public(p.Config.Listen))
	case u == nil:
		return nil
	case u.Scheme == "http" && isOpen(net.JoinHostPort(u.Hostname(), "0")):
		return one(Bad, "serve TLS, yourself or at a proxy, and write https://", "public_url is %s: clients send their keys in the clear", p.Config.PublicURL)
	}
	return nil
}

func lookCertificate(_ context.Context, p *patient) []Finding {
	if !p.Config.TLS.On() {
		return nil
	}
	pair, err := tls.LoadX509KeyPair(p.Config.TLS.CertFile, p.Config.TLS.KeyFile)
	if err != nil {
		return one(Bad, "give tls.cert_file and tls.key_file a certificate and its key in PEM", "the certificate cannot be used: %v", err)
	}
	left := pair.Leaf.NotAfter.Sub(p.Now)
	const do = "renew it, then stele config reload"
	switch {
	case left < 0:
		return one(Bad, do, "the certificate ended on %s", pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
	case pair.Leaf.NotBefore.After(p.Now):
		return one(Bad, "look at the clock of this machine", "the certificate begins on %s", pair.Leaf.NotBefore.UTC().Format(time.DateOnly))
	case left < nearlyOver:
		return one(Bad, do, "the certificate ends on %s", pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
	case left < soonOver:
		return one(Warning, do, "the certificate ends on %s", pair.Leaf.NotAfter.UTC().Format(time.DateOnly))
	case p.public() != nil && pair.Leaf.VerifyHostname(p.public().Hostname()) != nil:
		return one(Warning, "get one for the name in public_url", "the certificate is for %s, public_url says %s", strings.Join(pair.Leaf.DNSNames, ", "), p.public().Hostname())
	}
	return nil
}

func lookProxies(_ context.Context, p *patient) []Finding {
	for _, n := range p.Config.TrustedProxies {
		if n.Bits() == 0 {
			return one(Bad, "name the proxies' own addresses", "trusted_proxies trusts everybody (%s): each client can say which address it comes from", n)
		}
	}
	if p.usesTLS() && !p.Config.TLS.On() && len(p.Config.TrustedProxies) == 0 {
		return one(Warning, "set trusted_proxies to the proxy's address",
			"a proxy adds TLS and is not trusted: every client seems to have its address, in the log, in limits and when passwords are guessed")
	}
	return nil
}

func lookMetrics(ctx context.Context, p *patient) []Finding {
	m := p.Config.Metrics
	var found []Finding
	if isOpen(m.Listen) && m.Token.Reveal() == "" {
		found = one(Bad, "set metrics.token_file, or listen on loopback", "metrics.listen: %s is open to other machines without a token", m.Listen)
	}
	bounded, done := context.WithTimeout(ctx, ownTime)
	defer done()
	if m.Listen == "" || assembly.Probe(bounded, p.Config, "/healthz") != nil {
		return found // nothing runs here that could have them
	}
	if err := assembly.ProbeMetrics(bounded, p.Config); err != nil {
		found = append(found, one(Warning, "was it started with this configuration? metrics.listen needs a restart", "a server runs here, and its metrics are not there: %v", err)...)
	}
	return found
}

// lookTelemetry asks the collector, which is somewhere else, only where that is wanted.
func lookTelemetry(ctx context.Context, p *patient) []Finding {
	o := p.Config.Telemetry.OTLP
	if !o.On() {
		return nil
	}
	var found []Finding
	if u, err := url.Parse(o.Endpoint); err == nil && u.Scheme == "http" && o.Headers != "" && isOpen(net.JoinHostPort(u.Hostname(), "0")) {
		found = one(Warning, "write https://", "telemetry.otlp.endpoint is %s: its headers are sent in the clear", o.Endpoint)
	}
	if !p.Online {
		return append(found, one(Skipped, "--online asks it", "the collector was not asked")...)
	}
	bounded, done := context.WithTimeout(ctx, collectorTime)
	defer done()
	if err := assembly.ProbeCollector(bounded, p.Config, p.Process.Getenv); err != nil {
		found = append(found, one(Warning, "look at telemetry.otlp, and at the collector: what it does not take is lost", "the collector does not take telemetry: %v", err)...)
	}
	return found
}
