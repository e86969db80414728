package config

import (
	"encoding/json"
	"slices"
	"strings"

	"stele/internal/label"
	"stele/internal/manifest"
)

// mostNames is how many names there may be for all.
const mostNames = 200

// sandboxModel is the chat model that is built in.
const sandboxModel = Builtin + "/sandbox"

// Name is what clients ask for, and the model that serves them instead of none.
type Name struct {
	Pattern string // * is any run of characters, slashes included
	Model   string // the id of a model, never another name
	Console bool   // from the database rather than from the file
}

// splitNames takes the names from among the models.
func (c *checker) splitNames() {
	for _, m := range c.cfg.Models {
		if m.Leads != "" {
			c.cfg.Names = append(c.cfg.Names, Name{Pattern: m.ID, Model: m.Leads})
		}
	}
	c.cfg.Models = slices.DeleteFunc(c.cfg.Models, func(m Model) bool { return m.Leads != "" })
}

func (c *checker) checkNames() {
	for i, n := range c.cfg.Names {
		if why := c.cfg.wrongName(n, i); why != "" {
			c.report(manifest.At("models", n.Pattern), "%s", why)
		}
	}
}

// wrongName says what is wrong with a name that so many come before.
func (c *Config) wrongName(n Name, before int) string {
	switch {
	case before >= mostNames:
		return "there can be at most 200 names that lead to other models"
	case !label.IsModelPattern(n.Pattern):
		return "a name that clients ask for is a model's id in which up to eight * stand for any characters, at most 256 bytes"
	case strings.Contains(n.Model, "*"):
		return "a name leads to the id of a model, not to another name with *"
	case c.leadsOn(n.Model):
		return "a name leads to the id of a model, and " + n.Model + " is a name itself"
	case !c.hasModel(n.Model):
		return `no model is called "` + n.Model + `"` + manifest.DidYouMean(n.Model, c.modelIDs())
	case c.hasModel(n.Pattern):
		return "there is a model of this id already, which counts instead"
	}
	return ""
}

func (c *Config) leadsOn(id string) bool {
	return slices.ContainsFunc(c.Names, func(n Name) bool { return n.Pattern == id })
}

// hasModel reports whether clients can ask for an id as it stands.
func (c *Config) hasModel(id string) bool {
	if slices.Contains(c.modelIDs(), id) {
		return true
	}
	provider, name, ok := strings.Cut(id, "/")
	return ok && name != "" && !strings.Contains(name, "*") && slices.ContainsFunc(c.Providers, func(p Provider) bool {
		return p.Name == provider && slices.Contains(p.Models, "*")
	})
}

func (c *Config) modelIDs() []string {
	list := []string{sandboxModel}
	for _, m := range c.Models {
		list = append(list, m.ID)
	}
	for _, p := range c.Providers {
		for _, m := range p.Models {
			if m != "*" {
				list = append(list, p.Name+"/"+m)
			}
		}
	}
	return list
}

// WithNames adds names that are kept elsewhere than in the file, and says what is wrong
// with which. A record's fields are {"model": …}.
func (c *Config) WithNames(records []Record) (*Config, map[string]Wrong) {
	next := *c
	next.Names = slices.Clone(c.Names)
	bad := make(map[string]Wrong)
	for _, o := range records {
		var fields struct{ Model string }
		if json.Unmarshal(o.Fields, &fields) != nil {
			bad[o.Name] = Wrong{"": "It cannot be read."}
			continue
		}
		n := Name{Pattern: o.Name, Model: fields.Model, Console: true}
		switch why := next.wrongName(n, len(next.Names)); {
		case c.leadsOn(n.Pattern):
			bad[o.Name] = Wrong{"id": "The configuration has this name, which counts instead."}
		case why != "":
			bad[o.Name] = Wrong{"": sentence(why)}
		case !o.Off:
			next.Names = append(next.Names, n)
		}
	}
	return &next, bad
}
