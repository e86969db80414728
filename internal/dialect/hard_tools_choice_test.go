package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// offerO asks with five functions, a to e, and something else besides.
func offerO(more string) string {
	var list []string
	for name := range strings.FieldsSeq("a b c d e") {
		list = append(list, `{"type":"function","function":{"name":"`+name+`","parameters":{"type":"object","properties":{"x":{"type":"string"}}}}}`)
	}
	return `{"model":"m","tools":[` + strings.Join(list, ",") + `],"messages":[{"role":"user","content":"go"}]` + more + `}`
}

func offerA(more string) string {
	return `{"model":"m","max_tokens":9999,` + toolsA + `,"messages":[{"role":"user","content":"go"}]` + more + `}`
}

var hardChoice = section{"B", "names, choice and special tools", []hard{
	{number: 33, name: "a name that only one dialect allows", run: func(t *testing.T) {
		const name = "mcp.server:read-file"
		ask := `{"tools":[{"functionDeclarations":[{"name":"` + name + `"},{"name":"mcp_server_read-file"}]}],` +
			`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["` + name + `"]}},"contents":[{"role":"user","parts":[{"text":"go"}]},` +
			`{"role":"model","parts":[{"functionCall":{"name":"` + name + `","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"` + name + `","response":{"output":"x"}}}]}]}`
		l := take(t, trip{from: G, to: A, ask: ask})
		sent := l.got().Get("tools.0.name").Str
		if !plainID.MatchString(sent) || len(l.got().Get("tools").Array()) == 2 && sent == l.got().Get("tools.1.name").Str {
			t.Error(l.got().Raw)
		}
		l.sends("messages.1.content.0.name", `"`+sent+`"`)
		if c := l.got().Get("tool_choice.name").Str; c != sent && c != "" {
			t.Error(l.got().Raw)
		}
		whole := take(t, trip{from: G, to: A, ask: ask, answers: []string{`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"` + sent + `","input":{}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`}})
		whole.gets("candidates.0.content.parts.0.functionCall.name", `"`+name+`"`)
		streamed := take(t, trip{from: G, to: A, ask: ask, stream: true, answers: []string{messageA(toolA(0, "t", sent, `{}`), "tool_use")}})
		is(t, "the name", streamed.joined("candidates.0.content.parts.0.functionCall.name"), name)
	}},
	{number: 35, name: "a name that begins with a digit", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"type":"function","function":{"name":"3d_render"}}],"messages":[{"role":"user","content":"go"}]}`
		sent := take(t, trip{from: O, to: G, ask: ask}).got().Get("tools.0.functionDeclarations.0.name").Str
		if sent == "" || strings.ContainsAny(sent[:1], "0123456789-") {
			t.Error(sent)
		}
		l := take(t, trip{from: O, to: G, ask: ask, answers: []string{`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"` + sent + `","args":{}}}]},"finishReason":"STOP"}]}`}})
		l.gets("choices.0.message.tool_calls.0.function.name", `"3d_render"`)
	}},
	{number: 36, name: "none keeps the tools", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: strings.Replace(calledO(`,"arguments":"{}"`, `"x"`), `"tools"`, `"tool_choice":"none","tools"`, 1)})
		l.sends("tool_choice", `{"type":"none"}`)
		l.sends("tools.#", "1")
	}},
	{number: 37, name: "none is the mode NONE", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: offerA(`,"tool_choice":{"type":"none"}`)})
		l.sends("toolConfig.functionCallingConfig.mode", `"NONE"`)
		l.sends("tools.0.functionDeclarations.#", "1")
	}},
	{number: 38, name: "required with a thinking budget", answer: "the choice is auto, and one line of the system prompt asks for a call", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, model: "claude-sonnet-4-5", ask: offerO(`,"tool_choice":"required","reasoning_effort":"high"`)})
		l.sends("thinking.type", `"enabled"`)
		if kind := l.got().Get("tool_choice.type").Str; kind != "auto" && kind != "" {
			t.Error(l.got().Raw)
		}
		if !l.got().Get("system").Exists() {
			t.Error("no line in the system prompt")
		}
		l.warns("tool_choice", chat.Approximated)
	}},
	{number: 40, name: "two of five tools allowed", answer: "only the two are offered", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: offerO(`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"b"}},{"type":"function","function":{"name":"d"}}]}}`)})
		l.sends("tools.#.name", `["b","d"]`)
		if kind := l.got().Get("tool_choice.type").Str; kind != "auto" && kind != "" {
			t.Error(l.got().Raw)
		}
		l.warns("tool_choice", chat.Approximated)
	}},
	{number: 42, name: "one call at a time", run: func(t *testing.T) {
		take(t, trip{from: O, to: A, ask: offerO(`,"parallel_tool_calls":false`)}).sends("tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`)
		take(t, trip{from: O, to: A, ask: offerO(`,"parallel_tool_calls":false,"tool_choice":"none"`)}).sends("tool_choice", `{"type":"none"}`)
	}},
	{number: 43, name: "any, one at a time", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: offerA(`,"tool_choice":{"type":"any","disable_parallel_tool_use":true}`)})
		l.sends("tool_choice", `"required"`)
		l.sends("parallel_tool_calls", "false")
	}},
	{number: 44, name: "two calls where one was wanted", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: offerA(`,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`), answers: []string{
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{"a":"2"}}}]},"finishReason":"STOP"}]}`,
		}})
		l.gets("content.#.type", `["tool_use","tool_use"]`)
		l.warns("tool_choice.disable_parallel_tool_use", chat.Dropped)
	}},
	{number: 45, name: "a tool that takes free text", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"type":"custom","custom":{"name":"apply_patch","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: x"}}}}],"messages":[{"role":"user","content":"go"}]}`
		answer := `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"apply_patch","input":{"input":"*** \"x\"\n"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`
		l := take(t, trip{from: O, to: A, ask: ask, answers: []string{answer}})
		l.sends("tools.0.input_schema.properties.@keys.#", "1")
		l.gets("choices.0.message.tool_calls.0.type", `"custom"`)
		is(t, "the input", gjson.Get(l.body, "choices.0.message.tool_calls.0.custom.input").Str, "*** \"x\"\n")
		is(t, "its name", gjson.Get(l.body, "choices.0.message.tool_calls.0.custom.name").Str, "apply_patch")
		s := take(t, trip{from: O, to: A, ask: ask, stream: true, answers: []string{messageA(toolA(0, "t", "apply_patch", `{"inp`, `ut":"*** \`, `"x\"\n"}`), "tool_use")}})
		is(t, "the streamed input", s.joined("choices.0.delta.tool_calls.0.custom.input"), "*** \"x\"\n")
	}},
	{number: 47, name: "functions of old", run: func(t *testing.T) {
		ask := `{"model":"m","functions":[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}],"function_call":{"name":"f"},"messages":[{"role":"user","content":"go"},` +
			`{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{\"a\":\"1\"}"}},{"role":"function","name":"f","content":"x"}]}`
		answer := `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t","name":"f","input":{"a":"2"}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":1}}`
		l := take(t, trip{from: O, to: A, ask: ask, answers: []string{answer}})
		l.sends("tool_choice.name", `"f"`)
		l.sends("messages.2.content.0.content", `"x"`)
		l.gets("choices.0.message.function_call", `{"name":"f","arguments":"{\"a\":\"2\"}"}`)
		l.gets("choices.0.finish_reason", `"function_call"`)
		l.gets("choices.0.message.tool_calls", "")
	}},
	{number: 49, name: "a search that runs at Google", answer: "400 naming the tool: there is no mapping of server tools", run: func(t *testing.T) {
		ask := `{"tools":[{"googleSearch":{}},{"functionDeclarations":[{"name":"f"}]}],"contents":[{"parts":[{"text":"go"}]}]}`
		refuses(t, trip{from: G, to: A, ask: ask}, "tools[0]")
		if l := try(t, trip{from: G, to: A, ask: ask}); !strings.Contains(l.body, "googleSearch") {
			t.Error(l.body)
		}
		take(t, trip{from: G, to: A, ask: strings.Replace(ask, `{"googleSearch":{}},`, "", 1)}).sends("tools.0.name", `"f"`)
	}},
	{number: 50, name: "searches in the history", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` +
			`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"stones"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[` +
			`{"type":"web_search_result","title":"Granite","url":"https://stones.example/granite","encrypted_content":"x"}]},{"type":"text","text":"Found."}]},{"role":"user","content":"more"}]}`})
		said := l.got().Get("messages.1.content").String()
		for _, words := range []string{"stones", "Granite", "https://stones.example/granite", "Found."} {
			if !strings.Contains(said, words) {
				t.Errorf("no %s in %s", words, said)
			}
		}
		l.sends("messages.1.tool_calls", "")
		l.sends("messages.#.role", `["user","assistant","user"]`)
		l.warns("messages[1].content[0]", chat.Approximated)
	}},
	{number: 52, name: "a choice that is not among the tools", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: offerO(`,"tool_choice":{"type":"function","function":{"name":"z"}}`)}, "tool_choice")
		}
		refuses(t, trip{from: A, to: O, ask: offerA(`,"tool_choice":{"type":"tool","name":"z"}`)}, "tool_choice")
	}},
}}
