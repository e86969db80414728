package access

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"stele/internal/label"
)

// Attribution is whom a call is for, beside who makes it, as the caller says.
type Attribution struct {
	User string // the end user
	Tags []Tag
}

// Tag is a name and a value that a client gives a call.
type Tag struct{ Name, Value string }

// What a client may say about whom a call is for.
const (
	mostTags    = 8
	longestTag  = 64
	longestTags = 2048
	longestUser = 128
)

var tagName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// IsTagName reports whether a tag can be called so.
func IsTagName(name string) bool { return tagName.MatchString(name) }

// EndUser is an end user's name as it is kept.
func EndUser(text string) string { return label.Clean(strings.TrimSpace(text), longestUser) }

// ReadTags reads team=a,feature=b. Names that the workspace has not declared, and
// whatever is too much, are left out and named in the second result.
func ReadTags(text string, declared []string) (tags []Tag, left []string) {
	if len(text) > longestTags {
		return nil, []string{"all of it: it is too long"}
	}
	for part := range strings.SplitSeq(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		name, value = strings.TrimSpace(name), label.Clean(strings.TrimSpace(value), longestTag)
		twice := slices.ContainsFunc(tags, func(t Tag) bool { return t.Name == name })
		switch {
		case name == "" && value == "":
		case !slices.Contains(declared, name) || value == "" || len(tags) == mostTags || twice:
			if len(left) < mostTags {
				left = append(left, label.Clean(name, longestTag))
			}
		default:
			tags = append(tags, Tag{name, value})
		}
	}
	return tags, left
}

// TagsText writes tags as ReadTags reads them.
func TagsText(tags []Tag) string {
	var pairs []string
	for _, t := range tags {
		pairs = append(pairs, t.Name+"="+t.Value)
	}
	return strings.Join(pairs, ",")
}

// Person is the id of the person behind a caller: who called, or who made the key. It
// is "" where no person did.
func (p *Principal) Person() string { return cmp.Or(p.User, p.Creator) }

// MaySee reports whether a person sees what belongs to a workspace, or, where that is
// "", to the whole installation.
func (p Principal) MaySee(workspace string) bool {
	return p.Admin || workspace != "" && p.may(Viewer, workspace)
}

// Owns reports whether a person owns a workspace.
func (p Principal) Owns(workspace string) bool { return p.may(Owner, workspace) }

// personOnly is the creator of a key if that is a person.
func personOnly(creator string) string {
	if creator == commandLine {
		return ""
	}
	return creator
}

// DeclaredTags are those that the workspace's calls may carry.
func (s Scope) DeclaredTags() []string {
	if s.Policy == nil {
		return nil
	}
	return s.Policy.Tags
}
