package provider

import (
	"context"
	"errors"
	"slices"

	"stele/internal/chat"
	"stele/internal/relay"
)

// mostHops is how often an answer that its upstream paused is made to go on.
const mostHops = 8

// cutOff says that an answer was not made to go on any more.
var cutOff = chat.Lost(chat.FieldAnswer, chat.Dropped, "what follows the last pause of its provider")

// resumePaused has a reply go on where the upstream paused: Google wants a
// token back, Anthropic what was said so far. It is asked as it was before, m being how. The
// client sees one answer.
func (c *Chat) resumePaused(ctx context.Context, req *chat.Request, t relay.Target, reply *chat.Reply, m attempt) (*chat.Reply, error) {
	if reply.Passed {
		return reply, nil
	}
	next := func(stop chat.Stop, said []chat.Part) (*chat.Reply, error) {
		on, err := resumingRequest(req, stop, said)
		if err != nil {
			return nil, err
		}
		before := m
		m.resumes, m.resume = true, stop.Sequence
		more, err := c.askAndMend(ctx, on, t, &m, allRemedies)
		if err == nil && (m.remedies != before.remedies || len(m.refused) > len(before.refused)) { // it is changed only now
			news := &reply.Dropped
			if reply.Stream != nil {
				news = &reply.Late
			}
			*news = append(*news, newLosses(reply.Dropped, more.Dropped)...)
		}
		return more, err
	}
	if reply.Stream != nil {
		r := &rejoiner{reply: reply, next: next, total: new(chat.Seen), seen: reply.Seen, close: reply.Close}
		reply.Stream, reply.Seen, reply.Close = r.join(reply.Stream), r.total, func() { r.close() }
		return reply, nil
	}
	for hop := 0; ; hop++ {
		if len(reply.Whole.Answers) != 1 || reply.Whole.Answers[0].Stop.Reason != chat.Paused {
			return reply, nil
		}
		answer := &reply.Whole.Answers[0]
		if hop == mostHops {
			answer.Stop.Reason = chat.MaxTokens
			reply.Dropped = append(reply.Dropped, cutOff)
			return reply, nil
		}
		more, err := next(answer.Stop, answer.Parts)
		if err != nil {
			return nil, withUsed(err, reply)
		}
		answer.Stop = chat.Stop{Reason: chat.EndTurn}
		for _, rest := range more.Whole.Answers {
			answer.Parts, answer.Stop = joinParts(answer.Parts, rest.Parts), rest.Stop
		}
		answer.Stop = chat.Settle(answer.Stop, chat.HasKind(answer.Parts, chat.ToolCall)) // of what was called before the pause as well
		reply.Whole.Usage = reply.Whole.Usage.Add(more.Whole.Usage)
		reply.Dropped = append(reply.Dropped, newLosses(reply.Dropped, more.Whole.Notes)...)
		if err := whyEmpty(answer.Parts, reply.Dropped); err != nil && answer.Stop.Reason != chat.Paused {
			return nil, withUsed(err, reply)
		}
	}
}

// newLosses are the losses that are not among those that are known.
func newLosses(known, losses []chat.Loss) (list []chat.Loss) {
	for _, l := range losses {
		if !slices.Contains(known, l) {
			list = append(list, l)
		}
	}
	return list
}

// withUsed is an error with what answers before it used: they are paid for, and of no use without the rest.
func withUsed(err error, replies ...*chat.Reply) error {
	used := chat.Usage{Known: true, BilledKnown: true}
	if spoilt, ok := errors.AsType[*chat.Spoilt](err); ok {
		used = spoilt.Usage
	}
	for _, r := range replies {
		if r != nil {
			used = used.Add(r.Whole.Usage)
		}
	}
	if used.Total() == 0 {
		return err
	}
	return chat.Spoil(err, used)
}

// resumingRequest is the request that makes an answer go on.
func resumingRequest(req *chat.Request, stop chat.Stop, said []chat.Part) (*chat.Request, error) {
	if stop.Sequence != "" { // a token says it all
		return req, nil
	}
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	longer := *talk
	answer := chat.Message{Role: chat.Assistant, Parts: said, At: len(talk.Messages)}
	longer.Messages = slices.Concat(talk.Messages, []chat.Message{answer})
	return req.With(&longer), nil
}

// joinParts joins two halves of one answer. Text that was torn apart is one again.
func joinParts(a, b []chat.Part) []chat.Part {
	before := chat.Characters(a)
	for i := range b {
		b[i].MoveCitations(before)
	}
	if len(a) > 0 && len(b) > 0 && together(&a[len(a)-1], &b[0]) {
		last := &a[len(a)-1]
		last.Text += b[0].Text
		last.Citations = append(last.Citations, b[0].Citations...)
		b = b[1:]
	}
	return append(a, b...)
}

func together(a, b *chat.Part) bool { return a.Kind == b.Kind && isTearable(a.Kind) && a.Proof == "" }

// isTearable reports whether a part may be torn apart by a pause.
func isTearable(k chat.Kind) bool { return k == chat.Text || k == chat.Thought }
