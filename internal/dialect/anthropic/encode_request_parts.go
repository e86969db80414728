package anthropic

import (
	"bytes"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// writePart writes one part of a message as a block of a turn: the only place that
// knows what becomes of each kind.
func (w *requestWriter) writePart(m *chat.Message, p *chat.Part, t *turn) error {
	spoken := m.Role == chat.Assistant
	switch p.Kind {
	case chat.Text:
		w.writeText(m, p, t)
	case chat.Refusal:
		w.lose(chat.LostPart(*m, *p, chat.Approximated, "a refusal as text"))
		w.writeText(m, p, t)
	case chat.Thought, chat.Redacted:
		w.writeThought(m, p, t)
	case chat.ToolCall:
		w.writeCall(m, p, t)
	case chat.ToolResult:
		return w.writeStray(m, p, t)
	case chat.Opaque:
		w.writeOpaque(m, p, t)
	case chat.Document:
		return w.writeDocument(m, p, t)
	case chat.Image:
		if !spoken {
			return w.writeImage(m, p, t)
		}
		w.writeInstead(m, p, t, "[image]")
	case chat.Audio:
		if !spoken && p.Text == "" {
			return refusePart(m, p, "the model cannot hear.")
		}
		w.writeInstead(m, p, t, p.Text)
	case chat.Video:
		if !spoken {
			return refusePart(m, p, "the model cannot see clips.")
		}
		w.writeInstead(m, p, t, "[video]")
	}
	return nil
}

// refusePart is an error about a part that must not be left out.
func refusePart(m *chat.Message, p *chat.Part, format string, args ...any) error {
	return refuse(chat.LostPart(*m, *p, chat.Dropped, ""), format, args...)
}

func (w *requestWriter) writeText(m *chat.Message, p *chat.Part, t *turn) {
	if strings.HasPrefix(p.Name, prefix) && p.Raw != nil {
		w.writeOpaque(m, p, t)
		return
	}
	w.carry(m, p, t)
	if p.Text == "" {
		w.move(m, p, t)
		return
	}
	b := newTextBlock(p.Text, p.Cache)
	w.cite(m, p, &b)
	b.json = w.writeRest(p.Raw, b.json)
	t.blocks = append(t.blocks, b)
}

// carry puts the signature of a text or a call before it, as a thought without words, for
// an upstream that gave it so: another server like this one, before a model of another
// dialect. To all else it is another's.
func (w *requestWriter) carry(m *chat.Message, p *chat.Part, t *turn) {
	if p.Proof == "" {
		return
	}
	raw, ok := w.openProof(p.Proof)
	if _, wrapped := chat.Unwrap(raw); !ok || !wrapped || m.Role != chat.Assistant {
		w.lose(chat.LostPart(*m, *p, chat.Ignored, "a signature of another upstream"))
		return
	}
	out := writeBlock(new(jsonscan.Writer), "thinking").Key("thinking").Plain("").Key("signature").Text(raw)
	t.blocks = append(t.blocks, block{json: out.Bytes(), sort: thoughtBlock})
}

// cite writes the sources that Claude named. Others' mean nothing to it.
func (w *requestWriter) cite(m *chat.Message, p *chat.Part, b *block) {
	var own [][]byte
	for i := range p.Citations {
		if c := &p.Citations[i]; c.Dialect == dialectName && len(c.Raw) > 0 && m.Role == chat.Assistant {
			own = append(own, c.Raw)
		}
	}
	if own != nil {
		b.json = slices.Concat(b.json, []byte(`,"citations":[`), bytes.Join(own, []byte{','}), []byte{']'})
	}
	if len(own) < len(p.Citations) {
		w.lose(chat.LostPart(*m, *p, chat.Ignored, "sources of another upstream"))
	}
}

// move keeps a cache marker of something that is not sent, on what is before it.
func (w *requestWriter) move(m *chat.Message, p *chat.Part, t *turn) {
	if p.Cache == nil {
		return
	}
	if n := len(t.blocks); n > 0 && t.blocks[n-1].cache == nil && t.blocks[n-1].sort != thoughtBlock {
		t.blocks[n-1].cache = p.Cache
		return
	}
	w.lose(chat.LostPart(*m, *p, chat.Ignored, "a cache marker with nothing to mark"))
}

// writeThought writes thoughts that this very upstream signed. It refuses others.
func (w *requestWriter) writeThought(m *chat.Message, p *chat.Part, t *turn) {
	proof := p.Proof
	if p.Kind == chat.Redacted {
		proof = p.Text
	}
	raw, ok := w.openProof(proof)
	ok = ok && m.Role == chat.Assistant
	switch {
	case !ok && p.Text == "" && p.Proof == "": // it only named its turn
	case !ok && p.Text == "":
		w.lose(chat.LostPart(*m, *p, chat.Ignored, "a signature of another upstream"))
	case !ok:
		w.lose(chat.LostPart(*m, *p, chat.Dropped, "thoughts that this upstream did not sign"))
	default:
		out := writeBlock(new(jsonscan.Writer), "redacted_thinking").Key("data")
		if p.Kind == chat.Thought {
			out = writeBlock(new(jsonscan.Writer), "thinking").Key("thinking").Text(p.Text).Key("signature")
		}
		t.blocks = append(t.blocks, block{json: w.writeRest(p.Raw, out.Text(raw).Bytes()), sort: thoughtBlock})
	}
	w.move(m, p, t)
}

// openProof gives back a signature of this upstream.
func (w *requestWriter) openProof(text string) (string, bool) {
	if text == "" {
		return "", false
	}
	if w.target.Proof == nil {
		_, wrapped := chat.Unwrap(text)
		return text, !wrapped
	}
	return w.target.Proof(text)
}

func (w *requestWriter) writeCall(m *chat.Message, p *chat.Part, t *turn) {
	if m.Role != chat.Assistant {
		w.writeInstead(m, p, t, "["+p.Name+" "+p.Text+"]")
		return
	}
	w.carry(m, p, t)
	input, odd := dialect.CallArguments(p)
	if odd {
		w.lose(chat.LostPart(*m, *p, chat.Approximated, "arguments that are no object as text"))
	}
	id := w.callID(p.ID)
	b := jsonscan.AppendText([]byte(`{"type":"tool_use","id":"`+id+`","name":`), w.names.To(p.Name))
	b = append(append(b, `,"input":`...), input...)
	t.calls = append(t.calls, called{p.ID, id})
	t.blocks = append(t.blocks, block{json: w.writeRest(p.Raw, b), sort: callBlock, cache: p.Cache})
}

// writeStray writes a result that answers no call as what it says.
func (w *requestWriter) writeStray(m *chat.Message, p *chat.Part, t *turn) error {
	w.lose(chat.LostPart(*m, *p, chat.Approximated, "a result without its call as text"))
	t.blocks = append(t.blocks, newTextBlock("[result of a tool call]", nil))
	return w.writeContent(m, p, t)
}

// writeOpaque writes a block of this dialect as it was, another's in words.
func (w *requestWriter) writeOpaque(m *chat.Message, p *chat.Part, t *turn) {
	if raw := bytes.TrimSpace(p.Raw); !slices.Contains(w.target.Refused, dialect.Blocks) && strings.HasPrefix(p.Name, prefix) && bytes.HasSuffix(raw, []byte{'}'}) {
		t.blocks = append(t.blocks, block{json: bytes.Clone(raw[:len(raw)-1]), sort: serverBlock, cache: p.Cache})
		return
	}
	w.writeInstead(m, p, t, p.Text)
}

// writeInstead writes words for what the API has nothing for.
func (w *requestWriter) writeInstead(m *chat.Message, p *chat.Part, t *turn, words string) {
	if words == "" {
		w.lose(chat.LostPart(*m, *p, chat.Dropped, ""))
		return
	}
	w.lose(chat.LostPart(*m, *p, chat.Approximated, "as text"))
	t.blocks = append(t.blocks, newTextBlock(words, p.Cache))
}

// trim takes the white space off the end of what the assistant is to go on with.
func (w *requestWriter) trim(b *block) {
	words := b.words()
	short := strings.TrimRight(words, " \t\r\n")
	if short == words {
		return
	}
	*b = newTextBlock(short, b.cache)
	w.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "no white space at the end of the last"))
}
