package config

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"stele/internal/manifest"
)

// detect switches on each kind whose variables are set, under the kind's name. A
// key alone is not enough for a kind without an address or with options that are
// needed, nor is an address for a kind that has keys.
func (c *checker) detect(getenv func(string) string) {
	for _, kind := range c.kinds {
		p := Provider{Name: kind.Name, Kind: kind.Name, BaseURL: kind.BaseURL, Models: slices.Clone(kind.Models)}
		var found []string
		if kind.KeyEnv != "" {
			p.APIKey = Secret(getenv(kind.KeyEnv))
		}
		if p.APIKey != "" {
			found = append(found, kind.KeyEnv)
		}
		if kind.URLEnv != "" && getenv(kind.URLEnv) != "" {
			found = append(found, kind.URLEnv)
			p.BaseURL = c.completeURL(kind, getenv(kind.URLEnv))
		}
		if kind.KeyEnv != "" && p.APIKey == "" {
			continue // an address alone opens nothing
		}
		if len(found) > 0 && p.BaseURL != "" && len(c.fillOptions(manifest.At("providers", p.Name), &p, &kind)) == 0 {
			p.Options = nil // they are found again when it is checked
			c.cfg.Providers = append(c.cfg.Providers, p)
			c.cfg.Detected = append(c.cfg.Detected, Detected{Provider: p.Name, Variables: found})
		}
	}
}

// completeURL reads the address in a kind's variable and reports one that cannot
// be used.
func (c *checker) completeURL(kind Kind, value string) string {
	base := completeURL(value, kind.BaseURL)
	if !isBaseURL(base) {
		c.outside = append(c.outside, manifest.Problem{File: kind.URLEnv, Message: badURL})
		return ""
	}
	return base
}

// completeURL reads an address that may be no more than a host, as OLLAMA_HOST
// is, and takes what it lacks from the kind's own URL.
func completeURL(value, standard string) string {
	std, err := url.Parse(standard)
	if err != nil {
		std = &url.URL{}
	}
	bare := !strings.Contains(value, "://")
	if bare {
		value = "http://" + value
	}
	u, err := url.Parse(value)
	if err != nil {
		return ""
	}
	host, port := u.Hostname(), u.Port()
	if addr, err := netip.ParseAddr(host); bare && (host == "" || err == nil && addr.IsUnspecified()) {
		// Ollama's server reads the same variable as the address to listen on.
		host = "127.0.0.1"
	}
	if bare && port == "" {
		port = std.Port()
	}
	u.Host = host
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	} else if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = std.Path
	}
	return strings.TrimRight(u.String(), "/")
}
