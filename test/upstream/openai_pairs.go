package upstream

import (
	"fmt"
	"slices"
	"strings"
)

// openaiPairs checks that every call is answered right after it and nothing else is.
func openaiPairs(c *chat) *failure {
	messages := listAt(c.body, "messages")
	var open []string // calls that wait for their answer
	for i, m := range messages {
		role := textAt(m, "role")
		if role == "tool" {
			id := textAt(m, "tool_call_id")
			at := slices.Index(open, id)
			switch {
			case at >= 0:
				open = slices.Delete(open, at, at+1)
				continue
			case i == 0 || !answers(messages[:i]):
				const orphan = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'." //nolint:misspell // their words
				return bad(fmt.Sprintf("messages.[%d].role", i), "", "Invalid parameter: %s", orphan)
			}
			return bad(fmt.Sprintf("messages.[%d].tool_call_id", i), "",
				"Invalid parameter: 'tool_call_id' of '%s' not found in 'tool_calls' of previous message.", id)
		}
		if f := unanswered(i, open); f != nil {
			return f
		}
		open = nil
		for _, call := range listAt(m, "tool_calls") {
			id := textAt(call, "id")
			if slices.Contains(open, id) {
				return bad(fmt.Sprintf("messages[%d].tool_calls", i), "", "Duplicate value for 'tool_call_id' of '%s'.", id)
			}
			open = append(open, id)
		}
		if f := said(i, m); f != nil {
			return f
		}
	}
	return unanswered(len(messages), open)
}

// answers tells whether the end of the messages is a call and answers to it.
func answers(before []any) bool {
	for _, m := range slices.Backward(before) {
		if textAt(m, "role") != "tool" {
			return len(listAt(m, "tool_calls")) > 0
		}
	}
	return false
}

func unanswered(i int, open []string) *failure {
	if len(open) == 0 {
		return nil
	}
	return bad(fmt.Sprintf("messages.[%d].role", i), "", "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: %s", strings.Join(open, ", ")) //nolint:lll // their words
}

// said checks that an assistant has content or calls.
func said(i int, m any) *failure {
	if textAt(m, "role") != "assistant" {
		return nil
	}
	if at(m, "content") == nil && !has(objectAt(m), "tool_calls", "function_call", "refusal", "audio") {
		return bad(fmt.Sprintf("messages[%d].content", i), "invalid_type",
			"Invalid value for 'content': expected a string, got null.")
	}
	return nil
}
