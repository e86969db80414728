// Package dialect is what the three chat APIs have in common: a codec for each
// turns common things into its own words and back. It must not know routes,
// keys or upstreams.
package dialect

import (
	"time"

	"stele/internal/fault"
)

// Server is the half of a codec that faces our clients.
type Server interface {
	// EncodeError is an error in the dialect's own shape, with the HTTP status
	// its clients expect.
	EncodeError(e *fault.Error, requestID string) (status int, body []byte)
}

// Model is a chat model as the lists of the dialects show it.
type Model struct {
	ID           string
	Name         string
	Description  string
	Owner        string
	Created      time.Time
	Capabilities map[string]bool
	Tags         []string
}
