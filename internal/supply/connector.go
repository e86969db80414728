package supply

import (
	"context"
	"net/http"

	"stele/internal/catalog"
	"stele/internal/config"
	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/relay"
)

// Connector opens accounts with upstreams and knows the kinds there are.
type Connector interface {
	// Kinds lists the kinds of provider.
	Kinds() []config.Kind
	// Origin is where the secrets of an account are sent: its kind, and scheme, host
	// and port.
	Origin(config.Provider) string
	// Chat opens an account for chat, or says what it lacks. It is nil where the
	// account's kind has no chat.
	Chat(p config.Provider, clients EgressClients) (relay.Upstream, error)
	// Maker opens an account that makes media, or says what it lacks. It is nil where
	// the account's kind makes none.
	Maker(p config.Provider, o MakerOptions) (generation.Maker, error)
	// Test makes one cheap call with an account; a model is named where one is needed.
	Test(ctx context.Context, p config.Provider, model string) catalog.Trial
	// UpstreamWords is what an upstream said for people in the cause of a failure.
	UpstreamWords(cause string) string
	// Egress opens the clients for what callers name, as a configuration allows it.
	Egress(*config.Config) (EgressClients, error)
}

// MakerOptions is what the maker of an account is opened with.
type MakerOptions struct {
	Egress EgressClients
	Former generation.Maker // of the same account before it was changed; may be nil
	Seen   func(error)      // told how orders go
}

// EgressClients are the clients for what callers name.
type EgressClients struct {
	Inputs    relay.Fetcher  // what chats point at
	Callers   *http.Client   // what generations point at
	Receivers *http.Client   // webhooks; it follows no redirect
	Checker   *guard.Checker // what chats point at and upstreams fetch themselves
}
