package upstream

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// failure is an error before an API puts it into its own words.
type failure struct {
	status  int
	kind    string // one of those below; "" for message
	about   string // a parameter, a model, a path
	code    string // openai's
	message string
	retry   time.Duration // 0 says nothing of when
}

// The failures that every API has its own words for.
const (
	notJSON     = "not json"
	noModel     = "no model"
	noPath      = "no path"
	noKey       = "no key"
	badKey      = "bad key"
	rateLimited = "rate limited"
	quotaGone   = "quota gone"
	overloaded  = "overloaded"
	tooLong     = "too long"
	broken      = "broken"
)

// seconds is a time to wait as a Retry-After header has it.
func seconds(d time.Duration) string {
	return strconv.Itoa(int((d + time.Second - 1) / time.Second))
}

// dotted is a path as in messages.0.content, with the kinds of blocks.
func dotted(path []any) string {
	words := make([]string, len(path))
	for i, p := range path {
		words[i] = fmt.Sprint(p)
	}
	return strings.Join(words, ".")
}

// bracketed is a path as in messages[0].content, without the kinds of blocks.
func bracketed(path []any) string {
	var b strings.Builder
	for _, p := range path {
		switch p := p.(type) {
		case int:
			fmt.Fprintf(&b, "[%d]", p)
		case string:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.WriteString(p)
		}
	}
	return b.String()
}
