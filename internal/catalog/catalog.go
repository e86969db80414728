// Package catalog knows what can be called: chat models with their targets, and
// media models. It must not know how a target is reached.
package catalog

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"stele/internal/access"
	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/media"
	"stele/internal/price"
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
	Price        *price.Price // of all targets that have none of their own; nil: the book's
	HideUpstream bool
}

// Target is a model at a provider.
type Target struct {
	Provider string
	Model    string
	Weight   int
}

// BuiltIn is what the ids begin with of all that is part of the program. Sandbox is the chat model and, as a maker, what
// makes media, that keys marked sandbox get for every id.
const (
	BuiltIn = "stele/"
	Sandbox = BuiltIn + "sandbox"
)

// Timeouts bound a call of a model. One that is 0 does not.
type Timeouts struct{ FirstByte, Gap, Total time.Duration }

// Listed is a chat model in an upstream's own list.
type Listed struct {
	ID          string
	Name        string // for people; may be empty
	Description string
	Created     time.Time // zero: not known
}

// Trial is what came of a call that was made to see whether an account works.
type Trial struct {
	Did     string // "listed its models", in words that follow "It"
	Status  int    // of HTTP; 0 where no answer came
	Took    time.Duration
	Models  []string // that it listed
	Problem string   // sentences for the operator; "" where it works
	Err     error    // behind the problem, as the router judges it
}

// Contents is all that can be called, in the order lists show it.
type Contents struct {
	Models []Model
	Media  []media.Model
	// Open are providers that take any model's name: provider/name is a model
	// whether it is listed or not, with everything else as in the value.
	Open map[string]Model
	// Names are those for all that lead to a model; the most specific comes first.
	Names access.Names
	// Prices are what targets cost.
	Prices Prices

	byID   map[string]int
	media  map[string]int
	opened *openings // nil: there is nothing to open
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
	contents.byID = make(map[string]int, len(contents.Models))
	for i, m := range contents.Models {
		if _, twice := contents.byID[m.ID]; twice {
			return fmt.Errorf("two chat models have the id %q", m.ID)
		}
		contents.byID[m.ID] = i
	}
	contents.media = make(map[string]int, len(contents.Media))
	for i, m := range contents.Media {
		if _, twice := contents.media[m.ID]; twice {
			return fmt.Errorf("two media models have the id %q", m.ID)
		}
		contents.media[m.ID] = i
	}
	contents.Names = access.SortNames(contents.Names)
	contents.opened = &openings{of: make(map[patterns]*opening)}
	c.contents.Store(&contents)
	return nil
}

// Model finds a chat model by its public id, if the scope opens it. An id that no model
// has may be a name that leads to one: the workspace's own are looked at before those for
// all. It is the model that the scope must open, and its ID tells which it is.
func (c *Catalog) Model(id string, scope access.Scope) (*Model, error) {
	contents := c.contents.Load()
	if !label.IsModelID(id) {
		return nil, NoModel(id)
	}
	m, known := contents.model(id, scope)
	if !known {
		if name, ok := contents.name(id, scope); ok {
			m, _ = contents.model(name.Model, scope)
		}
	}
	if m == nil {
		if made, err := c.OpenMediaModel(id, scope); err == nil {
			return nil, elsewhere(made.ID, "makes media of the type "+string(made.MediaType)+" and does not chat: use POST /api/v1/generations")
		}
		return nil, NoModel(id)
	}
	return m, nil
}

// Name is the name that leads to a model where no model has the id itself.
func (c *Catalog) Name(id string, scope access.Scope) (access.Name, bool) {
	contents := c.contents.Load()
	if _, known := contents.model(id, scope); known || !label.IsModelID(id) {
		return access.Name{}, false
	}
	return contents.name(id, scope)
}

func (c *Contents) name(id string, scope access.Scope) (access.Name, bool) {
	if n, ok := scope.Names().Find(id); ok {
		return n, true
	}
	return c.Names.Find(id)
}

// model finds what has the very id, nil where the scope does not open it.
func (c *Contents) model(id string, scope access.Scope) (m *Model, known bool) {
	if i, ok := c.byID[id]; ok {
		if !scope.AllowsModel(id) {
			return nil, true
		}
		return within(&c.Models[i], scope), true
	}
	provider, name, ok := strings.Cut(id, "/")
	open, takes := c.Open[provider]
	if !ok || !takes || name == "" {
		return nil, false
	}
	if !scope.AllowsModel(id) || !scope.AllowsProvider(provider) {
		return nil, true
	}
	open.ID, open.Name = id, name
	open.Targets = []Target{{Provider: provider, Model: name, Weight: 1}}
	return &open, true
}

// CheckID refuses what cannot be the id of any model, as Model does with one that
// is not there. It comes before anything is recorded, kept or looked up by the id.
func CheckID(id string) error {
	if label.IsModelID(id) {
		return nil
	}
	return NoModel(id)
}

// NoModel says that there is no such model for the caller.
func NoModel(id string) *fault.Error {
	return fault.New(fault.ModelNotFound, "The model %q does not exist, or this key does not open it.", label.Clean(id, label.Longest)).Field("model")
}

// elsewhere says that the caller asked the wrong route for a model that is there.
func elsewhere(id, why string) *fault.Error {
	return fault.New(fault.ModelNotFound, "The model %q %s.", id, why).Field("model")
}

// within is a model with the targets that a scope lets it ask, or nil where none is left.
func within(m *Model, scope access.Scope) *Model {
	if !scope.LimitsProviders() {
		return m
	}
	var left []Target
	for _, t := range m.Targets {
		if scope.AllowsProvider(t.Provider) {
			left = append(left, t)
		}
	}
	switch len(left) {
	case 0:
		return nil
	case len(m.Targets):
		return m
	}
	narrow := *m
	narrow.Targets = left
	return &narrow
}

// Has reports whether a chat or media model of this id is in the catalog: listed, or of a
// provider that takes any name and in the book of prices. What only clients call so is not.
func (c *Catalog) Has(id string) bool {
	contents := c.contents.Load()
	if _, ok := contents.byID[id]; ok {
		return true
	}
	if _, ok := contents.media[id]; ok {
		return true
	}
	provider, name, _ := strings.Cut(id, "/")
	if _, open := contents.Open[provider]; !open {
		return false
	}
	_, known := contents.Prices.book(Target{Provider: provider, Model: name})
	return known
}

// Contents is all that can be called now. It is never changed, only replaced.
func (c *Catalog) Contents() *Contents { return c.contents.Load() }

// Models lists the chat models that a scope opens.
func (c *Catalog) Models(scope access.Scope) (list []Model) {
	for _, m := range c.Contents().EachModel(scope) {
		list = append(list, *m)
	}
	return list
}

// Media lists the media models of a type, or of all types where it is "", that a
// scope opens.
func (c *Catalog) Media(scope access.Scope, mediaType string) (list []media.Model) {
	for _, m := range c.Contents().EachMedia(scope, mediaType) {
		list = append(list, *m)
	}
	return list
}

// MediaModel finds a media model by its id, for any caller.
func (c *Catalog) MediaModel(id string) (*media.Model, bool) {
	contents := c.contents.Load()
	i, ok := contents.media[id]
	if !ok {
		return nil, false
	}
	return &contents.Media[i], true
}

// OpenMediaModel finds a media model by its id, if the scope opens it.
func (c *Catalog) OpenMediaModel(id string, scope access.Scope) (*media.Model, error) {
	if m, ok := c.MediaModel(id); ok && scope.AllowsModel(id) && scope.AllowsProvider(m.Provider) {
		return m, nil
	}
	if _, listed := c.Contents().byID[id]; listed && scope.AllowsModel(id) {
		return nil, elsewhere(id, "chats and makes no media: use POST /api/v1/chat/completions")
	}
	return nil, fault.New(fault.ModelNotFound, "The media model %q does not exist, or this key does not open it.", label.Clean(id, label.Longest)).Field("model")
}
