package gemini

import (
	"cmp"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
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
	}{wireError{Code: status, Message: dialect.ClientSentence(Codec{}.Name(), e), Status: state, Details: details}})
	return status, b
}

const (
	errorInfo = "type.googleapis.com/google.rpc.ErrorInfo"
	retryInfo = "type.googleapis.com/google.rpc.RetryInfo"
)

type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Status  string `json:"status"`
	Details []any  `json:"details"`
}

type wireErrorInfo struct {
	Type   string `json:"@type"`
	Reason string `json:"reason"`
	Domain string `json:"domain"`
}

type wireRetryInfo struct {
	Type       string `json:"@type"`
	RetryDelay string `json:"retryDelay"`
}

// DecodeError reads an upstream's refusal. What concerns the operator's account
// is an error of the upstream's to the client, and says no more.
func (Codec) DecodeError(status int, h http.Header, body []byte) *fault.Error {
	r := readRefusal(body)
	return dialect.Wait(r.toFault(status), h, r.message, jsonscan.At(body, 0)).Because(dialect.Cause(status, body))
}

// readFailure reads an error inside an answer.
func readFailure(data []byte) *fault.Error {
	r := readRefusal(data)
	status := int(r.code)
	if status < http.StatusBadRequest || status > 599 {
		status = cmp.Or(dialect.StatusIn(jsonscan.At(data, 0)), http.StatusInternalServerError)
		for code, state := range states {
			if state == r.status && code != http.StatusMethodNotAllowed && code != http.StatusRequestEntityTooLarge {
				status = code
			}
		}
	}
	return dialect.Wait(r.toFault(status), nil, r.message, jsonscan.At(data, 0)).Because(dialect.Cause(0, data))
}

// wireRefusal is what is read of an upstream's error.
type wireRefusal struct {
	code    int64
	message string
	status  string
	reasons []string // of ErrorInfo
	delay   string   // "57.3s"
}

// readRefusal reads {"error": {…}}, and what imitations make of it.
func readRefusal(body []byte) (r wireRefusal) {
	root := jsonscan.At(body, 0)
	if root.Kind() == jsonscan.Array { // streams that are no SSE fail in a list
		root = root.Index(0)
	}
	r.read(root)
	r.read(fieldOf(root, "error"))
	if r.message == "" {
		_, message := dialect.Complaint(root)
		r.message = strings.Clone(message)
	}
	return r
}

func (r *wireRefusal) read(v jsonscan.Value) {
	for key, v := range fields(v) {
		switch key.name {
		case "code":
			r.code, _ = readInt(v)
		case "message":
			r.message, _ = v.Text()
		case "error":
			if text, ok := v.Text(); ok {
				r.message = text
			}
		case "status":
			r.status, _ = v.Text()
		case "details":
			for _, v := range v.Elements() {
				if reason := textOf(v, "reason"); reason != "" {
					r.reasons = append(r.reasons, reason)
				}
				r.delay = cmp.Or(textOf(v, "retryDelay"), textOf(fieldOf(v, "metadata"), "quotaResetDelay"), r.delay) // the second is Code Assist's
			}
		}
	}
}

// account are the reasons that are about the operator's key.
var account = []string{
	"API_KEY_INVALID", "API_KEY_EXPIRED", "API_KEY_SERVICE_BLOCKED", "API_KEY_HTTP_REFERRER_BLOCKED",
	"API_KEY_IP_ADDRESS_BLOCKED", "SERVICE_DISABLED", "BILLING_DISABLED", "ACCESS_TOKEN_EXPIRED", "CONSUMER_INVALID",
}

func (r *wireRefusal) toFault(status int) *fault.Error {
	ours := slices.ContainsFunc(r.reasons, func(reason string) bool { return slices.Contains(account, reason) }) ||
		r.says("api key not valid", "api key expired", "user location is not supported", "billing account")
	message := dialect.Sentence(r.message)
	switch {
	case ours:
		return dialect.BadCredentials()
	case status == http.StatusTooManyRequests && r.says("credits are depleted", "spending cap"), // a quota is a limit of a minute or a day here
		status == http.StatusPaymentRequired && dialect.SaysSpent(status, "", r.message):
		return dialect.Spent()
	case dialect.SaysNoModel(status, "", r.message):
		return dialect.ByStatus(http.StatusNotFound, r.message)
	case r.status == "UNAVAILABLE":
		status = http.StatusServiceUnavailable
	case r.status == "DEADLINE_EXCEEDED":
		status = http.StatusGatewayTimeout
	case r.says("payload size exceeds"):
		status = http.StatusRequestEntityTooLarge
	case message != "" && dialect.SaysTooLong(status, message):
		return dialect.TooLong(message)
	}
	e := dialect.WithFilterReason(dialect.ByStatus(status, message), r.message)
	switch e.Code {
	case fault.RateLimited, fault.Unavailable:
		return e.After(r.wait())
	case fault.InvalidParameter:
		if r.says("thought signature", "thought_signature", "thoughtsignature") {
			return e.MendedBy(fault.WithoutThoughts)
		}
		if r.says("oneof field 'data' must have one initialized field") {
			return e.MendedBy(fault.Worded)
		}
		switch e.Refused = refusedField(r.message); e.Refused {
		case "":
		case dialect.CallIDs, serviceTier: // a form, and what stays in a client's own bytes
			return e.MendedBy(fault.Without)
		default:
			return e.MendedBy(fault.Without | fault.Editable)
		}
	}
	if e = dialect.WithMends(e, r.message); e.Refused == dialect.ResultNames {
		return e.MendedBy(fault.Without | fault.Repaired)
	}
	return e
}

func (r *wireRefusal) says(signs ...string) bool { return dialect.Says(r.message, signs...) }

// wait is when a detail says that the upstream wants to be asked again; 0: none does.
func (r *wireRefusal) wait() time.Duration {
	d, _ := time.ParseDuration(r.delay)
	return max(0, min(d, dialect.LongestWait))
}
