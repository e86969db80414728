package anthropic

import (
	"cmp"
	"net/http"
	"strings"

	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// DecodeError reads an upstream's refusal.
func (Codec) DecodeError(status int, header http.Header, body []byte) *fault.Error {
	r := readRefusal(body)
	e := r.classify(status)
	if e.Code == fault.RateLimited && !r.spent || e.Code == fault.Unavailable {
		e.RetryAfter = cmp.Or(dialect.RetryAfter(header, r.message), dialect.WaitIn(jsonscan.At(body, 0)))
	}
	return e.Because(dialect.Cause(status, body))
}

// readFailure reads an error in the middle of a stream.
func readFailure(data []byte) *fault.Error {
	r := readRefusal(data)
	status := statusOf(r.kind, jsonscan.At(data, 0))
	return r.classify(status).Because(dialect.Cause(status, data))
}

// refusal is what an upstream's error says.
type refusal struct {
	kind, message, code string
	spent               bool // the operator's credit is used up, for which waiting is no help
}

// readRefusal reads an error. Of one that is cut short only that credit is used up is
// believed.
func readRefusal(body []byte) (r refusal) {
	e, message := dialect.Complaint(jsonscan.At(body, 0)) // of which other servers of this dialect have their own forms
	message = strings.Clone(message)
	r.spent = dialect.Says(message, "credit balance is too low", "usage limit", "spend limit", "insufficient_quota")
	if jsonscan.Valid(body, jsonscan.Lenient) {
		r.kind, r.message, r.code = anyText(e.Get("type")), message, strings.Clone(anyText(e.Get("details", "error_code")))
	}
	return r
}

// classify finds what an upstream's refusal means to the client. Whatever is
// wrong with the operator's own account is not the client's business.
func (r *refusal) classify(status int) *fault.Error {
	switch {
	case strings.HasPrefix(r.code, threads):
		return fault.New(fault.InvalidParameter, "%s", dialect.Sentence(r.message)).With("error_code", r.code)
	case r.spent, dialect.SaysSpent(status, "", r.message):
		r.spent = true
		return dialect.Spent()
	case dialect.SaysNoModel(status, r.kind, r.message):
		return dialect.ByStatus(http.StatusNotFound, r.message)
	case r.kind == "overloaded_error", status >= http.StatusInternalServerError && dialect.Says(r.message, "overloaded"):
		status = overloaded
	case r.message != "" && (status == http.StatusBadRequest || status == http.StatusUnprocessableEntity) && dialect.SaysTooLong(strings.ToLower(r.message)):
		return dialect.WithMends(dialect.TooLong(dialect.Sentence(r.message)), r.message)
	}
	e := dialect.Filtered(dialect.ByStatus(status, dialect.Sentence(r.message)), r.kind+" "+r.message)
	if e.Code == fault.InvalidParameter && strings.Contains(r.message, "thinking") && dialect.Says(r.message, "signature", "cannot be modified") {
		return e.MendedBy(fault.WithoutThoughts)
	}
	if e.Code == fault.InvalidParameter {
		if e.Refused = refusedHint(r.message); e.Refused != "" {
			return e.MendedBy(fault.Unhinted)
		}
		if e.Refused = refusedField(r.message); e.Refused != "" {
			return e.MendedBy(fault.Without)
		}
	}
	return dialect.WithMends(e, r.message)
}
