package assembly

import (
	"net/url"
	"time"

	"stele/internal/access"
	"stele/internal/access/oidc"
	"stele/internal/config"
	"stele/internal/console"
)

// signInRules is what a configuration says about signing in. The identity provider is
// as it was at the start: without one the other ways in stay open.
func signInRules(cfg, started *config.Config) access.SignInRules {
	a := cfg.Auth
	return access.SignInRules{
		Idle: a.Session.Idle, Life: a.Session.Life, Sessions: a.Session.PerPerson,
		Second: access.Requirement(a.RequireSecondFactor), SSOOnly: a.SSOOnly && started.OIDC.On(),
	}
}

// signOn is the way in through the configured identity provider, nil without one.
// The provider is asked for nothing before a person comes.
func (n *node) signOn() *console.SignOn {
	o := n.Config.OIDC
	if !o.On() {
		return nil
	}
	name := o.Issuer
	if u, err := url.Parse(o.Issuer); err == nil {
		name = u.Host
	}
	role := access.Viewer
	if o.DefaultRole != "" {
		role = access.Role(o.DefaultRole)
	}
	return &console.SignOn{
		Name:  name,
		Rules: access.SignOnRules{Domains: o.AllowedDomains, Role: role},
		Issuer: oidc.New(oidc.Options{
			URL: o.Issuer, ClientID: o.ClientID, Secret: o.ClientSecret.Reveal(), Scopes: o.Scopes,
			Client: n.operator, Box: n.Keyring.Box("sign-on tickets"), Now: time.Now,
		}),
	}
}
