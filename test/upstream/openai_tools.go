package upstream

import (
	"fmt"
	"regexp"
	"slices"
)

var openaiName = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// openaiTools checks tools, the choice between them and the names in the history.
func openaiTools(c *chat) *failure {
	b := c.body
	if !has(b, "tools") {
		for _, name := range []string{"tool_choice", "parallel_tool_calls"} {
			if has(b, name) {
				return bad(name, "", "Invalid value for '%s': '%s' is only allowed when 'tools' are specified.", name, name)
			}
		}
	}
	if has(b, "function_call") && !has(b, "functions") {
		return bad("function_call", "", "Invalid value for 'function_call': 'function_call' is only allowed when 'functions' are specified.")
	}
	var names []string
	for i, t := range listAt(b, "tools") {
		kind := textAt(t, "type")
		name := textAt(t, kind, "name")
		where := fmt.Sprintf("tools[%d].%s", i, kind)
		if f := openaiNamed(where+".name", name); f != nil {
			return f
		}
		if f := openaiParameters(where, objectAt(t, "function")); f != nil {
			return f
		}
		names = append(names, kind+" "+name)
	}
	for i, fn := range listAt(b, "functions") {
		where := fmt.Sprintf("functions[%d]", i)
		if f := openaiNamed(where+".name", textAt(fn, "name")); f != nil {
			return f
		}
		if f := openaiParameters(where, objectAt(fn)); f != nil {
			return f
		}
	}
	if f := openaiChoice(objectAt(b, "tool_choice"), names); f != nil {
		return f
	}
	return openaiCalls(c)
}

func openaiParameters(where string, fn object) *failure {
	parameters := objectAt(fn, "parameters")
	if parameters == nil {
		return nil
	}
	name := textAt(fn, "name")
	if kind, given := parameters["type"]; len(parameters) > 0 && kind != "object" {
		if !given {
			kind = "None"
		}
		return bad(where+".parameters", "invalid_function_parameters",
			"Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'.", name, kind)
	}
	if boolAt(fn, "strict") {
		if wrong := strictSchema(parameters, parameters, nil); wrong != "" {
			return bad(where+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", name, wrong)
		}
	}
	return nil
}

func openaiNamed(where, name string) *failure {
	if openaiName.MatchString(name) {
		return nil
	}
	return bad(where, "invalid_value", "Invalid '%s': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", where)
}

// openaiChoice checks that what is chosen is there.
func openaiChoice(choice object, names []string) *failure {
	var chosen []string
	switch kind := textAt(choice, "type"); kind {
	case "function", "custom":
		chosen = []string{kind + " " + textAt(choice, kind, "name")}
	case "allowed_tools":
		for _, t := range listAt(choice, "allowed_tools", "tools") {
			kind := textAt(t, "type")
			chosen = append(chosen, kind+" "+textAt(t, kind, "name"))
		}
	}
	for _, c := range chosen {
		if !slices.Contains(names, c) {
			return bad("tool_choice", "", "Invalid value for 'tool_choice': the %s was not found in 'tools'.", c)
		}
	}
	return nil
}

// openaiCalls checks the names of calls in the history.
func openaiCalls(c *chat) *failure {
	for i, m := range listAt(c.body, "messages") {
		for j, call := range listAt(m, "tool_calls") {
			kind := textAt(call, "type")
			if f := openaiNamed(fmt.Sprintf("messages[%d].tool_calls[%d].%s.name", i, j, kind), textAt(call, kind, "name")); f != nil {
				return f
			}
		}
	}
	return nil
}
