package provider

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// unsaid stands where an upstream wants words and there are none. It is what Claude Code's own tools say then.
const unsaid = "(no content)"

// withWords is a conversation in which every turn of the model's and every result has words, for an upstream that takes none without, and in
// which the user says something.
func withWords(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	var losses []chat.Loss
	clone := talk.Clone()
	for i := range clone.Messages {
		m := &clone.Messages[i]
		added := false
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind == chat.ToolResult && !saysAnything(p.Content) {
				p.Content, added = []chat.Part{{Kind: chat.Text, Text: unsaid, At: p.At}}, true
			}
		}
		if m.Role == chat.Assistant && !saysAnything(m.Parts) {
			first := slices.IndexFunc(m.Parts, func(p chat.Part) bool { return p.Kind == chat.ToolCall })
			if first < 0 {
				first = len(m.Parts)
			}
			m.Parts, added = slices.Insert(slices.Clip(m.Parts), first, chat.Part{Kind: chat.Text, Text: unsaid}), true
		}
		if added {
			losses = append(losses, chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Added, Note: "words where there are none"})
		}
	}
	if !slices.ContainsFunc(clone.Messages, func(m chat.Message) bool { return m.Role == chat.User }) {
		clone.Messages = append(clone.Messages, chat.Message{Role: chat.User, At: -1, Parts: []chat.Part{{Kind: chat.Text, Text: "Go on.", At: -1}}})
		losses = append(losses, chat.Lost(chat.FieldMessages, chat.Added, "a turn of the user's"))
	}
	return clone, losses
}

// saysAnything reports whether parts have words, or what is to be seen or heard in their place.
func saysAnything(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool {
		switch p.Kind {
		case chat.Thought, chat.Redacted, chat.ToolCall:
			return false
		case chat.Text:
			return strings.TrimSpace(p.Text) != ""
		}
		return true
	})
}
