package page

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/supply"
)

// Supply is who can be asked and what for: what the rooms Providers and Models
// show and change.
type Supply interface {
	// Kinds lists the kinds of provider, in the order a form shows them.
	Kinds() []supply.Kind
	// Providers lists all accounts, in the order of their names.
	Providers(ctx context.Context) []supply.Provider
	// Models lists what clients can call and what is meant to be callable.
	Models() []supply.Model
	// Prices lists what operators set in front of the price book.
	Prices() []supply.TargetPrice
	// Names lists what clients may ask for in the place of models, for all workspaces.
	Names() []supply.Name
	// TestProvider makes one cheap call.
	TestProvider(ctx context.Context, id string) (catalog.Trial, error)
	Save(ctx context.Context, who access.Principal, d catalog.Draft) error
	Switch(ctx context.Context, who access.Principal, sort catalog.Sort, id string, on bool) error
	Delete(ctx context.Context, who access.Principal, sort catalog.Sort, id string) error
}

// StateBadge is a state in words, with the colour of its badge.
type StateBadge struct{ Label, Class string }

// StateOf is how a provider is, in words.
func StateOf(p *supply.Provider) StateBadge {
	switch {
	case len(p.Wrong) > 0:
		return StateBadge{"not in use", "bad"}
	case !p.Enabled:
		return StateBadge{"switched off", ""}
	}
	return HealthOf(p.State)
}

// HealthOf is what the calls to a provider tell of it, in words.
func HealthOf(s supply.HealthState) StateBadge {
	tone := map[supply.HealthState]string{supply.HealthOK: "good", supply.HealthDegraded: "warn", supply.HealthDown: "bad"}[s]
	if tone == "" {
		return StateBadge{Label: "not called yet"}
	}
	return StateBadge{string(s), tone}
}

// Manages reports whether a visitor may change providers and models, and see
// where they are. Every workspace uses the same ones, so they are the
// administrators' business.
func Manages(v access.Visitor) bool { return v.User.Admin }

// FieldNames are the fields with problems, in order.
func FieldNames(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// ReadRevision reads what a page of ours wrote.
func ReadRevision(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// HealthSource says how the providers are.
type HealthSource interface {
	// Health lists the providers in the order of their names.
	Health(ctx context.Context) []supply.ProviderHealth
}
