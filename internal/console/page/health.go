package page

import (
	"context"
	"time"
)

// HealthSource says how the providers are.
type HealthSource interface {
	// Health lists the providers in the order of their names.
	Health(ctx context.Context) []ProviderHealth
}

// HealthState is how a provider is, as far as is known.
type HealthState string

// The states of a provider, the best first. Unknown is one nobody has called yet.
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
