package dialect

import (
	"slices"

	"stele/internal/chat"
)

// PlaceResults puts the results of a conversation where all APIs have them: behind the model's turn, not in it.
// A result in the model's own turn, behind its call, ends the turn there once every call of it has one;
// else it goes before what the user says next. One without a call stays where it is.
func PlaceResults(talk *chat.Conversation) (*chat.Conversation, []chat.Loss) {
	if !hasMisplaced(talk.Messages) {
		return talk, nil
	}
	p := placer{waiting: make(map[string]int)}
	for _, m := range talk.Messages {
		if m.Role == chat.Assistant {
			p.takeModelTurn(m)
		} else {
			p.takeUserTurn(m)
		}
	}
	p.flush()
	if len(p.losses) == 0 {
		return talk, nil
	}
	mended := *talk
	mended.Messages = p.out
	return &mended, p.losses
}

func hasMisplaced(list []chat.Message) bool {
	for i := range list {
		for j := range list[i].Parts {
			if list[i].Role == chat.Assistant && list[i].Parts[j].Kind == chat.ToolResult {
				return true
			}
		}
	}
	return false
}

// placer takes turns one by one.
type placer struct {
	out     []chat.Message
	waiting map[string]int // calls of the model's turn that have no result yet
	calls   int            // how many those are
	results []chat.Part    // that stood in the model's turn
	at      int            // the message that the last of them stood in
	losses  []chat.Loss
}

// takeModelTurn takes a turn of the model's.
func (p *placer) takeModelTurn(m chat.Message) {
	rest := m
	rest.Parts = nil
	for _, part := range m.Parts {
		if part.Kind == chat.ToolResult && p.waiting[part.ID] > 0 {
			p.waiting[part.ID]--
			p.calls--
			p.results, p.at = append(p.results, part), m.At
			p.losses = append(p.losses, chat.LostPart(m, part, chat.Approximated, "as the user's: it stood in the model's own turn"))
			continue
		}
		if len(p.results) > 0 && p.calls == 0 {
			if len(rest.Parts) > 0 {
				p.out = append(p.out, rest)
				rest.Parts = nil
			}
			p.flush()
		}
		if part.Kind == chat.ToolCall {
			p.waiting[part.ID]++
			p.calls++
		}
		rest.Parts = append(rest.Parts, part)
	}
	if len(rest.Parts) > 0 || len(m.Parts) == 0 {
		p.out = append(p.out, rest)
	}
}

// takeUserTurn takes another's turn, before which the results go.
func (p *placer) takeUserTurn(m chat.Message) {
	p.flush()
	p.out = append(p.out, m)
	clear(p.waiting)
	p.calls = 0
}

// flush makes a turn of the results.
func (p *placer) flush() {
	if len(p.results) > 0 {
		p.out = append(p.out, chat.Message{Role: chat.User, Parts: p.results, At: p.at})
		p.results = nil
	}
}

// MatchResults makes the results of a conversation name their calls. A result that names none is that of the first call of
// the turn before it that no other result names.
func MatchResults(talk *chat.Conversation) *chat.Conversation {
	var matched chat.Conversation
	var open []string // calls of the last turn that have no result yet
	for i, m := range talk.Messages {
		if m.Role == chat.Assistant {
			if i == 0 || talk.Messages[i-1].Role != chat.Assistant {
				open = nil
			}
			open = append(open, callsOf(m)...)
			continue
		}
		open = withoutNamed(open, m)
		for j := range m.Parts {
			if p := &m.Parts[j]; p.Kind != chat.ToolResult || p.ID != "" || len(open) == 0 {
				continue
			}
			if matched.Messages == nil {
				matched = *talk
				matched.Messages = slices.Clone(talk.Messages)
			}
			if turn := &matched.Messages[i]; &turn.Parts[0] == &m.Parts[0] {
				turn.Parts = slices.Clone(m.Parts)
			}
			matched.Messages[i].Parts[j].ID = open[0]
			open = open[1:]
		}
	}
	if matched.Messages == nil {
		return talk
	}
	return &matched
}

// callsOf are the ids of the calls that a turn makes.
func callsOf(m chat.Message) (ids []string) {
	for i := range m.Parts {
		if m.Parts[i].Kind == chat.ToolCall {
			ids = append(ids, m.Parts[i].ID)
		}
	}
	return ids
}

// withoutNamed is calls without those that results of a turn name.
func withoutNamed(open []string, m chat.Message) []string {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Kind == chat.ToolResult && p.ID != "" {
			if at := slices.Index(open, p.ID); at >= 0 {
				open = slices.Delete(open, at, at+1)
			}
		}
	}
	return open
}
