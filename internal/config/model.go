package config

import (
	"strings"
	"time"

	"stele/internal/manifest"
)

// Strategies to choose among the targets of a model.
const (
	Fallback = "fallback" // in order
	Balance  = "balance"  // by weight
)

// Model is a chat model that clients may ask for.
type Model struct {
	ID           string
	Name         string          `yaml:"name"`
	Description  string          `yaml:"description"`
	Targets      []Target        `yaml:"targets"`
	Strategy     string          `yaml:"strategy"`
	Retries      int             `yaml:"retries"`
	Capabilities map[string]bool `yaml:"capabilities"`
	Tags         []string        `yaml:"tags"`
	Timeouts     Timeouts        `yaml:"timeouts"`
	Price        Price           `yaml:"price"`
	HideUpstream bool            `yaml:"hide_upstream"`
	Console      bool            // from the database rather than from the file
	Leads        string          // to the model of this id: it is a name, see splitNames
}

// Timeouts bound a call of a model.
type Timeouts struct {
	FirstByte time.Duration `yaml:"first_byte"`
	Gap       time.Duration `yaml:"gap"`
	Total     time.Duration `yaml:"total"`
}

// Models are chat models in the order of the file.
type Models []Model

// UnmarshalManifest reads a mapping from public id to model, or to the id of another
// one: that is a name.
func (ms *Models) UnmarshalManifest(n *manifest.Node) {
	for id, value := range n.Entries() {
		m := DefaultModel(id)
		if value.Kind() == manifest.Text {
			m.Leads = value.Text()
		} else {
			value.Decode(&m)
		}
		*ms = append(*ms, m)
	}
}

// Target is a model at a provider.
type Target struct {
	Provider string `yaml:"provider"`
	Model    string `yaml:"model"`
	Weight   int    `yaml:"weight"` // 1 if the file does not say
}

// UnmarshalManifest reads "provider/model", split at the first slash, or a mapping.
func (t *Target) UnmarshalManifest(n *manifest.Node) {
	t.Weight = 1
	switch n.Kind() {
	case manifest.Mapping:
		type mapping Target
		n.Decode((*mapping)(t))
	case manifest.Text:
		provider, model, _ := strings.Cut(n.Text(), "/")
		if provider == "" || model == "" {
			n.Report("expected provider/model, such as openai/gpt-5")
			return
		}
		t.Provider, t.Model = provider, model
	default:
		n.Report("expected provider/model or a mapping, found %s", n.Kind())
	}
}
