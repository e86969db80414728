package upstream

import (
	"fmt"
	"regexp"
	"slices"
)

var geminiName = regexp.MustCompile(`^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$`)

// geminiTools checks the tools and the choice between them.
func geminiTools(_ *Server, c *chat) *failure {
	tools := listAt(c.body, "tools")
	var names []string
	lists := 0
	for i, t := range tools {
		if len(objectAt(t)) != 1 {
			return invalid(fmt.Sprintf("tools[%d]", i), "must have exactly one kind of tool, but has %d", len(objectAt(t)))
		}
		declarations := listAt(t, "functionDeclarations")
		if at(t, "functionDeclarations") != nil {
			lists++
		}
		for j, d := range declarations {
			name := textAt(d, "name")
			where := fmt.Sprintf("tools[%d].function_declarations[%d]", i, j)
			switch {
			case !geminiName.MatchString(name):
				return invalid(where+".name", "Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of 128.") //nolint:lll // their words
			case slices.Contains(names, name):
				return refused("Duplicate function declaration found: %s", name)
			case has(objectAt(d), "parameters") && has(objectAt(d), "parametersJsonSchema"):
				return invalid(where, "parameters and parameters_json_schema are mutually exclusive")
			case len(names) == 512:
				return invalid(where, "at most 512 function declarations are supported")
			}
			names = append(names, name)
		}
	}
	if lists > 1 {
		return refused("Multiple tools are supported only when they are all search tools.")
	}
	return geminiChoice(objectAt(c.body, "toolConfig", "functionCallingConfig"), names)
}

func geminiChoice(calling object, names []string) *failure {
	allowed := wordsOf(calling["allowedFunctionNames"])
	mode := textAt(calling, "mode")
	switch {
	case calling == nil:
		return nil
	case len(names) == 0:
		return refused("Function calling config is set without function_declarations.")
	case len(allowed) > 0 && mode != "ANY" && mode != "VALIDATED":
		return refused("Function calling config allowed_function_names should be set only when function calling mode is ANY or VALIDATED.")
	}
	for _, name := range allowed {
		if !slices.Contains(names, name) {
			return refused("Function calling config allowed_function_names contains '%s', which is not in function_declarations.", name)
		}
	}
	return nil
}
