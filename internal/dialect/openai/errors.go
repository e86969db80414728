package openai

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

type wireError struct {
	Message string  `json:"message"`
	Type    string  `json:"type"`
	Param   *string `json:"param"`
	Code    string  `json:"code"`
}

// own are the codes this API spells, or answers, otherwise than the native family.
var own = map[fault.Code]struct {
	status int
	code   string
}{
	fault.InsufficientCredits: {http.StatusTooManyRequests, "insufficient_quota"},
	fault.RateLimited:         {http.StatusTooManyRequests, "rate_limit_exceeded"},
}

// reasons are facts in an error's details that this API has codes for.
var reasons = []string{"context_length_exceeded", "content_policy_violation", "insufficient_quota", "server_is_overloaded", "previous_response_not_found"}

// EncodeError shapes an error as the official clients read it.
func (Codec) EncodeError(e *fault.Error, _ string) (int, []byte) {
	status, code := e.ChatStatus(), string(e.Code)
	if o, ok := own[e.Code]; ok {
		status, code = o.status, o.code
	}
	if reason, ok := e.Details["reason"].(string); ok && slices.Contains(reasons, reason) {
		code = reason
	}
	body := wireError{Message: dialect.ClientSentence(Codec{}.Name(), e), Type: errorType(status, code), Code: code}
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

// complaint is what an upstream says went wrong, of whatever shape.
type complaint struct {
	status  int
	message string
	kind    string // its type
	code    string
	param   string
	flagged bool           // it is about what the request says: OpenRouter's moderation
	limit   *fault.Error   // what a router says of a limit of its own
	said    jsonscan.Value // all of it
	cause   error          // the beginning of its own bytes, for the log
}

// DecodeError reads an upstream's refusal.
func (Codec) DecodeError(status int, header http.Header, body []byte) *fault.Error {
	root := jsonscan.At(body, 0)
	c := readComplaint(root) // of a refusal that is cut short as much as there is
	c.status = status
	c.cause = dialect.Cause(status, body)
	return dialect.Wait(c.toFault(), header, c.message, root)
}

// readFailure reads the error inside an answer that began well, or nil.
func readFailure(root jsonscan.Value) *fault.Error {
	if root.Kind() == array {
		root = root.Index(0)
	}
	if isNoError(root.Get("error"), root) && root.Get("object").View() != "error" {
		return nil
	}
	c := readComplaint(root)
	c.cause = dialect.Cause(0, root.Raw())
	if n, err := strconv.Atoi(c.code); err == nil && n >= 400 && n < 600 {
		c.status = n
	}
	if c.status == 0 {
		c.status = cmp.Or(dialect.StatusInWords(c.kind+" "+c.code), dialect.StatusIn(root), http.StatusBadGateway)
	}
	return dialect.Wait(c.toFault(), nil, c.message, root)
}

// isNoError reports whether the place of an error has none, though some servers write it empty beside an answer.
func isNoError(v, root jsonscan.Value) bool {
	empty := v.Kind() == jsonscan.False || v.Kind() == jsonscan.String && v.View() == "" || v.Kind() == object && v.Len() == 0
	return v.Absent() || empty && (root.Get("choices").Len() > 0 || root.Get("delta").Exists() || root.Get("message").Kind() == object)
}

// readComplaint understands {"error":{…}}, {"error":"…"}, {"message":…},
// {"detail":…} and lists of one of them.
func readComplaint(root jsonscan.Value) (c complaint) {
	inner, message := dialect.Complaint(root)
	detail := inner.Get("detail")
	if said := inner.Get("message"); said.Kind() == object { // Mistral's
		detail = said.Get("detail")
	}
	c.message = strings.Clone(message)
	c.kind, c.code, c.param = anyText(inner.Get("type")), anyText(inner.Get("code")), strings.Clone(anyText(inner.Get("param")))
	if first := detail.Index(0); first.Get("loc").Len() > 0 && c.param == "" { // FastAPI's: where it is, and what is wrong there
		c.param, c.code = strings.Clone(anyText(first.Get("loc").Index(first.Get("loc").Len()-1))), anyText(first.Get("type"))
	}
	c.flagged = inner.Get("metadata", "flagged_input").Exists()
	c.limit, c.said = dialect.RouterLimit(inner), inner
	c.readWithin(inner.Get("metadata", "raw"))
	return c
}

// readWithin takes over what a router's own upstream said, which is all that there is to learn:
// OpenRouter says only that its provider returned an error.
func (c *complaint) readWithin(raw jsonscan.Value) {
	text := raw.View()
	if raw.Kind() == object {
		text = string(raw.Raw())
	}
	if !strings.HasPrefix(strings.TrimSpace(text), "{") {
		if text != "" && !strings.HasPrefix(strings.TrimSpace(text), "<") {
			c.message = strings.Clone(text)
		}
		return
	}
	said := jsonscan.At([]byte(text), 0)
	if inner := said.Get("error"); inner.Kind() == object {
		said = inner
	}
	if message := firstText(said, "message", "error", "detail"); message != "" {
		c.message, c.param = strings.Clone(message), strings.Clone(anyText(said.Get("param")))
		c.kind = anyText(said.Get("type")) + " " + anyText(said.Get("code")) // the router's own code is its status
	}
}

// saysSpent reports whether the operator's credit is used up.
func (c *complaint) saysSpent() bool {
	return dialect.SaysSpent(c.status, c.kind+" "+c.code, c.message) ||
		c.status >= http.StatusBadRequest && c.status != http.StatusTooManyRequests && dialect.Says(c.message, "credit balance is too low", "exceeded your current quota")
}

// toFault puts a complaint into our words. What it says of the operator's account
// stays in the cause.
func (c *complaint) toFault() *fault.Error {
	said := func(signs ...string) bool { return dialect.Says(c.kind+" "+c.code+" "+c.message, signs...) }
	var e *fault.Error
	switch s := c.status; {
	case said("invalid_api_key", "incorrect api key", "api key not valid", "invalid api key", "api key is invalid"), dialect.Says(c.kind, "expired_key", "auth_error"): // the last two are LiteLLM's
		e = dialect.BadCredentials()
	case c.limit != nil:
		e = c.limit
	case c.saysSpent():
		e = dialect.Spent()
	case s == http.StatusTooManyRequests && said("request too large for", "tokens must be reduced", "reduce your message size"):
		// More than the account may use in a whole minute: it can wait for as long as it likes.
		e = fault.New(fault.RateLimited, "The request is larger than what this installation may use of the model's provider in a minute: shorten it, or ask for fewer tokens.").With("reason", "request_too_large")
		e.Endless = true
	case c.flagged && s == http.StatusForbidden:
		e = dialect.ByStatus(http.StatusBadRequest, cmp.Or(dialect.Sentence(c.message), "The model's provider does not take this content.")).With("reason", "content_policy_violation")
	case c.code == "tool_use_failed", c.code == "json_validate_failed": // Groq's, where the model could not write its call, or its JSON
		e = fault.New(fault.UpstreamError, "The model failed to answer: %s.", c.code)
	case s == http.StatusNotFound && said("no endpoints found that support"): // OpenRouter has the model, and no provider that does this with it
		e = dialect.ByStatus(http.StatusBadRequest, dialect.Sentence(c.message))
		e.Elsewhere = true
	case c.code == "model_not_found", dialect.SaysNoModel(s, c.kind+" "+c.code, c.message):
		e = dialect.ByStatus(http.StatusNotFound, "model_not_found")
	case dialect.SaysBusy(s, c.kind+" "+c.code+" "+c.message):
		e = dialect.ByStatus(http.StatusServiceUnavailable, "")
	case s >= 500 && said(dialect.LimitSigns...):
		e = dialect.ByStatus(http.StatusTooManyRequests, "")
	case c.message != "" && dialect.SaysTooLong(s, c.kind+" "+c.code+" "+c.message):
		e = dialect.WithFigures(dialect.TooLong(dialect.Sentence(c.message)), c.said)
	default:
		e = dialect.ByStatus(s, dialect.Sentence(c.message))
	}
	if e.Code == fault.InvalidParameter && c.param != "" {
		e = e.Field(c.param)
	}
	e = dialect.WithFilterReason(e, c.kind+" "+c.code+" "+c.message)
	return c.mend(e).Because(c.cause)
}

// mend says as what the upstream may take the request after all. What any vendor says comes first, as most servers of this dialect are
// others', and a parameter that is too large is not one that is not known.
func (c *complaint) mend(e *fault.Error) *fault.Error {
	words := c.message
	if c.param != "" && !strings.Contains(words, c.param) {
		words = c.param + ": " + words
	}
	named := c.refusedField()
	switch e = dialect.WithMends(e, words); {
	case e.Code != fault.InvalidParameter, e.Remedy == fault.Shorter:
	case named != "":
		e.Refused = named
	case e.Remedy == 0:
		e.Refused = cmp.Or(refusedBlank(words), c.refusedInPassing())
	}
	switch {
	case e.Refused == "":
		return e
	case slices.Contains(hints, named), strings.HasPrefix(e.Refused, blankPrefix):
		return e.MendedBy(fault.Without | fault.Unhinted)
	case named != "" && leavable[named] != "": // plainly that, and not a value that no model takes
		return e.MendedBy(fault.Without | fault.Editable)
	}
	return e.MendedBy(fault.Without)
}
