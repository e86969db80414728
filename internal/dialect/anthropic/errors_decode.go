package anthropic

import (
	"errors"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeError reads an upstream's refusal.
func (Codec) DecodeError(status int, header http.Header, body []byte) *fault.Error {
	r := readRefusal(body)
	e := r.classify(status)
	if e.Code == fault.RateLimited && !r.spent || e.Code == fault.Unavailable {
		e.RetryAfter = retryAfter(header, time.Now())
	}
	return e.Because(cause(status, body))
}

// streamError reads an error in the middle of a stream.
func streamError(data []byte) *fault.Error {
	r := readRefusal(data)
	status := statusOf(r.kind)
	return r.classify(status).Because(cause(status, data))
}

// refusal is what an upstream's error says.
type refusal struct {
	kind, message, code string
	spent               bool // the operator's credit is used up, for which waiting is no help
}

// readRefusal reads an error. Of one that is cut short only that credit is used up is
// believed.
func readRefusal(body []byte) (r refusal) {
	e := jsonscan.At(body, 0).Get("error")
	message := words(e.Get("message"))
	r.spent = hasAny(strings.ToLower(message), "credit balance is too low", "usage limit", "spend limit", "insufficient_quota")
	if jsonscan.Valid(body, jsonscan.Lenient) {
		r.kind, r.message, r.code = words(e.Get("type")), message, strings.Clone(words(e.Get("details", "error_code")))
	}
	return r
}

func hasAny(text string, signs ...string) bool {
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// classify finds what an upstream's refusal means to the client. Whatever is
// wrong with the operator's own account is not the client's business.
func (r *refusal) classify(status int) *fault.Error {
	switch {
	case strings.HasPrefix(r.code, threads):
		return fault.New(fault.InvalidParameter, "%s", clean(r.message)).With("error_code", r.code)
	case r.spent:
		return fault.New(fault.RateLimited, "The model's provider has no more capacity for this account.")
	case r.kind == "overloaded_error":
		status = overloaded
	case r.message != "" && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && dialect.SaysTooLong(strings.ToLower(r.message)):
		return dialect.TooLong(clean(r.message))
	}
	e := dialect.ByStatus(status, clean(r.message))
	if e.Code == fault.InvalidParameter && strings.Contains(r.message, "signature") && strings.Contains(r.message, "thinking") {
		return e.With("reason", dialect.BadSignature)
	}
	return e
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
