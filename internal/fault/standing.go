package fault

import (
	"strconv"
	"time"
)

// Policy is a limit as callers are told of it. It is made once and told with every answer,
// so that its texts are at hand.
type Policy struct {
	Name    string
	Measure string // requests, tokens, dollars …
	Amount  int64
	Window  time.Duration // 0: it never begins anew

	Quoted string // the name as a header's text
	Terms  string // all of it, as the header RateLimit-Policy has it
	Digits string // the amount
}

// NewPolicy makes a Policy. Its texts lie in one piece of memory: all of them are read together.
func NewPolicy(name, measure string, amount int64, window time.Duration) *Policy {
	quoted, digits := quote(name), strconv.FormatInt(amount, 10)
	terms := quoted + ";q=" + digits + ";w=" + strconv.FormatInt(int64(window.Seconds()), 10)
	from := len(quoted) + len(";q=")
	return &Policy{
		Name: name, Measure: measure, Amount: amount, Window: window,
		Quoted: terms[:len(quoted)], Terms: terms, Digits: terms[from : from+len(digits)],
	}
}

// quote writes a name as a header's text: what is not ASCII becomes a question mark.
func quote(name string) string {
	b := []byte{'"'}
	for _, r := range name {
		if r < ' ' || r > '~' || r == '"' || r == '\\' {
			r = '?'
		}
		b = append(b, byte(r))
	}
	return string(append(b, '"'))
}

// Standing is how much is left of a limit that a request falls under.
type Standing struct {
	*Policy
	Left  int64
	Reset time.Duration // until it begins anew, or some of it comes back
}
