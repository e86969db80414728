package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"stele/internal/manifest"
)

var providerName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

func (c *checker) checkProviders() {
	for i := range c.cfg.Providers {
		p := &c.cfg.Providers[i]
		at := manifest.At("providers", p.Name)
		switch {
		case p.Name == Builtin:
			c.report(at, "the name is taken by what is built in")
		case !providerName.MatchString(p.Name):
			c.report(at, "a provider's name is made of a-z, 0-9, _ and -, and begins with a letter or digit")
		}
		if c.doc.Has(at.Add("api_key")) && p.APIKey == "" {
			c.report(at.Add("api_key"), "must not be empty; leave it out if the upstream needs none")
		}
		if kind := c.checkKind(at, p); kind != nil {
			c.checkOptions(at.Add("options"), p, kind)
		}
		c.checkOffer(at.Add("models"), p.Models)
	}
}

// checkKind reports an unknown kind and fills in the base URL of a known one,
// which it returns.
func (c *checker) checkKind(at manifest.Path, p *Provider) *Kind {
	p.BaseURL = strings.TrimRight(p.BaseURL, "/")
	names := make([]string, len(c.kinds))
	for i, k := range c.kinds {
		names[i] = k.Name
	}
	i := slices.Index(names, p.Kind)
	own := i >= 0 && p.BaseURL == c.kinds[i].BaseURL // may have options in it
	if p.BaseURL != "" && !own && !isBaseURL(p.BaseURL) {
		c.report(at.Add("base_url"), badURL)
	}
	switch {
	case p.Kind == "":
		c.report(at.Add("kind"), "missing; the kinds are %s", strings.Join(names, ", "))
	case i < 0:
		near := cmp.Or(manifest.DidYouMean(p.Kind, names), "; the kinds are "+strings.Join(names, ", "))
		c.report(at.Add("kind"), "unknown kind %q%s", p.Kind, near)
	case p.BaseURL == "" && c.kinds[i].BaseURL == "":
		c.report(at.Add("base_url"), "missing; the kind %q has no address of its own", p.Kind)
	case p.BaseURL == "":
		p.BaseURL = c.kinds[i].BaseURL
	}
	if i < 0 {
		return nil
	}
	return &c.kinds[i]
}

// checkOffer looks at the models a provider offers under their own names.
func (c *checker) checkOffer(at manifest.Path, models []string) {
	for i, m := range models {
		switch {
		case m != "*" && !isModelID(m):
			c.report(at.Add(i), badModelID)
		case slices.Index(models, m) < i:
			c.report(at.Add(i), "%q is listed twice", m)
		}
	}
}
