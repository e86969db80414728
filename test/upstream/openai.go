package upstream

import (
	_ "embed"
	"fmt"
	"net/http"
	"strings"
)

// openai is Chat Completions.
type openai struct{}

//go:embed grammar/openai.txt
var openaiTable string

var openaiGrammar = parseGrammar(openaiTable)

func (a openai) route(r *Recorded) (route, *Refusal) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/models"):
		return route{models: true}, nil
	case !strings.HasSuffix(r.Path, "/chat/completions"):
		return route{}, refuse(a, failure{status: http.StatusNotFound, kind: noPath, about: r.Method + " " + r.Path})
	case r.Method != http.MethodPost:
		message := "Not allowed to " + r.Method + " on " + r.Path + ". (HINT: Perhaps you meant to use a different HTTP method?)"
		return route{}, refuse(a, failure{status: http.StatusMethodNotAllowed, message: message})
	}
	return route{}, nil
}

func (a openai) admit(r *Recorded, key string) *Refusal {
	given := r.Header.Values("Authorization")
	if len(given) != 1 || !strings.HasPrefix(given[0], "Bearer ") {
		return refuse(a, failure{status: http.StatusUnauthorized, kind: noKey})
	}
	if given[0] != "Bearer "+key {
		return refuse(a, failure{status: http.StatusUnauthorized, kind: badKey})
	}
	return nil
}

// openaiRules are the checks beyond the grammar, each in the file it is named after.
var openaiRules = []func(*chat) *failure{
	openaiFields, openaiModels, openaiPairs, openaiContent, openaiTools, openaiFormat,
}

func (a openai) check(_ *Server, c *chat) *Refusal {
	if kind := c.Header.Get("Content-Type"); !strings.HasPrefix(kind, "application/json") {
		return refuse(a, failure{status: http.StatusBadRequest, message: "Unsupported content type: '" + kind + "'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: " + kind + "'. Please try again with a supported content type.", code: "unsupported_content_type"}) //nolint:lll // their words
	}
	if p := openaiGrammar.check(c.body, "request"); p != nil {
		return refuse(a, openaiWords(p))
	}
	for _, rule := range openaiRules {
		if f := rule(c); f != nil {
			return refuse(a, *f)
		}
	}
	return nil
}

// refuse puts a failure into an API's words.
func refuse(a api, f failure) *Refusal {
	if f.status == 0 {
		f.status = http.StatusBadRequest
	}
	reply := a.fail(f)
	return &Refusal{Status: reply.Status, Body: string(reply.bytes()), reply: reply}
}

// openaiFields are rules between fields.
func openaiFields(c *chat) *failure {
	b := c.body
	switch {
	case has(b, "stream_options") && !c.stream:
		return bad("stream_options", "", "The 'stream_options' parameter is only allowed when 'stream' is enabled.")
	case has(b, "max_tokens") && has(b, "max_completion_tokens"):
		return bad("max_tokens", "invalid_parameter_combination", "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.")
	case has(b, "top_logprobs") && !boolAt(b, "logprobs"):
		return bad("top_logprobs", "", "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.")
	case has(b, "functions") && has(b, "tools"):
		return bad("functions", "", "'functions' and 'tools' cannot both be specified.")
	case has(b, "audio") && !strings.Contains(fmt.Sprint(b["modalities"]), "audio"):
		return bad("audio", "", "The 'audio' parameter is only allowed when 'audio' is one of the 'modalities'.")
	}
	for token, v := range objectAt(b, "logit_bias") {
		if f, _ := floatOf(v); f < -100 || f > 100 {
			return bad("logit_bias", "", "Invalid 'logit_bias': the bias of token %s is not between -100 and 100.", token)
		}
	}
	for name, v := range objectAt(b, "metadata") {
		if s, _ := v.(string); len(name) > 64 || len(s) > 512 {
			return bad("metadata", "string_above_max_length", "Invalid 'metadata.%s': string too long.", name)
		}
	}
	return nil
}

// bad is a 400 about a parameter.
func bad(param, code, format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, about: param, code: code, message: fmt.Sprintf(format, args...)}
}
