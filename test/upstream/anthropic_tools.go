package upstream

import (
	"regexp"
	"slices"
)

var (
	claudeName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
	claudeID   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
)

// claudeTools checks the tools, the choice between them, and that they are there
// at all when the history speaks of tools.
func claudeTools(_ *Server, c *chat) *failure {
	var names []string
	for i, t := range listAt(c.body, "tools") {
		name := textAt(t, "name")
		if slices.Contains(names, name) {
			return refused("tools: Tool names must be unique.")
		}
		names = append(names, name)
		if kind := textAt(t, "type"); kind != "" && kind != "custom" {
			continue
		}
		if !claudeName.MatchString(name) {
			return refused("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		switch kind, given := objectAt(t, "input_schema")["type"]; {
		case !given:
			return refused("tools.%d.custom.input_schema.type: Field required", i)
		case kind != "object":
			return refused("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		}
	}
	choice := objectAt(c.body, "tool_choice")
	switch {
	case choice != nil && len(names) == 0:
		return refused("tool_choice: may only be specified while providing tools.")
	case textAt(choice, "type") == "tool" && !slices.Contains(names, textAt(choice, "name")):
		return refused("Tool '%s' not found in provided tools", textAt(choice, "name"))
	}
	if len(names) > 0 {
		return nil
	}
	for _, m := range listAt(c.body, "messages") {
		for _, b := range listAt(m, "content") {
			if oneOf(textAt(b, "type"), []string{"tool_use", "tool_result"}) {
				return refused("Requests which include `tool_use` or `tool_result` blocks must define tools.")
			}
		}
	}
	return nil
}
