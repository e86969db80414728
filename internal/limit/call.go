package limit

import (
	"regexp"
	"strings"

	"stele/internal/label"
)

// Call says who asks for what, as far as limits tell calls apart.
type Call struct {
	Workspace string
	Key       string
	Person    string
	User      string // the end user
	Tags      []Tag
	Model     string // as the client names it
	Provider  string
}

// Tag is a name and a value that a client gives a call.
type Tag struct{ Name, Value string }

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

// What a client may put into X-Stele-Tags.
const (
	MostTags   = 8
	longestTag = 64
)

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// IsTagName reports whether a tag can be called so.
func IsTagName(name string) bool { return tagName.MatchString(name) }

// ReadTags reads team=a,feature=b. Names that the workspace has not declared, and
// whatever is too much, are left out and returned as the second result.
func ReadTags(text string, declared func(name string) bool) (tags []Tag, left []string) {
	const longest = 2048
	if len(text) > longest {
		return nil, []string{"X-Stele-Tags is too long"}
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		name, value = strings.TrimSpace(name), label.Clean(strings.TrimSpace(value), longestTag)
		switch {
		case name == "" && value == "":
		case !IsTagName(name) || value == "" || len(tags) == MostTags || !declared(name) || has(tags, name):
			if len(left) < MostTags {
				left = append(left, label.Clean(name, longestTag))
			}
		default:
			tags = append(tags, Tag{name, value})
		}
	}
	return tags, left
}

func has(tags []Tag, name string) bool {
	for _, t := range tags {
		if t.Name == name {
			return true
		}
	}
	return false
}
