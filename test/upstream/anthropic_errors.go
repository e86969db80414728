package upstream

import (
	"fmt"
	"net/http"
	"strings"
)

// statusOverloaded is Anthropic's own.
const statusOverloaded = 529

var anthropicTypes = map[int]string{
	400: "invalid_request_error", 401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
	405: "invalid_request_error", 409: "conflict_error", 413: "request_too_large", 422: "invalid_request_error", 429: "rate_limit_error",
	500: "api_error", 504: "timeout_error", statusOverloaded: "overloaded_error",
}

func (anthropic) fail(f failure) Reply {
	message := f.message
	switch f.kind {
	case notJSON:
		message = "The request body is not valid JSON: expected value"
	case noModel:
		message = "model: " + f.about
	case noPath:
		message = "Not found"
	case noKey:
		message = "x-api-key header is required"
	case badKey:
		message = "invalid x-api-key"
	case rateLimited:
		message = "This request would exceed the rate limit for your organization (" + canary + ") of 50 requests per minute."
	case quotaGone:
		f.status = http.StatusBadRequest
		message = "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	case overloaded:
		f.status, message = statusOverloaded, "Overloaded"
	case tooLong:
		message = "prompt is too long: 200001 tokens > 200000 maximum"
	case broken:
		message = "Internal server error"
	}
	kind, ok := anthropicTypes[f.status]
	if !ok {
		kind = "api_error"
	}
	reply := jsonReply(f.status, doc{"type", "error", "error", doc{"type", kind, "message", message}, "request_id", "req_anthropic"})
	anthropicHeaders(reply.Header)
	if f.retry > 0 {
		reply.Header.Set("Retry-After", seconds(f.retry))
	}
	return reply
}

func anthropicHeaders(h http.Header) {
	h.Set("Request-Id", "req_anthropic")
	h.Set("Anthropic-Organization-Id", canary)
	h.Set("Anthropic-Ratelimit-Requests-Limit", "50")
	h.Set("Anthropic-Ratelimit-Requests-Remaining", "49")
	h.Set("Anthropic-Ratelimit-Requests-Reset", "2026-11-03T12:00:00Z")
	h.Set("Set-Cookie", "__cf_bm="+canary)
}

var pydanticKinds = map[string]string{
	"string": "string", "number": "number", "int": "integer", "bool": "boolean", "object": "dictionary", "array": "list",
}

// pydantic says what does not fit the grammar, as the library behind the API does.
func pydantic(p *problem) string {
	path := dotted(p.path)
	switch p.fault {
	case unknownField:
		return path + ": Extra inputs are not permitted"
	case missingField:
		return path + ": Field required"
	case wrongType:
		return path + ": Input should be a valid " + pydanticKinds[p.want[0]]
	case wrongWord:
		words := quoted(p.want)
		if i := strings.LastIndex(words, ", "); i >= 0 {
			words = words[:i] + " or " + words[i+2:]
		}
		return path + ": Input should be " + words
	case wrongTag:
		above := dotted(p.path[:len(p.path)-1])
		return fmt.Sprintf("%s: Input tag '%v' found using 'type' does not match any of the expected tags: %s", above, p.got, quoted(p.want))
	}
	switch got := p.got.(type) {
	case string:
		if p.fault == tooLow {
			return fmt.Sprintf("%s: String should have at least %v character", path, p.limit)
		}
		return fmt.Sprintf("%s: String should have at most %v characters", path, p.limit)
	case []any:
		if p.fault == tooLow {
			return fmt.Sprintf("%s: List should have at least %v item after validation, not %d", path, p.limit, len(got))
		}
		return fmt.Sprintf("%s: List should have at most %v items after validation, not %d", path, p.limit, len(got))
	}
	if p.fault == tooLow {
		return fmt.Sprintf("%s: Input should be greater than or equal to %v", path, p.limit)
	}
	return fmt.Sprintf("%s: Input should be less than or equal to %v", path, p.limit)
}

func (anthropic) list(models []string) Reply {
	data := []any{}
	for _, id := range models {
		data = append(data, doc{"type", "model", "id", id, "display_name", id, "created_at", "2026-01-01T00:00:00Z"})
	}
	page := doc{"data", data, "has_more", false, "first_id", nil, "last_id", nil}
	if n := len(models); n > 0 {
		page = doc{"data", data, "has_more", false, "first_id", models[0], "last_id", models[n-1]}
	}
	reply := jsonReply(http.StatusOK, page)
	anthropicHeaders(reply.Header)
	return reply
}
