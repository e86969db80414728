// Package anthropic speaks Anthropic's Messages, to clients that were written
// for it and to upstreams that serve it. It must not know routes, keys or
// upstreams' addresses.
//
// The API has two versions. Clients of both are served alike. To an upstream
// the client's own version is passed on; a translated conversation is sent as
// the older one, which takes all that the newer takes and sampling besides.
package anthropic

import (
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// Codec is the dialect. Its zero value is ready.
type Codec struct{}

var _ dialect.Dialect = Codec{}

const (
	dialectName = "anthropic"
	prefix      = dialectName + "." // of Extras and opaque blocks that are this dialect's own
	endpoint    = "/v1/messages"
)

// The versions of the API, and the headers that say which.
const (
	version2023   = "2023-06-01"
	version2026   = "2026-10-21"
	versionHeader = "Anthropic-Version"
	betaHeader    = "Anthropic-Beta"
)

// Name is how the rest of Stele calls the dialect.
func (Codec) Name() string { return dialectName }

// TakesSeveral reports whether one call may be asked for several answers.
func (Codec) TakesSeveral() bool { return false }

// Reads reports whether the upstream itself fetches what is at a part's address: pictures and documents
// it does, over TLS alone. A client that speaks its dialect hears that from itself.
func (Codec) Reads(p *chat.Part, passes bool) bool {
	if p.Kind != chat.Image && p.Kind != chat.Document || p.Media == nil {
		return false
	}
	scheme, _, _ := strings.Cut(p.Media.URL, ":")
	return passes || !strings.EqualFold(scheme, "http")
}

// Fields are the members of a request that the dialect looks at.
func Fields() *dialect.Known { return known }
