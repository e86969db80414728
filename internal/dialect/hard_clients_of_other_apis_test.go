package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// What clients that have talked to one API bring to another, and what servers count.
var hardBrought = section{"AW", "what is brought from another API, and what is told again", []hard{
	// Clients that go on with a conversation of Claude's under a model of OpenAI's: "Invalid value: 'thinking'".
	{number: 1270, name: "pictures, documents and thoughts in Anthropic's blocks, for OpenAI", run: func(t *testing.T) {
		const source = `"source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}`
		turns := func(before, part, behind string) string {
			return `{"model":"m","messages":[{"role":"user","content":[` + before + `{"type":"text","text":"go"}]},{"role":"assistant","content":[` + part + `{"type":"text","text":"so"}]},{"role":"user","content":"on"}` + behind + `]}`
		}
		for _, own := range []bool{false, true} {
			l := take(t, trip{from: O, to: O, own: own, ask: turns(`{"type":"image",`+source+`},`, "", "")})
			l.sends("messages.0.content.0", `{"type":"image_url","image_url":{"url":"data:image/png;base64,`+pixel+`"}}`)
			l = take(t, trip{from: O, to: O, own: own, ask: turns(`{"type":"document","title":"T","source":{"type":"text","media_type":"text/plain","data":"abc"}},`, "", "")})
			is(t, "a document of words", l.got().Get("messages.0.content.#.type").Raw+fmt.Sprint(strings.Contains(l.got().Get("messages.0.content.0.text").Str, "abc")), `["text","text"]true`)
		}
		for _, thought := range []string{`{"type":"thinking","thinking":"hm","signature":"c2ln"},`, `{"type":"redacted_thinking","data":"x"},`} {
			for _, call := range []string{"", `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"1"}]}`} {
				l := take(t, trip{from: O, to: O, ask: turns("", thought, call)})
				l.sends("messages.1", `{"role":"assistant","content":"so"}`)
				is(t, "no thoughts for OpenAI", strings.Contains(l.got().Raw, "hm") || strings.Contains(l.got().Raw, "c2ln"), false)
				l.warns("messages[1].content[0]", chat.Dropped)
			}
		}
		take(t, trip{from: O, to: O, own: true, ask: turns("", `{"type":"thinking","thinking":"hm","signature":"c2ln"},`, "")}).sends("messages.1.reasoning_content", `"hm"`)
		mistral := turns("", `{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},`, "")
		take(t, trip{from: O, to: O, kind: "mistral", own: true, ask: mistral}).sends("messages.1.content.0.type", `"thinking"`)
	}},
	// openai/openai-agents-js#1474, can1357/oh-my-pi#5025: what was told once is not taken back by a frame that knows less.
	{number: 1271, name: "counts that are told again, as nothing or without their parts", run: func(t *testing.T) {
		const told = `{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":40},"completion_tokens_details":{"reasoning_tokens":5}}`
		for behind, want := range map[string]string{
			`{"prompt_tokens":0,"completion_tokens":0,"total_tokens":0}`:                                                         "60 40 20 5",
			`{"prompt_tokens":100,"completion_tokens":0,"total_tokens":100}`:                                                     "60 40 20 5",
			`{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120}`:                                                    "60 40 20 5",
			`{"prompt_tokens":100,"completion_tokens":25,"total_tokens":125,"completion_tokens_details":{"reasoning_tokens":6}}`: "60 40 25 6",
		} {
			answer := sse(delta(0, `"content":"x"`, "null"), strings.Replace(delta(0, "", `"stop"`), "{", `{"usage":`+told+`,`, 1), `{"id":"c","choices":[],"usage":`+behind+`}`, "[DONE]")
			l := take(t, trip{from: A, to: O, own: true, stream: true, ask: streamA, answers: []string{answer}})
			u := l.all("usage")[0]
			is(t, behind, fmt.Sprint(u.Get("input_tokens"), u.Get("cache_read_input_tokens"), u.Get("output_tokens"), u.Get("output_tokens_details.thinking_tokens")), want)
			passed := take(t, trip{from: O, to: O, own: true, stream: true, ask: plainly(O, true), answers: []string{answer}})
			is(t, behind+", metered", fmt.Sprint(passed.reply.Seen.Usage.Input, passed.reply.Seen.Usage.CacheRead, passed.reply.Seen.Usage.Completion(), passed.reply.Seen.Usage.Reasoning), want)
		}
	}},
	// NousResearch/hermes-agent#67773, openclaw/openclaw#104567, router-for-me/CLIProxyAPI#1076: Google's enum has only texts.
	{number: 1272, name: "numbers of an enum that Google's clients write as texts", run: func(t *testing.T) {
		schema := `{"type":"OBJECT","properties":{"n":{"type":"INTEGER","enum":["60","1440"]},"x":{"enum":["1.50","x"],"type":"NUMBER","nullable":true},"b":{"type":"BOOLEAN","enum":["true"]},"s":{"type":"STRING","enum":["1"]}}}`
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` + schema + `}]}]}`
		for to, at := range map[string]string{O: "tools.0.function.parameters.properties.", A: "tools.0.input_schema.properties."} {
			l := take(t, trip{from: G, to: to, ask: ask})
			for name, want := range map[string]string{"n": `[60,1440]`, "x": `[1.50,"x",null]`, "b": `[true]`, "s": `["1"]`} {
				l.sends(at+name+".enum", want)
			}
		}
	}},
	// Clients in Python write blanks between values: strict mode refused what was sent as it was.
	{number: 1273, name: "a list of values with blanks in it", run: func(t *testing.T) {
		for _, values := range []string{`["a", "b"]`, `[60, 1440]`, "[\n  1.50,\n  \"x\"\n]"} {
			schema := `{"type": "object", "properties": {"n": {"enum": ` + values + `}}, "required": ["n"]}`
			tool := withO(`"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`)
			shape := withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":` + schema + `}}`)
			for _, ask := range []string{tool, shape} {
				l := take(t, trip{from: O, to: G, ask: ask})
				is(t, values+", told: "+l.told(), strings.Contains(l.told(), "enum"), false)
			}
		}
		l := take(t, trip{from: O, to: G, ask: withO(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"n":{"type":["string","null"],"enum":["a", null]}}}}}]`)})
		l.warns("tools[0]", chat.Approximated)
	}},
	// What is not sent is told, whoever said it.
	{number: 1274, name: "thoughts that stand in a turn of the user's", run: func(t *testing.T) {
		asks := map[string]string{
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"go"}]}]}`,
			G: `{"contents":[{"parts":[{"text":"hm","thought":true},{"text":"go"}]}]}`,
			O: `{"model":"m","messages":[{"role":"user","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"go"}]}]}`,
		}
		at := map[string]string{A: "messages[0].content[0]", G: "contents[0].parts[0]", O: "messages[0].content[0]"}
		for from, ask := range asks {
			for _, to := range []string{O, A} {
				if from == A && to == A {
					continue
				}
				l := take(t, trip{from: from, to: to, ask: ask})
				is(t, from+" to "+to, strings.Contains(l.got().Raw, "hm"), false)
				l.warns(at[from], chat.Dropped)
			}
		}
	}},
	// Gitlawb/openclaude#553, cloudflare/ai#502: clients of OpenAI's send no signatures back, and the second turn is refused.
	{number: 1275, name: "calls of the history in OpenAI's own dialect, to models of Mistral's and of Google's at other servers", answer: "asked again with ids of nine letters, or with Google's placeholder", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"call_abcdefghijkl","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0}"}}]},{"role":"tool","tool_call_id":"call_abcdefghijkl","content":"1"}]}`
		const unsigned = "Function call is missing a thought_signature in functionCall parts."
		for _, streamed := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: O, to: O, own: true, stream: streamed, ask: ask}, 400, unsigned))
			is(t, "signed", l.then().Get("messages.1.tool_calls.0.extra_content.google.thought_signature").Str, "skip_thought_signature_validator")
			is(t, "as it was", l.then().Get("messages.1.tool_calls.0.function.arguments").Str, `{"a": 1.0}`)
			is(t, "told", len(l.losses) > 0, true)
			l = take(t, refusesFirst(trip{from: O, to: O, own: true, stream: streamed, ask: ask}, 400, "Tool call id was call_abcdefghijkl but must be a-z, A-Z, 0-9, with a length of 9."))
			id := l.then().Get("messages.1.tool_calls.0.id").Str
			is(t, "an id, and its result's", fmt.Sprint(len(id), id == l.then().Get("messages.2.tool_call_id").Str), "9 true")
		}
		home := try(t, refusesFirst(trip{from: O, to: O, ask: ask}, 400, unsigned))
		is(t, "at OpenAI's", fmt.Sprint(home.status, len(home.calls)), "400 1")
	}},
	// Cursor sends Anthropic's tools and choices where it takes a model for a Claude.
	{number: 1276, name: "one call at a time, as Anthropic says it, in OpenAI's dialect", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}],"tool_choice":{"type":"auto","disable_parallel_tool_use":%t}}`
		l := take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, true)})
		l.sends("tool_choice", `{"type":"auto","disable_parallel_tool_use":true}`)
		is(t, "told", l.told(), "[]")
		take(t, trip{from: O, to: O, ask: fmt.Sprintf(ask, true)}).sends("parallel_tool_calls", "false")
		l = take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, false)})
		l.sends("tool_choice", `{"type":"auto"}`)
	}},
}}
