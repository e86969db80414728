package openai

import (
	"fmt"
	"strconv"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
)

// Parts of a message that are not in its content are counted from these, so that
// a report about one finds its place again: see Path.
const (
	atWhole    = -1 // the content is one string, or the part is the whole message
	atCalls    = 1 << 20
	atThoughts = 1 << 21
	atRefusal  = 1 << 22
	atAudio    = atRefusal + 1
	atImages   = 1 << 23
)

func (r *reading) readMessages() error {
	if absent(r.messages) {
		return missing("messages")
	}
	if !r.messages.IsArray() {
		return wrong("messages", "a list")
	}
	var err error
	at := 0
	r.messages.ForEach(func(_, v gjson.Result) bool {
		if at == dialect.MostMessages {
			err = wrong("messages", fmt.Sprintf("a list of at most %d messages", dialect.MostMessages))
			return false
		}
		r.at = at
		err = r.message(v, at)
		at++
		return err == nil
	})
	if err == nil && at == 0 {
		err = wrong("messages", "a list of at least one message")
	}
	return err
}

func (r *reading) message(v gjson.Result, at int) error {
	if !v.IsObject() {
		return wrong(r.here(""), "an object")
	}
	m := readMessage(v)
	for _, key := range m.Unknown {
		r.note(r.here("."+key), chat.Dropped, "unknown")
	}
	parts, err := r.content(m.Content)
	if err != nil {
		return err
	}
	if mark := readCache(m.CacheControl); mark != nil && len(parts) > 0 {
		parts[len(parts)-1].Cache = mark
	}
	turn := chat.Message{Parts: parts, Name: m.Name.String(), At: at}
	switch m.Role.Str {
	case "system", "developer":
		return r.system(turn)
	case "user":
	case "assistant":
		turn.Role = chat.Assistant
		if turn.Parts, err = r.said(&m, parts, at); err != nil {
			return err
		}
	case "tool", "function":
		turn.Name = ""
		turn.Parts = []chat.Part{r.result(&m, parts, at)}
	default:
		return wrong(r.here(".role"), "system, developer, user, assistant or tool")
	}
	r.c.Messages = append(r.c.Messages, turn)
	return nil
}

// here is the message that is being read, or something in it.
func (r *reading) here(tail string) string { return "messages[" + strconv.Itoa(r.at) + "]" + tail }

// system keeps leading system text apart from what comes in the middle.
func (r *reading) system(turn chat.Message) error {
	for i := range turn.Parts {
		if turn.Parts[i].Kind != chat.Text {
			return wrong(r.here(fmt.Sprintf(".content[%d]", turn.Parts[i].At)), "text: system messages take nothing else")
		}
	}
	if len(r.c.Messages) > 0 {
		turn.Role = chat.System
		r.c.Messages = append(r.c.Messages, turn)
		return nil
	}
	if turn.Name != "" {
		r.note(r.here(".name"), chat.Ignored, "")
	}
	for _, p := range turn.Parts {
		p.At = turn.At // system parts know their message: they stand in none
		r.c.System = append(r.c.System, p)
	}
	return nil
}

// said is an assistant's turn: thoughts, words, refusal, sounds and pictures,
// then calls.
func (r *reading) said(m *wireMessage, content []chat.Part, at int) ([]chat.Part, error) {
	calls, err := r.calls(m, at)
	if err != nil {
		return nil, err
	}
	parts := append(readThoughts(m, calls), content...)
	if proof := signature(m.ExtraContent); proof != "" {
		parts = sign(parts, proof)
	}
	if sources := readCitations(m.Annotations); len(sources) > 0 && len(content) > 0 {
		parts[len(parts)-1].Citations = sources
	}
	if m.Refusal.Str != "" {
		parts = append(parts, chat.Part{Kind: chat.Refusal, Text: m.Refusal.Str, At: atRefusal})
	}
	if m.Audio.IsObject() {
		parts = append(parts, readSound(m.Audio))
	}
	parts = append(parts, readPictures(m.Images)...)
	r.open = calls
	for i := range calls {
		r.called[calls[i].ID] = call{name: calls[i].Name}
	}
	return append(parts, calls...), nil
}

// sign puts a message's own signature on its last words, or keeps it on a
// thought without words.
func sign(parts []chat.Part, proof string) []chat.Part {
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Kind == chat.Text {
			parts[i].Proof = proof
			return parts
		}
	}
	return append(parts, chat.Part{Kind: chat.Thought, Proof: proof, At: atThoughts})
}

func (r *reading) calls(m *wireMessage, at int) ([]chat.Part, error) {
	var calls []chat.Part
	if m.FunctionCall.IsObject() {
		calls = append(calls, readCall("function", m.FunctionCall))
		calls[0].ID = fmt.Sprintf("call_fn_%d", at)
	}
	if absent(m.ToolCalls) {
		return calls, nil
	}
	if !m.ToolCalls.IsArray() {
		return nil, wrong(r.here(".tool_calls"), "a list")
	}
	var err error
	m.ToolCalls.ForEach(func(_, v gjson.Result) bool {
		j := len(calls)
		p, ok := readToolCall(v)
		if !ok {
			err = wrong(r.here(fmt.Sprintf(".tool_calls[%d]", j)), "a call of a function or of a custom tool")
			return false
		}
		if p.At = atCalls + j; p.ID == "" {
			p.ID = fmt.Sprintf("call_%d_%d", at, j)
		}
		calls = append(calls, p)
		return true
	})
	return calls, err
}

// result is what a tool answered. Whose answer it is where the message does not
// say is told by the order, or by the name of an older function.
func (r *reading) result(m *wireMessage, content []chat.Part, at int) chat.Part {
	p := chat.Part{Kind: chat.ToolResult, ID: m.ToolCallID.Str, Name: m.Name.Str, Content: content, At: atWhole}
	if p.ID == "" {
		p.ID = r.whose(p.Name)
	}
	if p.ID == "" {
		p.ID = fmt.Sprintf("call_none_%d", at)
	}
	if of, ok := r.called[p.ID]; ok {
		p.Name = of.name
		r.called[p.ID] = call{of.name, true}
	}
	return p
}

// whose is the id of the first call of the last turn that has no result yet, and
// that name if there is one.
func (r *reading) whose(name string) string {
	for len(r.open) > 0 && r.called[r.open[0].ID].answered {
		r.open = r.open[1:]
	}
	for i := range r.open[:min(len(r.open), mostCalls)] {
		if c := &r.open[i]; !r.called[c.ID].answered && (name == "" || name == c.Name) {
			return c.ID
		}
	}
	return ""
}

// readToolCall reads one of tool_calls. Some servers give arguments as an object.
func readToolCall(v gjson.Result) (chat.Part, bool) {
	kind := v.Get("type").Str
	if kind == "" {
		kind = "function"
		if v.Get("custom").IsObject() {
			kind = "custom"
		}
	}
	if kind != "function" && kind != "custom" {
		return chat.Part{}, false
	}
	inner := v.Get(kind)
	if !inner.IsObject() {
		return chat.Part{}, false
	}
	p := readCall(kind, inner)
	p.ID, p.Proof = v.Get("id").String(), signature(v.Get("extra_content"))
	return p, true
}

func readCall(kind string, inner gjson.Result) chat.Part {
	p := chat.Part{Kind: chat.ToolCall, Name: inner.Get("name").String(), At: atCalls}
	if kind == "custom" {
		p.Custom, p.Text = true, inner.Get("input").String()
		return p
	}
	switch arguments := inner.Get("arguments"); arguments.Type {
	case gjson.String:
		p.Text = arguments.Str
	case gjson.Null:
	default:
		p.Text = arguments.Raw
	}
	return p
}

// refuse names a part that cannot be understood.
func refuse(field, why string) *fault.Error {
	return fault.New(fault.InvalidParameter, "%s: %s.", field, why).With("field", field)
}
