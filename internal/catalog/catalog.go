// Package catalog knows what can be called: chat models with their targets, and
// media models. It must not know how a target is reached.
package catalog

import (
	"fmt"
	"sync/atomic"
	"time"

	"stele/internal/access"
	"stele/internal/media"
)

// Model is a chat model that clients may ask for.
type Model struct {
	ID           string
	Name         string
	Description  string
	Owner        string // who stands behind it, as lists show it
	Created      time.Time
	Capabilities map[string]bool
	Tags         []string
	Targets      []Target
	Balance      bool // by weight; otherwise in order
	Retries      int
	Timeouts     Timeouts
	Price        Price
	HideUpstream bool
}

// Target is a model at a provider.
type Target struct {
	Provider string
	Model    string
	Weight   int
}

// Timeouts bound a call of a model.
type Timeouts struct{ FirstByte, Gap, Total time.Duration }

// Price is what a million tokens cost, in USD; nil where it is not known.
type Price struct{ Input, CachedInput, CacheWrite, Output *float64 }

// Contents is all that a catalog lists, in the order lists show it.
type Contents struct {
	Models []Model
	Media  []media.Model
}

// Catalog is what can be called now. It is safe for concurrent use.
type Catalog struct{ contents atomic.Pointer[Contents] }

// New makes an empty catalog.
func New() *Catalog {
	c := new(Catalog)
	c.contents.Store(&Contents{})
	return c
}

// Replace puts contents in the place of all before, or changes nothing when two
// models have the same id.
func (c *Catalog) Replace(contents Contents) error {
	seen := make(map[string]bool)
	for _, m := range contents.Models {
		if seen[m.ID] {
			return fmt.Errorf("two chat models have the id %q", m.ID)
		}
		seen[m.ID] = true
	}
	clear(seen)
	for _, m := range contents.Media {
		if seen[m.ID] {
			return fmt.Errorf("two media models have the id %q", m.ID)
		}
		seen[m.ID] = true
	}
	c.contents.Store(&contents)
	return nil
}

// Models lists the chat models that a scope opens.
func (c *Catalog) Models(scope access.Scope) []Model {
	var list []Model
	for _, m := range c.contents.Load().Models {
		if scope.AllowsModel(m.ID) {
			list = append(list, m)
		}
	}
	return list
}

// Media lists the media models of a type, or of all types where it is "", that a
// scope opens.
func (c *Catalog) Media(scope access.Scope, mediaType string) []media.Model {
	var list []media.Model
	for _, m := range c.contents.Load().Media {
		if (mediaType == "" || m.MediaType == mediaType) && scope.AllowsModel(m.ID) {
			list = append(list, m)
		}
	}
	return list
}
