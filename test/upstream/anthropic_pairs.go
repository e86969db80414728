package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// claudePairs checks that every call is answered at the start of the next turn, that
// nothing else is, and the ids that tie them together.
func claudePairs(_ *Server, c *chat) *failure {
	messages := listAt(c.body, "messages")
	var all, open []string // ids of all calls, and of those of the turn before
	for i, m := range messages {
		answered, f := claudeResults(i, m, open)
		if f != nil {
			return f
		}
		if missing := slices.DeleteFunc(slices.Clone(open), func(id string) bool { return slices.Contains(answered, id) }); len(missing) > 0 {
			return claudeUnanswered(i-1, missing)
		}
		open = nil
		for j, b := range listAt(m, "content") {
			if textAt(b, "type") != "tool_use" {
				continue
			}
			id := textAt(b, "id")
			switch {
			case !claudeID.MatchString(id):
				return refused("messages.%d.content.%d.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'", i, j)
			case !claudeName.MatchString(textAt(b, "name")):
				return refused("messages.%d.content.%d.tool_use.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i, j)
			case slices.Contains(all, id):
				return refused("messages.%d.content.%d: `tool_use` ids must be unique", i, j)
			}
			all, open = append(all, id), append(open, id)
		}
	}
	if len(open) > 0 {
		return claudeUnanswered(len(messages)-1, open)
	}
	return nil
}

func claudeUnanswered(i int, ids []string) *failure {
	return refused("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %s. Each `tool_use` block must have a corresponding `tool_result` block in the next message.", i, strings.Join(ids, ", ")) //nolint:lll // their words
}

// claudeResults are the ids that a turn answers before it says anything else.
func claudeResults(i int, m any, open []string) ([]string, *failure) {
	var answered []string
	late := false
	for j, b := range listAt(m, "content") {
		if textAt(b, "type") != "tool_result" {
			late = true
			continue
		}
		where := fmt.Sprintf("messages.%d.content.%d", i, j)
		id := textAt(b, "tool_use_id")
		switch {
		case !claudeID.MatchString(id):
			return nil, refused("%s.tool_result.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'", where)
		case !slices.Contains(open, id):
			return nil, refused("%s: unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.", where, id) //nolint:lll // their words
		case slices.Contains(answered, id):
			return nil, refused("%s: each tool_use must have a single result. Found multiple `tool_result` blocks with id: %s", where, id)
		case late:
			return nil, claudeUnanswered(i-1, []string{id})
		}
		answered = append(answered, id)
	}
	return answered, nil
}
