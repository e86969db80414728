package upstream

import "slices"

// claudeThought is what the signature of a thought is about: the model and the text,
// and with the latest models also all that was said before.
func claudeThought(kind, model, text string, before []any) []string {
	about := []string{kind, model, text}
	if claudeOf(model).latest() {
		about = append(about, string(encode(unmarked(before))))
	}
	return about
}

// unmarked are messages without what may change between two requests: the cache
// markers and the two ways to write a text.
func unmarked(messages []any) []any {
	out := make([]any, len(messages))
	for i, m := range messages {
		blocks := listAt(m, "content")
		if s := textAt(m, "content"); s != "" {
			blocks = []any{object{"type": "text", "text": s}}
		}
		plain := make([]any, len(blocks))
		for j, b := range blocks {
			copied := object{}
			for name, v := range objectAt(b) {
				if name != "cache_control" {
					copied[name] = v
				}
			}
			plain[j] = copied
		}
		out[i] = doc{"role", textAt(m, "role"), "content", plain}
	}
	return out
}

// claudeSignatures checks that thoughts come back as they were given, and that
// those of the loop of tool calls that is under way come back at all.
func claudeSignatures(s *Server, c *chat) *failure {
	messages := listAt(c.body, "messages")
	for i, m := range messages {
		for j, b := range listAt(m, "content") {
			switch textAt(b, "type") {
			case "thinking":
				if !s.signed(textAt(b, "signature"), claudeThought("thinking", c.model, textAt(b, "thinking"), messages[:i])...) {
					return refused("messages.%d.content.%d: Invalid `signature` in `thinking` block", i, j)
				}
			case "redacted_thinking":
				if !s.signed(textAt(b, "data"), claudeThought("redacted", c.model, "", messages[:i])...) {
					return refused("messages.%d.content.%d: Invalid `data` in `redacted_thinking` block", i, j)
				}
			}
		}
	}
	if !thinkingOf(c).on() {
		return nil
	}
	return s.claudeLoop(c, messages)
}

// claudeLoop looks at the turns after the last thing that the user said himself.
func (s *Server) claudeLoop(c *chat, messages []any) *failure {
	last := true
	for i, m := range slices.Backward(messages) {
		if role := textAt(m, "role"); role != "assistant" {
			if role == "system" {
				continue
			}
			if textAt(m, "content") != "" || textAt(m, "content", 0, "type") != "tool_result" {
				return nil
			}
			continue
		}
		thoughts, id := claudeThoughts(m)
		s.mu.Lock()
		issued, known := s.issued[id]
		s.mu.Unlock()
		first := textAt(m, "content", 0, "type")
		switch {
		case id == "":
		case thoughts == "" && (known && issued != "" || last && textAt(c.body, "thinking", "type") == "enabled"):
			return refused("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%s`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable `thinking`.", i, first) //nolint:lll,misspell // their words
		case known && issued != thoughts:
			return refused("messages.%d.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response.", i) //nolint:lll // their words
		}
		last = false
	}
	return nil
}

// claudeThoughts are the signatures before the first call of a turn, and that call's id.
func claudeThoughts(m any) (signatures, id string) {
	for _, b := range listAt(m, "content") {
		switch textAt(b, "type") {
		case "thinking":
			signatures += textAt(b, "signature") + ";"
		case "redacted_thinking":
			signatures += textAt(b, "data") + ";"
		case "tool_use":
			return signatures, textAt(b, "id")
		}
	}
	return signatures, ""
}
