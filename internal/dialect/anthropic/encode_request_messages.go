package anthropic

import (
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
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
	silence   = "(This message is empty.)"
	noResult  = "[no result]"
	seeBelow  = "(attached below)"
)

// converse makes legal turns of the messages: runs of what the assistant said,
// and between them runs of what it was told.
func (w *requestWriter) converse() error {
	messages := w.talk.Messages
	for i := 0; i < len(messages); {
		spoken := messages[i].Role == chat.Assistant
		j := i
		for j < len(messages) && (messages[j].Role == chat.Assistant) == spoken {
			j++
		}
		add := w.addUser
		if spoken {
			add = w.addAssistant
		}
		if err := add(messages[i:j]); err != nil {
			return err
		}
		i = j
	}
	if len(w.pendingCalls()) > 0 {
		if err := w.addUser(nil); err != nil {
			return err
		}
	}
	w.placeSystem()
	if len(w.turns) == 0 {
		return w.sayOnlySystem()
	}
	if w.turns[0].role != chat.User {
		w.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn at the beginning"))
		w.turns = append([]turn{{role: chat.User, blocks: []block{newTextBlock(firstTurn, nil)}}}, w.turns...)
	}
	return nil
}

// sayOnlySystem makes a turn of the last system text where there is nothing else.
func (w *requestWriter) sayOnlySystem() error {
	last := len(w.system) - 1
	about := droppedField(chat.FieldMessages)
	if len(w.talk.Messages) > 0 {
		about = lostMessage(&w.talk.Messages[0], chat.Dropped, "")
	}
	if len(w.talk.Messages) > 0 || last < 0 {
		return refuse(about, "there must be something to answer.")
	}
	w.lose(chat.Lost(chat.FieldSystem, chat.Approximated, "the last of it is the user's turn"))
	w.turns = []turn{{role: chat.User, blocks: []block{w.system[last]}}}
	w.system = w.system[:last]
	return nil
}

// addAssistant makes one turn of all that the assistant said without a break.
func (w *requestWriter) addAssistant(run []chat.Message) error {
	t := turn{role: chat.Assistant}
	for i := range run {
		m := &run[i]
		before := len(t.blocks) + len(w.losses)
		w.noteName(m)
		for j := range m.Parts {
			if err := w.writePart(m, &m.Parts[j], &t); err != nil {
				return err
			}
		}
		if len(t.blocks)+len(w.losses) == before {
			w.noteEmpty(m)
		}
	}
	if t.isWhite() && len(t.blocks) > 0 {
		w.noteEmpty(&run[0])
	}
	t.settle()
	if w.cutThoughts(&t); len(t.blocks) > 0 {
		if w.target.Remind && !slices.ContainsFunc(t.blocks, func(b block) bool { return b.sort == thoughtBlock }) {
			t.blocks = slices.Insert(t.blocks, 0, blankThought)
		}
		w.turns = append(w.turns, t)
	}
	return nil
}

// cutThoughts leaves out the thoughts at the end of a turn, where an answer was cut short: the API wants anything else there.
func (w *requestWriter) cutThoughts(t *turn) {
	end := len(t.blocks)
	for end > 0 && t.blocks[end-1].sort == thoughtBlock {
		end--
	}
	if end < len(t.blocks) {
		w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of an earlier turn that nothing came of"))
	}
	t.blocks = t.blocks[:end]
}

// blankThought is what servers take that miss the thoughts of a turn which had none.
var blankThought = block{json: []byte(`{"type":"thinking","thinking":"","signature":""}`), sort: thoughtBlock}

// noteEmpty reports that a message says nothing.
func (w *requestWriter) noteEmpty(m *chat.Message) {
	w.lose(lostMessage(m, chat.Dropped, "it is empty"))
}

func lostMessage(m *chat.Message, verb chat.Verb, note string) chat.Loss {
	return chat.Loss{Field: chat.FieldPart, Message: m.At, Part: -1, Verb: verb, Note: note}
}

// addUser makes turns of what the assistant was told without a break. Results come
// first and in one turn, in the order of the calls; system text comes last,
// which is the only place that is legal for it.
func (w *requestWriter) addUser(run []chat.Message) error {
	pending := w.pendingCalls()
	results, err := w.writeResults(run, pending)
	if err != nil {
		return err
	}
	first := len(w.turns)
	apart := len(results) > 0 && slices.Contains(w.target.Refused, dialect.Pairs) // MiniMax takes nothing behind results (anomalyco/opencode#32609)
	switch {
	case apart:
		w.turns = append(w.turns, turn{role: chat.User, blocks: results})
		if len(w.attached) > 0 {
			w.turns = append(w.turns, turn{role: chat.User, blocks: w.attached})
		}
	case len(results) > 0:
		w.turns = append(w.turns, turn{role: chat.User, blocks: append(results, w.attached...)})
	}
	if len(results) > 0 {
		w.attached = nil
	}
	native := w.can.system && !w.target.Compatible && w.userSpeaks(run, len(results) > 0)
	var system turn
	for i := range run {
		m := &run[i]
		t := turn{role: chat.User}
		if m.Role == chat.System && native {
			t.role = chat.System
		}
		if err := w.tell(m, &t, native); err != nil {
			return err
		}
		switch {
		case t.role == chat.System:
			system.role, system.blocks = chat.System, append(system.blocks, t.blocks...)
		case len(results) > 0 && !apart:
			w.turns[first].blocks = append(w.turns[first].blocks, t.blocks...)
		default:
			if t.settle(); len(t.blocks) > 0 {
				w.turns = append(w.turns, t)
				if apart {
					w.lose(lostMessage(m, chat.Ignored, "what stands behind results is a turn of its own"))
				}
			}
		}
	}
	if len(results) > 0 {
		w.turns[first].settle()
	}
	if system.settle(); len(system.blocks) > 0 {
		w.turns = append(w.turns, system)
	}
	return nil
}

// placeSystem mends what leaving out empty turns did to system turns: one must follow a
// user's and precede an assistant's.
func (w *requestWriter) placeSystem() {
	var held []block // system text that waits for its place
	out := make([]turn, 0, len(w.turns))
	put := func() {
		switch {
		case len(held) == 0:
			return
		case len(out) > 0 && out[len(out)-1].role == chat.User:
			out = append(out, turn{role: chat.System, blocks: held})
		default:
			for i, b := range held {
				held[i] = newTextBlock(dialect.TagSystemText(b.words()), b.cache)
			}
			out = append(out, turn{role: chat.User, blocks: held})
		}
		held = nil
	}
	for _, t := range w.turns {
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
	w.turns = out
}

// words is the text of a text block.
func (b *block) words() string { return jsonscan.At(b.json, 0).Get("text").View() }

// userSpeaks reports whether a run has a user's turn, which system text must follow.
func (w *requestWriter) userSpeaks(run []chat.Message, results bool) bool {
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
func (w *requestWriter) tell(m *chat.Message, t *turn, native bool) error {
	w.noteName(m)
	before, answered := len(w.losses), false
	for j := range m.Parts {
		p := m.Parts[j]
		if p.Kind == chat.ToolResult && !w.orphans[&m.Parts[j]] {
			answered = true
			continue
		}
		if m.Role == chat.System && !native && strings.TrimSpace(p.Text) != "" {
			p.Text = dialect.TagSystemText(p.Text)
		}
		if err := w.writePart(m, &p, t); err != nil {
			return err
		}
	}
	switch {
	case m.Role == chat.System && !native && len(t.blocks) > 0:
		w.lose(lostMessage(m, chat.Approximated, "system text as marked text of the user"))
	case !answered && t.isWhite() && len(w.losses) == before:
		w.noteEmpty(m)
	}
	return nil
}

func (w *requestWriter) noteName(m *chat.Message) {
	if m.Name != "" {
		w.lose(chat.Loss{Field: chat.FieldName, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "there are no names of participants"})
	}
}

// pendingCalls are the calls of the last turn, if that was the assistant's.
func (w *requestWriter) pendingCalls() []called {
	if n := len(w.turns); n > 0 {
		return w.turns[n-1].calls
	}
	return nil
}

// settle leaves out white text where the API would refuse it: where no other
// words and no call stand beside it.
func (t *turn) settle() {
	if !slices.ContainsFunc(t.blocks, func(b block) bool { return b.sort == textBlock || b.sort == callBlock }) {
		t.blocks = slices.DeleteFunc(t.blocks, func(b block) bool { return b.sort == whiteBlock })
	}
}

// isWhite reports whether all that is said is white space.
func (t *turn) isWhite() bool {
	return !slices.ContainsFunc(t.blocks, func(b block) bool { return b.sort != whiteBlock })
}

// isBroken reports whether the turn to come goes on with a loop of tool calls
// whose last step does not begin with the thoughts that led to it.
func (w *requestWriter) isBroken() bool {
	last := len(w.turns) - 1
	for last >= 0 && w.turns[last].role == chat.System {
		last--
	}
	if last < 1 || w.turns[last].role != chat.User || !w.turns[last].hasResults() {
		return false
	}
	step := w.turns[last-1]
	return step.role == chat.Assistant && step.blocks[0].sort != thoughtBlock
}

func (t *turn) hasResults() bool { return len(t.blocks) > 0 && t.blocks[0].sort == resultBlock }

// endWithUser sees to it that the user has the last word where the model wants that. One that
// is held to a shape makes all of its answer: the API refuses a beginning of it.
func (w *requestWriter) endWithUser(p *plan, shaped bool) {
	last := &w.turns[len(w.turns)-1]
	if last.role != chat.Assistant {
		return
	}
	if n := len(w.talk.Messages); w.talk.Messages[n-1].Role == chat.User { // nor is it the assistant's turn to go on
		w.lose(chat.Lost(chat.FieldMessages, chat.Added, "words for the last message, which has none"))
		w.turns = append(w.turns, turn{role: chat.User, blocks: []block{newTextBlock(silence, nil)}})
		return
	}
	end := &last.blocks[len(last.blocks)-1]
	if end.sort == serverBlock {
		return // a turn that was paused goes on by itself
	}
	if w.can.prefill && !p.on && !shaped {
		if n := len(last.blocks); n > 1 {
			last.blocks = slices.DeleteFunc(last.blocks, func(b block) bool { return b.sort == thoughtBlock })
			if len(last.blocks) < n {
				w.lose(chat.Lost(chat.FieldThinking, chat.Dropped, "thoughts of the turn that a model goes on with, which does not think"))
			}
			end = &last.blocks[len(last.blocks)-1]
		}
		for len(last.blocks) > 1 && end.sort == whiteBlock {
			last.blocks = last.blocks[:len(last.blocks)-1]
			end = &last.blocks[len(last.blocks)-1]
			w.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "no white space at the end of the last"))
		}
		if end.sort == textBlock {
			w.trim(end)
		}
		return
	}
	w.lose(chat.Lost(chat.FieldMessages, chat.Added, "a user's turn at the end: the model does not go on with an assistant's"))
	w.turns = append(w.turns, turn{role: chat.User, blocks: []block{newTextBlock(nextTurn, nil)}})
}

// newTextBlock makes a block of text.
func newTextBlock(words string, cache *chat.Cache) block {
	const begins = `{"type":"text","text":`
	json := append(make([]byte, 0, len(begins)+len(words)+16), begins...)
	b := block{json: jsonscan.AppendText(json, words), sort: textBlock, cache: cache}
	if strings.TrimSpace(words) == "" {
		b.sort = whiteBlock
	}
	return b
}
