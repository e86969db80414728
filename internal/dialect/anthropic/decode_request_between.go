package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// isBetween reports whether a part is a block in which the system speaks between turns: the API has it at the end of a
// turn of the user's, beside turns of the system's own.
func isBetween(p chat.Part) bool {
	return p.Kind == chat.Opaque && p.Name == prefix+"mid_conv_system"
}

// takeApart makes turns of their own of what the system says in a turn of another's.
func (r *requestReader) takeApart(m chat.Message) []chat.Message {
	var turns []chat.Message
	for _, p := range m.Parts {
		role, parts := m.Role, []chat.Part{p}
		if isBetween(p) {
			role, parts = chat.System, r.readBetween(p)
		}
		if n := len(turns) - 1; n >= 0 && turns[n].Role == role {
			turns[n].Parts = append(turns[n].Parts, parts...)
		} else if len(parts) > 0 {
			turns = append(turns, chat.Message{Role: role, Parts: parts, At: m.At})
		}
	}
	return turns
}

// readBetween reads what the system says in a block. Reports are about that: clients do not number what is in it.
func (r *requestReader) readBetween(p chat.Part) []chat.Part {
	parts := r.readBlocks(jsonscan.At(p.Raw, 0).Get("content"), "content", &r.part)
	for i := range parts {
		parts[i].At = p.At
	}
	if n := len(parts) - 1; n >= 0 {
		parts[n].Cache = cmp.Or(parts[n].Cache, p.Cache)
	}
	return parts
}
