package supply

import (
	"cmp"
	"context"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/media"
	"stele/internal/route"
)

type (
	// Kind is a sort of provider.
	Kind = config.Kind
	// Option is a setting that only some kinds have.
	Option = config.Option
)

// Origin is where a provider or a model is kept. Its zero value is the database,
// which the console can change.
type Origin struct {
	Place string // "stele.yaml", the name of a variable, or "built in"
	Line  int    // in a file; 0: not known
}

// Provider is an account as people see it.
type Provider struct {
	ID, Kind, BaseURL string
	Origin            Origin
	Enabled           bool
	Offers            []string             // names of models; "*" is any
	Options           map[string]string    // those that are no secrets
	Secrets           map[string]time.Time // which secrets there are, by field, and since when, if that is known
	Callable          int                  // models that clients can call there
	Used              []string             // models with a target there
	Wrong             map[string]string    // why it does not count, by field
	State             HealthState
	Health            route.Health
	Revision          int64
	Changed           time.Time
}

// Model is a chat model or a media model as people see it.
type Model struct {
	catalog.Model

	Media    *media.Model        // nil: it is for chat
	Cost     catalog.TargetPrice // of its first target, now
	Origin   Origin
	Listed   bool // only its provider's own list has it
	Enabled  bool
	Wrong    map[string]string
	Fields   []byte // JSON, of those in the database
	Revision int64
	Changed  time.Time
}

// Kinds lists the kinds of provider, in the order a form shows them.
func (s *Supply) Kinds() []Kind { return s.o.Connector.Kinds() }

// Providers lists the file's accounts and the database's, and how they serve all servers.
func (s *Supply) Providers(ctx context.Context) []Provider {
	health := s.o.Router.Health()
	if s.o.Elsewhere != nil {
		for _, known := range s.o.Elsewhere(ctx) {
			for name, h := range known {
				health[name] = health[name].With(h)
			}
		}
	}
	return s.accounts(health)
}

func (s *Supply) accounts(health map[string]route.Health) []Provider {
	file, records, faults := s.sources()
	callable, used := s.uses()
	var list []Provider
	add := func(p Provider) {
		p.Health = health[p.ID]
		p.Health.Message = s.o.Connector.UpstreamWords(p.Health.Message)
		p.State = stateOf(p.Health, time.Now())
		p.Callable, p.Used = callable[p.ID], used[p.ID]
		list = append(list, p)
	}
	for _, p := range file.Providers {
		shown := s.showProvider(p)
		shown.Enabled, shown.Origin = true, originOf(file, "provider "+p.Name)
		for _, d := range file.Detected {
			if d.Provider == p.Name {
				shown.Origin = Origin{Place: strings.Join(d.Variables, ", ")}
			}
		}
		add(shown)
	}
	for _, o := range records {
		if o.Sort != catalog.ProviderRecord {
			continue
		}
		shown := s.showProvider(config.ReadProvider(config.Record{Name: o.ID, Fields: o.Fields}))
		shown.Enabled, shown.Wrong, shown.Secrets = o.Enabled, faults[o.Name()], o.SecretsAt
		shown.Revision, shown.Changed = o.Revision, o.UpdatedAt
		add(shown)
	}
	slices.SortStableFunc(list, func(a, b Provider) int { return strings.Compare(a.ID, b.ID) })
	return list
}

func (s *Supply) showProvider(p config.Provider) Provider {
	kind := s.kindOf(p.Kind)
	shown := Provider{
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

func (s *Supply) kindOf(name string) Kind {
	for _, k := range s.Kinds() {
		if k.Name == name {
			return k
		}
	}
	return Kind{}
}

// originOf is where the file has something. What it does not have was detected.
func originOf(file *config.Config, what string) Origin {
	if file.File == "" {
		return Origin{Place: "environment"}
	}
	return Origin{Place: filepath.Base(file.File), Line: file.Lines[what]}
}

// uses counts the models that can be called at each provider and names those that
// others made to be sent there.
func (s *Supply) uses() (callable map[string]int, used map[string][]string) {
	callable, used = make(map[string]int), make(map[string][]string)
	for _, m := range s.o.Catalog.Models(access.Scope{}) {
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
	for _, m := range s.o.Catalog.Media(access.Scope{}, "") {
		callable[m.Provider]++
	}
	_, records, _ := s.sources()
	for _, o := range records { // of one that is switched off no model has a target any more
		if o.Sort != catalog.ModelRecord {
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

// Models lists what can be called, and what in the database cannot.
func (s *Supply) Models() []Model {
	file, records, faults := s.sources()
	stored := make(map[string]catalog.UnsealedRecord)
	for _, o := range records {
		if o.Sort == catalog.ModelRecord {
			stored[o.ID] = o
		}
	}
	providers := make(map[string]Origin)
	for _, p := range s.accounts(nil) {
		providers[p.ID] = p.Origin
	}
	var list []Model
	for _, m := range s.o.Catalog.Models(access.Scope{}) {
		shown := Model{Model: m, Enabled: true}
		if len(m.Targets) > 0 {
			shown.Cost = s.o.Catalog.Price(&m, m.Targets[0], time.Now())
		}
		_, written := file.Lines["model "+m.ID]
		o, ours := stored[m.ID]
		switch {
		case m.Owner == config.Builtin && strings.HasPrefix(m.ID, config.Builtin+"/"):
			shown.Origin = Origin{Place: "built in"}
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
		list = append(list, Model{
			Model:   catalog.Model{ID: id, Name: id, Owner: "stele", Targets: targetsOf(&o)},
			Enabled: o.Enabled, Wrong: faults[o.Name()], Fields: o.Fields, Revision: o.Revision, Changed: o.UpdatedAt,
		})
	}
	for _, m := range s.o.Catalog.Media(access.Scope{}, "") {
		shown := Model{Media: &m, Enabled: true, Origin: Origin{Place: "model file"}}
		shown.ID, shown.Name, shown.Description = m.ID, m.Name, m.Description
		if s.o.Library.Has(m.ID) {
			shown.Origin = Origin{Place: "built in"}
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
