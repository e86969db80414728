package openai

import (
	"fmt"
	"slices"
	"strconv"

	"stele/internal/chat"
	"stele/internal/dialect"
	"stele/internal/fault"
	"stele/internal/jsonscan"
)

func (r *requestReader) readMessages() error {
	if r.messages.Absent() {
		return fault.Missing("messages")
	}
	if r.messages.Kind() != array {
		return fault.WrongValue("messages", "a list")
	}
	for at, v := range r.messages.Elements() {
		if at == dialect.MostMessages {
			return fault.WrongValue("messages", fmt.Sprintf("a list of at most %d messages", dialect.MostMessages))
		}
		r.at = at
		if err := r.readMessage(v); err != nil {
			return err
		}
	}
	if !r.messages.Index(0).Exists() {
		return fault.WrongValue("messages", "a list of at least one message")
	}
	return nil
}

// pathOf is the path of the message that is being read, or something in it.
func (r *requestReader) pathOf(tail string) string {
	return r.list + "[" + strconv.Itoa(r.at) + "]" + tail
}

func (r *requestReader) readMessage(v jsonscan.Value) error {
	if v.Kind() != object {
		return fault.WrongValue(r.pathOf(""), "an object")
	}
	m := readMessage(v)
	for _, other := range m.unknown {
		if isPrefill(&other) {
			r.note(r.pathOf("."+other.name), chat.Ignored, "a last message of the model's is gone on with")
			continue
		}
		if m.role.View() == "assistant" && (other.name == "citations" || slices.Contains(foundLists, other.name)) {
			r.note(r.pathOf("."+other.name), chat.Ignored, "sources are not sent back")
			continue
		}
		r.note(r.pathOf("."+other.name), chat.Dropped, "unknown")
	}
	r.tellStrays(&m)
	if r.answered = m.role.View() == "assistant"; r.answered {
		m.lift()
	}
	parts, err := r.readContent(m.content)
	if err != nil {
		return err
	}
	turn := chat.Message{Parts: parts, Name: anyText(m.name), At: r.at}
	switch m.role.View() {
	case "system", "developer":
		r.mark(&m, turn.Parts)
		return r.addSystem(turn)
	case "user":
	case "assistant":
		turn.Role = chat.Assistant
		if turn.Parts, err = r.readAssistant(&m, parts); err != nil {
			return err
		}
	case "tool", "function":
		turn.Name = ""
		if err := r.checkResult(parts); err != nil {
			return err
		}
		turn.Parts = []chat.Part{r.readResult(&m, parts)}
	default:
		return fault.WrongValue(r.pathOf(".role"), "system, developer, user, assistant or tool")
	}
	r.mark(&m, turn.Parts)
	r.c.Messages = append(r.c.Messages, turn)
	return nil
}

// tellStrays tells of members that only messages of another role have.
func (r *requestReader) tellStrays(m *message) {
	role := m.role.View()
	if role != "tool" && dialect.Tells(m.toolCallID) {
		r.note(r.pathOf(".tool_call_id"), chat.Dropped, "only results have it")
	}
	if role == "assistant" {
		return
	}
	for _, of := range [...]member{
		{"refusal", m.refusal}, {"audio", m.audio}, {"annotations", m.annotations}, {"tool_calls", m.toolCalls}, {"function_call", m.functionCall}, {"reasoning", m.reasoning},
		{"reasoning_content", m.reasoningContent}, {"reasoning_details", m.reasoningDetails}, {"extra_content", m.extraContent}, {"images", m.images},
		{"reasoning_text", m.reasoningText}, {"thinking", m.thinking},
	} {
		if dialect.Tells(of.value) {
			r.note(r.pathOf("."+of.name), chat.Dropped, "only the model's turns have it")
		}
	}
}

// mark puts the cache marker of a whole message on the last of its parts, be it a call.
func (r *requestReader) mark(m *message, parts []chat.Part) {
	switch mark := readCache(m.cacheControl); {
	case mark == nil:
	case len(parts) == 0:
		r.note(r.pathOf(".cache_control"), chat.Ignored, "there is nothing to mark")
	default:
		parts[len(parts)-1].Cache = mark
	}
}

// message is one, sent or received, its members not read any further: most may
// have several shapes. Reasoning and all after it are other servers'.
type message struct {
	role, content, refusal, name, audio, annotations jsonscan.Value
	toolCalls, functionCall, toolCallID              jsonscan.Value

	reasoning, reasoningContent, reasoningDetails jsonscan.Value
	reasoningText, thinking                       jsonscan.Value // GitHub's and Ollama's
	extraContent, images, cacheControl            jsonscan.Value

	unknown []member // all others
}

// isPrefill reports whether a member says that the model is to go on with the message: Mistral's and DeepSeek's
// prefix, Moonshot's partial.
func isPrefill(m *member) bool {
	on, _ := m.value.Bool()
	return on && (m.name == "prefix" || m.name == "partial")
}

// member is one that is not known.
type member struct {
	name  string
	value jsonscan.Value
}

func readMessage(v jsonscan.Value) (m message) {
	for key, v := range v.Members() {
		switch key.Name {
		case "role":
			m.role = v
		case "content":
			m.content = v
		case "refusal":
			m.refusal = v
		case "name":
			m.name = v
		case "audio":
			m.audio = v
		case "annotations":
			m.annotations = v
		case "tool_calls":
			m.toolCalls = v
		case "function_call":
			m.functionCall = v
		case "tool_call_id":
			m.toolCallID = v
		case "reasoning":
			m.reasoning = v
		case "reasoning_text":
			m.reasoningText = v
		case "thinking", "thinking_content", "thought":
			if m.thinking.Absent() {
				m.thinking = v
			}
		case "reasoning_content":
			m.reasoningContent = v
		case "reasoning_details":
			m.reasoningDetails = v
		case "extra_content":
			m.extraContent = v
		case "images":
			m.images = v
		case "cache_control":
			m.cacheControl = v
		default:
			if !v.Absent() {
				m.unknown = append(m.unknown, member{key.Name, v})
			}
		}
	}
	return m
}

// addSystem keeps leading system text apart from what comes in the middle.
func (r *requestReader) addSystem(turn chat.Message) error {
	for i := range turn.Parts {
		if turn.Parts[i].Kind != chat.Text {
			return fault.WrongValue(r.pathOf(fmt.Sprintf(".content[%d]", turn.Parts[i].At)), "text: system messages take nothing else")
		}
	}
	if len(r.c.Messages) > 0 {
		turn.Role = chat.System
		r.c.Messages = append(r.c.Messages, turn)
		return nil
	}
	if turn.Name != "" {
		r.note(r.pathOf(".name"), chat.Ignored, "")
	}
	for _, p := range turn.Parts {
		p.At = turn.At // system parts know their message: they stand in none
		r.c.System = append(r.c.System, p)
	}
	return nil
}

// readAssistant reads a model's turn: thoughts, words, refusal, sounds and pictures,
// then calls.
func (r *requestReader) readAssistant(m *message, content []chat.Part) ([]chat.Part, error) {
	calls, err := r.readCalls(m)
	if err != nil {
		return nil, err
	}
	within, content := r.splitCalls(content)
	calls = append(within, r.withoutDoubles(within, calls)...)
	thoughts, parts := readThoughts(m, calls), content
	if proof := signature(m.extraContent); proof != "" {
		parts = sign(parts, proof)
	}
	switch sources := readCitations(m.annotations); {
	case len(sources) == 0:
	case len(content) > 0:
		parts[len(parts)-1].Citations = sources
	default:
		r.note(r.pathOf(".annotations"), chat.Ignored, "there is no text that they are of")
	}
	r.noteOthers(m.audio, r.pathOf(".audio"), "id", "transcript", "data", "expires_at")
	parts = append(parts, readRest(m)...)
	r.open = calls
	for i := range calls {
		r.called[calls[i].ID] = call{name: calls[i].Name}
	}
	return weave(thoughts, append(parts, calls...)), nil
}

// withoutDoubles are the calls that the content does not have as well: some clients say a call in the words of
// both APIs.
func (r *requestReader) withoutDoubles(within, calls []chat.Part) []chat.Part {
	known := make(map[string]*chat.Part, len(within))
	for i := range within {
		known[within[i].ID] = &within[i]
	}
	return slices.DeleteFunc(calls, func(p chat.Part) bool {
		o := known[p.ID]
		if o == nil || o.Name != p.Name || !dialect.SameJSON([]byte(o.Text), []byte(p.Text)) {
			return false
		}
		r.note(r.pathOf(".tool_calls"), chat.Ignored, "a call that the content has as well")
		return true
	})
}

func (r *requestReader) readCalls(m *message) ([]chat.Part, error) {
	var calls []chat.Part
	if m.functionCall.Kind() == object {
		calls = append(calls, readCall("function", m.functionCall))
		if calls[0].ID = fmt.Sprintf("call_fn_%d", r.at); calls[0].Name == "" {
			return nil, fault.Missing(r.pathOf(".function_call.name"))
		}
	}
	if m.toolCalls.Absent() {
		return calls, nil
	}
	if m.toolCalls.Kind() != array {
		return nil, fault.WrongValue(r.pathOf(".tool_calls"), "a list")
	}
	for _, v := range m.toolCalls.Elements() {
		j := len(calls)
		p, ok := readToolCall(v)
		if !ok {
			return nil, fault.WrongValue(r.pathOf(fmt.Sprintf(".tool_calls[%d]", j)), "a call of a function or of a custom tool")
		}
		at := r.pathOf(fmt.Sprintf(".tool_calls[%d]", j))
		known := []string{"id", "type", "index", "function", "custom", "extra_content", "provider_specific_fields", "thoughtSignature", "thought_signature", "cache_control", "name", "arguments"}
		if !isFlatCall(v) {
			known = known[:10]
		}
		p.Cache = readCache(v.Get("cache_control"))
		r.noteOthers(v, at, known...)
		r.noteOthers(v.Get("function"), at+".function", "name", "arguments")
		r.noteOthers(v.Get("custom"), at+".custom", "name", "input")
		if p.Name == "" { // no upstream takes it
			return nil, fault.Missing(at + "." + kindOf(&p) + ".name")
		}
		if p.At = atCalls + j; p.ID == "" {
			p.ID = fmt.Sprintf("call_%d_%d", r.at, j)
		}
		calls = append(calls, p)
	}
	return calls, nil
}

// readResult reads what a tool answered. Whose answer it is where the message does not
// say is told by the order, or by the name of an older function.
func (r *requestReader) readResult(m *message, content []chat.Part) chat.Part {
	p := chat.Part{Kind: chat.ToolResult, ID: m.toolCallID.View(), Name: m.name.View(), Content: content, At: atWhole}
	if p.ID == "" {
		p.ID = r.waitingCall(p.Name)
	}
	if p.ID == "" {
		p.ID = fmt.Sprintf("call_none_%d", r.at)
	}
	if of, ok := r.called[p.ID]; ok {
		p.Name = of.name
		r.called[p.ID] = call{of.name, true}
	}
	return p
}

// waitingCall is the id of the first call of the last turn that has no result yet, and
// that name if there is one.
func (r *requestReader) waitingCall(name string) string {
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
