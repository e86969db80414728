// Package openai speaks OpenAI's Chat Completions, to clients and to upstreams:
// the author's own service and the many that are compatible with it. It must not
// know routes, keys or upstreams' addresses.
package openai

import (
	"stele/internal/chat"
	"stele/internal/dialect"
)

// Codec is the dialect. Its zero value is ready.
type Codec struct{}

var _ dialect.Dialect = Codec{}

const (
	name     = "openai"            // also, before a dot, in the names of its own Extras
	endpoint = "/chat/completions" // below an upstream's base URL
)

// Name is openai.
func (Codec) Name() string { return name }

// TakesSeveral reports whether one call may be asked for several answers.
func (Codec) TakesSeveral() bool { return true }

// Reads reports whether the upstream itself fetches what is at a part's address:
// pictures it does, documents must come along.
func (Codec) Reads(p *chat.Part, _ bool) bool { return p.Kind == chat.Image }

// Fields are the members of a request that the dialect looks at.
func Fields() *dialect.Known { return known }
