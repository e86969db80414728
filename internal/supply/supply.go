// Package supply is what can be called, and who makes it. It merges the accounts
// and models of the configuration with those that operators keep in the database,
// opens all of them, and then swaps them in whole. It does not know what upstreams
// speak: a Connector opens their accounts.
package supply

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/config"
	"stele/internal/fault"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/relay"
	"stele/internal/route"
	"stele/internal/seal"
)

// Options is what a Supply is made of.
type Options struct {
	File      *config.Config // as it was read at the start
	Connector Connector
	Library   MediaLibrary
	Builtin   relay.Upstream // the chat that is built in; may be nil
	Records   catalog.RecordStore
	Box       *seal.Box // of the secrets in Records
	Catalog   *catalog.Catalog
	Apps      *app.Library
	Router    *route.Router
	// Elsewhere is what other servers know of providers; nil: there are none.
	Elsewhere func(context.Context) []map[string]route.Health
	// Took is told the configuration that counts from now on.
	Took func(*config.Config)
	Log  *slog.Logger
}

// Supply is what can be called now. It is safe for concurrent use.
type Supply struct {
	*catalog.Records

	o       Options
	lists   *modelLists
	builtin map[string]generation.Maker

	swapping sync.Mutex // one change at a time
	current  atomic.Pointer[state]
}

// state is everything that is swapped at once.
type state struct {
	file    *config.Config
	records []catalog.UnsealedRecord
	faults  catalog.Faults // what is wrong with which records
	config  *config.Config // file and records together

	accounts  map[string]string // what each was opened with
	egress    EgressClients
	upstreams map[string]relay.Upstream
	makers    map[string]openMaker
	leaving   map[string]openMaker // removed accounts, for the work they have accepted
}

// New makes a Supply that has the configuration and nothing to call. Open comes next.
func New(o Options) *Supply {
	s := &Supply{o: o, lists: newModelLists(o.Catalog), builtin: make(map[string]generation.Maker)}
	s.Records = catalog.NewRecords(catalog.RecordsOptions{
		Store: o.Records, Box: o.Box, Reach: Reach(o.Connector), Try: s.try, Take: s.take, Now: time.Now,
	})
	s.current.Store(&state{file: o.File, config: o.File})
	return s
}

// Open makes everything callable. Contents are the file's own. Where the database
// cannot be read the file's side counts alone: a server must start.
func (s *Supply) Open(ctx context.Context, c Contents) error {
	if err := s.Replace(s.o.File, c); err != nil {
		return err
	}
	if err := s.Load(ctx); err != nil {
		s.o.Log.LogAttrs(ctx, slog.LevelError, "providers and models of the database are left out", slog.Any("error", err))
	}
	return nil
}

// Replace takes another configuration file, whose contents were read. When
// anything is wrong with it nothing changes.
func (s *Supply) Replace(file *config.Config, c Contents) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	return s.settle(file, &c, s.current.Load().records)
}

// Run follows the upstreams' own lists until ctx ends.
func (s *Supply) Run(ctx context.Context) { s.lists.run(ctx, s.o.Log) }

// Config is the configuration that counts now, records of the database included.
func (s *Supply) Config() *config.Config { return s.current.Load().config }

// sources are the configuration without the records of the database, those records,
// and what is wrong with which.
func (s *Supply) sources() (*config.Config, []catalog.UnsealedRecord, catalog.Faults) {
	now := s.current.Load()
	return now.file, now.records, now.faults
}

// Egress is the clients for what callers name, as the configuration allows it now.
func (s *Supply) Egress() EgressClients { return s.current.Load().egress }

// Fetch gets what a client's part points at, as the configuration allows it now.
func (s *Supply) Fetch(ctx context.Context, p *chat.Part, most int64) (*chat.Media, error) {
	return s.Egress().Inputs.Fetch(ctx, p, most)
}

// Upstream finds the client of an account.
func (s *Supply) Upstream(provider string) (relay.Upstream, bool) {
	u, ok := s.current.Load().upstreams[provider]
	return u, ok
}

// account finds a provider that could be opened, whether it is on or off.
func (s *Supply) account(id string) (config.Provider, bool) {
	now := s.current.Load()
	records := slices.Clone(now.records)
	for i := range records {
		records[i].Enabled = records[i].Enabled || records[i].ID == id
	}
	cfg, _ := s.merge(now.file, records)
	i := slices.IndexFunc(cfg.Providers, func(p config.Provider) bool { return p.Name == id })
	if i < 0 {
		return config.Provider{}, false
	}
	return cfg.Providers[i], true
}

// take makes these the records that count beside the file.
func (s *Supply) take(records []catalog.UnsealedRecord) error {
	s.swapping.Lock()
	defer s.swapping.Unlock()
	now := s.current.Load()
	if len(records) == 0 && len(now.records) == 0 {
		return nil
	}
	return s.settle(now.file, nil, records)
}

// try says what would be wrong if these were the records.
func (s *Supply) try(records []catalog.UnsealedRecord) catalog.Faults {
	_, faults := s.merge(s.current.Load().file, records)
	return faults
}

// settle offers what a file and the database have together. Read are the file's
// own contents where they are known already.
func (s *Supply) settle(file *config.Config, read *Contents, records []catalog.UnsealedRecord) error {
	next := &state{file: file, records: records, config: file}
	if len(records) > 0 {
		next.config, next.faults = s.merge(file, records)
		read = nil
	}
	if read == nil {
		c, err := Read(next.config, s.o.Connector, s.o.Library)
		if err != nil {
			return err
		}
		read = &c
	}
	return s.swap(next, *read)
}

// swap opens every account of a state and puts it in the place of the old one:
// first the accounts, then the models that name them.
func (s *Supply) swap(next *state, c Contents) (err error) {
	old := s.current.Load()
	if next.egress, err = s.o.Connector.Egress(next.config); err != nil {
		return err
	}
	if next.upstreams, err = openUpstreams(next.config, s.o.Connector, next.egress); err != nil {
		return err
	}
	sources := sourcesOf(next.config, next.upstreams)
	next.upstreams[config.Builtin] = s.o.Builtin
	if err := s.openMakers(next, old); err != nil {
		return err
	}
	next.accounts = accountsOf(next.config)
	s.current.Store(next)
	for name, was := range old.accounts {
		if next.accounts[name] != was {
			s.o.Router.Forget(name)
		}
	}
	if err := s.lists.publishWith(c.Catalog, sources); err != nil {
		return err
	}
	if err := s.o.Apps.Replace(c.Apps); err != nil {
		return err
	}
	s.o.Took(next.config)
	return nil
}

// accountsOf says what each account is opened with.
func accountsOf(cfg *config.Config) map[string]string {
	all := make(map[string]string, len(cfg.Providers))
	for _, p := range cfg.Providers {
		all[p.Name] = accountMark(p)
	}
	return all
}

// accountMark tells accounts apart that must be opened anew.
func accountMark(p config.Provider) string {
	options := make(map[string]string, len(p.Options))
	for name, value := range p.Options {
		options[name] = value.Reveal()
	}
	return fmt.Sprintf("%q %q %q %q", p.Kind, p.BaseURL, p.APIKey.Reveal(), options)
}

// openUpstreams makes the clients of all accounts that have chat, or says what any
// of the accounts lacks.
func openUpstreams(cfg *config.Config, by Connector, egress EgressClients) (map[string]relay.Upstream, error) {
	list := make(map[string]relay.Upstream)
	var problems []error
	for _, p := range cfg.Providers {
		upstream, err := by.Chat(p, egress)
		problems = append(problems, err)
		if err == nil && upstream != nil {
			list[p.Name] = upstream
		}
	}
	return list, errors.Join(problems...)
}

// noteOrder tells the router how an order of media went. Where our own storage was away
// that says nothing of the provider.
func (s *Supply) noteOrder(provider string, err error) {
	if err == nil {
		s.o.Router.Note(provider, nil)
		return
	}
	f := media.ToFailure(err)
	if f.Ours() {
		return
	}
	switch f.Class {
	case media.Auth:
		s.o.Router.Note(provider, fault.New(fault.UpstreamError, "%s", f.Message).OurCredentials())
	case media.Quota, media.Rate, media.Concurrency:
		s.o.Router.Note(provider, fault.New(fault.RateLimited, "%s", f.Message))
	case media.Transient, media.SubmitUnknown, media.Late, media.ModelFailed:
		s.o.Router.Note(provider, fault.New(fault.UpstreamError, "%s", f.Message))
	case media.BadInput, media.PolicyInput, media.PolicyOutput, media.Gone:
		s.o.Router.Note(provider, nil) // it answered
	case media.Stopped, media.Panicked, media.Storage: // not its doing
	}
}
