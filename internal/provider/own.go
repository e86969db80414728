package provider

import "stele/internal/chat"

// makeOwn makes a part of an answer the client's: its own names for tools, and what
// only the upstream can read in an envelope addressed to it.
func (x *exchange) makeOwn(p *chat.Part) {
	if p.Kind == chat.ToolCall && p.Name != "" {
		p.Name = x.toolName(p.Name)
	}
	if p.Kind == chat.ToolCall && p.ID != "" {
		p.ID = x.callID(p.ID)
	}
	if p.Proof != "" {
		p.Proof = x.envelope(p.Proof)
	}
	if p.Kind == chat.Redacted && p.Text != "" {
		p.Text = x.envelope(p.Text)
	}
}

func (x *exchange) envelope(raw string) string {
	return chat.Envelope{Dialect: x.reply.Dialect, Provider: x.reply.Provider, Model: x.reply.Target, Raw: raw}.Wrap()
}
