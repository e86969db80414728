package gemini

import (
	"fmt"
	"math"
	"net/http"

	"github.com/go-json-experiment/json"

	"stele/internal/fault"
)

// own are the codes this API answers with another status than the native family.
var own = map[fault.Code]int{
	fault.InsufficientCredits: http.StatusTooManyRequests,
	fault.UpstreamError:       http.StatusInternalServerError,
}

// states maps an HTTP status to the canonical one that goes with it.
var states = map[int]string{
	http.StatusUnauthorized:          "UNAUTHENTICATED",
	http.StatusForbidden:             "PERMISSION_DENIED",
	http.StatusNotFound:              "NOT_FOUND",
	http.StatusMethodNotAllowed:      "UNIMPLEMENTED",
	http.StatusConflict:              "ABORTED",
	http.StatusRequestEntityTooLarge: "INVALID_ARGUMENT",
	http.StatusTooManyRequests:       "RESOURCE_EXHAUSTED",
	http.StatusNotImplemented:        "UNIMPLEMENTED",
	http.StatusServiceUnavailable:    "UNAVAILABLE",
	http.StatusGatewayTimeout:        "DEADLINE_EXCEEDED",
}

// EncodeError shapes an error as the official clients read it. The native code
// is the reason of its ErrorInfo.
func (Codec) EncodeError(e *fault.Error, _ string) (int, []byte) {
	status := e.ChatStatus()
	if s, ok := own[e.Code]; ok {
		status = s
	}
	state, ok := states[status]
	switch {
	case ok:
	case status >= http.StatusInternalServerError:
		state = "INTERNAL"
	default:
		state = "INVALID_ARGUMENT"
	}
	details := []any{wireErrorInfo{Type: errorInfo, Reason: string(e.Code), Domain: "stele"}}
	if e.RetryAfter > 0 {
		details = append(details, wireRetryInfo{Type: retryInfo, RetryDelay: fmt.Sprintf("%.0fs", math.Ceil(e.RetryAfter.Seconds()))})
	}
	b, _ := json.Marshal(struct {
		Error wireError `json:"error"`
	}{wireError{Code: status, Message: e.Message, Status: state, Details: details}})
	return status, b
}
