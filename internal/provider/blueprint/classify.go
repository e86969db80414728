package blueprint

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"stele/internal/media"
	"stele/internal/wire"
)

// The order of tests is the same for every answer: did one come, its HTTP
// status, the code of an envelope inside a good status, the state of the work,
// the code of its failure, and last whether success has anything to show.

// lostFailure is the failure of a call that got no answer.
func (c *caller) lostFailure(err error) *media.Failure {
	return c.failure(media.Transient, "", "", err)
}

// refusalFailure is the failure that a bad status means. An order that was refused by a
// broken server may have been taken all the same, unless the answer proves that
// it was not.
func (c *caller) refusalFailure(op *Operation, a answer, ordering bool) *media.Failure {
	code, message := op.readProblem(a)
	class := op.verdict(a, code, message)
	if ordering && (a.status >= 500 || a.status == http.StatusRequestTimeout) {
		explained := code != "" || message != ""
		switch {
		case !explained:
			class = media.SubmitUnknown
		case class == "" && a.status == http.StatusServiceUnavailable:
			class = media.Transient
		case class == "":
			class = media.SubmitUnknown
		}
	}
	class = cmp.Or(class, byStatus(a.status, ordering))
	f := c.failure(class, code, message, c.cause(a))
	f.RetryAfter = op.patience(a, message)
	return f
}

// failureInside is the failure inside an answer with a good status, nil where there
// is none. An answer without its envelope says nothing.
func (c *caller) failureInside(op *Operation, a answer, ordering bool) *media.Failure {
	if op.Envelope == nil {
		return nil
	}
	switch got, told := op.Envelope.Path.one(a.doc); {
	case told && equal(got, op.Envelope.OK):
		return nil
	case !told && ordering:
		return c.failure(media.SubmitUnknown, "", "", c.cause(a))
	case !told:
		return c.failure(media.Transient, "", "", c.cause(a))
	}
	code, message := op.readProblem(a)
	class := cmp.Or(op.verdict(a, code, message), media.BadInput)
	f := c.failure(class, code, message, c.cause(a))
	f.RetryAfter = op.patience(a, message)
	return f
}

// failureOf is the failure of work that came to a bad end.
func (c *caller) failureOf(op *Operation, a answer, class media.Class) *media.Failure {
	cause := c.cause(a)
	code, message := op.readProblem(a)
	a.status = 0 // of the look, not of the work
	if told := op.verdict(a, code, message); told != "" {
		class = told
	}
	class = cmp.Or(class, media.ModelFailed)
	return c.failure(class, code, message, cause)
}

// readProblem reads what an answer says of what is wrong.
func (op *Operation) readProblem(a answer) (code, message string) {
	first := func(places routes) string {
		for _, p := range places {
			if text := p.with(a.id).text(a.doc); text != "" {
				return text
			}
		}
		return ""
	}
	code, message = first(op.Error.Code), first(op.Error.Message)
	if code == "" && op.Error.Header != "" {
		code = a.header.Get(op.Error.Header)
	}
	return code, message
}

// verdict is what the operation's file says of a failure, "" where it says
// nothing.
func (op *Operation) verdict(a answer, code, message string) media.Class {
	code, message = strings.ToLower(code), strings.ToLower(message)
	within := func(text string) func(string) bool {
		return func(part string) bool { return text != "" && strings.Contains(text, strings.ToLower(part)) }
	}
	for _, v := range op.Classify {
		switch {
		case len(v.HTTP) > 0 && !slices.Contains(v.HTTP, a.status):
		case len(v.Code) > 0 && !slices.ContainsFunc(v.Code, func(c string) bool { return strings.EqualFold(c, code) }):
		case len(v.Has) > 0 && !slices.ContainsFunc(v.Has, within(code)):
		case !haveAll(a.doc, v.Facts, a.id):
		case len(v.Says) > 0 && !slices.ContainsFunc(v.Says, within(message)):
		default:
			return v.Class
		}
	}
	return ""
}

func byStatus(status int, ordering bool) media.Class {
	switch {
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return media.Auth
	case status == http.StatusPaymentRequired:
		return media.Quota
	case status == http.StatusTooManyRequests, status == http.StatusTooEarly:
		return media.Rate
	case !ordering && (status == http.StatusNotFound || status == http.StatusGone):
		return media.Gone
	case status < 400, status >= 500, status == http.StatusRequestTimeout:
		return media.Transient
	}
	return media.BadInput
}

// patience is how long the provider asks to wait.
func (op *Operation) patience(a answer, message string) time.Duration {
	const most, senseless = time.Hour, 1e6 * time.Second
	wait := time.Duration(0)
	for _, p := range op.Error.Retry {
		if text := p.text(a.doc); wait == 0 && text != "" {
			wait = seconds(text)
		}
	}
	if told, ok := wire.RetryAfter(a.header); ok && told < senseless {
		wait = told
	}
	if _, after, ok := strings.Cut(message, op.Error.Says); wait == 0 && op.Error.Says != "" && ok {
		end := strings.IndexFunc(after, func(r rune) bool { return r != '.' && !unicode.IsDigit(r) })
		if end < 0 {
			end = len(after)
		}
		wait = seconds(after[:end])
	}
	return min(max(wait, 0), most)
}

// seconds reads "34", "34.5" or "34s".
func seconds(text string) time.Duration {
	n, err := strconv.ParseFloat(strings.TrimSuffix(text, "s"), 64)
	if err != nil || n < 0 || n > 1e6 {
		return 0
	}
	return time.Duration(n * float64(time.Second))
}

// sentences are what a client reads where the provider's own words are not for
// it, or missing.
var sentences = map[media.Class]string{
	media.BadInput:      "The provider refused the request.",
	media.PolicyInput:   "The provider refused the request because of its content rules.",
	media.PolicyOutput:  "The provider withheld the result because of its content rules.",
	media.Auth:          "The provider refused this installation's credentials.",
	media.Quota:         "This installation's account at the provider has run out.",
	media.Rate:          "The provider takes no more requests for now.",
	media.Concurrency:   "The provider is busy with this installation's other work.",
	media.Transient:     "The provider could not be reached.",
	media.ModelFailed:   "The model failed.",
	media.Gone:          "The provider does not know the work any more.",
	media.SubmitUnknown: "The provider's answer was lost. The work may have been accepted; it is not sent twice.",
	media.Late:          "The work was not done in time.",
	media.Stopped:       "The work was canceled.",
}

// failure makes a failure of a class. The provider's words reach the client only
// where they are about its request, and without addresses.
func (c *caller) failure(class media.Class, code, message string, cause error) *media.Failure {
	f := &media.Failure{Class: class, Code: c.forClient(code, 60), Message: sentences[class], Err: cause}
	switch class { //nolint:exhaustive // the others are about the installation
	case media.BadInput, media.PolicyInput, media.PolicyOutput, media.ModelFailed:
		if said := c.forClient(message, 300); said != "" {
			f.Message += " It said: " + said
		}
	}
	if cause != nil {
		if text := cause.Error(); c.key != "" && strings.Contains(text, c.key) {
			f.Err = errors.New(c.hide(text))
		}
	}
	return f
}

// cause is an answer for the log.
func (c *caller) cause(a answer) error {
	const most = 1000
	body := a.body
	if len(body) > most {
		body = body[:most]
	}
	return fmt.Errorf("HTTP %d: %s", a.status, c.hide(strings.ToValidUTF8(string(body), "")))
}

// hide takes the account's key out of a text.
func (c *caller) hide(text string) string {
	if len(c.key) < 4 {
		return text
	}
	return strings.NewReplacer(c.key, "…", url.QueryEscape(c.key), "…").Replace(text)
}

var anAddress = regexp.MustCompile(`(?i)\b[a-z][a-z0-9+.-]*://[^\s"'<>)\]]+`)

// forClient is a text of the provider's that a client may read: short, on one
// line, without addresses and the key.
func (c *caller) forClient(text string, most int) string {
	text = anAddress.ReplaceAllString(c.hide(text), "…")
	text = strings.ReplaceAll(text, c.base.Host, "…")
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return text
}
