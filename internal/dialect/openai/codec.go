// Package openai speaks OpenAI's Chat Completions, to clients and to upstreams:
// the author's own service and the many that are compatible with it. It must not
// know routes, keys or upstreams' addresses.
package openai

import "stele/internal/dialect"

// Codec is the dialect. Its zero value is ready.
type Codec struct{}

var _ dialect.Dialect = Codec{}

// name is the dialect's name, and before a dot the names of its own Extras.
const name = "openai"

// Name is openai.
func (Codec) Name() string { return name }

// Fields are the members of a request that the dialect looks at.
func Fields() *dialect.Known { return known }
