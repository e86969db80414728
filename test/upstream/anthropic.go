package upstream

import (
	_ "embed"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// anthropic is Messages.
type anthropic struct{}

//go:embed grammar/anthropic.txt
var anthropicTable string

var anthropicGrammar = parseGrammar(anthropicTable)

// The versions of the API. The newer one knows no sampling.
const (
	versionOld = "2023-06-01"
	versionNew = "2026-10-21"
)

func (a anthropic) route(r *Recorded) (route, *Refusal) {
	switch {
	case r.Method == http.MethodGet && strings.HasSuffix(r.Path, "/v1/models"):
		return route{models: true}, nil
	case !strings.HasSuffix(r.Path, "/v1/messages"):
		return route{}, refuse(a, failure{status: http.StatusNotFound, kind: noPath})
	case r.Method != http.MethodPost:
		return route{}, refuse(a, failure{status: http.StatusMethodNotAllowed, message: "Method Not Allowed"})
	}
	return route{}, nil
}

func (a anthropic) admit(r *Recorded, key string) *Refusal {
	given := r.Header.Values("X-Api-Key")
	switch {
	case len(given) != 1 || given[0] == "":
		return refuse(a, failure{status: http.StatusUnauthorized, kind: noKey})
	case given[0] != key:
		return refuse(a, failure{status: http.StatusUnauthorized, kind: badKey})
	case r.Header.Get("Anthropic-Version") == "":
		return refuse(a, failure{message: "anthropic-version: header is required"})
	case !oneOf(r.Header.Get("Anthropic-Version"), []string{versionOld, versionNew}):
		return refuse(a, failure{message: fmt.Sprintf("anthropic-version: %q is not a valid version", r.Header.Get("Anthropic-Version"))})
	}
	return nil
}

// claudeRules are the checks beyond the grammar, each in the file it is named after.
var claudeRules = []func(*Server, *chat) *failure{
	claudeHeaders, claudeSampling, claudeThinking, claudeCache, claudeTools, claudeFormat,
	claudeTurns, claudeBlocks, claudePairs, claudeSignatures,
}

func (a anthropic) check(s *Server, c *chat) *Refusal {
	body := c.body
	if c.Header.Get("Anthropic-Beta") != "" { // betas add fields
		body = withoutBeta(body)
	}
	if p := anthropicGrammar.check(body, "request"); p != nil {
		return refuse(a, failure{message: pydantic(p)})
	}
	for _, rule := range claudeRules {
		if f := rule(s, c); f != nil {
			return refuse(a, *f)
		}
	}
	return nil
}

// betaFields are fields of the body that only a beta header allows.
var betaFields = []string{
	"compaction", "context_management", "fallbacks", "fallback_credit_token", "mcp_servers", "output_format", "thread", "block_binding",
}

func withoutBeta(body object) object {
	plain := make(object, len(body))
	for name, v := range body {
		if !slices.Contains(betaFields, name) {
			plain[name] = v
		}
	}
	return plain
}

// betaName is how the names of betas end.
var betaName = regexp.MustCompile(`^[a-z0-9-]+-20\d\d-?\d\d-?\d\d$`) // claude-code-20250219 too

func claudeHeaders(_ *Server, c *chat) *failure {
	for _, line := range c.Header.Values("Anthropic-Beta") {
		for name := range strings.SplitSeq(line, ",") {
			if name = strings.TrimSpace(name); !betaName.MatchString(name) {
				return refused("Unexpected value(s) `%s` for the `anthropic-beta` header. Please consult our documentation at docs.anthropic.com or try again without the header.", name) //nolint:lll // their words
			}
		}
	}
	return nil
}

// refused is a 400 in these words.
func refused(format string, args ...any) *failure {
	return &failure{status: http.StatusBadRequest, message: fmt.Sprintf(format, args...)}
}
