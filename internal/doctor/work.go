package doctor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"stele/internal/supply"
)

// longWait is how long a generation may wait before the operator should look.
const longWait = time.Hour

func lookProviders(ctx context.Context, p *patient) []Finding {
	s, err := p.house.Supply(ctx, p.Process)
	if err != nil {
		return one(Bad, "stele config check says where", "what is configured cannot be used: %v", err)
	}
	list := s.Providers(ctx)
	if len(list) == 0 {
		return one(Note, "add one in the console or in the configuration file", "there are no providers: only the sandbox and the studio answer")
	}
	var found []Finding
	for _, v := range list {
		if len(v.Wrong) > 0 {
			said := slices.Collect(maps.Values(v.Wrong))
			slices.Sort(said)
			found = append(found, one(Warning, "give it what it lacks, or remove it", "%s is not in use: %s", v.ID, strings.Join(said, " "))...)
		}
	}
	return found
}

func lookProviderKeys(ctx context.Context, p *patient) []Finding {
	if !p.Online {
		return one(Skipped, "--online asks each of them, which costs next to nothing", "providers were not asked")
	}
	s, err := p.house.Supply(ctx, p.Process)
	if err != nil {
		return skip(err.Error())
	}
	var found []Finding
	for _, v := range s.Providers(ctx) {
		if v.Enabled && len(v.Wrong) == 0 {
			found = append(found, ask(ctx, s, v.ID)...)
		}
	}
	return found
}

// ask makes one cheap call to a provider.
func ask(ctx context.Context, s *supply.Supply, id string) []Finding {
	bounded, done := context.WithTimeout(ctx, 30*time.Second)
	defer done()
	trial, err := s.TestProvider(bounded, id)
	switch {
	case err != nil:
		return one(Bad, "stele providers test "+id, "%s cannot be asked: %v", id, err)
	case trial.Status == 401 || trial.Status == 403:
		return one(Bad, "give it a key that the provider takes", "%s refuses its key: %s", id, trial.Problem)
	case trial.Problem != "":
		return one(Warning, "stele providers test "+id, "%s does not answer well: %s", id, trial.Problem)
	}
	return nil
}

func lookPrices(_ context.Context, p *patient) []Finding {
	if len(p.figures.Unpriced) == 0 {
		return nil
	}
	var models []string
	for _, model := range slices.Sorted(maps.Keys(p.figures.Unpriced)) {
		models = append(models, fmt.Sprintf("%s (%d)", model, p.figures.Unpriced[model]))
	}
	return one(Warning, "give them a price in the console or the configuration, then stele prices rerate: until then limits in dollars do not see them",
		"requests of the last seven days without a price: %s", joinList(models))
}

func lookSetAside(_ context.Context, p *patient) []Finding {
	if p.figures.SetAside == 0 {
		return nil
	}
	return one(Warning, "look at them in the console under Set aside, and send them again or forget them", "%d tasks were set aside because servers died of them", p.figures.SetAside)
}

func lookWebhooks(_ context.Context, p *patient) []Finding {
	if p.figures.GivenUp == 0 {
		return nil
	}
	return one(Warning, "stele webhooks list names them, stele webhooks replay sends one again", "%d messages of the last seven days were given up", p.figures.GivenUp)
}

func lookUnsettled(_ context.Context, p *patient) []Finding {
	if p.figures.Unsettled == 0 {
		return nil
	}
	return one(Note, "stele generations unsettled lists them; stele generations settle says what the provider does not", "%d generations wait for the provider's word on their price", p.figures.Unsettled)
}

func lookWaiting(_ context.Context, p *patient) []Finding {
	if p.figures.OldestWaits.IsZero() || p.Now.Sub(p.figures.OldestWaits) < longWait {
		return nil
	}
	return one(Warning, "stele generations list: is its provider up, is a server running?", "%d generations are unfinished, the oldest for %s",
		p.figures.Unfinished, p.Now.Sub(p.figures.OldestWaits).Round(time.Minute))
}

func lookBackups(_ context.Context, p *patient) []Finding {
	said := "stele backup was never called: whether there are other backups is not known here"
	if last := p.state.BackedUp; !last.IsZero() {
		if p.Now.Sub(last) < lately {
			return nil
		}
		said = fmt.Sprintf("stele backup was last called %s ago", p.Now.Sub(last).Round(time.Hour))
	}
	what := p.Config.Data + " whole"
	if p.Config.DatabaseURL.Reveal() != "" {
		what = "the PostgreSQL database, and files and the master key"
	}
	return one(Note, "keep copies of "+what+", the master key apart from the rest", "%s", said)
}

// joinList writes a list so that fits into a sentence.
func joinList(list []string) string { return strings.Join(firsts(list), ", ") }
