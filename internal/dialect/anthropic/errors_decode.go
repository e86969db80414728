package anthropic

import (
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
	"stele/internal/fault"
)

// statuses are what the API's kinds of errors mean where no status says so: in
// the middle of a stream.
var statuses = map[string]int{
	"invalid_request_error": http.StatusBadRequest,
	"authentication_error":  http.StatusUnauthorized,
	"billing_error":         http.StatusPaymentRequired,
	"permission_error":      http.StatusForbidden,
	"not_found_error":       http.StatusNotFound,
	"request_too_large":     http.StatusRequestEntityTooLarge,
	"rate_limit_error":      http.StatusTooManyRequests,
	"timeout_error":         http.StatusGatewayTimeout,
	"api_error":             http.StatusInternalServerError,
	"overloaded_error":      overloaded,
}

// DecodeError reads an upstream's refusal.
func (Codec) DecodeError(status int, header http.Header, body []byte) *fault.Error {
	e := classify(status, body)
	if e.Code == fault.RateLimited && !spent(body) || e.Code == fault.Unavailable {
		e.RetryAfter = retryAfter(header, time.Now())
	}
	return e.Because(cause(status, body))
}

// streamError reads an error in the middle of a stream.
func streamError(data []byte) *fault.Error {
	status, ok := statuses[gjson.GetBytes(data, "error.type").Str]
	if !ok {
		status = http.StatusInternalServerError
	}
	return classify(status, data).Because(cause(status, data))
}

// classify finds what an upstream's refusal means to the client. Whatever is
// wrong with the operator's own account is not the client's business.
func classify(status int, body []byte) *fault.Error {
	kind, message, code := "", "", ""
	if gjson.ValidBytes(body) {
		kind, message = gjson.GetBytes(body, "error.type").String(), gjson.GetBytes(body, "error.message").String()
		code = gjson.GetBytes(body, "error.details.error_code").String()
	}
	switch {
	case strings.HasPrefix(code, threads):
		return invalid(message).With("error_code", code)
	case spent(body):
		return fault.New(fault.RateLimited, "The model's provider has no more capacity for this account.")
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusPaymentRequired:
		return dialect.BadCredentials()
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "The model's provider is limiting the rate of requests.")
	case status == overloaded, status == http.StatusServiceUnavailable, kind == "overloaded_error":
		return fault.New(fault.Unavailable, "The model's provider is overloaded.").With("reason", "server_is_overloaded")
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout:
		return fault.New(fault.UpstreamTimeout, "The model's provider took too long.")
	case status == http.StatusRequestEntityTooLarge:
		return fault.New(fault.BodyTooLarge, "The request is larger than the model's provider takes.")
	case status == http.StatusNotFound && kind == "not_found_error" && strings.Contains(message, "model"):
		return fault.New(fault.ModelNotFound, "The model's provider does not know the model.")
	case (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && message != "":
		return invalid(message)
	}
	return fault.New(fault.UpstreamError, "The model's provider failed.")
}

// invalid is a request that the upstream did not like, in its own words.
func invalid(message string) *fault.Error {
	e := fault.New(fault.InvalidParameter, "%s", clean(message))
	for _, sign := range []string{"prompt is too long", "exceed context limit", "context window", "input is too long", "maximum context length"} {
		if strings.Contains(strings.ToLower(message), sign) {
			return e.With("reason", "context_length_exceeded")
		}
	}
	if strings.Contains(message, "signature") && strings.Contains(message, "thinking") {
		return e.With("reason", dialect.BadSignature)
	}
	return e
}

// spent reports whether the operator's credit is used up, for which waiting is no help.
func spent(body []byte) bool {
	message := strings.ToLower(gjson.GetBytes(body, "error.message").String())
	return strings.Contains(message, "credit balance is too low") || strings.Contains(message, "usage limit") ||
		strings.Contains(message, "spend limit") || strings.Contains(message, "insufficient_quota")
}

// private is what tells about the operator's account or the upstream's inside:
// keys, addresses, ids of organisations, workspaces, requests and people.
var private = regexp.MustCompile(`(?i)(https?://\S+|\bsk-[\w-]{6,}|\bbearer\s+\S+|\b(?:org|req|wrkspc|acct|user|proj|key|apikey)[-_][\w-]{6,}` +
	`|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b|[\w.+-]+@[\w-]+\.[\w.]+|\barn:\S+)`)

const longestMessage = 1000

// clean is an upstream's sentence without what is private.
func clean(message string) string {
	message = private.ReplaceAllString(message, "[removed]")
	if len(message) > longestMessage {
		message = strings.ToValidUTF8(message[:longestMessage], "") + "…"
	}
	return message
}

const longestCause = 2 << 10

// cause is the refusal as it came, for the log.
func cause(status int, body []byte) error {
	return errors.New("upstream status " + strconv.Itoa(status) + ": " + string(body[:min(len(body), longestCause)]))
}

// retryAfter is when the upstream wants to be asked again; 0 where it does not say.
func retryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && sane(ms/1000) {
		return time.Duration(ms * float64(time.Millisecond))
	}
	text := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(text, 64); err == nil && sane(s) {
		return time.Duration(s * float64(time.Second))
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}

// sane reports whether a number of seconds is one to wait.
func sane(seconds float64) bool { return seconds > 0 && seconds < math.MaxInt32 }
