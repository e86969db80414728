package consoletest

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/console"
	"stele/internal/fault"
	"stele/internal/provider"
	"stele/internal/route"
	"stele/internal/seal"
	"stele/internal/supply"
)

// Supply is what the program wires: real records in the real database, checked by
// the configuration's own check. Only the calls to providers are made up.
type Supply struct {
	*catalog.Records

	file   *config.Config
	Now    []catalog.UnsealedRecord
	Both   config.Combined
	faults catalog.Faults
	Trial  catalog.Trial
	health map[string]route.Health
	More   []supply.Model // that only a running program has
}

func testKinds() (list []supply.Kind) {
	for _, k := range provider.Kinds() {
		list = append(list, supply.Kind{
			Name: k.Name, Title: k.Title, Help: k.Help, Dialect: k.Dialect, Makes: k.Dialect == "", BaseURL: k.BaseURL, KeyEnv: k.KeyEnv, Unlisted: k.Unlisted,
			Options: k.Options,
		})
	}
	return list
}

// WithSupply adds the rooms Providers and Models to a house.
func WithSupply(t *testing.T) (*Supply, func(*House, *console.Options)) {
	t.Helper()
	s := &Supply{health: map[string]route.Health{}}
	return s, func(h *House, o *console.Options) {
		s.file = config.Default()
		both := s.file.With(testKinds(), []config.Record{{Name: "main", Fields: []byte(`{"kind":"openai","api_key":"sk-of-the-file","models":["gpt-5"]}`)}},
			[]config.Record{{Name: "steady", Fields: []byte(`{"targets":["main/gpt-5"],"price":{"input":1.25,"output":10},"capabilities":{"tools":true}}`)}})
		s.file = both.Config
		s.file.File, s.file.Lines = "/etc/stele/stele.yaml", map[string]int{"provider main": 2, "model steady": 7}
		s.Records = catalog.NewRecords(catalog.RecordsOptions{Store: h.Store, Box: seal.New().Box("test"), Reach: reach, Try: s.try, Take: s.take, Now: h.Clock})
		if err := s.Load(context.Background()); err != nil {
			t.Fatal(err)
		}
		o.Supply = s
	}
}

// reach is where the secrets of a provider go.
func reach(o catalog.StoredRecord) string {
	p := config.ReadProvider(config.Record{Name: o.ID, Fields: o.Fields})
	account := provider.Account{Name: p.Name, BaseURL: p.BaseURL}
	for _, k := range provider.Kinds() {
		if k.Name == p.Kind {
			account.Kind = k
		}
	}
	origin, _ := account.Origin()
	return origin
}

func (s *Supply) combine(list []catalog.UnsealedRecord) (config.Combined, catalog.Faults) {
	var providers, models, prices, names []config.Record
	for _, o := range list {
		words, _ := o.Words()
		one := config.Record{Name: o.ID, Fields: words, Off: !o.Enabled}
		switch o.Sort {
		case catalog.ModelRecord:
			models = append(models, one)
		case catalog.PriceRecord:
			prices = append(prices, one)
		case catalog.NameRecord:
			names = append(names, one)
		case catalog.ProviderRecord:
			providers = append(providers, one)
		}
	}
	both := s.file.With(testKinds(), providers, models)
	faults := make(catalog.Faults)
	_, wrongPrices := both.WithPrices(testKinds(), prices)
	for name, wrong := range wrongPrices {
		faults["price "+name] = wrong
	}
	_, wrongNames := both.WithNames(names)
	for name, wrong := range wrongNames {
		faults["name "+name] = wrong
	}
	for name, wrong := range both.Providers {
		faults["provider "+name] = wrong
	}
	for id, wrong := range both.Models {
		faults["model "+id] = wrong
	}
	for name := range both.Covered {
		if !strings.HasPrefix(name, "model ") {
			name = "provider " + name
		}
		faults[name] = map[string]string{"id": "The configuration has one of this name, which counts instead."}
	}
	return both, faults
}

func (s *Supply) try(list []catalog.UnsealedRecord) catalog.Faults {
	_, faults := s.combine(list)
	return faults
}

func (s *Supply) take(list []catalog.UnsealedRecord) error {
	s.Now = list
	s.Both, s.faults = s.combine(list)
	return nil
}

// Kinds implements console.Supply.
func (*Supply) Kinds() []supply.Kind { return testKinds() }

// Providers implements console.Supply.
func (s *Supply) Providers(context.Context) []supply.Provider {
	list := []supply.Provider{{
		ID: "main", Kind: "openai", BaseURL: "https://api.openai.com/v1", Origin: supply.Origin{Place: "stele.yaml", Line: 2}, Enabled: true,
		Offers: []string{"gpt-5"}, Secrets: map[string]time.Time{"api_key": {}}, Callable: 2, Used: []string{"steady"},
	}}
	for _, o := range s.Now {
		if o.Sort != catalog.ProviderRecord {
			continue
		}
		p := config.ReadProvider(config.Record{Name: o.ID, Fields: o.Fields})
		shown := supply.Provider{
			ID: o.ID, Kind: p.Kind, BaseURL: p.BaseURL, Enabled: o.Enabled, Offers: p.Models, Secrets: o.SecretsAt, Options: make(map[string]string),
			Wrong: s.faults[o.Name()], Revision: o.Revision, Changed: o.UpdatedAt,
		}
		for name, value := range p.Options {
			shown.Options[name] = value.Reveal()
		}
		for _, m := range s.Models() {
			for _, t := range m.Targets {
				if t.Provider == o.ID && !m.Listed && !slices.Contains(shown.Used, m.ID) {
					shown.Used = append(shown.Used, m.ID)
				}
			}
		}
		list = append(list, shown)
	}
	for i := range list {
		list[i].Health = s.health[list[i].ID]
		list[i].State = supply.HealthUnknown
		switch h := list[i].Health; {
		case h.InARow > 2:
			list[i].State = supply.HealthDown
		case h.Tries > 0:
			list[i].State = supply.HealthOK
		}
	}
	return list
}

// Prices implements console.Supply.
func (s *Supply) Prices() (list []supply.TargetPrice) {
	for _, o := range s.Now {
		if o.Sort == catalog.PriceRecord {
			list = append(list, supply.ShowPrice(&o, s.faults[o.Name()]))
		}
	}
	return list
}

// Names implements console.Supply.
func (s *Supply) Names() (list []supply.Name) {
	for _, o := range s.Now {
		if o.Sort == catalog.NameRecord {
			list = append(list, supply.ShowName(&o, s.faults[o.Name()]))
		}
	}
	return list
}

// Models implements console.Supply.
func (s *Supply) Models() []supply.Model {
	var list []supply.Model
	for _, m := range s.Both.Config.Models {
		shown := supply.Model{Enabled: true, Model: catalog.Model{
			ID: m.ID, Name: m.Name, Description: m.Description, Owner: "stele", Capabilities: m.Capabilities, Balance: m.Strategy == config.Balance,
			Retries: m.Retries, Timeouts: catalog.Timeouts(m.Timeouts), Tags: m.Tags,
		}}
		if p := supply.OwnPrice(m.Price, m.Console); p != nil {
			shown.Cost = catalog.TargetPrice{Price: p, Source: p.Source}
		}
		for _, t := range m.Targets {
			shown.Targets = append(shown.Targets, catalog.Target(t))
		}
		i := slices.IndexFunc(s.Now, func(o catalog.UnsealedRecord) bool { return o.Sort == catalog.ModelRecord && o.ID == m.ID })
		if i < 0 {
			shown.Origin = supply.Origin{Place: "stele.yaml", Line: s.file.Lines["model "+m.ID]}
		} else {
			shown.Fields, shown.Revision = s.Now[i].Fields, s.Now[i].Revision
		}
		list = append(list, shown)
	}
	return append(list, s.More...)
}

// TestProvider implements console.Supply.
func (s *Supply) TestProvider(context.Context, string) (catalog.Trial, error) { return s.Trial, nil }

// Fails has a provider fail.
func (s *Supply) Fails(id, words string, at time.Time) {
	s.health[id] = route.Health{
		Tries: 1200, Failures: 36, InARow: 5, Last: at, Failed: at, Served: at.Add(-20 * time.Minute), Code: fault.UpstreamError, Message: words,
		Breakers: []route.Breaker{{Model: "gpt-5", State: "open", InRow: 5}},
	}
}

// UpstreamKey is the secret of a provider.
const UpstreamKey = "sk-very-secret-0123456789"

// AddProvider adds an account over the form.
func AddProvider(t *testing.T, h *House, id string) {
	t.Helper()
	WantStatus(t, h.Post("/console/providers", url.Values{ //nolint:bodyclose // a recorder's
		"id": {id}, "kind": {"openai"}, "base_url": {"https://proxy.example.com/v1"}, "api_key": {UpstreamKey}, "models": {"gpt-5\r\ngpt-5-mini"},
	}, Browser), 303)
}

// Revision is the revision that a form carries.
func Revision(t *testing.T, page string) string {
	t.Helper()
	_, after, ok := strings.Cut(page, `name="revision" value="`)
	if !ok {
		t.Fatal("the page has no revision")
	}
	before, _, _ := strings.Cut(after, `"`)
	return before
}
