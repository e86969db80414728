package assembly

import (
	"context"
	"slices"
	"time"

	"stele/internal/console"
	"stele/internal/fault"
	"stele/internal/route"
)

// Health is how the providers are, for all who sign in: in our words, since those of
// an upstream may be about one caller's request.
func (s supplyPages) Health(context.Context) []console.ProviderHealth {
	var list []console.ProviderHealth
	for _, p := range s.Providers() {
		if !p.Enabled || len(p.Wrong) > 0 {
			continue
		}
		h := console.ProviderHealth{Name: p.ID, Kind: p.Kind, State: p.State, At: p.Health.Last}
		if p.State != console.HealthOK && !p.Health.Failed.IsZero() {
			h.Error, h.At = sentenceOf(p.Health), p.Health.Failed
		}
		list = append(list, h)
	}
	return list
}

const (
	downAfter = 3  // failures in a row
	degraded  = 10 // of a hundred tries
)

// stateOf judges what is known of a provider.
func stateOf(h route.Health, now time.Time) console.HealthState {
	open := slices.ContainsFunc(h.Breakers, func(b route.Breaker) bool { return b.State == "open" })
	switch {
	case h.Tries == 0 || now.Sub(h.Last) > time.Hour:
		return console.HealthUnknown
	case h.InARow >= downAfter, h.InARow > 0 && (h.Rejected || h.InARow == h.Tries):
		return console.HealthDown
	case open, h.Failures*100 >= h.Tries*degraded:
		if h.Failures > 0 || open {
			return console.HealthDegraded
		}
	}
	return console.HealthOK
}

// sentenceOf says what the last failure was.
func sentenceOf(h route.Health) string {
	switch {
	case h.Rejected:
		return "It refused the credentials."
	case h.Code == fault.RateLimited:
		return "Its rate limit or quota was reached."
	case h.Code == fault.UpstreamTimeout:
		return "It did not answer in time."
	case h.Code == fault.Unavailable:
		return "It was overloaded or not available."
	}
	return "It failed or could not be reached."
}
