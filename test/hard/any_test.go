package hard

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

// dice make requests of any shape that clients send, and of some that none should.
type dice struct{ *rand.Rand }

// chance is true in so many of a hundred cases.
func (d dice) chance(percent int) bool { return d.IntN(100) < percent }

func pick[T any](d dice, list ...T) T { return list[d.IntN(len(list))] }

func (d dice) words() string {
	return pick(d, "go", "on", "", " ", "a\nb", "\u00e9\U0001F600", "</think>", "{\"a\":1}", strings.Repeat("x", 300))
}

func (d dice) id() string {
	return pick(d, "c1", "c2", "c3", "call:1", "functions.f:0", strings.Repeat("i", 70), "")
}

func (d dice) tool() string {
	return pick(d, "f", "g", "mcp.x:y", "3d", "no_such", strings.Repeat("n", 64))
}

func (d dice) arguments() map[string]any {
	return pick(d, map[string]any{}, map[string]any{"a": "x"}, map[string]any{"a": nil, "b": []any{1, "2", nil}}, map[string]any{"n": json.Number("12345678901234567890")})
}

// schema is one of a tool's arguments, or of a part of them.
func (d dice) schema(depth int) any {
	s := map[string]any{"type": pick[any](d, "string", "integer", "number", "boolean", []any{"string", "null"}, "object", "array")}
	if d.chance(10) {
		delete(s, "type")
	}
	switch s["type"] {
	case "object":
		s["properties"] = map[string]any{}
		if depth < 3 {
			s["properties"] = map[string]any{"a": d.schema(depth + 1), "b_c": d.schema(depth + 1)}
			if d.chance(50) {
				s["required"] = pick[any](d, []any{"a"}, []any{"a", "b_c"}, []any{"z"}, []any{}, nil)
			}
		}
		if d.chance(30) {
			s["additionalProperties"] = pick[any](d, true, false, map[string]any{"type": "string"})
		}
	case "array":
		if d.chance(80) {
			s["items"] = d.schema(depth + 1)
		}
	case "string":
		if d.chance(30) {
			s["enum"] = pick[any](d, []any{"x", "y"}, []any{"x", nil}, []any{"", "x"}, []any{})
		}
		if d.chance(20) {
			s["format"] = pick(d, "uri", "date-time", "uuid", "enum", "byte")
		}
	}
	for key, value := range map[string]any{"description": "d", "default": nil, "minLength": 1, "title": "T", "exclusiveMinimum": 0, "const": "k", "$comment": "c", "nullable": true, "anyOf": []any{map[string]any{"type": "string"}, map[string]any{"type": "null"}}} {
		if d.chance(5) {
			s[key] = value
		}
	}
	return s
}

func (d dice) parameters() any {
	s := map[string]any{"type": "object", "properties": map[string]any{"a": d.schema(1), "b": d.schema(1)}}
	switch d.IntN(6) {
	case 0:
		return nil
	case 1:
		return map[string]any{"type": "object"}
	case 2:
		s["$defs"] = map[string]any{"D": map[string]any{"type": "object", "properties": map[string]any{"next": map[string]any{"$ref": "#/$defs/D"}}}}
		s["properties"].(map[string]any)["d"] = map[string]any{"$ref": "#/$defs/D", "description": "beside"}
	case 3:
		s["required"] = []any{"a"}
		s["additionalProperties"] = false
	}
	return s
}

// some sets fields of a request, each in so many of a hundred cases.
func (d dice) some(body map[string]any, percent int, fields map[string][]any) {
	for key, values := range fields {
		if d.chance(percent) {
			body[key] = pick(d, values...)
		}
	}
}

func (d dice) openai(model string) map[string]any {
	var messages []any
	for range 1 + d.IntN(7) {
		m := map[string]any{"role": pick(d, "user", "user", "assistant", "assistant", "tool", "tool", "system", "developer"), "content": d.words()}
		switch m["role"] {
		case "assistant":
			if d.chance(60) {
				var calls []any
				for range 1 + d.IntN(3) {
					arguments, _ := json.Marshal(d.arguments())
					calls = append(calls, map[string]any{"id": d.id(), "type": "function", "function": map[string]any{"name": d.tool(), "arguments": pick(d, string(arguments), "", "{\"a\":", "null")}})
				}
				m["tool_calls"] = calls
				m["content"] = pick[any](d, nil, "", "so")
			}
			d.some(m, 15, map[string][]any{"reasoning_content": {"hm"}, "refusal": {"no", nil}, "name": {"bob"}})
		case "tool":
			m["tool_call_id"] = d.id()
			m["content"] = pick[any](d, "x", "", nil, []any{map[string]any{"type": "text", "text": d.words()}})
		case "user":
			if d.chance(30) {
				m["content"] = []any{map[string]any{"type": "text", "text": d.words()}, map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64," + pixel}}}
			}
			d.some(m, 10, map[string][]any{"name": {"bob", "Bob Smith"}})
		}
		messages = append(messages, m)
	}
	body := map[string]any{"model": model, "messages": messages}
	if d.chance(70) {
		var tools []any
		for _, name := range []string{"f", "g", "mcp_x", "3d"}[:1+d.IntN(4)] {
			f := map[string]any{"name": name, "description": "d", "parameters": d.parameters()}
			d.some(f, 20, map[string][]any{"strict": {true, false, nil}})
			tools = append(tools, map[string]any{"type": "function", "function": f})
		}
		body["tools"] = tools
		d.some(body, 40, map[string][]any{"tool_choice": {"auto", "none", "required", map[string]any{"type": "function", "function": map[string]any{"name": "f"}}}, "parallel_tool_calls": {true, false}})
	}
	d.some(body, 12, map[string][]any{
		"temperature": {0, 0.5, 1, 2}, "top_p": {0.1, 1}, "max_tokens": {1, 1000, 100000}, "max_completion_tokens": {2000}, "stop": {"x", []any{"a", "b", "c", "d"}, []any{"\n"}}, "seed": {1, 1 << 40}, "presence_penalty": {-2, 1},
		"reasoning_effort": {"none", "minimal", "low", "medium", "high", "xhigh"}, "user": {"u"}, "response_format": {map[string]any{"type": "json_object"}, map[string]any{"type": "json_schema", "json_schema": map[string]any{"name": "n", "schema": d.parameters(), "strict": true}}},
		"service_tier": {"auto", "flex"}, "verbosity": {"low"}, "stream": {true}, "metadata": {map[string]any{"a": "b"}},
	})
	return body
}

func (d dice) anthropic(model string) map[string]any {
	var messages []any
	for range 1 + d.IntN(7) {
		role := pick(d, "user", "user", "assistant")
		var blocks []any
		for range 1 + d.IntN(4) {
			switch d.IntN(8) {
			case 0, 1:
				blocks = append(blocks, map[string]any{"type": "text", "text": d.words()})
			case 2, 3:
				if role == "assistant" {
					blocks = append(blocks, map[string]any{"type": "tool_use", "id": d.id(), "name": d.tool(), "input": d.arguments()})
				} else {
					r := map[string]any{"type": "tool_result", "tool_use_id": d.id(), "content": pick[any](d, "x", "", []any{map[string]any{"type": "text", "text": d.words()}, map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": pixel}}})}
					d.some(r, 20, map[string][]any{"is_error": {true}})
					blocks = append(blocks, r)
				}
			case 4:
				if role == "assistant" {
					blocks = append(blocks, map[string]any{"type": "thinking", "thinking": pick(d, "hm", ""), "signature": pick(d, "", "c2ln")})
				} else {
					blocks = append(blocks, map[string]any{"type": "image", "source": map[string]any{"type": "base64", "media_type": "image/png", "data": pixel}})
				}
			case 5:
				if role == "user" {
					blocks = append(blocks, map[string]any{"type": "document", "title": "T", "source": map[string]any{"type": "text", "media_type": "text/plain", "data": "d"}})
				}
			case 6:
				blocks = append(blocks, map[string]any{"type": "text", "text": "t", "cache_control": map[string]any{"type": "ephemeral"}})
			}
		}
		messages = append(messages, map[string]any{"role": role, "content": pick[any](d, blocks, blocks, blocks, d.words())})
	}
	body := map[string]any{"model": model, "max_tokens": pick(d, 1, 1000, 9000), "messages": messages}
	if d.chance(70) {
		var tools []any
		for _, name := range []string{"f", "g", "mcp_x", "3d"}[:1+d.IntN(4)] {
			schema := d.parameters()
			if schema == nil {
				schema = map[string]any{"type": "object", "properties": map[string]any{}}
			}
			tools = append(tools, map[string]any{"name": name, "description": "d", "input_schema": schema})
		}
		body["tools"] = tools
		d.some(body, 40, map[string][]any{"tool_choice": {map[string]any{"type": "auto"}, map[string]any{"type": "any", "disable_parallel_tool_use": true}, map[string]any{"type": "none"}, map[string]any{"type": "tool", "name": "f"}}})
	}
	d.some(body, 15, map[string][]any{
		"system": {"s", " ", []any{map[string]any{"type": "text", "text": "s"}, map[string]any{"type": "text", "text": ""}}}, "temperature": {0, 0.5, 1}, "top_p": {0.5}, "top_k": {5}, "stop_sequences": {[]any{"a"}, []any{"a", "b", "c", "d", "e", "f"}, []any{"\n"}},
		"thinking": {map[string]any{"type": "enabled", "budget_tokens": 1024}, map[string]any{"type": "disabled"}, map[string]any{"type": "adaptive"}}, "metadata": {map[string]any{"user_id": strings.Repeat("u", 200)}}, "stream": {true},
		"output_config": {map[string]any{"effort": "high"}, map[string]any{"format": map[string]any{"type": "json_schema", "schema": map[string]any{"type": "object", "properties": map[string]any{"a": d.schema(2)}}}}},
	})
	return body
}

func (d dice) gemini() map[string]any {
	var contents []any
	for range 1 + d.IntN(7) {
		role := pick(d, "user", "user", "model", "model", "function")
		var parts []any
		for range 1 + d.IntN(3) {
			switch d.IntN(7) {
			case 0, 1, 2:
				parts = append(parts, map[string]any{"text": d.words()})
			case 3, 4:
				if role == "model" {
					parts = append(parts, map[string]any{"functionCall": map[string]any{"name": d.tool(), "args": d.arguments()}})
				} else {
					parts = append(parts, map[string]any{"functionResponse": map[string]any{"name": d.tool(), "response": pick[any](d, map[string]any{"output": "x"}, map[string]any{"error": "x"}, map[string]any{}, map[string]any{"a": []any{1}})}})
				}
			case 5:
				parts = append(parts, map[string]any{"text": "hm", "thought": true})
			case 6:
				parts = append(parts, map[string]any{"inlineData": map[string]any{"mimeType": "image/png", "data": pixel}})
			}
		}
		contents = append(contents, map[string]any{"role": role, "parts": parts})
	}
	body := map[string]any{"contents": contents}
	if d.chance(70) {
		var functions []any
		for _, name := range []string{"f", "g", "mcp.x:y", "_d"}[:1+d.IntN(4)] {
			f := map[string]any{"name": name, "description": "d"}
			if p := d.parameters(); p != nil {
				f["parametersJsonSchema"] = p
			}
			functions = append(functions, f)
		}
		body["tools"] = []any{map[string]any{"functionDeclarations": functions}}
		d.some(body, 40, map[string][]any{"toolConfig": {map[string]any{"functionCallingConfig": map[string]any{"mode": pick(d, "AUTO", "ANY", "NONE", "VALIDATED")}}}})
	}
	config := map[string]any{}
	d.some(config, 15, map[string][]any{
		"temperature": {0, 1, 2}, "topP": {0.5}, "topK": {5}, "maxOutputTokens": {1, 1000, 100000}, "stopSequences": {[]any{"a"}, []any{"a", "b", "c", "d", "e"}}, "seed": {7}, "presencePenalty": {1}, "responseMimeType": {"application/json", "text/plain"},
		"thinkingConfig": {map[string]any{"thinkingBudget": pick(d, 0, -1, 2000), "includeThoughts": true}, map[string]any{"thinkingLevel": "LOW"}},
	})
	body["generationConfig"] = config
	d.some(body, 30, map[string][]any{"systemInstruction": {map[string]any{"parts": []any{map[string]any{"text": "s"}}}}})
	return body
}

// models are those of each upstream that differ in what they take.
var models = map[string][]string{
	"openai": {"gpt-4.1", "gpt-5", "gpt-5.6", "o3"}, "anthropic": {"claude-sonnet-4-5", "claude-opus-4-8", "claude-opus-4-1"}, "gemini": {"gemini-2.5-flash", "gemini-3-pro", "gemini-2.0-flash"},
}

func TestHard1208WhatIsSentUpstreamIsLegalWhateverClientsSend(t *testing.T) {
	t.Parallel()
	servers := map[string]*upstream.Server{"openai": upstream.NewOpenAI(t), "anthropic": upstream.NewAnthropic(t), "gemini": upstream.NewGemini(t)}
	var config strings.Builder
	fmt.Fprintf(&config, "\negress: {allow_private: [127.0.0.0/8]}\nproviders:\n")
	for name, server := range servers {
		path := map[string]string{"openai": "/v1"}[name]
		fmt.Fprintf(&config, "  %s: {kind: %s, base_url: %s%s, api_key: %s, options: {genuine: 'true'}}\n", name, name, server.URL, path, upstream.Key)
	}
	fmt.Fprintf(&config, "models:\n")
	for name, list := range models {
		for _, model := range list {
			fmt.Fprintf(&config, "  %q: {targets: [%s/%s], retries: 0}\n", model, name, model)
		}
	}
	house := &rig.Front{}
	house.Open(t, config.String())
	const rounds = 200
	d := dice{rand.New(rand.NewPCG(12, 8))}
	for range rounds {
		for to, list := range models {
			for _, from := range []string{"openai", "anthropic", "gemini"} {
				if from == to {
					continue
				}
				model := pick(d, list...)
				var path string
				var body map[string]any
				switch from {
				case "openai":
					path, body = chatPath, d.openai(model)
				case "anthropic":
					path, body = messagesPath, d.anthropic(model)
				default:
					path, body = geminiPath+model+":generateContent", d.gemini()
				}
				said, err := json.Marshal(body)
				if err != nil {
					t.Fatal(err)
				}
				before := len(servers[to].Requests())
				a := house.Post(t, path, house.Key, string(said))
				for _, r := range servers[to].Requests()[before:] {
					if r.Refusal != nil {
						t.Errorf("%s to %s\n%s\nbecame\n%s\nrefused: %s", from, model, said, r.Body, r.Refusal.Body)
					}
				}
				if a.Status != http.StatusOK && a.Status != http.StatusBadRequest {
					t.Errorf("%s to %s\n%s\nis answered with %d %s", from, model, said, a.Status, a.Body)
				}
			}
		}
	}
}
