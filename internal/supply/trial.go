package supply

import (
	"context"
	"time"

	"stele/internal/access"
	"stele/internal/catalog"
	"stele/internal/config"
)

// trialTime is how long a test call may take.
const trialTime = 10 * time.Second

// TestProvider makes one cheap call with an account, switched off or not.
func (s *Supply) TestProvider(ctx context.Context, id string) (catalog.Trial, error) {
	p, ok := s.account(id)
	if !ok {
		return catalog.Trial{}, access.ErrNotFound
	}
	ctx, cancel := context.WithTimeout(ctx, trialTime)
	defer cancel()
	t := s.o.Connector.Test(ctx, p, s.anyModel(p))
	if t.Err != nil || t.Problem == "" {
		s.o.Router.Note(id, t.Err)
	}
	return t, nil
}

// anyModel is a model of a provider that the configuration names.
func (s *Supply) anyModel(p config.Provider) string {
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
