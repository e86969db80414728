package config

import (
	"time"

	"stele/internal/manifest"
)

// checkAuth looks at how people sign in to the console.
func (c *checker) checkAuth() {
	a, at := c.cfg.Auth, manifest.At
	if a.RequireSecondFactor != "" {
		c.checkOneOf(at("auth", "require_second_factor"), a.RequireSecondFactor, "none", "administrators", "everyone")
	}
	if a.SSOOnly && !c.cfg.OIDC.On() {
		c.report(at("auth", "sso_only"), "needs oidc.issuer as well: without an identity provider nobody could sign in")
	}
	session := func(name string) manifest.Path { return at("auth", "session", name) }
	if d := a.Session.Idle; d != 0 && d < time.Minute {
		c.report(session("idle"), "must be at least 1m")
	}
	if d := a.Session.Life; d != 0 && d < time.Minute {
		c.report(session("life"), "must be at least 1m")
	}
	if a.Session.PerPerson < 0 {
		c.report(session("per_person"), "must be more than 0")
	}
}
