package openai

import (
	"fmt"
	"slices"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
)

// longestID is what the API takes as the id of a call.
const longestID = 40

// messages writes the conversation: the system text, then each assistant's turn
// with all that came between it and the next.
func (e *composer) messages() error {
	e.key("messages").open('[')
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
				e.losses = append(e.losses, chat.Loss{
					Field: chat.FieldPart, Message: list[i].At, Part: -1,
					Verb: chat.Approximated, Note: "joined with the turn before it",
				})
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
	e.close(']')
	return nil
}

func hasCalls(parts []chat.Part) bool {
	return slices.ContainsFunc(parts, func(p chat.Part) bool { return p.Kind == chat.ToolCall })
}

// system writes the leading system text, and the lines that stand for fields.
func (e *composer) system() error {
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
	e.open('{').key("role").word(`"system"`).key("content")
	e.content(t.pieces)
	e.close('}')
	return nil
}

// prefill asks for the rest of an answer that the client has begun: models
// behind this API begin anew otherwise.
func (e *composer) prefill(m chat.Message) {
	e.losses = append(e.losses, chat.Loss{
		Field: chat.FieldPart, Message: m.At, Part: -1,
		Verb: chat.Approximated, Note: "the model is asked to go on from here",
	})
	e.open('{').key("role").word(`"user"`)
	e.key("content").text("Continue your last message exactly where it ends. Do not repeat any of it and do not comment on it.")
	e.close('}')
}

// assistant writes a model's turn and returns the calls it made.
func (e *composer) assistant(m chat.Message) ([]chat.Part, error) {
	t, err := e.sort(m, m.Parts)
	if err != nil {
		return nil, err
	}
	pieces := slices.DeleteFunc(t.pieces, func(p piece) bool {
		if p.kind != 0 {
			e.losses = append(e.losses, chat.LostPart(m, chat.Part{At: p.at}, chat.Dropped, "models' turns have only words here"))
		}
		return p.kind != 0
	})
	e.open('{').key("role").word(`"assistant"`)
	e.name(m)
	e.key("content")
	switch {
	case len(pieces) > 0:
		if e.t.Compatible {
			pieces = joined(pieces, "")
		}
		e.content(pieces)
	case len(t.calls) > 0 || t.sound != "":
		e.word("null")
	default:
		e.text("")
	}
	e.thoughtsOf(m, t)
	if t.sound != "" {
		e.key("audio").open('{').key("id").text(t.sound).close('}')
	}
	if len(t.calls) > 0 {
		e.key("tool_calls").open('[')
		for i := range t.calls {
			e.call(m, &t.calls[i])
		}
		e.close(']')
	}
	e.close('}')
	return t.calls, nil
}

// thoughtsOf writes what a turn thought. OpenAI takes no thoughts at all; other
// servers take words, and signatures if they made them.
func (e *composer) thoughtsOf(m chat.Message, t turn) {
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
			e.losses = append(e.losses, chat.LostPart(m, p, chat.Dropped, "thoughts of another model"))
		}
	}
	switch {
	case signed:
		e.writer.thoughts(kept)
	case len(kept) > 0:
		var words strings.Builder
		for _, p := range kept {
			words.WriteString(p.Text)
		}
		e.key("reasoning_content").text(words.String())
	}
	if raw, ok := e.proof(t.proof); ok {
		e.signed(raw)
	}
}

// proof is a signature in the upstream's own words, if it is the upstream's own.
func (e *composer) proof(text string) (string, bool) {
	if text == "" || e.t.Proof == nil {
		return "", false
	}
	return e.t.Proof(text)
}

func (e *composer) call(m chat.Message, p *chat.Part) {
	e.open('{').key("id").text(dialect.CallID(p.ID, longestID))
	switch {
	case p.Custom && !e.t.Compatible:
		e.key("type").word(`"custom"`).key("custom").open('{').key("name").text(e.names.To(p.Name)).key("input").text(p.Text).close('}')
	case e.custom(p.Name):
		// Called as a function where it was one: here it is what it was meant to be.
		e.key("type").word(`"custom"`).key("custom").open('{').key("name").text(e.names.To(p.Name)).key("input").text(unwrapInput(p.Text)).close('}')
	default:
		e.key("type").word(`"function"`).key("function").open('{').key("name").text(e.names.To(p.Name)).key("arguments")
		switch {
		case p.Custom:
			e.text(wrapInput(p.Text))
		case strings.TrimSpace(p.Text) == "" || p.Text == "null":
			e.text("{}")
		default:
			e.text(p.Text)
		}
		e.close('}')
	}
	if raw, ok := e.proof(p.Proof); ok {
		e.signed(raw)
	} else if p.Proof != "" && e.t.Compatible {
		e.losses = append(e.losses, chat.LostPart(m, *p, chat.Ignored, "a signature of another upstream"))
	}
	e.close('}')
}

// between writes what came after a model's turn: the results of its calls first,
// every call answered, then all else as it came.
func (e *composer) between(calls []chat.Part, batch []chat.Message) error {
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
		e.open('{').key("role").word(`"tool"`).key("tool_call_id").text(dialect.CallID(c.ID, longestID))
		e.key("content").text("[no result]").close('}')
	}
	if len(attached) > 0 {
		e.open('{').key("role").word(`"user"`).key("content")
		e.content(attached)
		e.close('}')
	}
	for i, m := range batch {
		if len(turns[i].pieces) == 0 && (len(turns[i].results) > 0 || m.Role == chat.System) {
			continue // nothing is left to say
		}
		e.user(m, turns[i])
	}
	return nil
}

func (e *composer) user(m chat.Message, t turn) {
	e.open('{').key("role")
	if m.Role == chat.System {
		e.word(`"system"`)
	} else {
		e.word(`"user"`)
	}
	e.name(m)
	e.key("content")
	e.content(t.pieces)
	e.close('}')
}

func (e *composer) name(m chat.Message) {
	switch {
	case m.Name == "":
	case len(m.Name) <= 64 && !strings.ContainsAny(m.Name, " \t\r\n<|\\/>"):
		e.key("name").text(m.Name)
	default:
		e.losses = append(e.losses, chat.Loss{Field: chat.FieldName, Message: m.At, Part: -1, Verb: chat.Dropped, Note: "not a legal name"})
	}
}
