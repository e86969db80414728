package openai

import (
	"cmp"
	"fmt"
	"strings"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

// itemFields are those of the Responses API that this one spells otherwise, or that say
// nothing to a model.
var itemFields = map[string]fieldReader{
	"input":    func(*requestReader, jsonscan.Value, string) error { return nil },
	"messages": func(*requestReader, jsonscan.Value, string) error { return nil }, // none are in it
	"include":  func(*requestReader, jsonscan.Value, string) error { return nil },
	"instructions": func(r *requestReader, v jsonscan.Value, key string) error {
		text, err := readText(v, key)
		if text != "" {
			r.c.System = append(r.c.System, chat.Part{Kind: chat.Text, Text: text, At: atWhole})
		}
		return err
	},
	"max_output_tokens": read(readLimit, func(r *requestReader) **int64 { return &r.limit }),
	"text": func(r *requestReader, v jsonscan.Value, key string) error {
		if level := v.Get("verbosity"); !level.Absent() {
			r.c.Extra = append(r.c.Extra, chat.Extra{Name: name + ".verbosity", Value: level.Raw(), Effect: only["verbosity"]})
		}
		if format := v.Get("format"); !format.Absent() {
			return readFormat(r, format, key+".format")
		}
		return nil
	},
	"truncation": func(r *requestReader, v jsonscan.Value, key string) error {
		if v.View() == "auto" {
			r.note(key, chat.Ignored, "nothing is cut from a conversation that is too long")
		}
		return nil
	},
	"previous_response_id": refuseKept,
	"conversation":         refuseKept,
	"prompt":               refuseKept,
}

func refuseKept(_ *requestReader, _ jsonscan.Value, key string) error {
	return fault.Unclear(key, "nothing is kept here: send the whole conversation in input")
}

// itemsReader reads a conversation in items. All that a model made between two items of
// others is one turn.
type itemsReader struct {
	*requestReader

	turn []chat.Part
	from int // the first item of the turn
}

func (r *requestReader) readItems() error {
	r.list = "input"
	x := itemsReader{requestReader: r}
	if r.items.Kind() == jsonscan.String {
		parts, err := r.readContent(r.items)
		x.say(chat.User, parts)
		return err
	}
	for at, v := range r.items.Elements() {
		if at == dialect.MostMessages {
			return fault.WrongValue(r.list, fmt.Sprintf("a list of at most %d items", dialect.MostMessages))
		}
		r.at = at
		if err := x.readItem(v); err != nil {
			return err
		}
	}
	x.endTurn()
	if len(r.c.Messages) == 0 {
		return fault.WrongValue(r.list, "a text or a list with at least one message")
	}
	return nil
}

func (x *itemsReader) readItem(v jsonscan.Value) error {
	if v.Kind() != object {
		return fault.WrongValue(x.pathOf(""), "an item")
	}
	switch kind := v.Get("type").View(); kind {
	case "", "message":
		return x.readMessage(v)
	case "reasoning":
		var words strings.Builder
		for _, part := range v.Get("summary").Elements() {
			words.WriteString(part.Get("text").View())
		}
		if words.Len() > 0 {
			x.add(chat.Part{Kind: chat.Thought, Text: words.String(), At: atThoughts})
		}
	case "function_call", "custom_tool_call":
		p := readCall(strings.TrimSuffix(strings.TrimSuffix(kind, "_call"), "_tool"), v)
		if p.Name == "" {
			return fault.Missing(x.pathOf(".name"))
		}
		p.ID = cmp.Or(anyText(v.Get("call_id")), anyText(v.Get("id")), fmt.Sprintf("call_%d", x.at))
		x.add(p)
	case "function_call_output", "custom_tool_call_output":
		return x.readResult(v)
	default:
		x.note(x.pathOf(""), chat.Dropped, "items of type "+kind+" are not carried")
	}
	return nil
}

func (x *itemsReader) readMessage(v jsonscan.Value) error {
	parts, err := x.readContent(v.Get("content"))
	if err != nil {
		return err
	}
	switch v.Get("role").View() {
	case "assistant":
		for _, p := range parts {
			x.add(p)
		}
		return nil
	case "user":
		x.say(chat.User, parts)
		return nil
	case "system", "developer":
		x.endTurn()
		return x.addSystem(chat.Message{Parts: parts, At: x.at})
	default:
		return fault.WrongValue(x.pathOf(".role"), "system, developer, user or assistant")
	}
}

// readResult takes over what a tool answered, in words or in parts.
func (x *itemsReader) readResult(v jsonscan.Value) error {
	output := v.Get("output")
	content := []chat.Part{{Kind: chat.Text, Text: anyText(output), At: atWhole}}
	if output.Kind() == array {
		var err error
		if content, err = x.readContent(output); err != nil {
			return err
		}
	}
	x.endTurn() // before its calls are looked for
	x.say(chat.User, []chat.Part{x.requestReader.readResult(&message{toolCallID: v.Get("call_id")}, content)})
	return nil
}

// add adds to the model's turn.
func (x *itemsReader) add(p chat.Part) {
	if len(x.turn) == 0 {
		x.from = x.at
	}
	x.turn = append(x.turn, p)
}

// say adds what another than the model said.
func (x *itemsReader) say(role chat.Role, parts []chat.Part) {
	x.endTurn()
	x.c.Messages = append(x.c.Messages, chat.Message{Role: role, Parts: parts, At: x.at})
}

// endTurn ends the model's turn.
func (x *itemsReader) endTurn() {
	if len(x.turn) == 0 {
		return
	}
	x.open = nil
	for _, p := range x.turn {
		if p.Kind == chat.ToolCall {
			x.open = append(x.open, p)
			x.called[p.ID] = call{name: p.Name}
		}
	}
	x.c.Messages = append(x.c.Messages, chat.Message{Role: chat.Assistant, Parts: x.turn, At: x.from})
	x.turn = nil
}
