package supply

import (
	"context"
	"time"

	"stele/internal/access"
	"stele/internal/config"
)

// trialTime is how long a test call may take.
const trialTime = 10 * time.Second

// Trial is what came of a test call.
type Trial struct {
	Did     string // in words that follow "It"
	Status  int    // of HTTP; 0: no answer came
	Took    time.Duration
	Models  []string // that it listed
	Problem string   // "" where it works
	Err     error    // behind the problem, as the router judges it
}

// TestProvider makes one cheap call with an account, switched off or not.
func (s *Supply) TestProvider(ctx context.Context, id string) (Trial, error) {
	p, ok := s.account(id)
	if !ok {
		return Trial{}, access.ErrNotFound
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
