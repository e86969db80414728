package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// agent is a client in a loop of tool calls: it sends its history, does what it is
// told and sends the history with the answer and the results once more.
type agent struct {
	rig      *rig
	dialect  string
	model    string
	stream   bool
	forgets  bool // replays only what its dialect's first version had
	settings map[string]any
	history  []any    // in the dialect's own words
	sent     [][]byte // as much of it as was sent before, encoded
	calls    int
	said     string
}

// jo is a JSON object.
type jo = map[string]any

// newAgent is a client with two tools and thinking on.
func newAgent(r *rig, dialect, model string, stream, forgets bool) *agent {
	schema := jo{"type": "object", "properties": jo{"place": jo{"type": "string"}, "days": jo{"type": "integer"}}, "required": []any{"place", "days"}}
	settings := map[string]jo{
		"openai":    {"tools": []any{}, "reasoning_effort": "high"},
		"anthropic": {"tools": []any{}, "max_tokens": 16000, "thinking": jo{"type": "enabled", "budget_tokens": 2048}},
		"gemini":    {"tools": []any{}, "generationConfig": jo{"thinkingConfig": jo{"includeThoughts": true, "thinkingLevel": "HIGH"}}},
	}[dialect]
	var declared []any
	for _, name := range []string{"forecast", "sights"} {
		declared = append(declared, map[string]any{
			"openai":    jo{"type": "function", "function": jo{"name": name, "parameters": schema}},
			"anthropic": jo{"name": name, "input_schema": schema},
			"gemini":    jo{"name": name, "parametersJsonSchema": schema},
		}[dialect])
	}
	if settings["tools"] = declared; dialect == "gemini" {
		settings["tools"] = []any{jo{"functionDeclarations": declared}}
	}
	return &agent{rig: r, dialect: dialect, model: model, stream: stream, forgets: forgets, settings: settings}
}

// thinkAs asks a model of the client's own dialect to think in the one way it knows.
func (a *agent) thinkAs(model string) {
	switch model {
	case "claude-opus-4-7", "claude-sonnet-5-5":
		a.settings["thinking"] = jo{"type": "adaptive"}
	case "gemini-2.5-flash":
		a.settings["generationConfig"] = jo{"thinkingConfig": jo{"includeThoughts": true, "thinkingBudget": 2048}}
	}
}

// ask adds what the user says.
func (a *agent) ask(text string) {
	if a.dialect == "gemini" {
		a.history = append(a.history, jo{"role": "user", "parts": []any{jo{"text": text}}})
		return
	}
	a.history = append(a.history, jo{"role": "user", "content": text})
}

// run goes on until the model calls no more tools.
func (a *agent) run(t *testing.T) {
	t.Helper()
	for range 200 {
		before := a.calls
		a.turn(t)
		if a.calls == before {
			return
		}
	}
	t.Error("the loop has no end")
}

// turn sends the history and adds the answer to it, and the results of its calls.
func (a *agent) turn(t *testing.T) {
	t.Helper()
	h := a.rig.good(t, a.wish(t))
	var answer []any // what is replayed
	if a.stream {
		answer = map[string]func(*testing.T, string) []any{"openai": gatherOpenAI, "anthropic": gatherAnthropic, "gemini": gatherGemini}[a.dialect](t, h.body)
	} else {
		body := parse(t, h.body)
		switch a.dialect {
		case "openai":
			answer = []any{at(body, "choices", 0, "message")}
		case "anthropic":
			answer = []any{jo{"role": "assistant", "content": at(body, "content")}}
		case "gemini":
			answer = []any{at(body, "candidates", 0, "content")}
		}
	}
	if a.forgets {
		answer = []any{plainOpenAI(answer[0])}
	}
	a.history = append(a.history, answer...)
	a.history = append(a.history, a.results(answer)...)
}

// wish is the history as a request. What was said is said: each message is encoded
// once, or a long conversation would cost most of its time here.
func (a *agent) wish(t *testing.T) wish {
	t.Helper()
	encode := func(v any) []byte {
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		return encoded
	}
	for _, message := range a.history[len(a.sent):] {
		a.sent = append(a.sent, encode(message))
	}
	settings, list := maps.Clone(a.settings), "contents"
	if a.dialect != "gemini" {
		settings["model"], list = a.model, "messages"
	}
	body := fmt.Sprintf(`%s,"%s":[%s]}`, bytes.TrimSuffix(encode(settings), []byte("}")), list, bytes.Join(a.sent, []byte(",")))
	return wishFor(a.dialect, a.model, body, a.stream)
}

// results does the calls of an answer.
func (a *agent) results(answer []any) []any {
	var results []any
	result := func() string {
		a.calls++
		return fmt.Sprintf("sun %d", a.calls)
	}
	a.said = ""
	for _, message := range answer {
		switch a.dialect {
		case "openai":
			a.said += text(message, "content")
			for _, c := range list(message, "tool_calls") {
				results = append(results, jo{"role": "tool", "tool_call_id": text(c, "id"), "content": result()})
			}
		case "anthropic":
			for _, b := range list(message, "content") {
				a.said += text(b, "text")
				if text(b, "type") == "tool_use" {
					results = append(results, jo{"type": "tool_result", "tool_use_id": text(b, "id"), "content": result()})
				}
			}
		case "gemini":
			for _, p := range list(message, "parts") {
				if at(p, "thought") != true {
					a.said += text(p, "text")
				}
				if call := at(p, "functionCall"); call != nil {
					response := jo{"name": text(call, "name"), "response": jo{"output": result()}}
					if id := text(call, "id"); id != "" {
						response["id"] = id
					}
					results = append(results, jo{"functionResponse": response})
				}
			}
		}
	}
	switch {
	case len(results) == 0 || a.dialect == "openai":
		return results
	case a.dialect == "anthropic":
		return []any{jo{"role": "user", "content": results}}
	}
	return []any{jo{"role": "user", "parts": results}}
}

// plainOpenAI is a message as clients have it that know the first version of the
// dialect and nothing that was added by others.
func plainOpenAI(message any) any {
	plain := jo{"role": "assistant", "content": at(message, "content")}
	var calls []any
	for _, c := range list(message, "tool_calls") {
		calls = append(calls, jo{"id": text(c, "id"), "type": "function", "function": jo{
			"name": text(c, "function", "name"), "arguments": text(c, "function", "arguments"),
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
	for _, e := range listen(t, "openai", body).events {
		content += text(e, "choices", 0, "delta", "content")
		for _, c := range list(e, "choices", 0, "delta", "tool_calls") {
			i := int(number(c, "index"))
			for len(calls) <= i {
				calls = append(calls, jo{"type": "function", "function": jo{"name": "", "arguments": ""}})
			}
			call := calls[i].(jo)
			if id := text(c, "id"); id != "" {
				call["id"] = id
			}
			f := call["function"].(jo)
			f["name"] = f["name"].(string) + text(c, "function", "name")
			f["arguments"] = f["arguments"].(string) + text(c, "function", "arguments")
		}
	}
	message := jo{"role": "assistant", "content": content}
	if calls != nil {
		message["tool_calls"] = calls
	}
	return []any{message}
}

// gatherAnthropic puts blocks together from their deltas.
func gatherAnthropic(t *testing.T, body string) []any {
	t.Helper()
	var blocks []any
	for _, e := range listen(t, "anthropic", body).events {
		switch text(e, "type") {
		case "content_block_start":
			blocks = append(blocks, at(e, "content_block"))
		case "content_block_delta":
			b := blocks[int(number(e, "index"))].(jo)
			for delta, field := range map[string]string{"text": "text", "thinking": "thinking", "signature": "signature", "partial_json": "input"} {
				piece, ok := at(e, "delta", delta).(string)
				if !ok {
					continue
				}
				so, _ := b[field].(string)
				b[field] = so + piece
			}
		case "content_block_stop":
			b := blocks[int(number(e, "index"))].(jo)
			if input, ok := b["input"].(string); ok {
				b["input"] = parse(t, strings.TrimSpace(input+" "))
			}
		}
	}
	return []any{jo{"role": "assistant", "content": blocks}}
}

// gatherGemini keeps one content for each chunk, as Google's own chats do.
func gatherGemini(t *testing.T, body string) []any {
	t.Helper()
	var contents []any
	for _, e := range listen(t, "gemini", body).events {
		contents = append(contents, at(e, "candidates", 0, "content"))
	}
	return contents
}
