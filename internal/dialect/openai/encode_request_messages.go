package openai

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// messages writes the conversation: the system text, then each assistant's turn
// with all that came between it and the next.
func (e *requestWriter) messages() error {
	e.Key("messages").Open(array)
	if err := e.system(); err != nil {
		return err
	}
	list := e.c.Messages
	for i := 0; i < len(list); {
		var calls []chat.Part
		var err error
		if list[i].Role == chat.Assistant {
			turn := list[i]
			turn.Parts = slices.Clip(turn.Parts)
			i++
			// Results must follow the calls at once, so turns between are one turn.
			for i < len(list) && list[i].Role == chat.Assistant && hasCalls(turn.Parts) {
				e.loseTurn(list[i], chat.FieldPart, chat.Approximated, "joined with the turn before it")
				turn.Parts = append(turn.Parts, list[i].Parts...)
				i++
			}
			if calls, err = e.assistant(turn); err != nil {
				return err
			}
		}
		rest := i
		for i < len(list) && list[i].Role != chat.Assistant {
			i++
		}
		if err := e.between(calls, list[rest:i]); err != nil {
			return err
		}
	}
	if n := len(list); n == 0 && len(e.c.System) == 0 {
		return missing("messages")
	} else if n > 0 && list[n-1].Role == chat.Assistant && !hasCalls(list[n-1].Parts) {
		e.prefill(list[n-1])
	}
	e.Close(array)
	return nil
}

func hasCalls(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind == chat.ToolCall })
}

// system writes the leading system text, and the lines that stand for fields.
func (e *requestWriter) system() error {
	parts := slices.Clone(e.c.System)
	for _, line := range e.lines {
		parts = append(parts, chat.Part{Kind: chat.Text, Text: line, At: -1})
	}
	if len(parts) == 0 {
		return nil
	}
	if e.t.Compatible && len(parts) > 1 {
		texts := make([]string, len(parts))
		for i, p := range parts {
			texts[i] = p.Text
			e.unmark(chat.Message{At: -1}, p)
		}
		parts = []chat.Part{{Kind: chat.Text, Text: strings.Join(texts, "\n\n")}}
	}
	t, err := e.sort(chat.Message{At: -1}, parts)
	if err != nil {
		return err
	}
	e.Open(object).Key("role").Plain("system").Key("content")
	e.content(t.pieces)
	e.Close(object)
	return nil
}

// prefill asks for the rest of an answer that the client has begun: models
// behind this API begin anew otherwise.
func (e *requestWriter) prefill(m chat.Message) {
	e.loseTurn(m, chat.FieldPart, chat.Approximated, "the model is asked to go on from here")
	e.Open(object).Key("role").Plain("user")
	e.Key("content").Text("Continue your last message exactly where it ends. Do not repeat any of it and do not comment on it.")
	e.Close(object)
}

// assistant writes a model's turn and returns the calls it made.
func (e *requestWriter) assistant(m chat.Message) ([]chat.Part, error) {
	t, err := e.sort(m, m.Parts)
	if err != nil {
		return nil, err
	}
	pieces := slices.DeleteFunc(t.pieces, func(p piece) bool {
		if p.kind != 0 {
			e.losePart(m, chat.Part{At: p.at}, chat.Dropped, "models' turns have only words here")
		}
		return p.kind != 0
	})
	e.Open(object).Key("role").Plain("assistant")
	e.name(m)
	e.Key("content")
	switch {
	case len(pieces) > 0:
		if e.t.Compatible {
			pieces = joined(pieces, "")
		}
		e.content(pieces)
	case len(t.calls) > 0 || t.sound != "":
		e.Null()
	default:
		e.Text("")
	}
	e.thoughtsOf(m, t)
	if t.sound != "" {
		e.Key("audio").Open(object).Key("id").Text(t.sound).Close(object)
	}
	if len(t.calls) > 0 {
		e.Key("tool_calls").Open(array)
		for i := range t.calls {
			e.call(m, &t.calls[i])
		}
		e.Close(array)
	}
	e.Close(object)
	return t.calls, nil
}

// thoughtsOf writes what a turn thought. OpenAI takes no thoughts at all; other
// servers take words, and signatures if they made them.
func (e *requestWriter) thoughtsOf(m chat.Message, t turn) {
	var kept []chat.Part
	signed := false
	for _, p := range t.thoughts {
		text := &p.Proof
		if p.Kind == chat.Redacted {
			text = &p.Text
		}
		raw, ok := e.proof(*text)
		signed = signed || ok
		switch {
		case ok:
			*text = raw
			kept = append(kept, p)
		case p.Kind == chat.Thought && p.Text != "" && e.t.Compatible:
			p.Proof = ""
			kept = append(kept, p)
		default:
			e.losePart(m, p, chat.Dropped, "thoughts of another model")
		}
	}
	switch {
	case signed:
		writeThoughts(&e.Writer, kept)
	case len(kept) > 0:
		var words strings.Builder
		for _, p := range kept {
			words.WriteString(p.Text)
		}
		e.Key("reasoning_content").Text(words.String())
	}
	if raw, ok := e.proof(t.proof); ok {
		writeSignature(&e.Writer, raw)
	}
}

// proof is a signature in the upstream's own words, if it is the upstream's own.
func (e *requestWriter) proof(text string) (string, bool) {
	if text == "" || e.t.Proof == nil {
		return "", false
	}
	return e.t.Proof(text)
}

func (e *requestWriter) call(m chat.Message, p *chat.Part) {
	custom, text := p.Custom && !e.t.Compatible, p.Text
	switch {
	case custom:
	case e.custom(p.Name):
		// Called as a function where it was one: here it is what it was meant to be.
		custom, text = true, unwrapInput(text)
	case p.Custom:
		text = wrapInput(text)
	case strings.TrimSpace(text) == "" || text == "null":
		text = "{}"
	}
	e.Open(object).Key("id").Text(dialect.CallID(p.ID, longestID))
	writeCall(&e.Writer, custom, e.names.To(p.Name), text)
	if raw, ok := e.proof(p.Proof); ok {
		writeSignature(&e.Writer, raw)
	} else if p.Proof != "" && e.t.Compatible {
		e.losePart(m, *p, chat.Ignored, "a signature of another upstream")
	}
	e.Close(object)
}

// between writes what came after a model's turn: the results of its calls first,
// every call answered, then all else as it came.
func (e *requestWriter) between(calls []chat.Part, batch []chat.Message) error {
	open := make(map[string]int, len(calls))
	for i := range calls {
		open[calls[i].ID]++
	}
	turns := make([]turn, len(batch))
	var attached []piece
	for i, m := range batch {
		t, err := e.sort(m, m.Parts)
		if err != nil {
			return err
		}
		for _, p := range t.results {
			if open[p.ID] == 0 {
				if t.pieces, err = e.orphan(m, p, t.pieces); err != nil {
					return err
				}
				continue
			}
			open[p.ID]--
			media, err := e.result(m, p)
			if err != nil {
				return err
			}
			attached = append(attached, media...)
		}
		turns[i] = t
	}
	for _, c := range calls {
		if open[c.ID] == 0 {
			continue
		}
		open[c.ID]--
		e.lose(chat.FieldMessages, chat.Added, fmt.Sprintf("no result for call %s", c.ID))
		e.Open(object).Key("role").Plain("tool").Key("tool_call_id").Text(dialect.CallID(c.ID, longestID))
		e.Key("content").Text("[no result]").Close(object)
	}
	if len(attached) > 0 {
		e.Open(object).Key("role").Plain("user").Key("content")
		e.content(attached)
		e.Close(object)
	}
	for i, m := range batch {
		if len(turns[i].pieces) == 0 && (len(turns[i].results) > 0 || m.Role == chat.System) {
			continue // nothing is left to say
		}
		e.user(m, turns[i])
	}
	return nil
}

func (e *requestWriter) user(m chat.Message, t turn) {
	role := "user"
	if m.Role == chat.System {
		role = "system"
	}
	e.Open(object).Key("role").Plain(role)
	e.name(m)
	e.Key("content")
	e.content(t.pieces)
	e.Close(object)
}

func (e *requestWriter) name(m chat.Message) {
	switch {
	case m.Name == "":
	case len(m.Name) <= 64 && !strings.ContainsAny(m.Name, " \t\r\n<|\\/>"):
		e.Key("name").Text(m.Name)
	default:
		e.loseTurn(m, chat.FieldName, chat.Dropped, "not a legal name")
	}
}
