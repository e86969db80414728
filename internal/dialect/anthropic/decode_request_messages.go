package anthropic

import (
	"strconv"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// roles are the speakers of the API.
var roles = map[string]chat.Role{"user": chat.User, "assistant": chat.Assistant, "system": chat.System}

// messages reads the conversation.
func (r *reading) messages(v gjson.Result) {
	r.each(v, "messages", func(i int, v gjson.Result) {
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
	})
}

func (r *reading) turn(v gjson.Result) (m chat.Message, ok bool) {
	m.At = r.message
	role := ""
	r.members(v, "", func(key string, v gjson.Result) {
		switch key {
		case "role":
			role = r.text(v, key)
		case "content":
			m.Parts = r.content(v)
		default:
			r.note(chat.Loss{Field: chat.FieldPart, Message: r.message, Part: -1, Verb: chat.Dropped, Note: key})
		}
	})
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

// content reads words or blocks. Words without any are no part.
func (r *reading) content(v gjson.Result) []chat.Part {
	if v.Type == gjson.String {
		if v.Str == "" {
			return nil
		}
		return []chat.Part{{Kind: chat.Text, Text: v.Str}}
	}
	if !v.IsArray() {
		r.wrong("content", "a string or a list of blocks")
		return nil
	}
	var parts []chat.Part
	r.each(v, "content", func(i int, v gjson.Result) {
		r.part = i
		if p, ok := r.block(v); ok {
			p.At = i
			parts = append(parts, p)
		}
		r.part = -1
	})
	return parts
}

// inside reads the content of a tool's result, or of a document made of blocks.
// What others could not read there becomes words that remember what they were.
func (r *reading) inside(v gjson.Result, key string) []chat.Part {
	if v.Type == gjson.String {
		if v.Str == "" {
			return nil
		}
		return []chat.Part{{Kind: chat.Text, Text: v.Str}}
	}
	if !v.IsArray() {
		r.wrong(key, "a string or a list of blocks")
		return nil
	}
	var parts []chat.Part
	r.each(v, key, func(i int, v gjson.Result) {
		r.inner = i
		p, ok := r.block(v)
		r.inner = -1
		if !ok {
			return
		}
		if p.Kind == chat.Opaque {
			p.Kind = chat.Text
			r.note(r.here(chat.Approximated, p.Name+" as text"))
		}
		p.At = i
		parts = append(parts, p)
	})
	return parts
}

// system reads the system prompt.
func (r *reading) system(v gjson.Result) {
	var parts []chat.Part
	switch {
	case v.Type == gjson.String && v.Str == "":
	case v.Type == gjson.String:
		parts = []chat.Part{{Kind: chat.Text, Text: v.Str}}
	case v.IsArray():
		r.each(v, "system", func(i int, v gjson.Result) {
			r.base = "system[" + strconv.Itoa(i) + "]"
			p, ok := r.block(v)
			r.base = ""
			if ok && p.Kind != chat.Text {
				r.bad("system", "only text can be in it.")
			}
			p.At = i
			parts = append(parts, p)
		})
	default:
		r.wrong("system", "a string or a list of text blocks")
	}
	// The prompt goes before system turns that began the list, whichever was read first.
	r.talk.System = append(parts, r.talk.System...)
}
