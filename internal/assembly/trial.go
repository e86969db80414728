package assembly

import (
	"context"
	"fmt"
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
func (s supplyPages) TestProvider(ctx context.Context, id string) (console.Trial, error) {
	p, ok := s.Account(id)
	if !ok {
		return console.Trial{}, access.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	account := accountOf(p)
	var probe provider.Probe
	if d, chats := Dialects()[account.Kind.Dialect]; chats {
		upstream, err := provider.Open(account, d, s.operator)
		if err != nil {
			return console.Trial{Problem: fmt.Sprint(err)}, nil
		}
		probe = upstream.Probe(ctx, s.anyModel(p))
	} else {
		probe = blueprint.Ping(ctx, account, s.operator)
	}
	if probe.Err != nil || probe.Problem == "" {
		s.router.Note(id, probe.Err)
	}
	return console.Trial{Did: probe.Did, Status: probe.Status, Took: probe.Took, Problem: probe.Problem, Models: probe.Models}, nil
}

// anyModel is a model of a provider that the configuration names.
func (s supplyPages) anyModel(p config.Provider) string {
	for _, name := range p.Models {
		if name != "*" {
			return name
		}
	}
	for _, m := range s.Config().Models {
		for _, t := range m.Targets {
			if t.Provider == p.Name {
				return t.Model
			}
		}
	}
	return ""
}
