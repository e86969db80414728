package anthropic

import (
	"regexp"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Claude Code sends all servers of this dialect what only some of them know and what says nothing of
// the answer: how tools are loaded, what is kept in a cache and for whom, what is to be cleared of a
// conversation that has grown long. Its user can turn none of it off.

// hints are these members, and what a report calls their place.
var hints = map[string]string{
	"context_management": "context_management", "diagnostics": "diagnostics",
	"defer_loading": chat.FieldTools, "eager_input_streaming": chat.FieldTools,
	"scope": chat.FieldCache, "cache_control": chat.FieldCache,
}

// unknownMember is how servers say that they do not know a member, whose last name is the first group.
var unknownMember = regexp.MustCompile(`(?i)(?:^|[\s.'"` + "`" + `])([a-z_]+)['"` + "`" + `]?: extra inputs are not permitted`)

// refusedHint is the hint that a refusal is about, if it is about one.
func refusedHint(words string) string {
	for _, found := range unknownMember.FindAllStringSubmatch(words, -1) {
		if name := strings.ToLower(found[1]); hints[name] != "" {
			return name
		}
	}
	return ""
}

// leaveHints takes those out of a request that the upstream has refused, be it the client's own bytes or ours.
func leaveHints(call *dialect.Call, refused []string) (err error) {
	l := leaver{refused: slices.DeleteFunc(slices.Clone(refused), func(name string) bool { return hints[name] == "" })}
	if len(l.refused) == 0 {
		return nil
	}
	root := jsonscan.Root(call.Body)
	l.leave(root)
	for _, list := range []string{"tools", "system"} {
		l.leaveAll(root.Get(list))
	}
	for _, m := range root.Get("messages").Elements() {
		l.leaveAll(m.Get("content"))
	}
	for _, name := range l.refused {
		call.Losses = append(call.Losses, chat.Lost(hints[name], chat.Dropped, "the server does not know "+name))
	}
	call.Body, err = l.edits.Apply(call.Body)
	return err
}

// leaver takes hints out of a body.
type leaver struct {
	refused []string
	edits   jsonscan.Edits
}

// leaveAll takes hints out of blocks and tools, and of the blocks in them.
func (l *leaver) leaveAll(list jsonscan.Value) {
	if list.Kind() != jsonscan.Array {
		return
	}
	for _, v := range list.Elements() {
		l.leave(v)
		l.leaveAll(v.Get("content"))
	}
}

// leave takes hints out of an object.
func (l *leaver) leave(v jsonscan.Value) {
	if v.Kind() != jsonscan.Object {
		return
	}
	for key, member := range v.Members() {
		switch {
		case key.Name != "scope" && slices.Contains(l.refused, key.Name):
			l.edits.Remove(key, member)
		case key.Name == "cache_control" && slices.Contains(l.refused, "scope"):
			l.leaveScope(member)
		}
	}
}

// leaveScope takes out of a mark for whom it is.
func (l *leaver) leaveScope(mark jsonscan.Value) {
	for key, member := range mark.Members() {
		if key.Name == "scope" {
			l.edits.Remove(key, member)
		}
	}
}
