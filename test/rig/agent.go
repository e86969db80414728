package rig

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// Agent is a client in a loop of tool calls: it sends its history, does what it is
// told and sends the history with the answer and the results once more.
type Agent struct {
	rig      *Front
	Dialect  string
	Model    string
	Stream   bool
	forgets  bool // replays only what its dialect's first version had
	Settings map[string]any
	History  []any    // in the dialect's own words
	sent     [][]byte // as much of it as was sent before, encoded
	Calls    int
	Said     string
}

// Object is a JSON object.
type Object = map[string]any

// NewAgent is a client with two tools and thinking on.
func NewAgent(r *Front, dialect, model string, stream, forgets bool) *Agent {
	schema := Object{"type": "object", "properties": Object{"place": Object{"type": "string"}, "days": Object{"type": "integer"}}, "required": []any{"place", "days"}}
	settings := map[string]Object{
		"openai":    {"tools": []any{}, "reasoning_effort": "high"},
		"anthropic": {"tools": []any{}, "max_tokens": 16000, "thinking": Object{"type": "enabled", "budget_tokens": 2048}},
		"gemini":    {"tools": []any{}, "generationConfig": Object{"thinkingConfig": Object{"includeThoughts": true, "thinkingLevel": "HIGH"}}},
	}[dialect]
	var declared []any
	for _, name := range []string{"forecast", "sights"} {
		declared = append(declared, map[string]any{
			"openai":    Object{"type": "function", "function": Object{"name": name, "parameters": schema}},
			"anthropic": Object{"name": name, "input_schema": schema},
			"gemini":    Object{"name": name, "parametersJsonSchema": schema},
		}[dialect])
	}
	if settings["tools"] = declared; dialect == "gemini" {
		settings["tools"] = []any{Object{"functionDeclarations": declared}}
	}
	return &Agent{rig: r, Dialect: dialect, Model: model, Stream: stream, forgets: forgets, Settings: settings}
}

// ThinkAs asks a model of the client's own dialect to think in the one way it knows.
func (a *Agent) ThinkAs(model string) {
	switch model {
	case "claude-opus-4-7", "claude-sonnet-5-5":
		a.Settings["thinking"] = Object{"type": "adaptive"}
	case "gemini-2.5-flash":
		a.Settings["generationConfig"] = Object{"thinkingConfig": Object{"includeThoughts": true, "thinkingBudget": 2048}}
	}
}

// Ask adds what the user says.
func (a *Agent) Ask(text string) {
	if a.Dialect == "gemini" {
		a.History = append(a.History, Object{"role": "user", "parts": []any{Object{"text": text}}})
		return
	}
	a.History = append(a.History, Object{"role": "user", "content": text})
}

// Run goes on until the model calls no more tools.
func (a *Agent) Run(t *testing.T) {
	t.Helper()
	for range 200 {
		before := a.Calls
		a.Turn(t)
		if a.Calls == before {
			return
		}
	}
	t.Error("the loop has no end")
}

// Turn sends the history and adds the answer to it, and the results of its calls.
func (a *Agent) Turn(t *testing.T) {
	t.Helper()
	a.Take(t, a.rig.Good(t, a.Wish(t)))
}

// Take adds a whole answer to the history, and the results of its calls.
func (a *Agent) Take(t *testing.T, h Heard) {
	t.Helper()
	var answer []any // what is replayed
	if a.Stream {
		answer = map[string]func(*testing.T, string) []any{"openai": gatherOpenAI, "anthropic": gatherAnthropic, "gemini": gatherGemini}[a.Dialect](t, h.Body)
	} else {
		body := Parse(t, h.Body)
		switch a.Dialect {
		case "openai":
			answer = []any{At(body, "choices", 0, "message")}
		case "anthropic":
			answer = []any{Object{"role": "assistant", "content": At(body, "content")}}
		case "gemini":
			answer = []any{At(body, "candidates", 0, "content")}
		}
	}
	if a.forgets {
		answer = []any{plainOpenAI(answer[0])}
	}
	a.History = append(a.History, answer...)
	a.History = append(a.History, a.results(answer)...)
}

// Wish is the history as a request. What was said is said: each message is encoded
// once, or a long conversation would cost most of its time here.
func (a *Agent) Wish(t *testing.T) Wish {
	t.Helper()
	encode := func(v any) []byte {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	for _, message := range a.History[len(a.sent):] {
		a.sent = append(a.sent, encode(message))
	}
	settings, list := maps.Clone(a.Settings), "contents"
	if a.Dialect != "gemini" {
		settings["model"], list = a.Model, "messages"
	}
	body := fmt.Sprintf(`%s,"%s":[%s]}`, bytes.TrimSuffix(encode(settings), []byte("}")), list, bytes.Join(a.sent, []byte(",")))
	return WishFor(a.Dialect, a.Model, body, a.Stream)
}

// results does the calls of an answer.
func (a *Agent) results(answer []any) []any {
	var results []any
	result := func() string {
		a.Calls++
		return fmt.Sprintf("sun %d", a.Calls)
	}
	a.Said = ""
	for _, message := range answer {
		switch a.Dialect {
		case "openai":
			a.Said += Text(message, "content")
			for _, c := range List(message, "tool_calls") {
				results = append(results, Object{"role": "tool", "tool_call_id": Text(c, "id"), "content": result()})
			}
		case "anthropic":
			for _, b := range List(message, "content") {
				a.Said += Text(b, "text")
				if Text(b, "type") == "tool_use" {
					results = append(results, Object{"type": "tool_result", "tool_use_id": Text(b, "id"), "content": result()})
				}
			}
		case "gemini":
			for _, p := range List(message, "parts") {
				if At(p, "thought") != true {
					a.Said += Text(p, "text")
				}
				if call := At(p, "functionCall"); call != nil {
					response := Object{"name": Text(call, "name"), "response": Object{"output": result()}}
					if id := Text(call, "id"); id != "" {
						response["id"] = id
					}
					results = append(results, Object{"functionResponse": response})
				}
			}
		}
	}
	switch {
	case len(results) == 0 || a.Dialect == "openai":
		return results
	case a.Dialect == "anthropic":
		return []any{Object{"role": "user", "content": results}}
	}
	return []any{Object{"role": "user", "parts": results}}
}

// plainOpenAI is a message as clients have it that know the first version of the
// dialect and nothing that was added by others.
func plainOpenAI(message any) any {
	plain := Object{"role": "assistant", "content": At(message, "content")}
	var calls []any
	for _, c := range List(message, "tool_calls") {
		calls = append(calls, Object{"id": Text(c, "id"), "type": "function", "function": Object{
			"name": Text(c, "function", "name"), "arguments": Text(c, "function", "arguments"),
		}})
	}
	if calls != nil {
		plain["tool_calls"] = calls
	}
	return plain
}

// gatherOpenAI puts a stream together as the official SDKs do: what they do not
// know is lost.
func gatherOpenAI(t *testing.T, body string) []any {
	t.Helper()
	content := ""
	var calls []any
	for _, e := range Listen(t, "openai", body).Events {
		content += Text(e, "choices", 0, "delta", "content")
		for _, c := range List(e, "choices", 0, "delta", "tool_calls") {
			i := int(number(c, "index"))
			for len(calls) <= i {
				calls = append(calls, Object{"type": "function", "function": Object{"name": "", "arguments": ""}})
			}
			call := calls[i].(Object)
			if id := Text(c, "id"); id != "" {
				call["id"] = id
			}
			f := call["function"].(Object)
			f["name"] = f["name"].(string) + Text(c, "function", "name")
			f["arguments"] = f["arguments"].(string) + Text(c, "function", "arguments")
		}
	}
	message := Object{"role": "assistant", "content": content}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return []any{message}
}

// gatherAnthropic puts blocks together from their deltas.
func gatherAnthropic(t *testing.T, body string) []any {
	t.Helper()
	var blocks []any
	for _, e := range Listen(t, "anthropic", body).Events {
		switch Text(e, "type") {
		case "content_block_start":
			blocks = append(blocks, At(e, "content_block"))
		case "content_block_delta":
			b := blocks[int(number(e, "index"))].(Object)
			for delta, field := range map[string]string{"text": "text", "thinking": "thinking", "signature": "signature", "partial_json": "input"} {
				piece, ok := At(e, "delta", delta).(string)
				if !ok {
					continue
				}
				so, _ := b[field].(string)
				b[field] = so + piece
			}
		case "content_block_stop":
			b := blocks[int(number(e, "index"))].(Object)
			if input, ok := b["input"].(string); ok {
				b["input"] = Parse(t, strings.TrimSpace(input+" "))
			}
		}
	}
	return []any{Object{"role": "assistant", "content": blocks}}
}

// gatherGemini keeps one content for each chunk, as Google's own chats do.
func gatherGemini(t *testing.T, body string) []any {
	t.Helper()
	var contents []any
	for _, e := range Listen(t, "gemini", body).Events {
		contents = append(contents, At(e, "candidates", 0, "content"))
	}
	return contents
}
