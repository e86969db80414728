package anthropic

import (
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// roles are the speakers of the API.
var roles = map[string]chat.Role{"user": chat.User, "assistant": chat.Assistant, "system": chat.System}

// readMessages reads the conversation.
func (r *requestReader) readMessages(list jsonscan.Value) {
	r.lastUser = -1
	for i, v := range r.elements(list, "messages") {
		if i == dialect.MostMessages {
			r.refuseValue("messages", "at most %d are taken.", dialect.MostMessages)
			return
		}
		r.message = i
		if m, ok := r.readTurn(v); ok && !r.isDirective(m, v, list) {
			r.addTurns(m)
		}
		r.message = -1
	}
}

// addTurns adds what was said in a turn to the conversation.
func (r *requestReader) addTurns(m chat.Message) {
	if !slices.ContainsFunc(m.Parts, isBetween) {
		r.addTurn(m)
		return
	}
	for _, turn := range r.takeApart(m) {
		r.addTurn(turn)
	}
}

// addTurn adds a turn to the conversation, or to the system prompt where that is all that was said before.
func (r *requestReader) addTurn(m chat.Message) {
	if m.Role == chat.System && len(r.talk.Messages) == 0 {
		r.talk.System = append(r.talk.System, m.Parts...)
	} else {
		r.talk.Messages = append(r.talk.Messages, m)
	}
}

func (r *requestReader) readTurn(v jsonscan.Value) (m chat.Message, ok bool) {
	m.At = r.message
	role, directs := "", v.Get("role").View() == "system"
	for key, v := range r.members(v, "") {
		switch key {
		case "role":
			role = r.readText(v, key)
		case "content":
			m.Parts = r.readBlocks(v, key, &r.part)
		default:
			if !directs || key != outputConfig && key != clearAt {
				r.note(r.lossHere(chat.Dropped, key))
			}
		}
	}
	if r.err != nil {
		return m, false
	}
	m.Role, ok = roles[role]
	if !ok {
		r.refuseValue("role", "%q is none of user, assistant, system.", role)
	}
	m.Parts = putCarriedBack(m.Parts)
	return m, ok
}

// readBlocks reads words, or a list of blocks whose index is counted in at: that of a
// message, of a tool's result, or of a document made of blocks.
func (r *requestReader) readBlocks(v jsonscan.Value, key string, at *int) []chat.Part {
	switch v.Kind() {
	case jsonscan.String:
		return readWords(v)
	case jsonscan.Array:
	default:
		r.refuseType(key, "a string or a list of blocks")
		return nil
	}
	var parts []chat.Part
	for i, v := range r.elements(v, key) {
		*at = i
		p, ok := r.readBlock(v)
		*at = -1
		if !ok {
			continue
		}
		p.At = i
		if at == &r.inner {
			parts = append(parts, r.readInResult(p)...)
		} else {
			parts = append(parts, p)
		}
	}
	return parts
}

// readInResult gives a block of a result as the others can read it there: words and media.
func (r *requestReader) readInResult(p chat.Part) []chat.Part {
	name := p.Name
	switch p.Kind {
	case chat.Opaque:
	case chat.ToolCall:
		name, p.Text = "tool_use", "["+p.Name+" "+p.Text+"]"
	case chat.ToolResult:
		r.note(r.lossHere(chat.Approximated, "tool_result in a result: what is in it"))
		return p.Content
	case chat.Thought, chat.Redacted:
		name, p.Text = "thinking", ""
	default:
		return []chat.Part{p}
	}
	if p.Text == "" {
		r.note(r.lossHere(chat.Dropped, name))
		return nil
	}
	r.note(r.lossHere(chat.Approximated, name+" as text"))
	return []chat.Part{{Kind: chat.Text, Text: p.Text, Cache: p.Cache, At: p.At, Name: p.Name, Raw: p.Raw}}
}

// readWords reads the text that a string is. An empty one is no part.
func readWords(v jsonscan.Value) []chat.Part {
	text := v.View()
	if text == "" {
		return nil
	}
	return []chat.Part{{Kind: chat.Text, Text: text}}
}

// readSystem reads the system prompt.
func (r *requestReader) readSystem(v jsonscan.Value) {
	var parts []chat.Part
	switch v.Kind() {
	case jsonscan.String:
		parts = readWords(v)
	case jsonscan.Array:
		for i, v := range r.elements(v, "system") {
			r.base = at("system", i)
			p, ok := r.readBlock(v)
			r.base = ""
			if ok && p.Kind != chat.Text {
				r.refuseValue("system", "only text can be in it.")
			}
			p.At = i
			parts = append(parts, p)
		}
	default:
		r.refuseType("system", "a string or a list of text blocks")
	}
	// The prompt goes before system turns that began the list, whichever was read first.
	r.talk.System = append(parts, r.talk.System...)
}
