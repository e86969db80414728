package anthropic

import (
	"bytes"
	"cmp"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// Servers of this dialect, and libraries that pass its events on, have at the end of a block the whole of it, and in
// a piece of a thought its signature. What was told before stands; what was not is told.

// takeRest takes over what the end of a block says and nothing before it did.
func (d *streamReader) takeRest(events []chat.Event, root jsonscan.Value) []chat.Event {
	s, block := d.find(d.indexOf(root)), root.Get("content_block")
	if s == nil || d.light {
		return events
	}
	switch s.kind {
	case chat.Thought:
		if len(s.proof) == 0 {
			s.proof = append(s.proof, cmp.Or(block.Get("signature").View(), root.Get("signature").View())...)
		}
		if text := cloneText(block.Get("thinking")); !s.words && text != "" {
			s.words = true
			events = d.emit(events, s, chat.Part{Kind: s.kind, Text: text})
		}
	case chat.Text:
		p := chat.Part{Kind: s.kind}
		if !s.words {
			p.Text = cloneText(block.Get("text"))
		}
		if list := bytes.Clone(block.Get("citations").Raw()); !s.cited && len(list) > 0 {
			for _, source := range jsonscan.At(list, 0).Elements() {
				p.Citations = append(p.Citations, readCitation(source))
			}
		}
		if p.Text != "" || p.Citations != nil {
			events = d.emit(events, s, p)
		}
	case chat.ToolCall:
		if input := block.Get("input"); !s.words && input.Len() > 0 {
			s.input = string(input.AppendCompact(nil))
		}
	case chat.Opaque:
		if len(s.json) == 0 && block.Kind() == jsonscan.Object {
			s.raw = bytes.Clone(block.Raw())
		}
	}
	return events
}

// hasFailed reports whether an end is none, or says that the model failed to write what came of nothing.
func (d *streamReader) hasFailed(stop chat.Stop) bool {
	return !d.light && (stop.Reason == chat.Failed || !d.useful && dialect.IsSpoiltEnd(stop.Raw))
}

// sign takes over a piece of a thought's signature. What the beginning of the thought had counts only where no piece comes.
func (d *streamReader) sign(s *state, signature jsonscan.Value) error {
	piece := signature.View()
	if s.kind != chat.Thought || piece == "" {
		return nil
	}
	if !s.signed {
		s.signed, s.proof = true, s.proof[:0]
	}
	s.proof = append(s.proof, piece...)
	return d.keep(len(piece))
}
