package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

const cited = `"annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":2,"title":"T","url":"https://a.example/"}}]`

var hardFound = section{"N", "found to fail in November 2026", []hard{
	{number: 301, name: "a conversation that is too long, in the words that clients look for", run: func(t *testing.T) {
		for _, told := range []struct {
			to, body string
			status   int
			tokens   string // "": no figures
			window   string
		}{
			{O, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 400, "130001", "128000"},
			{O, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).","type":"BadRequestError","code":400}}`, 400, "5000", "4096"},
			{O, `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`, 400, "5000", "4096"},
			{O, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 400, "", ""},
			{O, `{"error":"the request exceeds the available context size"}`, 500, "", ""},
			{A, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 205000 tokens > 200000 maximum"}}`, 400, "205000", "200000"},
			{G, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, 400, "1200000", "1048576"},
		} {
			for from, words := range map[string][3]string{
				A: {"prompt is too long", "prompt is too long: %t tokens > %w maximum", "error.message"},
				O: {"maximum context length", "%w tokens", "error.message"},
				G: {"exceeds the maximum number of tokens", "(%t) exceeds the maximum number of tokens allowed (%w)", "error.message"},
			} {
				l := try(t, trip{from: from, to: told.to, ask: plain[from], status: told.status, answers: []string{told.body}})
				said := gjson.Get(l.body, words[2]).Str
				want := words[0]
				if told.tokens != "" {
					want = strings.NewReplacer("%t", told.tokens, "%w", told.window).Replace(words[1])
				}
				if l.status != 400 || !strings.Contains(said, want) || from == A && !strings.HasPrefix(said, words[0]) {
					t.Errorf("%s from %s: %d %s, want %q", from, told.to, l.status, l.body, want)
				}
				if from == O {
					l.gets("error.code", `"context_length_exceeded"`)
				}
			}
		}
	}},
	{number: 302, name: "an id of a call that the history has already", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":"go"},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"call_0","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"call_0","content":"x"}]}]}`
		whole := endO("tool_calls", `"content":null,"tool_calls":[{"id":"call_0","type":"function","function":{"name":"f","arguments":"{}"}}]`)
		delta := func(call string) string {
			return `{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"tool_calls":[` + call + `]}}]}`
		}
		streamed := sse(delta(`{"index":0,"id":"call_0","type":"function","function":{"name":"f","arguments":"{\"a\""}}`), delta(`{"index":0,"id":"call_0","function":{"arguments":":1}"}}`),
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
		l := take(t, trip{from: A, to: O, ask: ask, answers: []string{whole}})
		if id := gjson.Get(l.body, "content.0.id").Str; id == "" || id == "call_0" {
			t.Error(l.body)
		}
		l = take(t, trip{from: A, to: O, ask: ask, answers: []string{streamed}, stream: true})
		ids := l.all("content_block.id")
		if len(ids) != 1 || ids[0].Str == "call_0" || l.joined("delta.partial_json") != `{"a":1}` {
			t.Error(l.body)
		}
	}},
	{number: 303, name: "schemas that OpenAI refuses", run: func(t *testing.T) {
		for name, row := range map[string]struct{ schema, at, want string }{
			"a list without items":           {`{"type":"object","properties":{"l":{"type":"array"}}}`, "properties.l", `{"type":"array","items":{}}`},
			"a list or null, without items":  {`{"type":"object","properties":{"l":{"anyOf":[{"type":["array","null"]}]}}}`, "properties.l.anyOf.0.items", `{}`},
			"an object without properties":   {`{"type":"object"}`, "@this", `{"type":"object","properties":{}}`},
			"objects in objects":             {`{"type":"object","properties":{"o":{"type":"object","additionalProperties":{"type":"array"}}}}`, "properties.o.additionalProperties.items", `{}`},
			"a choice at the root":           {`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"},"k":{"const":1}},"required":["a","k"]},{"type":"object","properties":{"b":{"type":"string"},"k":{"const":2}},"required":["b","k"]}]}`, "@this", `{"type":"object","properties":{"a":{"type":"string"},"k":{"anyOf":[{"const":1},{"const":2}]},"b":{"type":"string"}},"required":["k"]}`},
			"a choice of references":         {`{"type":"object","oneOf":[{"$ref":"#/$defs/x"}],"$defs":{"x":{"type":"object","properties":{"a":{"type":"array"}},"required":["a"]}}}`, "properties.a.items", `{}`},
			"one that is fine already stays": {`{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`, "@this", `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"}}}}`},
		} {
			asks := map[string]string{
				A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","description":"D","input_schema":` + row.schema + `}]}`,
				G: `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","description":"D","parametersJsonSchema":` + row.schema + `}]}]}`,
			}
			for from, ask := range asks {
				l := take(t, trip{from: from, to: O, ask: ask})
				sent := l.got().Get("tools.0.function.parameters")
				same(t, sent, row.at, row.want)
				fine := strings.HasPrefix(name, "one that is fine")
				if fine != (len(l.losses) == 0) && from == G {
					t.Errorf("%s: told %s", name, l.told())
				}
				if choice := strings.HasPrefix(name, "a choice"); choice != strings.Contains(l.got().Get("tools.0.function.description").Str, "JSON Schema") {
					t.Errorf("%s: %s", name, l.got().Raw)
				}
			}
		}
		list := `{"type":"array","items":{"type":"string"}}`
		for from, ask := range map[string]string{
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"output_config":{"format":{"type":"json_schema","schema":` + list + `}}}`,
			G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + list + `}}`,
		} {
			l := take(t, trip{from: from, to: O, ask: ask})
			l.sends("response_format", "")
			if !strings.Contains(l.got().Get("messages.0.content").String(), "It must fit this JSON Schema") || len(l.losses) == 0 {
				t.Errorf("%s: %s told %s", from, l.got().Raw, l.told())
			}
			if l = take(t, trip{from: from, to: O, own: true, ask: ask}); !l.got().Get("response_format").Exists() {
				t.Errorf("%s: a compatible server got %s", from, l.got().Raw)
			}
		}
	}},
	{number: 309, name: "parameters that a family of models refuses", run: func(t *testing.T) {
		for model, row := range map[string]struct{ stop, parallel, temperature string }{
			"o3": {"", "", ""}, "o4-mini": {"", "", ""}, "gpt-5": {"", "false", ""}, "gpt-5.4": {"", "false", ""}, "gpt-4o": {`["X"]`, "false", "0.5"},
		} {
			l := take(t, trip{from: A, to: O, model: model, answers: []string{endO("stop", `"content":"abXcd"`)}, ask: `{"model":"m","max_tokens":9,"temperature":0.5,"stop_sequences":["X"],"messages":[{"role":"user","content":"go"}],` +
				`"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"tool_choice":{"type":"auto","disable_parallel_tool_use":true}}`})
			l.sends("stop", row.stop)
			l.sends("parallel_tool_calls", row.parallel)
			l.sends("temperature", row.temperature)
			if row.stop == "" { // it is watched for here
				l.gets("content.0.text", `"ab"`)
				l.gets("stop_sequence", `"X"`)
				l.warns("temperature", chat.Dropped)
			}
			if row.parallel == "" {
				l.warns("tool_choice.disable_parallel_tool_use", chat.Dropped)
			}
		}
	}},
	{number: 313, name: "Google's order of properties", run: func(t *testing.T) {
		for _, schema := range []string{
			`"responseSchema":{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"OBJECT","properties":{"x":{"type":"STRING"},"y":{"type":"STRING"}},"propertyOrdering":["y"]}},"propertyOrdering":["b","a"]}`,
			`"responseJsonSchema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"object","properties":{"x":{"type":"string"},"y":{"type":"string"}},"propertyOrdering":["y"]}},"propertyOrdering":["b","a"]}`,
		} {
			l := take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json",` + schema + `}}`})
			l.sends("response_format.json_schema.schema", `{"type":"object","properties":{"b":{"type":"object","properties":{"y":{"type":"string"},"x":{"type":"string"}}},"a":{"type":"string"}}}`)
			field, _, _ := strings.Cut(schema[1:], `"`)
			l.warns("generationConfig."+field, chat.Ignored)
		}
	}},
	{number: 311, name: "sources that only Anthropic's own search can name", answer: "they are left out and reported: Claude refuses them without its index", run: func(t *testing.T) {
		for _, answer := range []string{
			endO("stop", `"content":"hi",`+cited),
			sse(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hi",`+cited+`}}]}`,
				`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"),
		} {
			l := take(t, trip{from: A, to: O, ask: plain[A], answers: []string{answer}, stream: strings.HasPrefix(answer, "data:")})
			if strings.Contains(l.body, "citation") || !strings.Contains(l.body, "hi") {
				t.Error(l.body)
			}
			l.warns("answer", chat.Dropped)
			if !strings.Contains(l.record, "dropped") {
				t.Errorf("the record has %q", l.record)
			}
		}
	}},
	{number: 314, name: "what is lost of an answer is told and recorded, streamed or not", run: func(t *testing.T) {
		paused := strings.Replace(endG("CONTINUATION", `{"text":"hi"}`), `"finishReason"`, `"continuationToken":"t","finishReason"`, 1)
		for name, way := range map[string]trip{
			"a continuation that is cut off": {from: A, to: G, answers: []string{paused}},
			"a picture":                      {from: A, to: G, answers: []string{wholeG(`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`)}},
			"an end without a name":          {from: A, to: O, answers: []string{endO("weird", `"content":"hi"`)}},
			"citations of a document":        {from: O, to: A, answers: []string{contents[A][3].answer}},
			"a call that was cut off":        {from: G, to: O, answers: []string{endO("length", `"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x"}}]`)}},
			"orphan result":                  {from: O, to: A, ask: talkO(says("user", "go"), `{"role":"tool","tool_call_id":"nobody","content":"x"}`)},
		} {
			if way.ask == "" {
				way.ask = plain[way.from]
			}
			for _, stream := range []bool{false, true} {
				way.stream = stream
				if stream && len(way.answers) > 0 {
					way.answers = []string{"data: " + way.answers[0] + "\n\n"}
					if way.to == A {
						continue // its streams have other frames
					}
					way.answers[0] = strings.ReplaceAll(way.answers[0], `"message":`, `"delta":`)
				} else if stream {
					continue
				}
				l := take(t, way)
				if len(l.losses) == 0 || l.record == "" {
					t.Errorf("%s, stream %v: told %s, recorded %q", name, stream, l.told(), l.record)
				}
			}
		}
	}},
	{number: 315, name: "tools that the client runs itself", run: func(t *testing.T) {
		for kind, row := range map[string]struct{ name, members, not string }{
			"bash_20250124":        {"bash", "command restart", ""},
			"text_editor_20250728": {"str_replace_based_edit_tool", "command path insert_text view_range", "undo_edit"},
			"text_editor_20250124": {"str_replace_editor", "command path new_str", "insert_text"},
			"memory_20250818":      {"memory", "command old_path", ""},
			"computer_20250124":    {"computer", "action coordinate scroll_amount", "zoom"},
			"computer_20251124":    {"computer", "action region", ""},
		} {
			ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"` + kind + `","name":"` + row.name + `","display_width_px":800,"display_height_px":600}]}`
			answers := map[string]string{
				O: endO("tool_calls", `"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"`+row.name+`","arguments":"{\"command\":\"ls\"}"}}]`),
				G: wholeG(`{"functionCall":{"name":"` + row.name + `","args":{"command":"ls"}}}`),
			}
			for to, at := range map[string][2]string{O: {"tools.0.function.name", "tools.0.function.parameters"}, G: {"tools.0.functionDeclarations.0.name", "tools.0.functionDeclarations.0.parametersJsonSchema"}} {
				l := take(t, trip{from: A, to: to, ask: ask, answers: []string{answers[to]}})
				l.sends(at[0], `"`+row.name+`"`)
				for _, member := range strings.Fields(row.members) {
					if !l.got().Get(at[1] + ".properties." + member).Exists() {
						t.Errorf("%s to %s: no %s in %s", kind, to, member, l.got().Raw)
					}
				}
				if row.not != "" && strings.Contains(l.got().Get(at[1]).Raw, row.not) {
					t.Errorf("%s to %s: %s in %s", kind, to, row.not, l.got().Raw)
				}
				l.warns("tools[0]", chat.Approximated)
				l.gets("content.0.type", `"tool_use"`)
				l.gets("content.0.name", `"`+row.name+`"`)
				l.gets("content.0.input", `{"command":"ls"}`)
			}
		}
		refuses(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"type":"web_search_20250305","name":"web_search"}]}`}, "tools[0]")
	}},
}}

// A server that is not the author's own, whatever its kind is called, gets what compatible
// servers take and its own thoughts back; a proxy before the author's gets what the author takes.
func TestOtherServersGetWhatCompatibleOnesTake(t *testing.T) {
	t.Parallel()
	const history = `{"role":"user","content":"go"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[` + calling + `]},{"role":"tool","tool_call_id":"c1","content":"x"}`
	for _, own := range []bool{false, true} {
		l := take(t, trip{from: A, to: O, own: own, ask: `{"model":"m","max_tokens":9,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"go"}]}`})
		for member, authors := range map[string]bool{"max_completion_tokens": true, "safety_identifier": true, "max_tokens": false} {
			if l.got().Get(member).Exists() != (authors != own) {
				t.Errorf("own %v: %s in %s", own, member, l.got().Raw)
			}
		}
		l = take(t, trip{from: O, to: O, own: own, ask: talkO(history)})
		if got := l.got().Get("messages.1.reasoning_content").Str; (got == "hm") != own {
			t.Errorf("own %v: thoughts %q, told %s", own, got, l.told())
		}
		if own {
			l.quiet()
		}
	}
}

// A server that is not Google's signs thoughts themselves: their signature stays there.
func TestThoughtsKeepTheirSignatureAtOtherServers(t *testing.T) {
	t.Parallel()
	said := wholeG(`{"text":"hm","thought":true,"thoughtSignature":"`+googles1+`"}`, `{"functionCall":{"id":"x","name":"f","args":{}}}`)
	tools := `"tools":[{"name":"f","input_schema":{"type":"object"}}],"thinking":{"type":"enabled","budget_tokens":2048},"max_tokens":9000,"model":"m"`
	first := take(t, trip{from: A, to: G, own: true, ask: `{` + tools + `,"messages":[{"role":"user","content":"go"}]}`, answers: []string{said}})
	second := take(t, trip{from: A, to: G, own: true, ask: `{` + tools + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":` +
		gjson.Get(first.body, "content").Raw + `},{"role":"user","content":[{"type":"tool_result","tool_use_id":` + gjson.Get(first.body, "content.1.id").Raw + `,"content":"x"}]}]}`})
	second.sends("contents.1.parts.0.thoughtSignature", `"`+googles1+`"`)
	if at := second.got().Get("contents.1.parts.1"); !at.Get("functionCall").Exists() || at.Get("thoughtSignature").Str == googles1 {
		t.Error(at.Raw)
	}
}
