package gemini

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
)

// DecodeError reads an upstream's refusal. What concerns the operator's account
// is an error of the upstream's to the client, and says no more.
func (Codec) DecodeError(status int, h http.Header, body []byte) *fault.Error {
	var r wireRefusal
	c := cursor{b: body}
	if c.peek() == '[' { // streams that are no SSE fail in a list
		c.enter('[')
	}
	c.refusal(&r, false)
	return r.fault(status, h).Because(snippet(body))
}

// failed is an error inside an answer.
func failed(data []byte) *fault.Error {
	var r wireRefusal
	c := cursor{b: data}
	if c.peek() == '[' {
		c.enter('[')
	}
	c.refusal(&r, false)
	status := int(r.code)
	if status < http.StatusBadRequest || status > 599 {
		status = http.StatusInternalServerError
		for code, state := range states {
			if state == r.status && code != http.StatusMethodNotAllowed && code != http.StatusRequestEntityTooLarge {
				status = code
			}
		}
	}
	return r.fault(status, nil).Because(snippet(data))
}

// unreadable is an answer that is not one.
func unreadable(data []byte) *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(snippet(data))
}

// snippet keeps the beginning of what an upstream said for the log.
func snippet(data []byte) error {
	const most = 2 << 10
	if len(data) == 0 {
		return errors.New("upstream: empty")
	}
	return errors.New("upstream: " + strings.ToValidUTF8(string(data[:min(len(data), most)]), "�"))
}

// refusal reads {"error": {…}}, and what imitations make of it.
func (c *cursor) refusal(r *wireRefusal, inside bool) {
	if !c.enter('{') {
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		switch string(key) {
		case "error":
			switch {
			case c.peek() == '"':
				r.message, _ = c.text()
			case inside || c.peek() != '{':
				c.skip()
			default:
				c.refusal(r, true)
			}
		case "code":
			r.code, _ = c.integer()
		case "message":
			r.message, _ = c.text()
		case "status":
			r.status, _ = c.text()
		case "details":
			c.elements(func() { c.detail(r) })
		default:
			c.skip()
		}
		if c.bad {
			return
		}
	}
}

func (c *cursor) detail(r *wireRefusal) {
	if !c.enter('{') {
		c.skip()
		return
	}
	for {
		key, more := c.key()
		if !more {
			return
		}
		switch string(key) {
		case "reason":
			reason, _ := c.text()
			r.reasons = append(r.reasons, reason)
		case "retryDelay":
			r.delay, _ = c.text()
		default:
			c.skip()
		}
	}
}

// account are the reasons that are about the operator's key.
var account = []string{
	"API_KEY_INVALID", "API_KEY_EXPIRED", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED",
	"API_KEY_IP_ADDRESS_BLOCKED", "SERVICE_DISABLED", "BILLING_DISABLED", "ACCESS_TOKEN_EXPIRED", "CONSUMER_INVALID",
}

func (r *wireRefusal) fault(status int, h http.Header) *fault.Error {
	ours := slices.ContainsFunc(r.reasons, func(reason string) bool { return slices.Contains(account, reason) }) ||
		r.says("api key not valid", "api key expired", "user location is not supported", "billing account")
	switch {
	case ours, status == http.StatusUnauthorized, status == http.StatusPaymentRequired, status == http.StatusForbidden:
		return dialect.BadCredentials()
	case status == http.StatusTooManyRequests:
		return fault.New(fault.RateLimited, "The model's provider is limiting requests.").After(r.wait(h))
	case status == http.StatusServiceUnavailable, status == 529, r.status == "UNAVAILABLE":
		return fault.New(fault.Unavailable, "The model's provider is overloaded.").With("reason", "server_is_overloaded").After(r.wait(h))
	case status == http.StatusRequestTimeout, status == http.StatusGatewayTimeout, r.status == "DEADLINE_EXCEEDED":
		return fault.New(fault.UpstreamTimeout, "The model's provider took too long.")
	case status == http.StatusNotFound:
		return fault.New(fault.ModelNotFound, "The model's provider does not have this model.")
	case status == http.StatusRequestEntityTooLarge, r.says("payload size exceeds"):
		return fault.New(fault.BodyTooLarge, "The request is too large for the model's provider.")
	case status >= http.StatusBadRequest && status < http.StatusInternalServerError && r.message != "":
		return r.badRequest()
	}
	return fault.New(fault.UpstreamError, "The model's provider failed.")
}

func (r *wireRefusal) badRequest() *fault.Error {
	e := fault.New(fault.InvalidParameter, "%s", clean(r.message))
	if r.says("exceeds the maximum number of tokens", "input token count", "context length", "token limit") {
		return e.With("reason", "context_length_exceeded")
	}
	if r.says("thought signature", "thought_signature", "thoughtsignature") {
		return e.With("reason", dialect.BadSignature)
	}
	return e
}

func (r *wireRefusal) says(words ...string) bool {
	message := strings.ToLower(r.message)
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(message, w) })
}

// wait is when the upstream wants to be asked again; 0: it does not say.
func (r *wireRefusal) wait(h http.Header) time.Duration {
	if d, err := time.ParseDuration(r.delay); err == nil && d > 0 {
		return d
	}
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 && ms < math.MaxInt32 {
		return time.Duration(ms * float64(time.Millisecond))
	}
	after := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(after, 64); err == nil {
		if s > 0 && s < math.MaxInt32 {
			return time.Duration(s * float64(time.Second))
		}
		return 0
	}
	if at, err := http.ParseTime(after); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// private is what must not leave in an upstream's sentence: keys, addresses and
// names of accounts.
var private = regexp.MustCompile(`https?://\S+|AIza[\w-]{10,}|sk-[\w-]{8,}|ya29\.[\w.-]+|\bBearer\s+\S+` +
	`|(?i:projects?[/ :_]*(number)?[:= ]*['"]?)[\w-]*\d[\w-]*|[\w.+-]+@[\w-]+\.[\w.]+` +
	`|\b(?:org|acct|proj)[-_][A-Za-z0-9]{6,}`)

// clean is an upstream's sentence without what is private.
func clean(message string) string {
	const most = 600
	message = private.ReplaceAllString(strings.ToValidUTF8(message, "�"), "…")
	message = strings.Join(strings.Fields(message), " ")
	if runes := []rune(message); len(runes) > most {
		message = string(runes[:most]) + "…"
	}
	return message
}
