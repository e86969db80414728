package relay

import (
	"context"

	"stele/internal/catalog"
	"stele/internal/chat"
)

// recollection is what the vault knows of one request's conversation.
type recollection struct {
	vault     *Vault
	workspace string
	turns     map[string]*turn // by key; nil: nothing is known
}

// look asks for the turns of messages: memory first, and once for all that it does not have
// the database. What was asked for is not asked for again.
func (c *recollection) look(ctx context.Context, messages []chat.Message) error {
	var missing []string
	for i := range messages {
		if messages[i].Role != chat.Assistant {
			continue
		}
		for j := range messages[i].Parts {
			key := keyOf(&messages[i].Parts[j])
			if key == "" {
				continue
			}
			if _, asked := c.turns[key]; asked {
				continue
			}
			t, ok := c.vault.turns.GetIfPresent(c.workspace + "\x00" + key)
			if c.turns == nil {
				c.turns = make(map[string]*turn)
			}
			if c.turns[key] = t; !ok {
				missing = append(missing, key)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return c.vault.read(ctx, c.workspace, missing, c.turns)
}

// keyOf is what a part of a turn may be known by; "" where it is nothing of that sort.
func keyOf(p *chat.Part) string {
	switch {
	case p.ID == "":
	case p.Kind == chat.ToolCall:
		return callKey(p.ID)
	case p.Kind == chat.Thought:
		return markKey(p.ID)
	}
	return ""
}

// loopOf are the messages since the last question: a new one may go anywhere.
func loopOf(talk *chat.Conversation) []chat.Message {
	for i := len(talk.Messages) - 1; i >= 0; i-- {
		if m := &talk.Messages[i]; m.Role == chat.User && !chat.HasKind(m.Parts, chat.ToolResult) {
			return talk.Messages[i+1:]
		}
	}
	return talk.Messages
}

// target is where the loop of calls that a request continues is served, or nil.
func (c *recollection) target(loop []chat.Message) *catalog.Target {
	for i := len(loop) - 1; i >= 0; i-- {
		if loop[i].Role != chat.Assistant {
			continue
		}
		for j := range loop[i].Parts {
			if t := c.find(&loop[i].Parts[j]); t != nil {
				return &t.target
			}
		}
	}
	return nil
}

// restore gives a conversation back the thoughts and signatures that its client
// lost. It returns the same conversation where there is nothing to give.
func (c *recollection) restore(talk *chat.Conversation) *chat.Conversation {
	restored := talk
	for i := range talk.Messages {
		m := &talk.Messages[i]
		if m.Role != chat.Assistant || len(c.turns) == 0 {
			continue
		}
		parts := c.restoreTurn(m.Parts)
		if parts == nil {
			continue
		}
		if restored == talk {
			restored = talk.Clone()
		}
		restored.Messages[i].Parts = parts
	}
	return restored
}

// restoreTurn is the parts with what was lost put back, or nil where nothing was.
func (c *recollection) restoreTurn(parts []chat.Part) []chat.Part {
	var known *turn
	thinks, changed := false, false
	out := make([]chat.Part, 0, len(parts)+2)
	said := 0
	marked := c.findMarked(parts)
	for _, p := range parts {
		if p.Kind == chat.Text && p.Text != "" {
			if said < len(marked) && marked[said] != "" && p.Proof == "" {
				p.Proof, changed = marked[said], true
			}
			said++
		}
		// Thoughts without a signature are words that a client kept: the upstream
		// takes none but its own.
		thinks = thinks || (p.Kind == chat.Thought && p.Proof != "") || p.Kind == chat.Redacted
		if t := c.find(&p); t != nil {
			known = t
			if proof := t.proofs[p.ID]; proof != "" && p.Proof == "" {
				p.Proof, changed = proof, true
			}
		}
		out = append(out, p)
	}
	if known == nil && changed {
		return out
	}
	if known == nil {
		return nil
	}
	if !thinks && len(known.before) > 0 {
		rest := make([]chat.Part, 0, len(out))
		for _, p := range out {
			if p.Kind != chat.Thought {
				rest = append(rest, p)
			}
		}
		if all, ok := chat.Interleave(known.before, rest); ok {
			return all
		}
	}
	if !changed {
		return nil
	}
	return out
}

// findMarked finds the signatures of the texts of a turn that a client brought the name of.
func (c *recollection) findMarked(parts []chat.Part) []string {
	for i := range parts {
		if p := &parts[i]; p.Kind == chat.Thought && p.ID != "" {
			if t := c.turns[markKey(p.ID)]; t != nil {
				return t.texts
			}
		}
	}
	return nil
}

func (c *recollection) find(p *chat.Part) *turn {
	if p.Kind != chat.ToolCall || p.ID == "" {
		return nil
	}
	return c.turns[callKey(p.ID)]
}

// keepTarget gives a model of several targets with the one first that a loop of tool calls is at:
// it stays where its signatures are good.
func (c *call) keepTarget(ctx context.Context, m *catalog.Model) (*catalog.Model, error) {
	talk, err := c.request.Conversation()
	if err != nil {
		return nil, err
	}
	loop := loopOf(talk)
	if err := c.mind.look(ctx, loop); err != nil {
		return nil, err
	}
	return pinTarget(m, c.mind.target(loop)), nil
}

// pinTarget gives the model with the held target first.
func pinTarget(m *catalog.Model, held *catalog.Target) *catalog.Model {
	if held == nil {
		return m
	}
	for i, t := range m.Targets {
		if t.Provider == held.Provider && t.Model == held.Model {
			first := *m
			first.Balance = false
			first.Targets = append([]catalog.Target{t}, append(append([]catalog.Target(nil), m.Targets[:i]...), m.Targets[i+1:]...)...)
			return &first
		}
	}
	return m
}
