// Package gemini speaks Google's generateContent, to clients that were written for it and to upstreams
// that serve it. It must not know routes, keys or upstreams' addresses.
package gemini

import (
	"net/url"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// Codec is the dialect. Its zero value is ready.
type Codec struct{}

// name is what the dialect is called everywhere.
const name = "gemini"

var _ dialect.Dialect = Codec{}

// Name is the dialect's name.
func (Codec) Name() string { return name }

// TakesSeveral reports whether one call may be asked for several answers. There is
// candidateCount, but the models that take more than one are few.
func (Codec) TakesSeveral() bool { return false }

// Reads reports whether the upstream itself fetches what is at a part's address.
// Only newer models do, and only from some hosts; clips of YouTube all of them.
func (Codec) Reads(p *chat.Part, passes bool) bool {
	return passes || p.Media != nil && isYouTube(p.Media.URL)
}

// Fields are the members of a request that the dialect looks at.
func Fields() *dialect.Known { return members }

// addressOf is where a model is asked. Streams are always asked for as SSE.
func addressOf(t dialect.Upstream) string {
	model := t.Model
	if !strings.Contains(model, "models/") && !strings.HasPrefix(model, "tunedModels/") {
		model = "models/" + model
	}
	segments := strings.Split(model, "/")
	for i := range segments {
		segments[i] = url.PathEscape(segments[i])
	}
	path := "/v1beta/" + strings.Join(segments, "/")
	if t.Stream {
		return path + ":streamGenerateContent?alt=sse"
	}
	return path + ":generateContent"
}
