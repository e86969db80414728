package anthropic

import (
	"bytes"
	"strings"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// turn is one message of the request to be.
type turn struct {
	role   chat.Role
	blocks []block
	calls  []called // the tools an assistant called in it
}

// block is one content block: an object that lacks only its closing brace, so
// that a cache marker can still be put into it.
type block struct {
	json  []byte
	sort  sort
	cache *chat.Cache
}

// sort is as much of a block's kind as the rules about turns depend on.
type sort uint8

const (
	otherBlock sort = iota
	textBlock
	whiteBlock // text of only white space
	thoughtBlock
	callBlock
	resultBlock
	serverBlock // of a tool that ran at the upstream
)

// called is one tool call and the id it was sent with.
type called struct{ id, sent string }

// The words that stand in for what the API wants and the client did not say.
const (
	firstTurn = "(The conversation begins with the assistant.)"
	nextTurn  = "(Continue from exactly where your last message ends.)"
	noResult  = "[no result]"
)

// converse makes legal turns of the messages: runs of what the assistant said,
// and between them runs of what it was told.
func (c *composer) converse() error {
	messages := c.talk.Messages
	for i := 0; i < len(messages); {
		spoken := messages[i].Role == chat.Assistant
		j := i
		for j < len(messages) && (messages[j].Role == chat.Assistant) == spoken {
			j++
		}
		add := c.told
		if spoken {
			add = c.said
		}
		if err := add(messages[i:j]); err != nil {
			return err
		}
		i = j
	}
	if len(c.pending()) > 0 {
		if err := c.told(nil); err != nil {
			return err
		}
	}
	c.place()
	if len(c.turns) == 0 {
		return c.onlySystem()
	}
	if c.turns[0].role != chat.User {
		c.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn at the beginning"))
		c.turns = append([]turn{{role: chat.User, blocks: []block{textual(firstTurn)}}}, c.turns...)
	}
	return nil
}

// onlySystem makes a turn of the last system text where there is nothing else.
func (c *composer) onlySystem() error {
	last := len(c.system) - 1
	if len(c.talk.Messages) > 0 || last < 0 {
		about := dropped(chat.FieldMessages)
		if len(c.talk.Messages) > 0 {
			about = chat.Loss{Field: chat.FieldPart, Message: c.talk.Messages[0].At, Part: -1, Verb: chat.Dropped}
		}
		return refuse(about, "there must be something to answer.")
	}
	c.lose(chat.Lost(chat.FieldSystem, chat.Approximated, "the last of it is the user's turn"))
	c.turns = []turn{{role: chat.User, blocks: []block{c.system[last]}}}
	c.system = c.system[:last]
	return nil
}

// said makes one turn of all that the assistant said without a break.
func (c *composer) said(run []chat.Message) error {
	t := turn{role: chat.Assistant}
	for i := range run {
		m := &run[i]
		before := len(t.blocks) + len(c.losses)
		c.nameless(m)
		for j := range m.Parts {
			if err := c.part(m, &m.Parts[j], &t); err != nil {
				return err
			}
		}
		if len(t.blocks)+len(c.losses) == before {
			c.empty(m)
		}
	}
	if t.white() && len(t.blocks) > 0 {
		c.empty(&run[0])
	}
	if t.settle(); len(t.blocks) > 0 {
		c.turns = append(c.turns, t)
	}
	return nil
}

// empty reports that a message says nothing.
func (c *composer) empty(m *chat.Message) {
	c.lose(chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "it is empty"})
}

// told makes turns of what the assistant was told without a break. Results come
// first and in one turn, in the order of the calls; system text comes last,
// which is the only place that is legal for it.
func (c *composer) told(run []chat.Message) error {
	pending := c.pending()
	results, err := c.results(run, pending)
	if err != nil {
		return err
	}
	first := len(c.turns)
	if len(results) > 0 {
		c.turns = append(c.turns, turn{role: chat.User, blocks: results})
	}
	native := c.can.system && !c.target.Compatible && c.userSpeaks(run, len(results) > 0)
	var system turn
	for i := range run {
		m := &run[i]
		t := turn{role: chat.User}
		if m.Role == chat.System && native {
			t.role = chat.System
		}
		if err := c.tell(m, &t, native); err != nil {
			return err
		}
		switch {
		case t.role == chat.System:
			system.role, system.blocks = chat.System, append(system.blocks, t.blocks...)
		case len(results) > 0:
			c.turns[first].blocks = append(c.turns[first].blocks, t.blocks...)
		default:
			if t.settle(); len(t.blocks) > 0 {
				c.turns = append(c.turns, t)
			}
		}
	}
	if len(results) > 0 {
		c.turns[first].settle()
	}
	if system.settle(); len(system.blocks) > 0 {
		c.turns = append(c.turns, system)
	}
	return nil
}

// place mends what leaving out empty turns did to system turns: one must follow a
// user's and precede an assistant's.
func (c *composer) place() {
	var held []block // system text that waits for its place
	out := make([]turn, 0, len(c.turns))
	put := func() {
		switch {
		case len(held) == 0:
			return
		case len(out) > 0 && out[len(out)-1].role == chat.User:
			out = append(out, turn{role: chat.System, blocks: held})
		default:
			for i := range held {
				cache := held[i].cache
				held[i] = textual(tagged(held[i].words()))
				held[i].cache = cache
			}
			out = append(out, turn{role: chat.User, blocks: held})
		}
		held = nil
	}
	for _, t := range c.turns {
		if t.role == chat.System {
			held = append(held, t.blocks...)
			continue
		}
		if t.role == chat.Assistant {
			put()
		}
		out = append(out, t)
	}
	put()
	c.turns = out
}

// tagged marks system text that the user's turn has to carry.
func tagged(words string) string { return "<system-reminder>\n" + words + "\n</system-reminder>" }

// words is the text of a text block.
func (b *block) words() string { return gjson.GetBytes(append(bytes.Clone(b.json), '}'), "text").Str }

// userSpeaks reports whether a run has a user's turn, which system text must follow.
func (c *composer) userSpeaks(run []chat.Message, results bool) bool {
	for i := range run {
		for _, p := range run[i].Parts {
			if run[i].Role == chat.User && (p.Kind != chat.Text || strings.TrimSpace(p.Text) != "") {
				return true
			}
		}
	}
	return results
}

// tell writes what one message says besides results.
func (c *composer) tell(m *chat.Message, t *turn, native bool) error {
	c.nameless(m)
	before, answered := len(c.losses), false
	for j := range m.Parts {
		p := m.Parts[j]
		if p.Kind == chat.ToolResult && !c.orphans[&m.Parts[j]] {
			answered = true
			continue
		}
		if m.Role == chat.System && !native && strings.TrimSpace(p.Text) != "" {
			p.Text = tagged(p.Text)
		}
		if err := c.part(m, &p, t); err != nil {
			return err
		}
	}
	switch {
	case m.Role == chat.System && !native && len(t.blocks) > 0:
		c.lose(chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: chat.Approximated, Note: "system text as marked text of the user"})
	case !answered && t.white() && len(c.losses) == before:
		c.empty(m)
	}
	return nil
}

func (c *composer) nameless(m *chat.Message) {
	if m.Name != "" {
		c.lose(chat.Loss{Field: chat.FieldName, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "there are no names of participants"})
	}
}

// pending are the calls of the last turn, if that was the assistant's.
func (c *composer) pending() []called {
	if n := len(c.turns); n > 0 {
		return c.turns[n-1].calls
	}
	return nil
}

// settle leaves out white text where the API would refuse it: where no other
// words and no call stand beside it.
func (t *turn) settle() {
	for _, b := range t.blocks {
		if b.sort == textBlock || b.sort == callBlock {
			return
		}
	}
	kept := t.blocks[:0]
	for _, b := range t.blocks {
		if b.sort != whiteBlock {
			kept = append(kept, b)
		}
	}
	t.blocks = kept
}

// white reports whether all that is said is white space.
func (t *turn) white() bool {
	for _, b := range t.blocks {
		if b.sort != whiteBlock {
			return false
		}
	}
	return true
}

// broken reports whether the turn to come goes on with a loop of tool calls
// whose last step does not begin with the thoughts that led to it.
func (c *composer) broken() bool {
	last := len(c.turns) - 1
	for last >= 0 && c.turns[last].role == chat.System {
		last--
	}
	if last < 1 || c.turns[last].role != chat.User || !c.turns[last].answers() {
		return false
	}
	step := c.turns[last-1]
	return step.role == chat.Assistant && step.blocks[0].sort != thoughtBlock
}

func (t *turn) answers() bool { return len(t.blocks) > 0 && t.blocks[0].sort == resultBlock }

// prefill sees to it that the user has the last word where the model wants that.
func (c *composer) prefill(p *plan) {
	last := &c.turns[len(c.turns)-1]
	if last.role != chat.Assistant {
		return
	}
	end := &last.blocks[len(last.blocks)-1]
	if end.sort == serverBlock {
		return // a turn that was paused goes on by itself
	}
	if c.can.prefill && !p.on {
		if end.sort == textBlock {
			c.trim(end)
		}
		return
	}
	c.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn at the end: the model does not go on with an assistant's"))
	c.turns = append(c.turns, turn{role: chat.User, blocks: []block{textual(nextTurn)}})
}

// textual is a block of text.
func textual(words string) block {
	const begins = `{"type":"text","text":`
	b := block{json: append(make([]byte, 0, len(begins)+len(words)+16), begins...), sort: textBlock}
	b.json = dialect.AppendText(b.json, words)
	if strings.TrimSpace(words) == "" {
		b.sort = whiteBlock
	}
	return b
}
