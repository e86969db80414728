package provider

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/relay"
)

// attempt is how one of several calls for the same answer differs from the first.
type attempt struct {
	resumes bool   // a paused answer is to go on
	resume  string // by this token, where its upstream gave one

	remedies fault.Remedy // what the upstream refused to take otherwise
	room     int64        // tokens that its answers may have; 0: it did not say
	seen     int          // pictures that it takes; 0: it did not say, or none
	refused  []string     // parameters that it does not take

	shortened int // how often it said how long an answer may be

	last *dialect.Outgoing // that was refused
	why  error             // as what
}

func (m attempt) has(r fault.Remedy) bool { return m.remedies&r != 0 }

// repeats reports whether a call is the one that was refused, word for word: there was nothing to change.
func (m *attempt) repeats(call *dialect.Outgoing) bool {
	return m.last != nil && m.last.Path == call.Path && bytes.Equal(m.last.Body, call.Body) &&
		slices.EqualFunc(m.last.Pieces, call.Pieces, bytes.Equal) && maps.EqualFunc(m.last.Header, call.Header, slices.Equal)
}

// Do asks the upstream, several times where one call cannot give the whole
// answer. It returns when the answer is there, or its first frame.
func (c *Chat) Do(ctx context.Context, req *chat.Request, t relay.Target) (*chat.Reply, error) {
	req, err := c.swapParts(req, t)
	if err != nil {
		return nil, err
	}
	var m attempt
	if req.PassesTo(c.dialect.Name()) {
		ways := fault.WithoutThoughts | fault.Worded | fault.Repaired
		if !c.isHome() {
			ways |= fault.Unhinted | fault.Rethought
		}
		if isAlias(req.Model, t.Model) || isReworded(req) {
			ways |= fault.Rethought | fault.Editable
		}
		reply, err := c.askAndMend(ctx, req, t, &m, ways)
		if err == nil {
			return reply, nil
		}
		turned := ways&fault.Rethought != 0 && fault.From(err).Remedy&fault.SystemFirst != 0 // it refuses what the system says between turns
		settles := turned && dialect.ChangesTools(req.Origin.Body)                           // a walk over all of it
		if c.authors && turned && !settles {                                                 // else, and at others, the form is ours then
			reply, err = c.askAndMend(ctx, req, t, &m, ways|fault.SystemFirst) // which repeats no call that was refused
		}
		if err == nil || !c.reforms(req, err, settles) {
			return reply, err
		}
		talk, unclear := req.Conversation()
		if unclear != nil {
			return nil, err
		}
		req, m.remedies = req.With(talk), m.remedies|fault.From(err).Remedy
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	if talk.N > 1 && (!c.dialect.TakesSeveral() || c.account.Kind.Single) {
		return c.askSeveral(ctx, req, t, talk)
	}
	return c.askWhole(ctx, req, t, m)
}

// isAlias reports whether a name tells a client nothing of the model that it leads to, and so not what that takes.
func isAlias(name, model string) bool { return name != model && !strings.HasSuffix(name, "/"+model) }

// isReworded reports whether stele bridge made the bytes of a request to another API: its client does not know their names.
func isReworded(req *chat.Request) bool { return len(req.Origin.Header[dialect.Reworded]) > 0 }

// reforms reports whether a server that refused a client's own bytes is asked again in ours: one that is
// not the author's, which says that it does not take the form of a conversation. What that says stays the
// same. Parameters are between the client and the server. The author's models at a cloud are asked again
// without ids of calls and blocks that it may not know yet, and, by a name that told the client nothing, with the
// tools that the system brings between turns, where that does not speak there: they settle in the list.
func (c *Chat) reforms(req *chat.Request, why error, settles bool) bool {
	const form = fault.SystemFirst | fault.InTurns | fault.Plain | fault.Beside | fault.WithThoughts | fault.Undeveloped | fault.Systemless | fault.Legible | fault.Recalled | fault.Unbegun | fault.Said | fault.Unread
	e := fault.From(why)
	named := e.Remedy == fault.Without && slices.Contains(dialect.Forms, e.Refused)
	if c.authors {
		lags := !c.isHome() && named && (e.Refused == dialect.CallIDs || e.Refused == dialect.Blocks)
		return !req.Strict && (lags || settles && e.Remedy&fault.SystemFirst != 0)
	}
	return !req.Strict && (e.Remedy&form != 0 || named)
}

// askWhole asks for one whole answer, m being how.
func (c *Chat) askWhole(ctx context.Context, req *chat.Request, t relay.Target, m attempt) (*chat.Reply, error) {
	reply, err := c.askAndMend(ctx, req, t, &m, allRemedies)
	if err != nil {
		return nil, err
	}
	return c.resumePaused(ctx, req, t, reply, m)
}

// Reads reports whether the upstream itself fetches what is at a part's address. A server
// that is not the author's may read more than its dialect says.
func (c *Chat) Reads(p *chat.Part, passes bool) bool {
	return !c.FetchesNothing() && (c.dialect.Reads(p, passes) || passes && !c.authors)
}

// FetchesNothing reports whether the upstream fetches nothing.
func (c *Chat) FetchesNothing() bool { return c.account.Kind.Bound }

// allRemedies are all ways in which a request may be changed.
const allRemedies = ^fault.Remedy(0)

// mostRefused is how many parameters an upstream may refuse one after the other.
const mostRefused = 4

// mostShortened is how often it may say that an answer must be shorter.
const mostShortened = 2

// askAndMend asks again in another way for as long as the upstream says what it does not take, and that is something new:
// each remedy of fault is tried once, of parameters mostRefused at most. Ways are those that the request may be changed
// in; m is how it is asked, and how it was asked in the end.
func (c *Chat) askAndMend(ctx context.Context, req *chat.Request, t relay.Target, m *attempt, ways fault.Remedy) (*chat.Reply, error) {
	for {
		reply, err := c.ask(ctx, req, t, m)
		if err == nil || req.Strict {
			return reply, err
		}
		e := fault.From(err)
		again := m.has(e.Remedy)
		if e.Remedy&(fault.Without|fault.Unhinted) != 0 {
			again = slices.Contains(m.refused, e.Refused) || len(m.refused) == mostRefused
			m.refused = append(slices.Clip(m.refused), e.Refused)
		}
		if e.Remedy == fault.Shorter && m.shortened < mostShortened {
			again = m.room > 0 && e.Room >= m.room // a window may leave less than the model's own limit
			m.shortened++
		}
		if e.Remedy == fault.Fewer && m.seen > 0 {
			again = e.Seen > m.seen/2 // a limit on many pictures of some size may be lower than that on all
		}
		ours := e.Refused == dialect.UsageWish && !req.Origin.Usage
		if m.has(fault.WithoutThoughts) { // what is missed of them is our doing
			ways |= fault.Rethought
		}
		if e.Remedy&ways == 0 && !ours || again {
			return nil, err
		}
		m.remedies, m.room, m.seen = m.remedies|e.Remedy, cmp.Or(e.Room, m.room), cmp.Or(e.Seen, m.seen)
	}
}

// mend changes a conversation as far as that is not the codec's business, and says what was lost.
func (m attempt) mend(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	var losses []chat.Loss
	change := func(to fault.Remedy, do func(*chat.Conversation) (*chat.Conversation, []chat.Loss)) {
		if m.has(to) {
			changed, more := do(talk)
			talk, losses = changed, append(losses, more...)
		}
	}
	change(fault.WithoutThoughts, withoutThoughts)
	change(fault.Blind|fault.Fewer|fault.Unshown, func(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
		most := m.seen
		if m.has(fault.Blind | fault.Unshown) {
			most = 0
		}
		return withoutPictures(talk, most, !m.has(fault.Blind))
	})
	change(fault.Recalled, func(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
		return withCalledTools(talk, slices.Contains(m.refused, dialect.ToolChoice))
	})
	change(fault.Unread, withoutDocuments)
	change(fault.Said, withWords)
	change(fault.SystemFirst|fault.InTurns|fault.Systemless, systemFirst)
	change(fault.Systemless, withoutSystem)
	if m.has(fault.Undeveloped) { // the codec calls all of it the system's
		losses = append(losses, chat.Lost(chat.FieldSystem, chat.Ignored, "the developer's text as the system's"))
	}
	if m.has(fault.Plain) {
		losses = append(losses, chat.Lost(chat.FieldMessages, chat.Approximated, "the texts of a turn are one"))
	}
	if m.room > 0 && talk.Sampling.MaxTokens == nil { // what it takes for unsaid is too much
		bounded, room := *talk, m.room
		bounded.Sampling.MaxTokens = &room
		talk = &bounded
		losses = append(losses, chat.Lost(chat.FieldMaxTokens, chat.Added, "as many as the upstream has room for"))
	}
	if m.has(fault.InTurns) {
		talk.Messages = inTurns(talk.Messages)
		losses = append(losses, chat.Lost(chat.FieldMessages, chat.Approximated, "neighbouring turns of one speaker are one"))
	}
	return talk, losses
}

// inTurns are messages of which no two neighbours have the same speaker.
func inTurns(messages []chat.Message) (list []chat.Message) {
	for _, m := range messages {
		if n := len(list) - 1; n >= 0 && list[n].Role == m.Role {
			list[n].Parts = slices.Concat(list[n].Parts, m.Parts)
		} else {
			list = append(list, m)
		}
	}
	return list
}

// systemFirst is a conversation in which the system says nothing behind its first words: what
// it says between turns is the user's, with a mark around it.
func systemFirst(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	var losses []chat.Loss
	clone := talk.Clone()
	for i := range clone.Messages {
		m := &clone.Messages[i]
		if m.Role != chat.System {
			continue
		}
		m.Role = chat.User
		for j := range m.Parts {
			if p := &m.Parts[j]; strings.TrimSpace(p.Text) != "" {
				p.Text = dialect.TagSystemText(p.Text)
			}
		}
		losses = append(losses, chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Approximated, Note: "system text as marked text of the user"})
	}
	return clone, losses
}

// withoutSystem is a conversation whose system text is the beginning of what the user says first, in one
// text with it: models that take none want turns one by one as well.
func withoutSystem(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	var texts []string
	for _, p := range talk.System {
		if strings.TrimSpace(p.Text) != "" {
			texts = append(texts, p.Text)
		}
	}
	if len(texts) == 0 {
		return talk, nil
	}
	clone := talk.Clone()
	clone.System = nil
	if len(clone.Messages) == 0 || clone.Messages[0].Role != chat.User {
		clone.Messages = slices.Insert(clone.Messages, 0, chat.Message{Role: chat.User, At: -1})
	}
	first := &clone.Messages[0]
	if len(first.Parts) > 0 && first.Parts[0].Kind == chat.Text {
		first.Parts[0].Text = strings.Join(append(texts, first.Parts[0].Text), "\n\n")
	} else {
		first.Parts = slices.Insert(first.Parts, 0, chat.Part{Kind: chat.Text, Text: strings.Join(texts, "\n\n"), At: -1})
	}
	return clone, []chat.Loss{chat.Lost(chat.FieldSystem, chat.Approximated, "as the beginning of what the user says: the model takes no system text")}
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
