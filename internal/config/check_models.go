package config

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"stele/internal/label"
	"stele/internal/manifest"
)

var (
	modelID        = regexp.MustCompile(`^[A-Za-z0-9._:/@+-]+$`)
	capabilityName = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)
)

const (
	badModelID    = "a model's id is made of letters, digits and ._:/@+- without empty parts between slashes, at most 256 of them"
	badTargetName = "a provider's name of a model has 1 to 256 printable bytes, without parts between slashes that are empty, . or .."
)

// isModelID reports whether id can be asked for, in a URL's path too: there an
// empty part, "." and ".." would be tidied away.
func isModelID(id string) bool { return modelID.MatchString(id) && label.IsModelID(id) }

func (c *checker) checkModels() {
	offers := make(map[string]string) // id → provider
	for _, p := range c.cfg.Providers {
		for _, m := range p.Models {
			offers[p.Name+"/"+m] = p.Name
		}
	}
	for _, m := range c.cfg.Models {
		at := manifest.At("models", m.ID)
		switch provider, taken := offers[m.ID]; {
		case strings.Contains(m.ID, "*"):
			c.report(at, "a name with * leads to the id of a model, such as claude-*haiku*: fast")
		case !isModelID(m.ID):
			c.report(at, badModelID)
		case strings.HasPrefix(m.ID, Builtin+"/"):
			c.report(at, "ids that begin with %s/ are taken by what is built in", Builtin)
		case taken:
			c.report(at, "the provider %s offers a model of this id already", provider)
		}
		c.checkTargets(at, m)
		c.checkModel(at, m)
	}
}

func (c *checker) checkTargets(at manifest.Path, m Model) {
	c.checkOneOf(at.Add("strategy"), m.Strategy, Fallback, Balance)
	at = at.Add("targets")
	if len(m.Targets) == 0 {
		c.report(at, "a model needs at least one target")
		return
	}
	weight := 0
	for i, t := range m.Targets {
		c.checkTarget(at.Add(i), t)
		weight += max(t.Weight, 0)
	}
	if weight == 0 && m.Strategy == Balance {
		c.report(at, "no target has a weight above 0")
	}
}

func (c *checker) checkTarget(at manifest.Path, t Target) {
	if t.Provider == "" {
		c.report(at.Add("provider"), "missing")
	} else if why := c.noProvider(t.Provider); why != "" {
		place := at // written as provider/model
		if c.doc.Has(at.Add("provider")) {
			place = at.Add("provider")
		}
		c.report(place, "%s", why)
	}
	if t.Model == "" {
		c.report(at.Add("model"), "missing")
	} else if !label.IsModelID(t.Model) {
		c.report(at.Add("model"), badTargetName)
	}
	if t.Weight < 0 {
		c.report(at.Add("weight"), "must not be negative")
	}
}

// noProvider returns why name is no provider, or nothing if it is one.
func (c *checker) noProvider(name string) string {
	known := []string{Builtin}
	for _, p := range c.cfg.Providers {
		known = append(known, p.Name)
	}
	if slices.Contains(known, name) {
		return ""
	}
	why := `no provider is called "` + name + `"`
	if near := manifest.DidYouMean(name, known); near != "" {
		return why + near
	}
	for _, k := range c.kinds {
		if k.Name == name && k.KeyEnv != "" && !c.doc.Has(manifest.At("providers")) {
			return why + "; set " + k.KeyEnv + " or add it under providers"
		}
	}
	return why
}

func (c *checker) checkModel(at manifest.Path, m Model) {
	for _, amount := range []struct {
		path manifest.Path
		ok   bool
		want string
	}{
		{at.Add("retries"), m.Retries >= 0, "must not be negative"},
		{at.Add("timeouts", "first_byte"), m.Timeouts.FirstByte > 0, "must be more than 0"},
		{at.Add("timeouts", "gap"), m.Timeouts.Gap > 0, "must be more than 0"},
		{at.Add("timeouts", "total"), m.Timeouts.Total > 0, "must be more than 0"},
	} {
		if !amount.ok {
			c.report(amount.path, "%s", amount.want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(m.Capabilities)) {
		if !capabilityName.MatchString(name) {
			c.report(at.Add("capabilities", name), "a capability's name is made of a-z, 0-9 and _")
		}
	}
	for i, tag := range m.Tags {
		if tag == "" {
			c.report(at.Add("tags", i), "must not be empty")
		}
	}
}
