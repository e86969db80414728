package provider

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// own makes a part of an answer the client's: its own names for tools, and what
// only the upstream can read in an envelope addressed to it.
func (x *exchange) own(p *chat.Part) {
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

// toolName is the client's name of a tool that a model called. Some models put the name of
// a list before it, or white space around it.
func (x *exchange) toolName(said string) string {
	for _, name := range []string{said, strings.TrimSpace(said), strings.TrimSpace(said[strings.LastIndexAny(said, ".:/")+1:])} {
		if own, changed := x.call.Names[name]; changed {
			return own
		}
		if x.offers(name) {
			return name
		}
	}
	return said
}

// offers reports whether the client has a tool of that name.
func (x *exchange) offers(name string) bool {
	talk, err := x.req.Conversation()
	return err == nil && slices.ContainsFunc(talk.Tools, func(t chat.Tool) bool { return t.Name == name })
}

// callID is an upstream's id of a call, or a new one where the conversation has a call of
// that id already: some servers begin to count anew with every answer, and a result
// would find two calls.
func (x *exchange) callID(id string) string {
	if x.ids == nil {
		x.ids = make(map[string]string)
		if talk, err := x.req.Conversation(); err == nil {
			for i := range talk.Messages {
				for j := range talk.Messages[i].Parts {
					if p := &talk.Messages[i].Parts[j]; p.Kind == chat.ToolCall {
						x.ids[p.ID] = ""
					}
				}
			}
		}
	}
	now, used := x.ids[id]
	if !used {
		return id
	}
	if now == "" {
		now = chat.NewCallID()
		x.ids[id] = now
	}
	return now
}

func (x *exchange) envelope(raw string) string {
	return chat.Envelope{Dialect: x.reply.Dialect, Provider: x.reply.Provider, Model: x.reply.Target, Raw: raw}.Wrap()
}
