package dialect_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// A function f of each dialect, and a conversation in which it is called.
const (
	toolsO = `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string"}}}}}]`
	toolsA = `"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}]`
	toolsG = `"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"string"}}}}]}]`
	three  = `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"a\":\"1\"}"}},` +
		`{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\":\"2\"}"}},` +
		`{"id":"c3","type":"function","function":{"name":"f","arguments":"{\"a\":\"3\"}"}}]},` +
		`{"role":"tool","tool_call_id":"c2","content":"two"},{"role":"tool","tool_call_id":"c1","content":"one"},` +
		`{"role":"tool","tool_call_id":"c3","content":"three"},{"role":"user","content":"and?"}]}`
)

// calledO is an OpenAI conversation with one call of f and its result.
func calledO(arguments, result string) string {
	return `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"c1","type":"function","function":{"name":"f"` + arguments + `}}]},{"role":"tool","tool_call_id":"c1","content":` + result + `}]}`
}

// calledA is an Anthropic conversation with one call of f and its result block.
func calledA(result string) string {
	return `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},` +
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{"a":"1"}}]},{"role":"user","content":[` + result + `]}]}`
}

const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

var plainID = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)

var hardTools = section{"A", "tool calls and results in requests", []hard{
	{number: 1, name: "three results and a text are one turn", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: three})
		l.sends("messages.#", "3")
		l.sends("messages.2.content.#.type", `["tool_result","tool_result","tool_result","text"]`)
		l.sends("messages.2.content.#.tool_use_id", `["c1","c2","c3"]`)
	}},
	{number: 2, name: "three results are one Content and the text another", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: three})
		l.sends("contents.#.role", `["user","model","user","user"]`)
		l.sends("contents.2.parts.#.functionResponse.response.output", `["one","two","three"]`)
		l.sends("contents.2.parts.#.functionResponse.name", `["f","f","f"]`)
		l.sends("contents.3.parts", `[{"text":"and?"}]`)
	}},
	{number: 4, name: "calls without ids get two, the same each time", run: func(t *testing.T) {
		ask := `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"get_weather","args":{"a":"1"}}},` +
			`{"functionCall":{"name":"get_weather","args":{"a":"2"}}}]},{"role":"user","parts":[{"functionResponse":{"name":"get_weather","response":{"output":"x"}}},` +
			`{"functionResponse":{"name":"get_weather","response":{"output":"y"}}}]}]}`
		l, again := take(t, trip{from: G, to: O, ask: ask}), take(t, trip{from: G, to: O, ask: ask})
		first, second := l.got().Get("messages.1.tool_calls.0.id").Str, l.got().Get("messages.1.tool_calls.1.id").Str
		if first == "" || first == second || l.got().Get("messages.2.tool_call_id").Str != first || l.got().Get("messages.3.tool_call_id").Str != second {
			t.Error(l.got().Raw)
		}
		l.sends("messages.2.content", `"x"`)
		is(t, "the second request", again.got().Raw, l.got().Raw)
	}},
	{number: 6, name: "ids with dots and colons are mapped alike", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},` +
			`{"role":"model","parts":[{"functionCall":{"id":"functions.search:0","name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"functions.search:0","name":"f","response":{"output":"x"}}}]}]}`})
		id := l.got().Get("messages.1.content.0.id").Str
		if !plainID.MatchString(id) || l.got().Get("messages.2.content.0.tool_use_id").Str != id {
			t.Error(l.got().Raw)
		}
	}},
	{number: 8, name: "ids of 60 characters are shortened alike", run: func(t *testing.T) {
		long := "toolu_" + strings.Repeat("x", 54)
		ask := strings.ReplaceAll(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), "toolu_1", long)
		l, again := take(t, trip{from: A, to: O, ask: ask}), take(t, trip{from: A, to: O, ask: ask})
		id := l.got().Get("messages.1.tool_calls.0.id").Str
		if len(id) > 40 || id == "" || l.got().Get("messages.2.tool_call_id").Str != id {
			t.Error(l.got().Raw)
		}
		is(t, "the second request", again.got().Raw, l.got().Raw)
	}},
	{number: 9, name: "an upstream's odd id is legal for the client and comes back", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, kind: "vllm", ask: `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"}]}`, answers: []string{
			`{"id":"x","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"Edit:0","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		}})
		id := gjson.Get(l.body, "content.0.id").Str
		if !plainID.MatchString(id) {
			t.Fatal(l.body)
		}
		replay := strings.ReplaceAll(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), "toolu_1", id)
		back := take(t, trip{from: A, to: O, kind: "vllm", ask: replay})
		is(t, "the call's id", back.got().Get("messages.1.tool_calls.0.id").Str, back.got().Get("messages.2.tool_call_id").Str)
		take(t, trip{from: A, to: A, ask: replay}).sends("messages.1.content.0.id", `"`+id+`"`)
	}},
	{number: 11, name: "a result without its call", answer: "the result's words become text of the user, with a warning", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: strings.Replace(calledO(`,"arguments":"{}"`, `"x"`), `{"role":"tool"`,
			`{"role":"tool","tool_call_id":"gone","content":"lost"},{"role":"tool"`, 1)})
		l.sends("messages.2.content.0", `{"type":"tool_result","tool_use_id":"c1","content":"x"}`)
		l.warns("messages[2]", chat.Approximated)
		if !strings.Contains(textsOf(l.got().Get("messages.2.content")), "lost") {
			t.Error(l.got().Raw)
		}
	}},
	{number: 12, name: "a result's picture follows the last result", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: strings.Replace(calledA(
			`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"`+pixel+`"}}]},`+
				`{"type":"tool_result","tool_use_id":"toolu_2","content":"two"}`), `"input":{"a":"1"}}`, `"input":{"a":"1"}},{"type":"tool_use","id":"toolu_2","name":"f","input":{}}`, 1)})
		l.sends("messages.#.role", `["user","assistant","tool","tool","user"]`)
		if !strings.HasPrefix(l.got().Get("messages.2.content").Str, "see") {
			t.Error(l.got().Raw)
		}
		l.sends("messages.4.content.0.image_url.url", `"data:image/png;base64,`+pixel+`"`)
	}},
	{number: 13, name: "a result's picture is a part of the function response", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}`)})
		l.sends("contents.2.parts.0.functionResponse.response", `{"output":"see"}`)
		l.sends("contents.2.parts.0.functionResponse.parts.0.inlineData", `{"mimeType":"image/png","data":"`+pixel+`"}`)
	}},
	{number: 15, name: "a result's PDF is a Content of its own", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},` +
			`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjQK"}}]}`)})
		l.sends("contents.2.parts.0.functionResponse.parts", "")
		l.sends("contents.2.parts.#", "1")
		l.sends("contents.3.role", `"user"`)
		l.sends("contents.3.parts.0.inlineData.mimeType", `"application/pdf"`)
	}},
	{number: 16, name: "a failed result says so in its text", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"boom"}`)})
		l.sends("messages.2.content", `"Error: boom"`)
	}},
	{number: 17, name: "a failed result is an error response", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"boom"}`)})
		l.sends("contents.2.parts.0.functionResponse.response", `{"error":"boom"}`)
	}},
	{number: 19, name: "JSON that is no object is wrapped", run: func(t *testing.T) {
		take(t, trip{from: O, to: G, ask: calledO(`,"arguments":"{}"`, `"[1,2]"`)}).sends("contents.2.parts.0.functionResponse.response", `{"output":"[1,2]"}`)
		take(t, trip{from: O, to: G, ask: calledO(`,"arguments":"{}"`, `"42"`)}).sends("contents.2.parts.0.functionResponse.response", `{"output":"42"}`)
	}},
	{number: 21, name: "empty results stay empty", run: func(t *testing.T) {
		take(t, trip{from: O, to: G, ask: calledO(`,"arguments":"{}"`, `""`)}).sends("contents.2.parts.0.functionResponse.response", `{"output":""}`)
		take(t, trip{from: A, to: O, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1"}`)}).sends("messages.2.content", `""`)
	}},
	{number: 22, name: "arguments that are nothing are an empty object", run: func(t *testing.T) {
		for _, arguments := range []string{`,"arguments":""`, `,"arguments":"null"`, ``} {
			take(t, trip{from: O, to: A, ask: calledO(arguments, `"x"`)}).sends("messages.1.content.0.input", `{}`)
		}
	}},
	{number: 24, name: "arguments that were cut are kept raw", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: calledO(`,"arguments":"{\"a\": tru"`, `"x"`)})
		l.sends("messages.1.content.0.input", `{"_raw":"{\"a\": tru"}`)
		l.warns("messages[1].tool_calls[0]", chat.Approximated)
	}},
	{number: 25, name: "numbers arrive digit for digit", run: func(t *testing.T) {
		const raw = `{"n":12345678901234567890,"f":1.0,"e":1e2,"s":"\u00e9"}`
		l := take(t, trip{from: O, to: A, ask: calledO(`,"arguments":"`+strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(raw)+`"`, `"x"`)})
		for path, want := range map[string]string{"n": "12345678901234567890", "f": "1.0", "e": "1e2"} {
			l.sends("messages.1.content.0.input."+path, want)
		}
		is(t, "the text", l.got().Get("messages.1.content.0.input.s").Str, "é")
		l = take(t, trip{from: G, to: A, ask: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},` +
			`{"role":"model","parts":[{"functionCall":{"name":"f","args":` + raw + `}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`})
		for path, want := range map[string]string{"n": "12345678901234567890", "f": "1.0", "e": "1e2"} {
			l.sends("messages.1.content.0.input."+path, want)
		}
	}},
	{number: 26, name: "tools that only the history knows are defined again", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: strings.Replace(calledO(`,"arguments":"{}"`, `"x"`), toolsO+",", "", 1)})
		l.sends("tools.#.name", `["f"]`)
		l.sends("tools.0.input_schema.type", `"object"`)
		l.sends("tool_choice", `{"type":"none"}`)
		l.warns("tools", chat.Added)
	}},
	{number: 27, name: "no tools, no choice", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","tools":[],"tool_choice":"auto","parallel_tool_calls":true,"messages":[{"role":"user","content":"go"}]}`})
		l.sends("tools", "")
		l.sends("tool_choice", "")
		l.sends("parallel_tool_calls", "")
	}},
	{number: 28, name: "functions without parameters", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"type":"function","function":{"name":"f"}},{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}],"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: O, to: A, ask: ask})
		l.sends("tools.#.input_schema", `[{"type":"object","properties":{}},{"type":"object","properties":{}}]`)
		l = take(t, trip{from: O, to: G, ask: ask})
		l.sends("tools.0.functionDeclarations", `[{"name":"f"},{"name":"g"}]`)
	}},
	{number: 29, name: "five functions are one tool", run: func(t *testing.T) {
		var list []string
		for name := range strings.FieldsSeq("a b c d e") {
			list = append(list, `{"type":"function","function":{"name":"`+name+`"}}`)
		}
		l := take(t, trip{from: O, to: G, ask: `{"model":"m","tools":[` + strings.Join(list, ",") + `],"messages":[{"role":"user","content":"go"}]}`})
		l.sends("tools.#", "1")
		l.sends("tools.0.functionDeclarations.#.name", `["a","b","c","d","e"]`)
	}},
	{number: 30, name: "two tools of one name", run: func(t *testing.T) {
		same := `{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}`
		other := `{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"b":{"type":"string"}}}}}`
		ask := `{"model":"m","tools":[` + same + `,X],"messages":[{"role":"user","content":"go"}]}`
		take(t, trip{from: O, to: A, ask: strings.Replace(ask, "X", same, 1)}).sends("tools.#", "1")
		refuses(t, trip{from: O, to: A, ask: strings.Replace(ask, "X", other, 1)}, "tools[1]")
	}},
	{number: 31, name: "a call without arguments", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, ask: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`})
		l.sends("messages.1.tool_calls.0.function.arguments", `"{}"`)
	}},
	{number: 32, name: "a response whose call was cut away", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, ask: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"lost"}}}]}]}`})
		l.sends("messages.#.role", `["user"]`)
		if !strings.Contains(l.got().Get("messages.0.content").String(), "lost") {
			t.Error(l.got().Raw)
		}
		l.warns("contents[0].parts[0]", chat.Approximated)
	}},
}}
