package provider

import (
	"cmp"
	"slices"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// withoutDocuments is a conversation without documents, for an upstream that reads none, or not one of them: those that are words are told as such. Others
// go where a tool gave them, in its result or beside it, as Claude Code's does, and where they are of an earlier turn. What the user shows
// now stays: it must not be left out.
func withoutDocuments(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	var losses []chat.Loss
	clone := talk.Clone()
	for i := range clone.Messages {
		m := &clone.Messages[i]
		may := i < len(clone.Messages)-1 || slices.ContainsFunc(m.Parts, func(p chat.Part) bool { return p.Kind == chat.ToolResult })
		for j := range m.Parts {
			p := &m.Parts[j]
			verb := tellDocument(p, may)
			p.Content = slices.Clone(p.Content)
			for k := range p.Content {
				if inner := tellDocument(&p.Content[k], true); inner != "" {
					verb = inner
				}
			}
			if verb != "" {
				losses = append(losses, chat.LostPart(*m, *p, verb, "a document: the upstream does not read it"))
			}
		}
	}
	return clone, losses
}

// tellDocument puts words in the place of a document, if it has any or may be left out, and says what was done.
func tellDocument(p *chat.Part, may bool) chat.Verb {
	text, readable := dialect.DocumentText(p)
	verb := chat.Approximated
	switch {
	case p.Kind != chat.Document || !readable && !may:
		return ""
	case readable:
		text = dialect.FrameDocument(p, text)
	default:
		text, verb = "[document left out, which the model cannot read: "+cmp.Or(dialect.DocumentName(p), p.Media.Type)+"]", chat.Dropped
	}
	*p = chat.Part{Kind: chat.Text, Text: text, At: p.At, Cache: p.Cache}
	return verb
}
