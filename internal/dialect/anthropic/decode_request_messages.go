package anthropic

import (
	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// roles are the speakers of the API.
var roles = map[string]chat.Role{"user": chat.User, "assistant": chat.Assistant, "system": chat.System}

// messages reads the conversation.
func (r *requestReader) messages(v jsonscan.Value) {
	for i, v := range r.elements(v, "messages") {
		if i == dialect.MostMessages {
			r.bad("messages", "at most %d are taken.", dialect.MostMessages)
			return
		}
		r.message = i
		if m, ok := r.turn(v); ok && m.Role == chat.System && len(r.talk.Messages) == 0 {
			r.talk.System = append(r.talk.System, m.Parts...)
		} else if ok {
			r.talk.Messages = append(r.talk.Messages, m)
		}
		r.message = -1
	}
}

func (r *requestReader) turn(v jsonscan.Value) (m chat.Message, ok bool) {
	m.At = r.message
	role := ""
	for key, v := range r.members(v, "") {
		switch key {
		case "role":
			role = r.text(v, key)
		case "content":
			m.Parts = r.blocks(v, key, &r.part)
		default:
			r.note(r.here(chat.Dropped, key))
		}
	}
	if r.err != nil {
		return m, false
	}
	m.Role, ok = roles[role]
	if !ok {
		r.bad("role", "%q is none of user, assistant, system.", role)
	}
	m.Parts = carry(m.Parts)
	return m, ok
}

// blocks reads words, or a list of blocks whose index is counted in at: that of a
// message, of a tool's result, or of a document made of blocks.
func (r *requestReader) blocks(v jsonscan.Value, key string, at *int) []chat.Part {
	switch v.Kind() {
	case jsonscan.String:
		return justWords(v)
	case jsonscan.Array:
	default:
		r.wrong(key, "a string or a list of blocks")
		return nil
	}
	var parts []chat.Part
	for i, v := range r.elements(v, key) {
		*at = i
		p, ok := r.block(v)
		*at = -1
		if !ok {
			continue
		}
		if p.Kind == chat.Opaque && at == &r.inner { // which others could not read there
			if p.Kind = chat.Text; p.Text == "" {
				r.note(r.here(chat.Dropped, p.Name))
				continue
			}
			r.note(r.here(chat.Approximated, p.Name+" as text"))
		}
		p.At = i
		parts = append(parts, p)
	}
	return parts
}

// justWords is the text that a string is. An empty one is no part.
func justWords(v jsonscan.Value) []chat.Part {
	text := v.View()
	if text == "" {
		return nil
	}
	return []chat.Part{{Kind: chat.Text, Text: text}}
}

// system reads the system prompt.
func (r *requestReader) system(v jsonscan.Value) {
	var parts []chat.Part
	switch v.Kind() {
	case jsonscan.String:
		parts = justWords(v)
	case jsonscan.Array:
		for i, v := range r.elements(v, "system") {
			r.base = at("system", i)
			p, ok := r.block(v)
			r.base = ""
			if ok && p.Kind != chat.Text {
				r.bad("system", "only text can be in it.")
			}
			p.At = i
			parts = append(parts, p)
		}
	default:
		r.wrong("system", "a string or a list of text blocks")
	}
	// The prompt goes before system turns that began the list, whichever was read first.
	r.talk.System = append(parts, r.talk.System...)
}
