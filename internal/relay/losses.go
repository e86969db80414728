package relay

import (
	"slices"
	"strings"

	"stele/internal/chat"
)

// noteLosses notes what of an answer its client's dialect has no place for, and what was asked for
// and is not in it. Of a whole answer that is told in the header, of a stream when it has
// ended; the record has both.
func (c *call) noteLosses(answer *chat.WholeReply) []chat.Loss {
	if c.reply.Passed || c.relay.Losses == nil {
		return nil
	}
	return append(c.findUnmet(answer), c.relay.Losses(c.record.Dialect, c.request, answer)...)
}

// findUnmet finds what was asked for and is not in an answer, unless the client is told already that
// it could not be asked for.
func (c *call) findUnmet(answer *chat.WholeReply) []chat.Loss {
	talk, err := c.request.Conversation()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(talk.Unmet(answer.Answers), func(l chat.Loss) bool {
		return slices.ContainsFunc(c.reply.Dropped, func(known chat.Loss) bool { return known.Field == l.Field && known.Verb == l.Verb })
	})
}

// describe puts all losses into the record.
func (c *call) describe() {
	if all := slices.Concat(c.reply.Dropped, c.reply.Late); len(all) > 0 && c.relay.Describe != nil {
		c.record.Dropped = c.relay.Describe(c.record.Dialect, all)
	}
}

// outline is as much of a stream as tells what its client loses: no words, no media.
type outline struct {
	answers []chat.Answer
	answer  chat.Answer // the one that is being told
	notes   []chat.Loss
	usage   chat.Usage
	text    strings.Builder
}

// follow takes over what events of a strict stream add.
func (o *outline) follow(events []chat.Event) {
	for i := range events {
		e := &events[i]
		switch e.Kind {
		case chat.Open:
			o.answer.Parts = append(o.answer.Parts, chat.Part{Kind: e.Part.Kind, Name: e.Part.Name, Custom: e.Part.Custom})
			o.text.Reset()
		case chat.Delta:
			o.add(&o.answer.Parts[len(o.answer.Parts)-1], &e.Part)
		case chat.Close:
			o.answer.Parts[len(o.answer.Parts)-1].Text = o.text.String()
		case chat.Finish:
			o.answer.Stop = e.Stop
			o.answers, o.answer = append(o.answers, o.answer), chat.Answer{}
			o.notes, o.usage = append(o.notes, e.Notes...), e.Usage
		case chat.Start, chat.Counted:
		}
	}
}

func (o *outline) add(p, piece *chat.Part) {
	if p.Kind != chat.Text && p.Kind != chat.Thought && p.Kind != chat.Redacted {
		o.text.WriteString(piece.Text)
	}
	if piece.Proof != "" {
		p.Proof = "signed"
	}
	if piece.Logprobs != nil && !chat.Rates(o.answer.Logprobs) {
		o.answer.Logprobs = piece.Logprobs
	}
	if piece.Raw != nil && p.Kind != chat.Opaque {
		p.Raw = piece.Raw
	}
	if piece.Media != nil {
		p.Media = &chat.Media{Type: piece.Media.Type}
	}
	p.Citations = append(p.Citations, piece.Citations...)
}

// noteLate notes what the client of a stream that has ended was not told in its header.
func (c *call) noteLate(o *outline) {
	for i := range o.answers {
		if stop := &o.answers[i].Stop; stop.Strange() {
			c.reply.Late = append(c.reply.Late, chat.Lost(chat.FieldAnswer, chat.Approximated, "it ended with "+stop.Raw))
		}
	}
	c.reply.Late = append(append(c.reply.Late, o.notes...), c.noteLosses(&chat.WholeReply{Answers: o.answers, Usage: o.usage})...)
	c.describe()
}
