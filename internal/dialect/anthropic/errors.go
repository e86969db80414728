package anthropic

import (
	"cmp"
	"net/http"
	"strings"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
	"stele/internal/pattern"
)

// overloaded is the status this API has for itself being too busy.
const overloaded = 529

// own are the codes this API answers with another status than the native family.
var own = map[fault.Code]int{
	fault.Unavailable:   overloaded,
	fault.UpstreamError: http.StatusInternalServerError,
}

// types are the API's names for its statuses.
var types = map[int]string{
	http.StatusBadRequest:            "invalid_request_error",
	http.StatusUnauthorized:          "authentication_error",
	http.StatusPaymentRequired:       "billing_error",
	http.StatusForbidden:             "permission_error",
	http.StatusNotFound:              "not_found_error",
	http.StatusConflict:              "conflict_error",
	http.StatusRequestEntityTooLarge: "request_too_large",
	http.StatusTooManyRequests:       "rate_limit_error",
	http.StatusInternalServerError:   "api_error",
	http.StatusGatewayTimeout:        "timeout_error",
	overloaded:                       "overloaded_error",
}

// statusOf is the status that an error would have come with: in the middle of a stream
// there is only its type, or what other servers have in its place.
func statusOf(kind string, root jsonscan.Value) int {
	for status, name := range types {
		if name == kind {
			return status
		}
	}
	return cmp.Or(dialect.StatusIn(root), http.StatusInternalServerError)
}

// EncodeError shapes an error as the official clients read it.
func (Codec) EncodeError(e *fault.Error, requestID string) (int, []byte) {
	status := e.ChatStatus()
	if s, ok := own[e.Code]; ok {
		status = s
	}
	kind, ok := types[status]
	switch {
	case ok:
	case status >= http.StatusInternalServerError:
		kind = types[http.StatusInternalServerError]
	default:
		kind = types[http.StatusBadRequest]
	}
	w := writeBlock(new(jsonscan.Writer), "error").Key("error")
	writeBlock(w, kind).Key("message").Text(dialect.ClientSentence(dialectName, e)).Key("code").Text(string(e.Code)) // the code is ours
	if code, ok := e.Details["error_code"].(string); ok {
		w.Key("details").Open(jsonscan.Object).Key("error_code").Text(code).Close(jsonscan.Object)
	} else if e.Details["field"] == threadField { // only the API's own upstreams have them
		w.Key("details").Raw([]byte(`{"error_code":"` + threads + `unsupported_request","unsupported":["` + threadField + `"]}`))
	}
	w.Close(jsonscan.Object).Key("request_id").Text(requestID)
	return status, w.Close(jsonscan.Object).Bytes()
}

// threads begin the codes of errors about conversations that the API itself
// keeps. Its clients act on them: they send all of a conversation again, or from
// then on with every turn.
const threads = "thread_"

// threadField makes a request a turn of such a conversation.
const threadField = "thread"

// refuseThread refuses a turn for an upstream that keeps no conversations. Clients then send all of it.
func refuseThread() error {
	return dialect.Refuse(droppedField(prefix+threadField), threadField, "the model's provider keeps no conversations.")
}

// DecodeError reads an upstream's refusal.
func (Codec) DecodeError(status int, header http.Header, body []byte) *fault.Error {
	r := readRefusal(body)
	return dialect.Wait(r.classify(status), header, r.message, jsonscan.At(body, 0)).Because(dialect.Cause(status, body))
}

// readFailure reads an error in the middle of a stream.
func readFailure(data []byte) *fault.Error {
	r := readRefusal(data)
	status := statusOf(r.kind, jsonscan.At(data, 0))
	return dialect.Wait(r.classify(status), nil, r.message, jsonscan.At(data, 0)).Because(dialect.Cause(status, data))
}

// unthinkable is what the API says of thoughts that it does not take as they stand: another's, changed ones, and those at a place that they cannot have.
var unthinkable = []string{
	"signature", "cannot be modified", "the first block must be", "redacted_thinking` block", "redacted_thinking.data",
	"final block in an assistant message cannot be", "final position cannot contain", "must contain thinking",
}

// refusal is what an upstream's error says.
type refusal struct {
	kind, message, code string
	words               string         // the message, with its place in the request
	other               string         // the code that other servers have
	spent               bool           // the operator's credit is used up
	said                jsonscan.Value // all of it
}

// readRefusal reads an error. Of one that is cut short only that credit is used up is
// believed.
func readRefusal(body []byte) (r refusal) {
	e, message := dialect.Complaint(jsonscan.At(body, 0)) // of which other servers of this dialect have their own forms
	message = strings.Clone(message)
	r.said = e
	r.spent = dialect.Says(message, "credit balance is too low", "usage limit", "spend limit", "insufficient_quota")
	if jsonscan.Valid(body, jsonscan.Lenient) {
		r.kind, r.message, r.code = anyText(e.Get("type")), message, strings.Clone(anyText(e.Get("details", "error_code")))
		r.words = extraneous().ReplaceAllString(withPlace(jsonscan.At(body, 0), message), " $1: extra inputs are not permitted")
		r.other = anyText(e.Get("code"))
	}
	return r
}

// extraneous is how Amazon says for its older Claudes that a member is not known, with what is said around it.
var extraneous = pattern.New(`(?:Malformed input request: )?#\S*: extraneous key \[(\w+)\] is not permitted`)

// withPlace is a message with the place in the request that it is about, as this API writes it, where a server of FastAPI's has that beside it.
func withPlace(root jsonscan.Value, message string) string {
	first := root.Get("detail").Index(0)
	if message == "" || first.Get("msg").View() != message {
		return message
	}
	var steps []string
	for i, step := range first.Get("loc").Elements() {
		if text := anyText(step); text != "" && (i > 0 || text != "body") {
			steps = append(steps, text)
		}
	}
	if len(steps) == 0 {
		return message
	}
	return strings.Join(steps, ".") + ": " + message
}

// classify finds what an upstream's refusal means to the client. Whatever is
// wrong with the operator's own account is not the client's business.
func (r *refusal) classify(status int) *fault.Error {
	limit := dialect.RouterLimit(r.said)
	switch {
	case limit != nil:
		return limit
	case strings.HasPrefix(r.code, threads):
		return fault.New(fault.InvalidParameter, "%s", dialect.Sentence(r.message)).With("error_code", r.code)
	case r.spent && (status != http.StatusTooManyRequests || !dialect.SaysWhen(r.message)), dialect.SaysSpent(status, r.other, r.message):
		return dialect.Spent()
	case dialect.SaysNoModel(status, r.kind, r.message):
		return dialect.ByStatus(http.StatusNotFound, r.message)
	case r.kind == "overloaded_error", dialect.SaysBusy(status, r.message):
		status = overloaded
	case status >= http.StatusInternalServerError && dialect.Says(r.kind+" "+r.message, dialect.LimitSigns...):
		status = http.StatusTooManyRequests
	case r.message != "" && dialect.SaysTooLong(status, r.message):
		return dialect.WithMends(dialect.WithFigures(dialect.TooLong(dialect.Sentence(r.message)), r.said), r.message)
	}
	e := dialect.WithFilterReason(dialect.ByStatus(status, dialect.Sentence(r.message)), r.kind+" "+r.message)
	if e.Code == fault.InvalidParameter && strings.Contains(r.words, "thinking") && dialect.Says(r.words, unthinkable...) {
		return e.MendedBy(fault.WithoutThoughts)
	}
	if e.Code == fault.InvalidParameter {
		switch {
		case refusesBlanks(r.words):
			e.Refused = blankTexts
			return e.MendedBy(fault.Without | fault.Repaired)
		case refusesTypes(r.words):
			e.Refused = pictureTypes
			return e.MendedBy(fault.Without | fault.Repaired)
		case refusesSchemas(r.words):
			e.Refused = schemaForm
			return e.MendedBy(fault.Without | fault.Repaired)
		}
	}
	if e.Code == fault.InvalidParameter {
		if e.Refused = refusedHint(r.words); e.Refused != "" {
			return e.MendedBy(fault.Unhinted)
		}
		switch e.Refused = refusedField(r.words); {
		case isOfThinking(e.Refused):
			return e.MendedBy(fault.Without | fault.Rethought)
		case unsampled[e.Refused] != nil:
			return e.MendedBy(fault.Without | fault.Editable)
		case e.Refused == prefill:
			return e.MendedBy(fault.Without | fault.Unbegun)
		case e.Refused != "":
			return e.MendedBy(fault.Without)
		}
	}
	if e.Code == fault.InvalidParameter && strings.EqualFold(r.message, "invalid request error") { // Moonshot's, of blocks that it does not know
		e.Refused = dialect.Blocks
		return e.MendedBy(fault.Without)
	}
	return dialect.WithMends(e, r.words)
}
