package anthropic

import (
	"cmp"

	"stele/internal/chat"
	"stele/internal/jsonscan"
)

// What a turn of the system's may have beside its text: how the answer is to be made from there on, and until when the
// model sees the text.
const (
	outputConfig = "output_config"
	clearAt      = "clear_at"
)

// isDirective reports whether a turn of the system's says nothing to the model, or nothing any more, and takes over
// how much it is to think: what the last of them wants counts for the turn that is asked for.
func (r *requestReader) isDirective(m chat.Message, turn, all jsonscan.Value) bool {
	if m.Role != chat.System {
		return false
	}
	config, until := turn.Get(outputConfig), turn.Get(clearAt)
	if config.Absent() && until.Absent() {
		return false
	}
	if !config.Absent() {
		r.readTurnConfig(config)
	}
	switch word := until.View(); {
	case until.Absent() || word == "never":
	case word != "next_user_message":
		r.note(r.lossHere(chat.Dropped, clearAt))
	case r.speaksLater(all):
		r.note(r.lossHere(chat.Ignored, "no longer shown to the model"))
		return true
	}
	return len(m.Parts) == 0 && !config.Absent()
}

func (r *requestReader) readTurnConfig(v jsonscan.Value) {
	for key, v := range r.members(v, outputConfig) {
		if key == "effort" {
			r.turnEffort = v
		} else {
			r.note(r.lossHere(chat.Dropped, outputConfig+"."+key))
		}
	}
}

// speaksLater reports whether there is a turn of the user's behind the one that is being read.
func (r *requestReader) speaksLater(all jsonscan.Value) bool {
	if r.lastUser < 0 {
		for i, v := range all.Elements() {
			if v.Get("role").View() == "user" {
				r.lastUser = i
			}
		}
	}
	return r.lastUser > r.message
}

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
