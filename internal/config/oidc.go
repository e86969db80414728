package config

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"stele/internal/manifest"
)

// OIDC lets people sign in to the console through an identity provider. It is off
// without an Issuer.
type OIDC struct {
	Issuer           string   `yaml:"issuer"`
	ClientID         string   `yaml:"client_id"`
	ClientSecret     Secret   `yaml:"client_secret"`
	ClientSecretFile string   `yaml:"client_secret_file"`
	AllowedDomains   []string `yaml:"allowed_domains"` // none: only people who were added
	DefaultRole      string   `yaml:"default_role"`    // of those who come for the first time; "": viewer
	Scopes           []string `yaml:"scopes"`          // besides openid and email
}

// On reports whether there is an identity provider.
func (o OIDC) On() bool { return o.Issuer != "" }

func (o OIDC) same(as OIDC) bool {
	return o.Issuer == as.Issuer && o.ClientID == as.ClientID && o.ClientSecret == as.ClientSecret && o.DefaultRole == as.DefaultRole &&
		slices.Equal(o.AllowedDomains, as.AllowedDomains) && slices.Equal(o.Scopes, as.Scopes)
}

func (c *checker) checkOIDC() {
	o, at := c.cfg.OIDC, manifest.At
	if !o.On() {
		for _, other := range []struct {
			name string
			set  bool
		}{
			{"client_id", o.ClientID != ""}, {"client_secret", o.ClientSecret != "" && o.ClientSecretFile == ""},
			{"client_secret_file", o.ClientSecretFile != ""}, {"allowed_domains", len(o.AllowedDomains) > 0},
			{"default_role", o.DefaultRole != ""}, {"scopes", len(o.Scopes) > 0},
		} {
			if other.set {
				c.report(at("oidc", other.name), "needs oidc.issuer as well")
			}
		}
		return
	}
	switch {
	case !isBaseURL(o.Issuer):
		c.report(at("oidc", "issuer"), badURL)
	case !confidential(o.Issuer):
		c.report(at("oidc", "issuer"), "must begin with https://; whoever is between could become anybody")
	}
	if o.ClientID == "" {
		c.report(at("oidc", "issuer"), "needs oidc.client_id as well")
	}
	if o.DefaultRole != "" {
		c.checkOneOf(at("oidc", "default_role"), o.DefaultRole, "viewer", "member", "owner")
	}
	for i, d := range o.AllowedDomains {
		if d == "" || strings.ContainsAny(d, "@*/: ") || !strings.Contains(d, ".") {
			c.report(at("oidc", "allowed_domains").Add(i), "expected what stands after the @ of an address, such as example.com")
		}
	}
}

// confidential reports whether no machine on the way can read or change what is said.
func confidential(raw string) bool {
	u, err := url.Parse(raw)
	if err != nil {
		return false
	}
	host := u.Hostname()
	addr, err := netip.ParseAddr(host)
	return u.Scheme == "https" || host == "localhost" || err == nil && addr.IsLoopback()
}
