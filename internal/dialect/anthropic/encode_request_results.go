package anthropic

import (
	"strconv"

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

// results writes the answers to the calls that wait for one, in the order of the
// calls, and notes which results answer none of them.
func (w *requestWriter) results(run []chat.Message, pending []called) ([]block, error) {
	blocks := make([]block, len(pending))
	answered := make([]bool, len(pending))
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
			b, err := w.result(m, p, pending[at].sent)
			if err != nil {
				return nil, err
			}
			blocks[at], answered[at] = b, true
		}
	}
	for i, call := range pending {
		if !answered[i] {
			w.lose(chat.Lost(chat.FieldMessages, chat.Added, "a result for the call "+call.sent+", which has none"))
			json := []byte(`{"type":"tool_result","tool_use_id":"` + call.sent + `","content":"` + noResult + `","is_error":true`)
			blocks[i] = block{json: json, sort: resultBlock}
		}
	}
	return blocks, nil
}

// waiting is the calls that wait for a result, by their ids, first called first.
type waiting struct {
	byID  map[string][]int
	order []int
	gone  []bool
}

func waitingFor(pending []called) *waiting {
	w := &waiting{byID: make(map[string][]int, len(pending)), gone: make([]bool, len(pending))}
	for i, call := range pending {
		w.byID[call.id] = append(w.byID[call.id], i)
		w.order = append(w.order, i)
	}
	return w
}

// take is the call that a result belongs to, or -1. One without an id belongs to
// the first call that still waits.
func (w *waiting) take(id string) int {
	list := w.byID[id]
	if id == "" {
		list = w.order
	}
	for len(list) > 0 && w.gone[list[0]] {
		list = list[1:]
	}
	at := -1
	if len(list) > 0 {
		at, list = list[0], list[1:]
		w.gone[at] = true
	}
	if id == "" {
		w.order = list
	} else {
		w.byID[id] = list
	}
	return at
}

// result writes one result.
func (w *requestWriter) result(m *chat.Message, p *chat.Part, id string) (block, error) {
	var inside turn
	for i := range p.Content {
		q := p.Content[i]
		q.At = p.At // reports are about the result: clients do not number what is in it
		if err := w.part(m, &q, &inside); err != nil {
			return block{}, err
		}
	}
	out := append([]byte(`{"type":"tool_result","tool_use_id":"`), id...)
	out = append(out, `","content":`...)
	switch {
	case len(inside.blocks) == 0:
		out = append(out, `""`...)
	case len(inside.blocks) == 1 && p.Content[0].Kind == chat.Text && p.Content[0].Raw == nil && p.Content[0].Cache == nil && len(p.Content) == 1:
		out = jsonscan.AppendText(out, p.Content[0].Text)
	default:
		out = list(out, inside.blocks)
	}
	if p.Failed {
		out = append(out, `,"is_error":true`...)
	}
	cache := p.Cache
	for _, b := range inside.blocks {
		if cache == nil {
			cache = b.cache // a marker inside a result is as good on the result itself
		}
	}
	return block{json: w.rest(p.Raw, out), sort: resultBlock, cache: cache}, nil
}

// list writes blocks that carry no cache markers.
func list(dst []byte, blocks []block) []byte {
	dst = append(dst, '[')
	for i, b := range blocks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, b.json...), '}')
	}
	return append(dst, ']')
}
