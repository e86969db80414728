package upstream

import (
	"slices"
	"strings"
)

// claudeTurns checks who speaks when, and that neither says nothing: dialects.md 1.4.
func claudeTurns(_ *Server, c *chat) *failure {
	model := claudeOf(c.model)
	messages := listAt(c.body, "messages")
	if textAt(messages[0], "role") != "user" {
		return refused("messages: first message must use the \"user\" role")
	}
	for i, m := range messages {
		if textAt(m, "role") == "system" {
			switch {
			case !model.midSystem():
				return refused("messages.%d.role: role 'system' is not supported on this model.", i)
			case textAt(messages[i-1], "role") != "user":
				return refused("messages.%d: a system message must follow a user message.", i)
			}
		}
		if f := claudeEmpty(i, m); f != nil {
			return f
		}
	}
	if f := claudeSystem(c.body["system"]); f != nil {
		return f
	}
	last := messages[len(messages)-1]
	if textAt(last, "role") != "assistant" {
		return nil
	}
	switch {
	case !model.prefill():
		return refused("This model does not support assistant message prefill. The conversation must end with a user message.")
	case thinkingOf(c).on():
		return refused("messages: the final message must not be from the assistant when thinking is enabled.")
	}
	text := textAt(last, "content")
	if blocks := listAt(last, "content"); len(blocks) > 0 {
		text = textAt(blocks[len(blocks)-1], "text")
	}
	if strings.TrimRight(text, " \t\r\n") != text {
		return refused("messages: final assistant content cannot end with trailing whitespace")
	}
	return nil
}

// claudeEmpty checks one message for text that is not there.
func claudeEmpty(i int, m any) *failure {
	role := textAt(m, "role")
	content := at(m, "content")
	blocks := listAt(content)
	if s, ok := content.(string); ok {
		if s == "" {
			blocks = nil
		} else {
			blocks = []any{object{"type": "text", "text": s}}
		}
	}
	if len(blocks) == 0 {
		if role == "user" {
			return refused("messages.%d: user messages must have non-empty content", i)
		}
		return nil
	}
	return blankTexts("messages", blocks)
}

func claudeSystem(system any) *failure {
	if s, ok := system.(string); ok {
		if s != "" && strings.TrimSpace(s) == "" {
			return refused("system: text content blocks must contain non-whitespace text")
		}
		return nil
	}
	return blankTexts("system", listAt(system))
}

// blankTexts refuses empty text anywhere, and white space where nothing else is said.
func blankTexts(where string, blocks []any) *failure {
	for _, b := range blocks {
		if textAt(b, "type") == "text" && textAt(b, "text") == "" {
			return refused("%s: text content blocks must be non-empty", where)
		}
	}
	blank := func(b any) bool { return textAt(b, "type") == "text" && strings.TrimSpace(textAt(b, "text")) == "" }
	if len(blocks) > 0 && !slices.ContainsFunc(blocks, func(b any) bool { return !blank(b) }) {
		return refused("%s: text content blocks must contain non-whitespace text", where)
	}
	return nil
}
