package supply

import (
	"context"
	"slices"
	"time"

	"stele/internal/fault"
	"stele/internal/route"
)

// HealthState is how a provider is, as far as is known.
type HealthState string

// The states of a provider, the best first. Unknown is one that was not called yet.
const (
	HealthOK       HealthState = "ok"
	HealthDegraded HealthState = "degraded"
	HealthDown     HealthState = "down"
	HealthUnknown  HealthState = "unknown"
)

// ProviderHealth is how one provider is.
type ProviderHealth struct {
	Name  string
	Kind  string // a row of the provider kinds, such as "openai"
	State HealthState
	Error string    // the last failure in one sentence, without secrets; "" if there was none
	At    time.Time // of the last failure, or of the last call where there was none; zero: never
}

// Health is how the providers are, for all who sign in: in our words, since those of
// an upstream may be about one caller's request.
func (s *Supply) Health(ctx context.Context) []ProviderHealth {
	var list []ProviderHealth
	for _, p := range s.Providers(ctx) {
		if !p.Enabled || len(p.Wrong) > 0 {
			continue
		}
		h := ProviderHealth{Name: p.ID, Kind: p.Kind, State: p.State, At: p.Health.Last}
		if p.State != HealthOK && !p.Health.Failed.IsZero() {
			h.Error, h.At = FailureWords(p.Health), p.Health.Failed
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
func stateOf(h route.Health, now time.Time) HealthState {
	open := slices.ContainsFunc(h.Breakers, func(b route.Breaker) bool { return b.State == "open" })
	switch {
	case h.Tries == 0 || now.Sub(h.Last) > time.Hour:
		return HealthUnknown
	case h.InARow >= downAfter, h.InARow > 0 && (h.Rejected || h.InARow == h.Tries):
		return HealthDown
	case open, h.Failures*100 >= h.Tries*degraded:
		if h.Failures > 0 || open {
			return HealthDegraded
		}
	}
	return HealthOK
}

// FailureWords says what the last failure was, in words that tell of no client's request.
func FailureWords(h route.Health) string {
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
