package gemini

import (
	"slices"

	"stele/internal/chat"
)

// role is whose Content is open. A function's turn is written as a user's, but
// holds nothing else than results.
type role uint8

const (
	nobody role = iota
	user
	model
	function
)

// piece is a part and the message it came in.
type piece struct {
	*chat.Part
	m    *chat.Message
	used bool // a result that was given to its call
}

const (
	opening   = "(The conversation begins with the answer that follows.)"
	goOn      = "Continue exactly where your last message ends, and do not repeat any of it."
	noResult  = "[no result]"
	seeBelow  = "(attached below)"
	reminder  = "<system-reminder>\n"
	reminded  = "\n</system-reminder>"
	joinLines = "\n"
)

// contents writes the turns: user first, results of a batch of calls together in
// the order of the calls and apart from what people said, user last.
func (c *composer) contents() {
	c.key("contents")
	c.open('[')
	for i := 0; i < len(c.talk.Messages); {
		var asked []piece
		if c.talk.Messages[i].Role == chat.Assistant {
			said, next := c.run(i, true)
			asked = c.model(said)
			i = next
		}
		heard, next := c.run(i, false)
		if len(asked) > 0 {
			c.results(asked, heard)
		}
		c.people(heard)
		i = next
	}
	c.ending()
	c.turn(nobody)
	c.close(']')
}

// run is the parts of the messages from i on that are, or are not, the model's.
func (c *composer) run(i int, models bool) (parts []piece, next int) {
	for ; i < len(c.talk.Messages); i++ {
		m := &c.talk.Messages[i]
		if (m.Role == chat.Assistant) != models {
			break
		}
		if m.Name != "" {
			c.lose(chat.Loss{Field: chat.FieldName, Message: m.At, Part: -1, Verb: chat.Dropped})
		}
		before := len(parts)
		for j := range m.Parts {
			p := &m.Parts[j]
			if blank(p) {
				continue
			}
			parts = append(parts, piece{Part: p, m: m})
		}
		if len(parts) == before {
			c.lose(chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "the message is empty"})
		}
	}
	return parts, i
}

// blank reports whether a part says nothing: the API refuses Contents of them.
func blank(p *chat.Part) bool {
	return (p.Kind == chat.Text || p.Kind == chat.Thought || p.Kind == chat.Refusal) && p.Text == "" && p.Proof == ""
}

// turn closes the open Content and begins another, if it is another's.
func (c *composer) turn(r role) {
	if c.role == r {
		return
	}
	if c.role != nobody {
		c.close(']')
		c.close('}')
	}
	if c.role == nobody && r == model {
		c.turn(user)
		c.say(opening)
		c.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn before the first answer"))
		c.turn(model)
		return
	}
	c.role = r
	if r == nobody {
		return
	}
	c.open('{')
	if r == model {
		c.member("role", "model")
	} else {
		c.member("role", "user")
	}
	c.key("parts")
	c.open('[')
}

// say writes a part of text.
func (c *composer) say(text string) {
	c.open('{')
	c.member("text", text)
	c.close('}')
}

// model writes what the model said and returns its calls.
func (c *composer) model(said []piece) (calls []piece) {
	carried := ""
	for i, p := range said {
		proof, ok := c.proof(p)
		if ok && p.Kind == chat.Thought && belongsToNext(said, i) {
			carried, proof = proof, ""
			if p.Text == "" {
				continue
			}
		} else if proof == "" && p.Kind != chat.Thought {
			proof, carried = carried, ""
		}
		if p.Kind == chat.ToolCall {
			if proof == "" && len(calls) == 0 && c.traits.signed {
				proof, c.dummies = unsigned, true
			}
			calls = append(calls, p)
		}
		c.write(model, p, proof)
	}
	return calls
}

// belongsToNext reports whether thoughts carry the signature of what follows
// them: clients of other dialects have no other place for the signature of a
// call, or of an answer whose thoughts are not shown.
func belongsToNext(said []piece, i int) bool {
	if i+1 >= len(said) {
		return false
	}
	next := said[i+1]
	return next.Proof == "" && (next.Kind == chat.ToolCall || said[i].Text == "" && next.Kind != chat.Thought && next.Kind != chat.Redacted)
}

// proof is a part's signature, if the very upstream made it that is asked now.
func (c *composer) proof(p piece) (string, bool) {
	if p.Proof == "" {
		return "", false
	}
	if c.target.Proof != nil {
		if raw, ok := c.target.Proof(p.Proof); ok {
			return raw, true
		}
	}
	c.strange++
	return "", false
}

// results writes one Content with a result for each call, in their order.
func (c *composer) results(asked, heard []piece) {
	answers := make(map[string][]int, len(asked))
	for i := range heard {
		if h := &heard[i]; h.Kind == chat.ToolResult {
			answers[h.ID] = append(answers[h.ID], i)
		}
	}
	for _, a := range asked {
		at := -1
		if waiting := answers[a.ID]; len(waiting) > 0 {
			at, answers[a.ID] = waiting[0], waiting[1:]
		}
		c.turn(function)
		if at < 0 {
			c.functionResponse(a.ID, a.Name, &chat.Part{Content: []chat.Part{{Kind: chat.Text, Text: noResult}}})
			c.lose(chat.LostPart(*a.m, *a.Part, chat.Added, "the call had no result"))
			continue
		}
		heard[at].used = true
		c.functionResponse(a.ID, a.Name, heard[at].Part)
	}
}

// people writes everything that is not the model's: what was attached to results
// but cannot be in them, then what was said.
func (c *composer) people(heard []piece) {
	for _, h := range heard {
		if h.used {
			for i := range h.Content {
				if inner := &h.Content[i]; apart(inner) {
					inner := *inner
					inner.At = h.At
					c.write(user, piece{Part: &inner, m: h.m}, "")
				}
			}
		}
	}
	for _, h := range heard {
		switch {
		case h.used:
		case h.Kind == chat.ToolResult:
			c.lose(chat.LostPart(*h.m, *h.Part, chat.Approximated, "the call that it answers is not there: sent as text"))
			for _, p := range asText(h.Part) {
				c.write(user, piece{Part: &p, m: h.m}, "")
			}
		case h.m.Role == chat.System && h.Kind == chat.Text:
			c.lose(chat.LostPart(*h.m, *h.Part, chat.Approximated, "sent as a user's text with a mark around it"))
			c.turn(user)
			c.say(reminder + h.Text + reminded)
		default:
			c.write(user, h, "")
		}
	}
}

// ending makes sure that there is a turn and that it is not the model's.
func (c *composer) ending() {
	switch c.role {
	case model:
		c.turn(user)
		c.say(goOn)
		c.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "the model is asked to go on with the last message"))
	case nobody:
		for i, p := range slices.Backward(c.talk.System) {
			if p.Kind == chat.Text && !blank(&p) {
				c.turn(user)
				c.say(p.Text)
				c.moved = len(c.talk.System) - i
				c.lose(chat.Lost(chat.FieldSystem, chat.Approximated, "there is nothing else: its last text is sent as the user's"))
				return
			}
		}
		l := chat.Loss{Field: chat.FieldPart, Message: 0, Part: -1, Verb: chat.Dropped}
		if len(c.talk.Messages) > 0 {
			l.Message = c.talk.Messages[0].At
		}
		c.refuse(l, "the conversation is empty")
	case user, function:
	}
}
