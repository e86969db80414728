package limit

import (
	"strings"

	"stele/internal/access"
)

// Call says who asks for what, as far as limits tell calls apart.
type Call struct {
	Workspace string
	Key       string
	Person    string
	User      string // the end user
	Tags      []access.Tag
	Model     string // as the client names it
	Provider  string
}

// value is the call's in a dimension; "" where it has none.
func (c *Call) value(d Dimension) string {
	switch d {
	case ByWorkspace:
		return c.Workspace
	case ByKey:
		return c.Key
	case ByPerson:
		return c.Person
	case ByUser:
		return c.User
	case ByModel:
		return c.Model
	case ByProvider:
		return c.Provider
	}
	name := strings.TrimPrefix(string(d), string(ByTag))
	for _, t := range c.Tags {
		if t.Name == name {
			return t.Value
		}
	}
	return ""
}

// subject is what tells the counters of a limit apart that a call falls under. The
// second result is false where the limit is not about the call.
func (l *Limit) subject(c *Call) (string, bool) {
	if l.Workspace != "" && l.Workspace != c.Workspace {
		return "", false
	}
	subject, several := "", false
	for _, s := range l.Subject {
		value := c.value(s.By)
		switch {
		case value == "" || s.Value != Each && s.Value != value:
			return "", false
		case s.Value != Each:
		case several:
			subject += "\n" + value
		default:
			subject, several = value, true
		}
	}
	return subject, true
}
