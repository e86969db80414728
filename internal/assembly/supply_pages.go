package assembly

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/console"
	"stele/internal/console/page"
	"stele/internal/provider"
	"stele/internal/provider/blueprint"
	"stele/internal/route"
	"stele/internal/supply"
)

// supplyPages is what the console shows of the supply, and changes.
type supplyPages struct {
	*supply.Supply

	router   *route.Router
	catalog  *catalog.Catalog
	operator *http.Client
}

var (
	_ console.Supply       = supplyPages{}
	_ console.HealthSource = supplyPages{}
)

// Supply is what the configuration and the database offer, for commands: nothing is
// asked of any provider, and nothing follows what others change.
func (h *Installation) Supply(ctx context.Context, p Process) (console.Supply, error) {
	n, err := h.offline(ctx, p)
	if err != nil {
		return nil, err
	}
	return supplyPages{n.supply, n.router, n.catalog, n.operator}, nil
}

// offline is a node that has everything there is to call, and calls nothing.
func (h *Installation) offline(ctx context.Context, p Process) (*node, error) {
	offered, err := ReadContents(h.Config)
	if err != nil {
		return nil, err
	}
	n := newNode(p, h)
	n.log = slog.New(slog.NewTextHandler(p.Log, nil))
	return n, n.openSupply(ctx, offered, nil)
}

// Kinds lists the kinds of provider.
func (supplyPages) Kinds() []console.ProviderKind {
	var list []console.ProviderKind
	for _, k := range provider.Kinds() {
		kind := console.ProviderKind{
			Name: k.Name, Title: k.Title, Help: k.Help, Speaks: k.Dialect, Makes: blueprint.Makes(k.Name),
			BaseURL: k.BaseURL, Keyed: k.KeyEnv != "", Unlisted: k.Unlisted,
		}
		for _, o := range k.Options {
			kind.Options = append(kind.Options, console.ProviderOption{
				Name: o.Name, Help: o.Help, Default: o.Default, Needed: o.Needed, Keyless: o.Keyless, Secret: o.Secret, Text: o.Text,
			})
		}
		list = append(list, kind)
	}
	return list
}

// Providers lists the file's accounts and the database's.
func (s supplyPages) Providers() []console.Provider {
	file, records, faults := s.Sources()
	health := s.router.Health()
	callable, used := s.uses()
	var list []console.Provider
	add := func(p console.Provider) {
		p.Health = health[p.ID]
		p.Health.Message = provider.Said(p.Health.Message)
		p.State = stateOf(p.Health, time.Now())
		p.Callable, p.Used = callable[p.ID], used[p.ID]
		list = append(list, p)
	}
	for _, p := range file.Providers {
		shown := showProvider(p)
		shown.Enabled, shown.Origin = true, originOf(file, "provider "+p.Name)
		for _, d := range file.Detected {
			if d.Provider == p.Name {
				shown.Origin = console.Origin{Place: strings.Join(d.Variables, ", ")}
			}
		}
		add(shown)
	}
	for _, o := range records {
		if o.Sort != catalog.ProviderOffer {
			continue
		}
		shown := showProvider(config.ReadProvider(config.Record{Name: o.ID, Fields: o.Fields}))
		shown.Enabled, shown.Wrong, shown.Secrets = o.Enabled, faults[o.Name()], o.SecretsAt
		shown.Revision, shown.Changed = o.Revision, o.UpdatedAt
		add(shown)
	}
	slices.SortStableFunc(list, func(a, b console.Provider) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func showProvider(p config.Provider) console.Provider {
	kind := accountOf(p).Kind
	shown := console.Provider{
		ID: p.Name, Kind: p.Kind, BaseURL: cmp.Or(p.BaseURL, kind.BaseURL), Offers: p.Models,
		Options: make(map[string]string), Secrets: make(map[string]time.Time),
	}
	if p.APIKey != "" {
		shown.Secrets["api_key"] = time.Time{}
	}
	for _, o := range kind.Options {
		switch value := p.Options[o.Name]; {
		case value == "":
		case o.Secret:
			shown.Secrets["options."+o.Name] = time.Time{}
		default:
			shown.Options[o.Name] = value.Reveal()
		}
	}
	return shown
}

// originOf is where the file has something. What it does not have was detected.
func originOf(file *config.Config, what string) console.Origin {
	if file.File == "" {
		return console.Origin{Place: "environment"}
	}
	return console.Origin{Place: filepath.Base(file.File), Line: file.Lines[what]}
}

// uses counts the models that can be called at each provider and names those that
// others made to be sent there.
func (s supplyPages) uses() (callable map[string]int, used map[string][]string) {
	callable, used = make(map[string]int), make(map[string][]string)
	for _, m := range s.catalog.Models(access.Scope{}) {
		seen := make(map[string]bool)
		for _, t := range m.Targets {
			if !seen[t.Provider] {
				callable[t.Provider]++
			}
			if !seen[t.Provider] && m.Owner == "stele" {
				used[t.Provider] = append(used[t.Provider], m.ID)
			}
			seen[t.Provider] = true
		}
	}
	for _, m := range s.catalog.Media(access.Scope{}, "") {
		callable[m.Provider]++
	}
	_, records, _ := s.Sources()
	for _, o := range records { // of one that is switched off no model has a target any more
		if o.Sort != catalog.ModelOffer {
			continue
		}
		for _, t := range config.ReadModel(config.Record{Name: o.ID, Fields: o.Fields}).Targets {
			if !slices.Contains(used[t.Provider], o.ID) {
				used[t.Provider] = append(used[t.Provider], o.ID)
			}
		}
	}
	return callable, used
}

// Prices lists the operator's own, those of the file first.
func (s supplyPages) Prices() []console.OwnPrice {
	file, records, faults := s.Sources()
	var list []console.OwnPrice
	for _, t := range file.Prices {
		p := console.OwnPrice{ID: t.Name, Line: t.Price.Sheet.Text(), Origin: originOf(file, "price "+t.Name)}
		if !t.Price.From.IsZero() {
			p.From = t.Price.From.Format(time.DateOnly)
		}
		list = append(list, p)
	}
	for _, o := range records {
		if o.Sort == catalog.PriceOffer {
			list = append(list, page.OwnPriceOf(&o, faults[o.Name()]))
		}
	}
	return list
}

// Models lists what can be called, and what in the database cannot.
func (s supplyPages) Models() []console.Model {
	file, records, faults := s.Sources()
	stored := make(map[string]catalog.UnsealedRecord)
	for _, o := range records {
		if o.Sort == catalog.ModelOffer {
			stored[o.ID] = o
		}
	}
	providers := make(map[string]console.Origin)
	for _, p := range s.Providers() {
		providers[p.ID] = p.Origin
	}
	var list []console.Model
	for _, m := range s.catalog.Models(access.Scope{}) {
		shown := console.Model{Model: m, Enabled: true}
		if len(m.Targets) > 0 {
			shown.Cost = s.catalog.Price(&m, m.Targets[0], time.Now())
		}
		_, written := file.Lines["model "+m.ID]
		o, ours := stored[m.ID]
		switch {
		case m.Owner == config.Builtin && strings.HasPrefix(m.ID, config.Builtin+"/"):
			shown.Origin = console.Origin{Place: "built in"}
		case written:
			shown.Origin = originOf(file, "model "+m.ID)
		case ours:
			shown.Fields, shown.Revision, shown.Changed = o.Fields, o.Revision, o.UpdatedAt
			shown.Targets = targetsOf(&o) // those that are switched off too
			delete(stored, m.ID)
		default:
			shown.Listed, shown.Origin = true, providers[m.Owner]
		}
		list = append(list, shown)
	}
	for _, id := range slices.Sorted(maps.Keys(stored)) {
		o := stored[id]
		list = append(list, console.Model{
			Model:   catalog.Model{ID: id, Name: id, Owner: "stele", Targets: targetsOf(&o)},
			Enabled: o.Enabled, Wrong: faults[o.Name()], Fields: o.Fields, Revision: o.Revision, Changed: o.UpdatedAt,
		})
	}
	for _, m := range s.catalog.Media(access.Scope{}, "") {
		shown := console.Model{Media: &m, Enabled: true, Origin: console.Origin{Place: "model file"}}
		shown.ID, shown.Name, shown.Description = m.ID, m.Name, m.Description
		if builtinIDs()[m.ID] {
			shown.Origin = console.Origin{Place: "built in"}
		}
		list = append(list, shown)
	}
	return list
}

func targetsOf(o *catalog.UnsealedRecord) (list []catalog.Target) {
	for _, t := range config.ReadModel(config.Record{Name: o.ID, Fields: o.Fields}).Targets {
		list = append(list, catalog.Target(t))
	}
	return list
}
