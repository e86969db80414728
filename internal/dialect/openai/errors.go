package openai

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
)

// own are the codes this API spells, or answers, otherwise than the native family.
var own = map[fault.Code]struct {
	status int
	code   string
}{
	fault.InsufficientCredits: {http.StatusTooManyRequests, "insufficient_quota"},
	fault.RateLimited:         {http.StatusTooManyRequests, "rate_limit_exceeded"},
}

// reasons are facts in an error's details that this API has codes for.
var reasons = []string{"context_length_exceeded", "content_policy_violation", "insufficient_quota", "server_is_overloaded"}

// EncodeError shapes an error as the official clients read it.
func (Codec) EncodeError(e *fault.Error, _ string) (int, []byte) {
	status, code := e.ChatStatus(), string(e.Code)
	if o, ok := own[e.Code]; ok {
		status, code = o.status, o.code
	}
	if reason, ok := e.Details["reason"].(string); ok && slices.Contains(reasons, reason) {
		code = reason
	}
	body := wireError{Message: e.Message, Type: errorType(status, code), Code: code}
	if field, ok := e.Details["field"].(string); ok {
		body.Param = &field
	}
	b, _ := json.Marshal(struct {
		Error wireError `json:"error"`
	}{body})
	return status, b
}

func errorType(status int, code string) string {
	switch {
	case code == "insufficient_quota":
		return code
	case status == http.StatusTooManyRequests:
		return "rate_limit_error"
	case status == http.StatusServiceUnavailable:
		return "service_unavailable_error"
	case status >= http.StatusInternalServerError:
		return "server_error"
	}
	return "invalid_request_error"
}
