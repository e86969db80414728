package guard

import (
	"fmt"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// ProxyFromEnvironment returns the choice of proxy that HTTP_PROXY, HTTPS_PROXY
// and NO_PROXY describe, in upper or lower case, read through getenv now. A proxy
// is a URL (http, https, socks5, socks5h) or host:port; Caller uses http and https
// ones only. NO_PROXY lists, with commas, names (and what is below them), .names
// (only what is below them), addresses, networks as CIDR, each but the last with
// :port if wanted, or * for everything. Loopback is never proxied. A setting that
// cannot be read fails each request that would need it, instead of going around
// the proxy.
func ProxyFromEnvironment(getenv func(string) string) func(*url.URL) (*url.URL, error) {
	env := func(name string) string {
		if v := getenv(name); v != "" {
			return v
		}
		return getenv(strings.ToLower(name))
	}
	plain, plainErr := parseProxy("HTTP_PROXY", env("HTTP_PROXY"))
	secure, secureErr := parseProxy("HTTPS_PROXY", env("HTTPS_PROXY"))
	direct := parseNoProxy(env("NO_PROXY"))
	return func(u *url.URL) (*url.URL, error) {
		if direct.matches(u) {
			return nil, nil
		}
		if u.Scheme == "https" {
			return secure, secureErr
		}
		return plain, plainErr
	}
}

// parseProxy reads the setting called name. The text stays out of the error: it
// may hold a password.
func parseProxy(name, text string) (*url.URL, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // what net/http takes for no proxy
	}
	if !strings.Contains(text, "://") {
		text = "http://" + text
	}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || !slices.Contains([]string{"http", "https", "socks5", "socks5h"}, u.Scheme) {
		return nil, fmt.Errorf("%s is not the URL of a proxy", name)
	}
	return u, nil
}

// exceptions is a NO_PROXY list.
type exceptions struct {
	all   bool
	rules []exception
}

// exception matches a network, or else a name.
type exception struct {
	net   netip.Prefix // valid for addresses and networks
	name  string       // otherwise: this name, unless below
	below bool         // only what ends in .name
	port  string       // empty for any
}

func parseNoProxy(text string) exceptions {
	var list exceptions
	for _, entry := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r == ',' || r == ' ' }) {
		if entry == "*" {
			list.all = true
			continue
		}
		if net, err := netip.ParsePrefix(entry); err == nil {
			list.rules = append(list.rules, exception{net: net})
			continue
		}
		host, port := splitPort(entry)
		if a, err := netip.ParseAddr(host); err == nil {
			a = a.Unmap()
			list.rules = append(list.rules, exception{net: netip.PrefixFrom(a, a.BitLen()), port: port})
			continue
		}
		name, below := strings.CutPrefix(strings.TrimPrefix(host, "*"), ".")
		if name != "" {
			list.rules = append(list.rules, exception{name: name, below: below, port: port})
		}
	}
	return list
}

// splitPort splits host:port, [v6]:port, [v6] and a bare v6.
func splitPort(entry string) (host, port string) {
	if _, err := netip.ParseAddr(entry); err == nil {
		return entry, ""
	}
	u := url.URL{Host: entry}
	return u.Hostname(), u.Port()
}

// matches reports whether u is to be reached without a proxy.
func (list exceptions) matches(u *url.URL) bool {
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	a, err := netip.ParseAddr(host)
	a = a.Unmap()
	if list.all || host == "localhost" || err == nil && a.IsLoopback() {
		return true
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return slices.ContainsFunc(list.rules, func(e exception) bool {
		if e.port != "" && e.port != port {
			return false
		}
		if e.net.IsValid() {
			return e.net.Contains(a)
		}
		if err == nil {
			return false // the name 0.1 is not above the address 10.0.0.1
		}
		return !e.below && host == e.name || strings.HasSuffix(host, "."+e.name)
	})
}
