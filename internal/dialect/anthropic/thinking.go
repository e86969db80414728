package anthropic

import "stele/internal/chat"

// The kinds of thinking a client can name. Effort is ours: output_config.effort
// was set and thinking not mentioned.
const (
	thinkEnabled  = "enabled"
	thinkAdaptive = "adaptive"
	thinkDisabled = "disabled"
	thinkBetween  = "between_tools"
	thinkEffort   = "effort"
)

// unsigned is the signature of thoughts without one. Clients replay it,
// which tells them apart from Claude's own when the bytes are passed on.
var unsigned = chat.Envelope{}.Wrap()

func ownSignature(signature string) string {
	if _, marked := chat.MarkedTurn(signature); marked || signature == unsigned {
		return ""
	}
	return signature
}

// isCarrier reports whether a part is an empty thought that is only there to
// carry the signature which another upstream put on the part after it.
func isCarrier(p *chat.Part) bool {
	if p.Kind != chat.Thought || p.Text != "" {
		return false
	}
	e, ok := chat.Unwrap(p.Proof)
	return ok && e.Dialect != dialectName && e.Raw != "" && !e.OfThought()
}

// putCarriedBack puts carried signatures back where they came from: on the call or text
// that follows, or on the text before, where it had gone out when its signature came.
func putCarriedBack(parts []chat.Part) []chat.Part {
	out := parts[:0]
	held, text := chat.Part{}, -1 // a carrier under way; the text that it may belong to
	drop := func() {
		switch {
		case held.Proof == "":
		case text >= 0 && out[text].Proof == "":
			out[text].Proof = held.Proof
		default:
			out = append(out, held)
		}
		held = chat.Part{}
	}
	for i := range parts {
		p := parts[i]
		if isCarrier(&p) {
			drop()
			held = p
			continue
		}
		if held.Proof != "" && p.Proof == "" && (p.Kind == chat.ToolCall || p.Kind == chat.Text) {
			p.Proof, held = held.Proof, chat.Part{}
		} else {
			drop()
		}
		text = -1
		if p.Kind == chat.Text {
			text = len(out)
		}
		out = append(out, p)
	}
	drop()
	return out
}
