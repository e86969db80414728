package anthropic

import (
	"bytes"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// part writes one part of a message as a block of a turn: the only place that
// knows what becomes of each kind.
func (c *composer) part(m *chat.Message, p *chat.Part, t *turn) error {
	spoken := m.Role == chat.Assistant
	switch p.Kind {
	case chat.Text:
		c.text(m, p, t)
	case chat.Refusal:
		c.lose(chat.LostPart(*m, *p, chat.Approximated, "a refusal as text"))
		c.text(m, p, t)
	case chat.Thought, chat.Redacted:
		c.thought(m, p, t)
	case chat.ToolCall:
		c.call(m, p, t)
	case chat.ToolResult:
		return c.stray(m, p, t)
	case chat.Opaque:
		c.opaque(m, p, t)
	case chat.Document:
		return c.document(m, p, t)
	case chat.Image:
		if !spoken {
			return c.image(m, p, t)
		}
		c.instead(m, p, t, "[image]")
	case chat.Audio:
		if !spoken && p.Text == "" {
			return refusePart(m, p, "the model cannot hear.")
		}
		c.instead(m, p, t, p.Text)
	case chat.Video:
		if !spoken {
			return refusePart(m, p, "the model cannot see clips.")
		}
		c.instead(m, p, t, "[video]")
	}
	return nil
}

// refusePart is an error about a part that must not be left out.
func refusePart(m *chat.Message, p *chat.Part, format string, args ...any) error {
	return refuse(chat.LostPart(*m, *p, chat.Dropped, ""), format, args...)
}

func (c *composer) text(m *chat.Message, p *chat.Part, t *turn) {
	if strings.HasPrefix(p.Name, prefix) && p.Raw != nil {
		c.opaque(m, p, t)
		return
	}
	if p.Proof != "" {
		c.lose(chat.LostPart(*m, *p, chat.Ignored, "a signature of another upstream"))
	}
	if p.Text == "" {
		c.move(m, p, t)
		return
	}
	b := textual(p.Text)
	b.cache = p.Cache
	c.cite(m, p, &b)
	b.json = c.rest(p.Raw, b.json)
	t.blocks = append(t.blocks, b)
}

// cite writes the sources that Claude named. Others' mean nothing to it.
func (c *composer) cite(m *chat.Message, p *chat.Part, b *block) {
	n := 0
	for i := range p.Citations {
		source := &p.Citations[i]
		if source.Dialect != dialectName || len(source.Raw) == 0 || m.Role != chat.Assistant {
			continue
		}
		if n++; n == 1 {
			b.json = append(b.json, `,"citations":[`...)
		} else {
			b.json = append(b.json, ',')
		}
		b.json = append(b.json, source.Raw...)
	}
	if n > 0 {
		b.json = append(b.json, ']')
	}
	if n < len(p.Citations) {
		c.lose(chat.LostPart(*m, *p, chat.Dropped, "citations"))
	}
}

// move keeps a cache marker of something that is not sent, on what is before it.
func (c *composer) move(m *chat.Message, p *chat.Part, t *turn) {
	if p.Cache == nil {
		return
	}
	if n := len(t.blocks); n > 0 && t.blocks[n-1].cache == nil && t.blocks[n-1].sort != thoughtBlock {
		t.blocks[n-1].cache = p.Cache
		return
	}
	c.lose(chat.LostPart(*m, *p, chat.Ignored, "a cache marker with nothing to mark"))
}

// thought writes thoughts that this very upstream signed. It refuses others.
func (c *composer) thought(m *chat.Message, p *chat.Part, t *turn) {
	proof := p.Proof
	if p.Kind == chat.Redacted {
		proof = p.Text
	}
	raw, ok := c.proof(proof)
	ok = ok && m.Role == chat.Assistant
	switch {
	case !ok && p.Text == "":
		c.lose(chat.LostPart(*m, *p, chat.Ignored, "a signature of another upstream"))
	case !ok:
		c.lose(chat.LostPart(*m, *p, chat.Dropped, "thoughts that this upstream did not sign"))
	case p.Kind == chat.Redacted:
		b := dialect.AppendText([]byte(`{"type":"redacted_thinking","data":`), raw)
		t.blocks = append(t.blocks, block{json: c.rest(p.Raw, b), sort: thoughtBlock})
	default:
		b := dialect.AppendText([]byte(`{"type":"thinking","thinking":`), p.Text)
		b = dialect.AppendText(append(b, `,"signature":`...), raw)
		t.blocks = append(t.blocks, block{json: c.rest(p.Raw, b), sort: thoughtBlock})
	}
	c.move(m, p, t)
}

// proof gives back a signature of this upstream.
func (c *composer) proof(text string) (string, bool) {
	if text == "" {
		return "", false
	}
	if c.target.Proof == nil {
		_, wrapped := chat.Unwrap(text)
		return text, !wrapped
	}
	return c.target.Proof(text)
}

func (c *composer) call(m *chat.Message, p *chat.Part, t *turn) {
	if m.Role != chat.Assistant {
		c.instead(m, p, t, "["+p.Name+" "+p.Text+"]")
		return
	}
	if p.Proof != "" {
		c.lose(chat.LostPart(*m, *p, chat.Ignored, "a signature of another upstream"))
	}
	input, odd := dialect.Arguments(p.Text)
	if p.Custom {
		input, odd = append(dialect.AppendText([]byte(`{"input":`), p.Text), '}'), false
	}
	if odd {
		c.lose(chat.LostPart(*m, *p, chat.Approximated, "arguments that are no object as text"))
	}
	id := c.callID(p.ID)
	b := dialect.AppendText([]byte(`{"type":"tool_use","id":"`+id+`","name":`), c.names.To(p.Name))
	b = append(append(b, `,"input":`...), input...)
	t.calls = append(t.calls, called{p.ID, id})
	t.blocks = append(t.blocks, block{json: c.rest(p.Raw, b), sort: callBlock, cache: p.Cache})
}

// stray writes a result that answers no call as what it says.
func (c *composer) stray(m *chat.Message, p *chat.Part, t *turn) error {
	c.lose(chat.LostPart(*m, *p, chat.Approximated, "a result without its call as text"))
	t.blocks = append(t.blocks, textual("[result of a tool call]"))
	for i := range p.Content {
		q := p.Content[i]
		q.At = p.At
		if err := c.part(m, &q, t); err != nil {
			return err
		}
	}
	return nil
}

// opaque writes a block of this dialect as it was, another's in words.
func (c *composer) opaque(m *chat.Message, p *chat.Part, t *turn) {
	if raw := bytes.TrimSpace(p.Raw); strings.HasPrefix(p.Name, prefix) && bytes.HasSuffix(raw, []byte{'}'}) {
		t.blocks = append(t.blocks, block{json: bytes.Clone(raw[:len(raw)-1]), sort: serverBlock, cache: p.Cache})
		return
	}
	c.instead(m, p, t, p.Text)
}

// instead writes words for what the API has nothing for.
func (c *composer) instead(m *chat.Message, p *chat.Part, t *turn, words string) {
	if words == "" {
		c.lose(chat.LostPart(*m, *p, chat.Dropped, ""))
		return
	}
	c.lose(chat.LostPart(*m, *p, chat.Approximated, "as text"))
	b := textual(words)
	b.cache = p.Cache
	t.blocks = append(t.blocks, b)
}

// trim takes the white space off the end of what the assistant is to go on with.
func (c *composer) trim(b *block) {
	words := b.words()
	short := strings.TrimRight(words, " \t\r\n")
	if short == words {
		return
	}
	cache := b.cache
	*b = textual(short)
	b.cache = cache
	c.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "no white space at the end of the last"))
}
