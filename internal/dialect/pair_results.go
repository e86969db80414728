package dialect

import (
	"slices"

	"stele/internal/chat"
)

// PairResults puts the results of a conversation behind their calls. All APIs want them there, before the model speaks
// again; clients that wait for slow tools, or cut and join histories, have them further on, or even before.
func PairResults(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	if !slices.ContainsFunc(talk.Messages, func(m chat.Message) bool { return chat.HasKind(m.Parts, chat.ToolResult) }) {
		return talk, nil
	}
	p := pairer{talk: talk, calls: make(map[string][]position)}
	for i := 0; i < len(talk.Messages); {
		i = p.readRun(i)
	}
	if len(p.strayed) == 0 || !p.pair() {
		return talk, nil
	}
	return p.rewrite()
}

// position is where a call or a result is.
type position struct{ message, part int }

// pairer looks for the calls of results.
type pairer struct {
	talk    *chat.Conversation
	calls   map[string][]position // that no result was found for where it belongs
	strayed []position            // results without such a call
	behind  map[int][]position    // results that go behind a message
	gone    map[position]bool
}

// readRun takes what one side says without a break, and the results of its calls in what the other says next.
func (p *pairer) readRun(i int) int {
	open := make(map[string][]position)
	for ; i < len(p.talk.Messages) && p.talk.Messages[i].Role == chat.Assistant; i++ {
		for j, part := range p.talk.Messages[i].Parts {
			switch {
			case part.Kind == chat.ToolCall && part.ID != "":
				open[part.ID] = append(open[part.ID], position{i, j})
			case part.Kind == chat.ToolResult && len(open[part.ID]) > 0: // see PlaceResults
				open[part.ID] = open[part.ID][1:]
			}
		}
	}
	for ; i < len(p.talk.Messages) && p.talk.Messages[i].Role != chat.Assistant; i++ {
		for j, part := range p.talk.Messages[i].Parts {
			switch {
			case part.Kind != chat.ToolResult || part.ID == "":
			case len(open[part.ID]) > 0:
				open[part.ID] = open[part.ID][1:]
			default:
				p.strayed = append(p.strayed, position{i, j})
			}
		}
	}
	for id, list := range open {
		p.calls[id] = append(p.calls[id], list...)
	}
	return i
}

// pair finds a call for each result: the last one before it, or else the first one after. It reports whether there was any.
func (p *pairer) pair() bool {
	p.behind, p.gone = make(map[int][]position), make(map[position]bool)
	for _, at := range p.strayed {
		id := p.talk.Messages[at.message].Parts[at.part].ID
		list := p.calls[id]
		if len(list) == 0 {
			continue
		}
		n := max(0, slices.IndexFunc(list, func(call position) bool { return call.message > at.message })-1)
		if list[len(list)-1].message < at.message {
			n = len(list) - 1
		}
		call := p.lastOfTurn(list[n].message)
		p.calls[id] = slices.Delete(list, n, n+1)
		p.behind[call], p.gone[at] = append(p.behind[call], at), true
	}
	return len(p.gone) > 0
}

// lastOfTurn is the message behind which results of a call go: its own, unless others of the model's follow that call
// tools too, whose results are behind all of them.
func (p *pairer) lastOfTurn(call int) int {
	last := call
	for i := call + 1; i < len(p.talk.Messages) && p.talk.Messages[i].Role == chat.Assistant; i++ {
		if len(callsOf(p.talk.Messages[i])) > 0 {
			last = i
		}
	}
	return last
}

// rewrite puts the results into their places.
func (p *pairer) rewrite() (*chat.Conversation, []chat.Loss) {
	paired := *p.talk
	paired.Messages = make([]chat.Message, 0, len(p.talk.Messages)+len(p.behind))
	var losses []chat.Loss
	for i, m := range p.talk.Messages {
		var rest []chat.Part
		for j, part := range m.Parts {
			if p.gone[position{i, j}] {
				losses = append(losses, chat.LostPart(m, part, chat.Approximated, "put behind its call"))
			} else {
				rest = append(rest, part)
			}
		}
		if len(rest) > 0 || len(m.Parts) == 0 {
			m.Parts = rest
			paired.Messages = append(paired.Messages, m)
		}
		for _, at := range p.behind[i] {
			from := p.talk.Messages[at.message]
			paired.Messages = append(paired.Messages, chat.Message{Role: chat.User, Parts: from.Parts[at.part : at.part+1], At: from.At})
		}
	}
	return &paired, losses
}
