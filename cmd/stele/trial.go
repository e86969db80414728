package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/config"
	"stele/internal/console"
	"stele/internal/provider"
	"stele/internal/provider/blueprint"
)

// trialTime is how long a test call may take.
const trialTime = 10 * time.Second

// TestProvider makes one cheap call with an account, switched off or not.
func (s supply) TestProvider(ctx context.Context, id string) (console.Trial, error) {
	p, ok := s.account(id)
	if !ok {
		return console.Trial{}, access.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	account := accountOf(p)
	var probe provider.Probe
	if d, chats := dialects()[account.Kind.Dialect]; chats {
		upstream, err := provider.Open(account, d, s.live.outside)
		if err != nil {
			return console.Trial{Problem: fmt.Sprint(err)}, nil
		}
		probe = upstream.Probe(ctx, s.anyModel(p))
	} else {
		probe = blueprint.Ping(ctx, account, s.live.outside)
	}
	if probe.Err != nil || probe.Problem == "" {
		s.live.router.Note(id, probe.Err)
	}
	return console.Trial{Did: probe.Did, Status: probe.Status, Took: probe.Took, Problem: probe.Problem, Models: probe.Models}, nil
}

// account finds a provider that could be opened, whether it is on or off.
func (s supply) account(id string) (config.Provider, bool) {
	now := s.live.stock.Load()
	offers := slices.Clone(now.offers)
	for i := range offers {
		offers[i].Enabled = offers[i].Enabled || offers[i].ID == id
	}
	cfg, _ := combine(now.file, offers)
	for _, p := range cfg.Providers {
		if p.Name == id {
			return p, true
		}
	}
	return config.Provider{}, false
}

// anyModel is a model of a provider that somebody named.
func (s supply) anyModel(p config.Provider) string {
	for _, name := range p.Models {
		if name != "*" {
			return name
		}
	}
	for _, m := range s.live.config().Models {
		for _, t := range m.Targets {
			if t.Provider == p.Name {
				return t.Model
			}
		}
	}
	return ""
}
