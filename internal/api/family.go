package api

import (
	"net/http"
	"strings"

	anthropicdialect "stele/internal/dialect/anthropic"
	geminidialect "stele/internal/dialect/gemini"
	openaidialect "stele/internal/dialect/openai"
	"stele/internal/fault"
)

// shaper puts an error into a family's shape.
type shaper interface {
	EncodeError(e *fault.Error, requestID string) (status int, body []byte)
}

// family is whose shape a route answers in.
type family struct {
	name     string
	codec    shaper
	base     string // what its clients' base URL ends in, behind the public URL
	switches bool   // to another, when the client says it speaks that
}

var (
	native    = family{name: "native", codec: nativeCodec{}}
	openAI    = family{name: "openai", codec: openaidialect.Codec{}, base: "/api/v1"}
	anthropic = family{name: "anthropic", codec: anthropicdialect.Codec{}, base: "/api"}
	gemini    = family{name: "gemini", codec: geminidialect.Codec{}, base: "/api"}

	anyOfThree        = family{name: "openai", codec: openaidialect.Codec{}, base: "/api/v1", switches: true}
	nativeOrAnthropic = family{name: "native", codec: nativeCodec{}, switches: true}
)

// of is the family a request to the route is answered in.
func (f family) of(r *http.Request) family {
	switch {
	case f.switches && speaksAnthropic(r):
		return anthropic
	case f.switches && f.name == openAI.name && speaksGemini(r):
		return gemini
	}
	return f
}

// familyOf is the family of a path that is no route, or not with this method.
func familyOf(r *http.Request) family {
	path := r.URL.Path
	if there := guessPath(path); there != "" {
		path = there
	}
	switch {
	case within(path, "/api/v1beta"):
		return gemini
	case within(path, "/api/v1/messages") || speaksAnthropic(r):
		return anthropic
	case within(path, "/api/v1/models") && speaksGemini(r), strings.HasPrefix(path, "/api/v1/models/") && r.Method == http.MethodPost && strings.Contains(path, ":"):
		return gemini // an operation of Google's; OpenAI's clients post nothing there
	case within(path, "/api/v1/chat") || within(path, "/api/v1/models"):
		return openAI
	case within(r.URL.Path, "/api/v1beta"): // a client of Google's that looks for what routes of ours do
		return gemini
	}
	return native
}

func within(path, prefix string) bool {
	rest, ok := strings.CutPrefix(path, prefix)
	return ok && (rest == "" || rest[0] == '/')
}

func speaksAnthropic(r *http.Request) bool {
	return len(r.Header.Values("Anthropic-Version")) > 0
}

// speaksGemini recognises Google's own clients, which from @google/genai 3 on ask /v1 for models.
func speaksGemini(r *http.Request) bool { return r.Header.Get("X-Goog-Api-Client") != "" }

type nativeCodec struct{}

// EncodeError is the native envelope.
func (nativeCodec) EncodeError(e *fault.Error, requestID string) (int, []byte) {
	return e.Status(), e.Envelope(requestID)
}
