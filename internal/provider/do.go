package provider

import (
	"context"

	"stele/internal/chat"
	"stele/internal/fault"
	"stele/internal/relay"
)

// attempt is how one of several calls for the same answer differs from the first.
type attempt struct {
	resumes bool   // a paused answer is to go on
	resume  string // by this token, where its upstream gave one
	forget  bool   // without thoughts: their signatures were refused
}

// Do asks the upstream, several times where one call cannot give the whole
// answer. It returns when the answer is there, or its first frame.
func (c *Chat) Do(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	req, err := c.swapped(req, t)
	if err != nil {
		return nil, err
	}
	if req.PassesTo(c.dialect.Name()) {
		return c.retryWithoutSignatures(ctx, req, t)
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	if talk.N > 1 && (!c.dialect.Several() || c.account.Kind.Single) {
		return c.several(ctx, req, t, talk)
	}
	return c.one(ctx, req, t)
}

// one is one whole answer.
func (c *Chat) one(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	reply, err := c.retryWithoutSignatures(ctx, req, t)
	if err != nil {
		return nil, err
	}
	return c.unpaused(ctx, req, t, reply)
}

// Reads reports whether the upstream itself fetches what is at a part's address. A server
// that is not the author's may read more than its dialect says.
func (c *Chat) Reads(p *chat.Part, passes bool) bool {
	return !c.Bound() && (c.dialect.Reads(p, passes) || passes && !c.account.authors())
}

// Bound reports whether the upstream fetches nothing.
func (c *Chat) Bound() bool { return c.account.Kind.Bound }

// retryWithoutSignatures asks once more without thoughts when their signatures are refused:
// they are good for one model of one account only, and not for ever.
func (c *Chat) retryWithoutSignatures(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	reply, err := c.ask(ctx, req, t, attempt{})
	if err == nil || req.Strict || !fault.From(err).Signatures {
		return reply, err
	}
	return c.ask(ctx, req, t, attempt{forget: true})
}

// withoutThoughts is a conversation without its thoughts and signatures.
func withoutThoughts(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	clone := talk.Clone()
	for i := range clone.Messages {
		m := &clone.Messages[i]
		kept := m.Parts[:0]
		for _, p := range m.Parts {
			if p.Kind == chat.Thought || p.Kind == chat.Redacted {
				continue
			}
			p.Proof = ""
			kept = append(kept, p)
		}
		m.Parts = kept
	}
	return clone, []chat.Loss{chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of earlier turns, whose signatures were refused")}
}
