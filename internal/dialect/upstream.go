package dialect

import (
	"bytes"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/label"
	"stele/internal/pattern"
)

// BadCredentials says that an upstream refused the operator's own key or account.
// That is not the client's fault: it sees a server's error. Routing does not try again
// there: that cannot help.
func BadCredentials() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider refused this installation's credentials.").OurCredentials()
}

// What an upstream's sentence may say about its customer, or about itself.
var private = []struct {
	pattern pattern.Pattern
	instead string
}{
	{pattern.New(`(?i)\b(?:https?|wss?)://\S+`), "[address]"},
	{pattern.New(`(?i)\bbearer\s+\S+`), "[key]"},
	{pattern.New(`(?i)\b(?:sk|rk|pk|gsk|xai|csk|fw|tgp|hf|nvapi|pplx|key|apikey)[-_][\w*.\-]{6,}`), "[key]"},
	{pattern.New(`\b(?:AIza[\w-]{10,}|ya29\.[\w.-]+)`), "[key]"},
	{pattern.New(`(?i)\b(?:org|proj|project|user|acct|account|req|workspace|wrkspc)[-_][\w-]{6,}`), "[id]"},
	{pattern.New(`(?i)\bprojects?[/ :_]*(?:number)?[:= ]*['"\x60]?[\w-]*\d[\w-]*`), "[id]"},
	{pattern.New(`\barn:\S+`), "[id]"},
	{pattern.New(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "[id]"},
	{pattern.New(`[\w.%+-]+@[\w-]+(?:\.[\w-]+)+`), "[address]"},
}

// Sentence is what an upstream says, fit for a client: what is private is masked, and
// what is too long is cut off.
func Sentence(text string) string {
	const longest = 1000
	text = strings.ToValidUTF8(text, "\uFFFD")
	for _, p := range private {
		text = p.pattern().ReplaceAllString(text, p.instead)
	}
	if len(text) > longest {
		text = label.Cut(text, longest) + "…"
	}
	return text
}

// Cause is the beginning of what an upstream answered, for the log. The status is 0
// inside an answer that began well.
func Cause(status int, body []byte) error {
	const longest = 2 << 10
	said := "upstream: "
	if status != 0 {
		said = "upstream answered " + strconv.Itoa(status) + ": "
	}
	body = bytes.TrimSpace(body)
	return errors.New(said + strings.ToValidUTF8(string(body[:min(len(body), longest)]), "\uFFFD"))
}

// LossOfEnd is for a whole answer that does not say why it ended.
func LossOfEnd() chat.Loss {
	return chat.Lost(chat.FieldAnswer, chat.Approximated, "the model's provider did not say why it stopped")
}

// Unreadable is an answer that is not one.
func Unreadable(body []byte) *fault.Error { return UnreadableError(Cause(http.StatusOK, body)) }

// UnreadableError says that an answer cannot be read, and why.
func UnreadableError(err error) *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(err)
}

// Says reports whether a text has one of the signs in it, in any case. The signs are in
// lower case.
func Says(text string, signs ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}
