package dialect

import (
	"bytes"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/label"
)

// BadCredentials says that an upstream refused the operator's own key or account.
// That is not the client's fault: it sees a server's error. Routing does not try again
// there: that cannot help.
func BadCredentials() *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider refused this installation's credentials.").OurCredentials()
}

// What an upstream's sentence may say about its customer, or about itself.
var private = []struct {
	pattern *regexp.Regexp
	instead string
}{
	{regexp.MustCompile(`(?i)\b(?:https?|wss?)://\S+`), "[address]"},
	{regexp.MustCompile(`(?i)\bbearer\s+\S+`), "[key]"},
	{regexp.MustCompile(`(?i)\b(?:sk|rk|pk|gsk|xai|csk|fw|tgp|hf|nvapi|pplx|key|apikey)[-_][\w*.\-]{6,}`), "[key]"},
	{regexp.MustCompile(`\b(?:AIza[\w-]{10,}|ya29\.[\w.-]+)`), "[key]"},
	{regexp.MustCompile(`(?i)\b(?:org|proj|project|user|acct|account|req|workspace|wrkspc)[-_][\w-]{6,}`), "[id]"},
	{regexp.MustCompile(`(?i)\bprojects?[/ :_]*(?:number)?[:= ]*['"]?[\w-]*\d[\w-]*`), "[id]"},
	{regexp.MustCompile(`\barn:\S+`), "[id]"},
	{regexp.MustCompile(`(?i)\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`), "[id]"},
	{regexp.MustCompile(`[\w.%+-]+@[\w-]+(?:\.[\w-]+)+`), "[address]"},
}

// Sentence is what an upstream says, fit for a client: what is private is masked, and
// what is too long is cut off.
func Sentence(text string) string {
	const longest = 1000
	text = strings.ToValidUTF8(text, "\uFFFD")
	for _, p := range private {
		text = p.pattern.ReplaceAllString(text, p.instead)
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

// Unended is for a whole answer that does not say why it ended.
func Unended() chat.Loss {
	return chat.Lost(chat.FieldAnswer, chat.Approximated, "the model's provider did not say why it stopped")
}

// Unreadable is an answer that is not one.
func Unreadable(body []byte) *fault.Error {
	return fault.New(fault.UpstreamError, "The model's provider sent an answer that cannot be read.").Because(Cause(http.StatusOK, body))
}

// Says reports whether a text has one of the signs in it, in any case. The signs are in
// lower case.
func Says(text string, signs ...string) bool {
	text = strings.ToLower(text)
	return slices.ContainsFunc(signs, func(sign string) bool { return strings.Contains(text, sign) })
}

// RetryAfter is when the headers say that trying again makes sense, or the words of a refusal;
// 0: they do not.
func RetryAfter(h http.Header, message string) time.Duration {
	if wait, ok := waitFor(h.Get("Retry-After-Ms"), time.Millisecond); ok {
		return wait
	}
	text := h.Get("Retry-After")
	if wait, ok := waitFor(text, time.Second); ok {
		return wait
	}
	if at, err := http.ParseTime(text); err == nil {
		return min(max(0, time.Until(at)), LongestWait)
	}
	return waitInWords(message)
}

// How upstreams say it where no header does: "try again in 1m30.5s", "retry after 20 seconds".
var (
	tryAgain = regexp.MustCompile(`(?i)(?:try again|retry)(?: your request)? (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+[ ,]*)+)`)
	lasting  = regexp.MustCompile(`(\d+(?:\.\d+)?) ?([a-z]+)`)
	units    = map[string]time.Duration{
		"ms": time.Millisecond, "millisecond": time.Millisecond, "s": time.Second, "sec": time.Second, "second": time.Second,
		"m": time.Minute, "min": time.Minute, "minute": time.Minute, "h": time.Hour, "hour": time.Hour,
	}
)

// waitInWords is how long a refusal says that one has to wait; 0: it does not say.
func waitInWords(message string) (sum time.Duration) {
	found := tryAgain.FindStringSubmatch(message)
	if found == nil {
		return 0
	}
	for _, one := range lasting.FindAllStringSubmatch(strings.ToLower(found[1]), -1) {
		unit, known := units[one[2]]
		if !known {
			unit = units[strings.TrimSuffix(one[2], "s")]
		}
		wait, _ := waitFor(one[1], unit)
		sum += wait
	}
	return min(sum, LongestWait)
}

// LongestWait is the longest that an upstream is believed to want to be left alone.
const LongestWait = 24 * time.Hour

// waitFor reads a number of units to wait.
func waitFor(text string, unit time.Duration) (time.Duration, bool) {
	if n, err := strconv.ParseFloat(text, 64); err == nil && n > 0 {
		return time.Duration(min(n*float64(unit), float64(LongestWait))), true
	}
	return 0, false
}
