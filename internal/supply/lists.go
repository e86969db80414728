package supply

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/relay"
)

const (
	listEvery = 10 * time.Minute
	listAgain = time.Minute // after a failure
	listWait  = 30 * time.Second
)

// lister is an account whose upstream lists its own models.
type lister interface {
	Lists() bool
	List(ctx context.Context) ([]catalog.Listed, error)
}

// modelLists is what clients can call: what the configuration offers and, of accounts
// that take any model's name, what their upstreams' own lists have. The lists are
// asked for in the background only; without one nothing is missing but names.
type modelLists struct {
	catalog *catalog.Catalog
	wake    chan struct{}

	mu      sync.Mutex // guards all below, and is held while the catalog changes
	offered catalog.Contents
	sources map[string]source           // by provider
	listed  map[string][]catalog.Listed // by provider, as last seen
	failing map[string]bool
}

// source is where a list comes from.
type source struct {
	lister

	address string // another one makes the old list worthless
}

func newModelLists(c *catalog.Catalog) *modelLists {
	return &modelLists{
		catalog: c, wake: make(chan struct{}, 1),
		listed: make(map[string][]catalog.Listed), failing: make(map[string]bool),
	}
}

// sourcesOf finds the accounts that take any model's name and have a list.
func sourcesOf(cfg *config.Config, upstreams map[string]relay.Upstream) map[string]source {
	found := make(map[string]source)
	for _, p := range cfg.Providers {
		if l, ok := upstreams[p.Name].(lister); ok && l.Lists() && slices.Contains(p.Models, "*") {
			found[p.Name] = source{l, p.Kind + " " + p.BaseURL}
		}
	}
	return found
}

// publishWith makes the catalog what a configuration offers, with the lists that
// are known already, and has the lists asked for.
func (s *modelLists) publishWith(c catalog.Contents, from map[string]source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, old := range s.sources {
		if from[name].address != old.address {
			delete(s.listed, name)
			delete(s.failing, name)
		}
	}
	offered, before := s.offered, s.sources
	s.offered, s.sources = c, from
	if err := s.publish(); err != nil {
		s.offered, s.sources = offered, before
		return err
	}
	select {
	case s.wake <- struct{}{}:
	default: // it is awake
	}
	return nil
}

// publish makes the catalog what is offered and listed.
func (s *modelLists) publish() error {
	all := s.offered
	all.Models, all.Open = slices.Clone(all.Models), maps.Clone(all.Open) // the catalog keeps them
	known := make(map[string]bool, len(all.Models))
	for _, m := range all.Models {
		known[m.ID] = true
	}
	for _, name := range slices.Sorted(maps.Keys(s.sources)) {
		for _, l := range s.listed[name] {
			m, open := all.Open[name]
			if m.ID = name + "/" + l.ID; !open || known[m.ID] {
				continue
			}
			known[m.ID] = true
			m.Name, m.Description = l.Name, l.Description
			m.Name = cmp.Or(m.Name, l.ID)
			if !l.Created.IsZero() {
				m.Created = l.Created
			}
			m.Targets = []catalog.Target{{Provider: name, Model: l.ID, Weight: 1}}
			all.Models = append(all.Models, m)
		}
	}
	return s.catalog.Replace(all)
}

// run asks for the lists now, whenever the configuration changed, and from time
// to time.
func (s *modelLists) run(ctx context.Context, log *slog.Logger) {
	for {
		select {
		case <-s.wake: // what follows is what it asks for
		default:
		}
		wait := listEvery
		if !s.refresh(ctx, log) {
			wait = listAgain
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-s.wake:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// refresh asks every upstream once, all at the same time, and reports whether all
// of them answered.
func (s *modelLists) refresh(ctx context.Context, log *slog.Logger) bool {
	s.mu.Lock()
	asked := maps.Clone(s.sources)
	s.mu.Unlock()
	var all sync.WaitGroup
	for name, from := range asked {
		all.Go(func() {
			bounded, cancel := context.WithTimeout(ctx, listWait)
			defer cancel()
			list, err := from.List(bounded)
			if ctx.Err() == nil {
				s.take(name, from, list, err, log)
			}
		})
	}
	all.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.sources {
		if s.failing[name] {
			return false
		}
	}
	return true
}

// take keeps a list if it is still that of the account by this name. An old list
// outlives a failure: the upstream is likely to be back.
func (s *modelLists) take(name string, from source, list []catalog.Listed, err error, log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[name].address != from.address {
		return
	}
	ctx, told := context.Background(), slog.String("provider", name)
	level := slog.LevelWarn
	if s.failing[name] {
		level = slog.LevelDebug // it was said
	}
	s.failing[name] = err != nil
	if err != nil {
		log.LogAttrs(ctx, level, "the provider's models are not listed", told, slog.Any("error", err))
		return
	}
	s.listed[name] = list
	if err := s.publish(); err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "the provider's models are not listed", told, slog.Any("error", err))
		return
	}
	log.LogAttrs(ctx, slog.LevelDebug, "the provider's models are listed", told, slog.Int("models", len(list)))
}
