package upstream

import (
	_ "embed"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// gemini is generateContent.
type gemini struct{}

//go:embed grammar/gemini.txt
var geminiTable string

var geminiGrammar = func() *grammar {
	g := parseGrammar(geminiTable)
	g.proto = true
	return g
}()

// route takes a path apart: /VERSION/models/MODEL:METHOD, with a model that may
// hold slashes and colons.
func (a gemini) route(r *Recorded) (route, *Refusal) {
	missing := refuse(a, failure{status: http.StatusNotFound, kind: noPath})
	if r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/models") {
		return route{models: true}, nil
	}
	_, name, ok := strings.Cut(r.Path, "/models/")
	colon := strings.LastIndex(name, ":")
	if !ok || colon < 1 || !oneOf(strings.Split(r.Path, "/")[1], []string{"v1", "v1beta", "v1alpha", "v1beta1"}) {
		return route{}, missing
	}
	model, err := url.PathUnescape(name[:colon])
	rt := route{model: model}
	switch name[colon+1:] {
	case "generateContent":
	case "streamGenerateContent":
		rt.stream, rt.array = true, r.Query.Get("alt") != "sse"
	default:
		return route{}, missing
	}
	if err != nil || r.Method != http.MethodPost {
		return route{}, missing
	}
	return rt, nil
}

func (a gemini) admit(r *Recorded, key string) *Refusal {
	switch given := r.Header.Values("X-Goog-Api-Key"); {
	case len(given) == 0:
		return refuse(a, failure{status: http.StatusForbidden, kind: noKey})
	case len(given) > 1 || given[0] != key:
		return refuse(a, failure{kind: badKey})
	}
	return nil
}

// geminiRules are the checks beyond the grammar, each in the file it is named after.
var geminiRules = []func(*Server, *chat) *failure{
	geminiContents, geminiParts, geminiFunctions, geminiTools, geminiConfig, geminiThinking, geminiSchemas, geminiSignatures,
}

func (a gemini) check(s *Server, c *chat) *Refusal {
	if p := geminiGrammar.check(c.body, "request"); p != nil {
		return refuse(a, *protoWords(p))
	}
	for _, rule := range geminiRules {
		if f := rule(s, c); f != nil {
			return refuse(a, *f)
		}
	}
	return nil
}

// invalid is a 400 about a field of the request, as the API lists them.
func invalid(where, format string, args ...any) *failure {
	return refused("* GenerateContentRequest.%s: %s\n", where, fmt.Sprintf(format, args...))
}
