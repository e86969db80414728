package anthropic

import (
	"slices"
	"strconv"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/jsonscan"
)

// callID is an id that the API takes and that no other call of the request has.
// The same history always gives the same ids.
func (w *requestWriter) callID(id string) string {
	first := dialect.CallID(id, longestID)
	sent := first
	for w.sent[sent] {
		w.again[first]++
		sent = first + "_" + strconv.Itoa(w.again[first]+1)
	}
	w.sent[sent] = true
	return sent
}

// writeResults writes the answers to the calls that wait for one, in the order of the
// calls, and notes which results answer none of them.
func (w *requestWriter) writeResults(run []chat.Message, pending []called) ([]block, error) {
	blocks := make([]block, len(pending))
	waiting := waitingFor(pending)
	for i := range run {
		m := &run[i]
		for j := range m.Parts {
			p := &m.Parts[j]
			if p.Kind != chat.ToolResult {
				continue
			}
			at := waiting.take(p.ID)
			if at < 0 {
				w.orphans[p] = true
				continue
			}
			b, err := w.writeResult(m, p, pending[at].sent)
			if err != nil {
				return nil, err
			}
			blocks[at] = b
		}
	}
	for i, call := range pending {
		if blocks[i].json == nil {
			w.lose(chat.Lost(chat.FieldMessages, chat.Added, "a result for the call "+call.sent+", which has none"))
			json := []byte(`{"type":"tool_result","tool_use_id":"` + call.sent + `","content":"` + noResult + `","is_error":true`)
			blocks[i] = block{json: json, sort: resultBlock}
		}
	}
	return blocks, nil
}

// waiting is the calls that wait for a result, first called first.
type waiting struct {
	byID map[string][]int // all of them by ""
	gone []bool
}

func waitingFor(pending []called) *waiting {
	w := &waiting{byID: make(map[string][]int, len(pending)+1), gone: make([]bool, len(pending))}
	for i, call := range pending {
		w.byID[""] = append(w.byID[""], i)
		if call.id != "" {
			w.byID[call.id] = append(w.byID[call.id], i)
		}
	}
	return w
}

// take is the call that a result belongs to, or -1. One without an id belongs to
// the first call that still waits.
func (w *waiting) take(id string) int {
	for list := w.byID[id]; len(list) > 0; list = w.byID[id] {
		at := list[0]
		w.byID[id] = list[1:]
		if !w.gone[at] {
			w.gone[at] = true
			return at
		}
	}
	return -1
}

// writeResult writes one result.
func (w *requestWriter) writeResult(m *chat.Message, p *chat.Part, id string) (block, error) {
	var inside turn
	if err := w.writeContent(m, p, &inside); err != nil {
		return block{}, err
	}
	if p.Failed || w.target.Beside {
		w.setAside(m, p, &inside)
	}
	out := writeBlock(new(jsonscan.Writer), "tool_result").Key("tool_use_id").Plain(id).Key("content")
	switch {
	case p.Failed && !slices.ContainsFunc(inside.blocks, func(b block) bool { return b.sort == textBlock }):
		out.Plain("Error") // "content cannot be empty if is_error is true"
	case len(inside.blocks) == 0:
		out.Plain("")
	case len(inside.blocks) == 1 && len(p.Content) == 1 && p.Content[0].Kind == chat.Text && p.Content[0].Raw == nil && p.Content[0].Cache == nil:
		out.Text(p.Content[0].Text)
	default:
		new(marks).writeBlocks(out, inside.blocks)
	}
	if p.Failed {
		out.Key("is_error").Bool(true)
	}
	cache := p.Cache
	for _, b := range inside.blocks {
		if cache == nil {
			cache = b.cache // a marker inside a result is as good on the result itself
		}
	}
	return block{json: w.writeRest(p.Raw, out.Bytes()), sort: resultBlock, cache: cache}, nil
}

// setAside takes what is no text out of a result that reports an error, where the API takes only words,
// or of any, where the upstream takes nothing else. It follows the results.
func (w *requestWriter) setAside(m *chat.Message, p *chat.Part, t *turn) {
	words := make([]block, 0, len(t.blocks)+1)
	for _, b := range t.blocks {
		if b.sort == textBlock || b.sort == whiteBlock {
			words = append(words, b)
		} else {
			w.attached = append(w.attached, b)
		}
	}
	if len(words) < len(t.blocks) {
		w.lose(chat.LostPart(*m, *p, chat.Approximated, "what is no text follows the results, which have only words"))
		t.blocks = append(words, newTextBlock(seeBelow, nil))
	}
}

// writeContent writes the content of a result or a document. Reports are about that: clients
// do not number what is in it.
func (w *requestWriter) writeContent(m *chat.Message, p *chat.Part, t *turn) error {
	for _, q := range p.Content {
		q.At = p.At
		if err := w.writePart(m, &q, t); err != nil {
			return err
		}
	}
	return nil
}

// tellLoop tells the calls that the turn to come answers, and their results, in words: to a model that always
// thinks and wants to begin such a turn with thoughts, where another model's are all there is.
func (w *requestWriter) tellLoop() {
	last := len(w.turns) - 1
	for w.turns[last].role == chat.System {
		last--
	}
	step, answer := &w.turns[last-1], &w.turns[last]
	names := make(map[string]string)
	for i, b := range step.blocks {
		if b.sort == callBlock {
			call := jsonscan.At(b.json, 0)
			name := call.Get("name").View()
			names[call.Get("id").View()] = name
			step.blocks[i] = newTextBlock("[called "+name+" "+string(call.Get("input").Raw())+"]", b.cache)
		}
	}
	var told []block
	for _, b := range answer.blocks {
		if b.sort != resultBlock {
			told = append(told, b)
			continue
		}
		result := jsonscan.At(b.json, 0)
		told = append(told, newTextBlock("[result of "+names[result.Get("tool_use_id").View()]+"]", nil))
		if text := result.Get("content").View(); strings.TrimSpace(text) != "" {
			told = append(told, newTextBlock(text, b.cache))
		}
		for _, part := range result.Get("content").Elements() {
			if part.Get("type").View() != "text" || strings.TrimSpace(part.Get("text").View()) != "" {
				told = append(told, block{json: slices.Clone(part.Raw()[:len(part.Raw())-1])})
			}
		}
	}
	answer.blocks = told
	w.lose(chat.Lost(chat.FieldMessages, chat.Approximated, "the last calls and their results in words: they came without thoughts the model can read"))
}
