package guard

import (
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"golang.org/x/net/http/httpproxy"
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
	// The library passes over a proxy that it cannot read: it is asked about NO_PROXY only.
	some := httpproxy.Config{HTTPProxy: "some", HTTPSProxy: "some", NoProxy: entries(env("NO_PROXY"))}
	proxied := some.ProxyFunc()
	return func(u *url.URL) (*url.URL, error) {
		by, err := plain, plainErr
		if u.Scheme == "https" {
			by, err = secure, secureErr
		}
		if by == nil && err == nil {
			return nil, nil //nolint:nilnil // see parseProxy
		}
		host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
		asked := &url.URL{Scheme: u.Scheme, Host: net.JoinHostPort(host, u.Port())}
		if p, err := proxied(asked); p == nil || err != nil {
			return nil, err
		}
		return by, err
	}
}

// entries is NO_PROXY with commas alone between the entries, and addresses without
// a port as the library knows them.
func entries(noProxy string) string {
	list := strings.FieldsFunc(noProxy, func(r rune) bool { return r == ',' || r == ' ' })
	for i, entry := range list {
		if strings.HasPrefix(entry, "[") && strings.HasSuffix(entry, "]") {
			list[i] = entry[1 : len(entry)-1]
		}
	}
	return strings.Join(list, ",")
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
