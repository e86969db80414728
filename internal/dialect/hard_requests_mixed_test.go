package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// pictureA is a block with a picture.
const pictureA = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`

var hardBoth = section{"AF", "requests that ask for two things at once", []hard{
	{number: 1034, name: "results that Google does not take as they are", run: func(t *testing.T) {
		for text, want := range map[string]string{
			`{"$ref":"#/x"}`: `{"output":"{\"$ref\":\"#/x\"}"}`, `{"a":{"$defs":{}}}`: `{"output":"{\"a\":{\"$defs\":{}}}"}`, `{"a":1,"a":2}`: `{"output":"{\"a\":1,\"a\":2}"}`,
			`{"a":1} and more`: `{"output":"{\"a\":1} and more"}`, ` {"a":1} `: `{"a":1}`, `{}`: `{}`, `null`: `{"output":"null"}`, `"x"`: `{"output":"\"x\""}`,
		} {
			l := take(t, trip{from: O, to: G, ask: calledO(`,"arguments":"{}"`, quoted(text))})
			l.sends("contents.2.parts.0.functionResponse.response", want)
		}
	}},
	{number: 1035, name: "arguments of any names", run: func(t *testing.T) {
		for schema, want := range map[string]string{
			`{"type":"object","additionalProperties":{"type":"string"}}`:                 `{"type":"string"}`,
			`{"type":"object","properties":{},"additionalProperties":{"type":"string"}}`: `{"type":"string"}`,
			`{"type":"object","properties":{},"additionalProperties":true}`:              `true`,
		} {
			for _, from := range []string{O, A} {
				take(t, trip{from: from, to: G, ask: offering(from, schema)}).sends(schemaAt[G]+".additionalProperties", want)
			}
		}
		for _, none := range []string{`{"type":"object","properties":{},"additionalProperties":false}`, `{"type":"object"}`} {
			take(t, trip{from: O, to: G, ask: offering(O, none)}).sends(schemaAt[G], "")
		}
	}},
	{number: 1036, name: "more values for what happens anyway", run: func(t *testing.T) {
		take(t, trip{from: O, to: A, ask: withO(`"temperature":0.7,"top_p":1`)}).quiet()
		take(t, trip{from: O, to: A, ask: withO(`"temperature":0.7,"top_p":0.9`)}).warns("top_p", chat.Dropped)
		google := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"audioTimestamp":false,"responseLogprobs":false,"candidateCount":1},"tools":[{"functionDeclarations":[{"name":"f","behavior":"BLOCKING"}]}]}`
		waits := strings.Replace(calledWith(G, "{}", `{"output":"x"}`), `{"functionResponse":{"id"`, `{"functionResponse":{"willContinue":false,"id"`, 1)
		for _, to := range []string{O, A} {
			take(t, trip{from: G, to: to, ask: google}).quiet()
			take(t, trip{from: G, to: to, ask: waits}).quiet()
		}
		edits := strings.Replace(plain[A], "{", `{"context_management":{"edits":[]},"fallbacks":[],`, 1)
		for _, to := range []string{O, G} {
			take(t, trip{from: A, to: to, ask: edits}).warns("context_management", chat.Ignored)
		}
		later := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"defer_loading":%s}]}`
		for _, to := range []string{O, G} {
			take(t, trip{from: A, to: to, ask: fmt.Sprintf(later, "false")}).warns("tools[0].defer_loading", chat.Ignored)
			take(t, trip{from: A, to: to, ask: fmt.Sprintf(later, "true")}).warns("tools[0].defer_loading", chat.Dropped)
		}
	}},
	{number: 1037, name: "thoughts that a budget of nothing switches off are not shown", run: func(t *testing.T) {
		for _, ask := range []string{withO(`"reasoning":{"max_tokens":0}`), withO(`"thinking_budget":0`)} {
			take(t, trip{from: O, to: G, ask: ask}).sends("generationConfig.thinkingConfig.includeThoughts", "")
		}
	}},
	{number: 1038, name: "a file that has its data and an id", run: func(t *testing.T) {
		ask := partO(`{"type":"file","file":{"filename":"a.pdf","file_id":"file-1","file_data":"data:application/pdf;base64,` + pdf + `"}}`)
		take(t, trip{from: O, to: A, ask: ask}).sends("messages.0.content.1.source.data", `"`+pdf+`"`)
		take(t, trip{from: O, to: G, ask: ask}).sends("contents.0.parts.1.inlineData.data", `"`+pdf+`"`)
	}},
	{number: 1039, name: "two calls, thoughts, pictures and marks in one history", run: func(t *testing.T) {
		marked := func(block string) string { return strings.TrimSuffix(block, "}") + mark + "}" }
		ask := `{"model":"m","max_tokens":4000,"thinking":{"type":"enabled","budget_tokens":2000},` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` +
			`{"type":"thinking","thinking":"hm","signature":"` + claudes + `"},{"type":"text","text":"so"},` + marked(`{"type":"tool_use","id":"t1","name":"f","input":{"a":"1"}}`) + `,{"type":"tool_use","id":"t2","name":"f","input":{}}]},` +
			`{"role":"user","content":[` + marked(`{"type":"tool_result","tool_use_id":"t2","content":"two"}`) + `,{"type":"tool_result","tool_use_id":"t1","content":[{"type":"text","text":"one"},` + marked(pictureA) + `]},` + marked(`{"type":"text","text":"on"}`) + `]}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		l.sends("messages.#.role", `["user","assistant","tool","tool","user","user"]`)
		l.sends("messages.1.tool_calls.#.id", `["t1","t2"]`)
		l.sends("messages.4.content.#.type", `["image_url"]`)
		l.sends("messages.5.content", `"on"`)
		l.warns("messages[1].content[0]", chat.Dropped)
		for _, place := range []string{"messages[1].content[2]", "messages[2].content[0]", "messages[2].content[1]", "messages[2].content[2]"} {
			l.warns(place, chat.Ignored)
		}
		if strings.Contains(l.got().Raw, "cache") || strings.Contains(l.got().Raw, claudes) {
			t.Error(l.got().Raw)
		}
		l = take(t, trip{from: A, to: G, ask: ask})
		l.sends("contents.#.role", `["user","model","user","user"]`)
		l.sends("contents.2.parts.#.functionResponse.id", `["t1","t2"]`)
		l.sends("contents.2.parts.0.functionResponse.parts.0.inlineData.mimeType", `"image/png"`)
		l.sends("contents.1.parts.#.thoughtSignature", `["skip_thought_signature_validator"]`)
		l.sends("contents.3.parts", `[{"text":"on"}]`)
		if strings.Contains(l.got().Raw, claudes) {
			t.Error(l.got().Raw)
		}
	}},
	{number: 1040, name: "a shape, tools, a choice and thoughts", run: func(t *testing.T) {
		shape := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		ask := strings.Replace(offerO(`,"response_format":{"type":"json_schema","json_schema":{"name":"n","strict":true,"schema":`+shape+`}},"tool_choice":{"type":"function","function":{"name":"a"}},"reasoning_effort":"low"`), "{", `{"stream":true,`, 1)
		l := take(t, trip{from: O, to: A, stream: true, ask: ask, answers: []string{messageA(toolA(0, "t", "a", `{"x":"1"}`), "tool_use")}})
		l.sends("output_config.format.schema", shape)
		l.sends("tool_choice", `{"type":"auto"}`) // thoughts in a budget bear no force
		l.sends("thinking.type", `"enabled"`)
		is(t, "the end", l.joined("choices.0.finish_reason"), "tool_calls")
		l.warns("tool_choice", chat.Approximated)
		l = take(t, trip{from: O, to: G, stream: true, ask: ask, answers: []string{inChunks("STOP", `{"text":"{\"a\":"}`, `{"text":"\"1\"}"}`)}})
		l.sends("generationConfig.responseJsonSchema", shape)
		l.sends("toolConfig.functionCallingConfig", `{"mode":"ANY","allowedFunctionNames":["a"]}`)
		is(t, "the answer", l.joined("choices.0.delta.content"), `{"a":"1"}`)
		l = take(t, trip{from: O, to: G, model: "gemini-2.5-flash", stream: true, ask: ask, answers: []string{inChunks("STOP", `{"text":"`+"```json\\n{}\\n```"+`"}`)}})
		l.sends("generationConfig.responseMimeType", "")
		is(t, "the answer", l.joined("choices.0.delta.content"), "{}")
		l.warns("response_format", chat.Approximated)
	}},
	{number: 1041, name: "a history that ends with a call", run: func(t *testing.T) {
		histories := map[string]string{
			O: askedO(callsO("c1", "c2"), resultO("c1", "x")),
			A: `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"f","input":{}}]}]}`,
			G: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]}]}`,
		}
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: histories[from]})
			sent := l.got().Raw
			calls := strings.Count(sent, `"tool_use"`) + strings.Count(sent, `"functionCall"`) + len(l.got().Get("messages.1.tool_calls").Array())
			results := strings.Count(sent, `"tool_use_id"`) + strings.Count(sent, `"functionResponse"`) + strings.Count(sent, `"tool_call_id"`)
			if calls == 0 || calls != results || !strings.Contains(sent, "[no result]") || !strings.Contains(l.told(), "added") {
				t.Errorf("%s to %s: %s %s", from, to, sent, l.told())
			}
		})
	}},
	{number: 1042, name: "numbers of Google's that are texts, and words that are numbers", run: func(t *testing.T) {
		ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"seed":"7","maxOutputTokens":"100","topK":40.0,"temperature":"0.5"},"toolConfig":{"functionCallingConfig":{"mode":3}}}`
		l := take(t, trip{from: G, to: A, ask: ask})
		l.sends("max_tokens", "100")
		l.sends("top_k", "40")
		l.sends("temperature", "0.5")
		l.sends("tool_choice.type", `"none"`)
		take(t, trip{from: G, to: O, ask: ask}).sends("seed", "7")
		for seed, want := range map[string]string{"-2147483648": "-2147483648", "2147483647": "2147483647", "2147483648": "", "7.0": "7"} {
			take(t, trip{from: O, to: G, ask: withO(`"seed":` + seed)}).sends("generationConfig.seed", want)
		}
	}},
	{number: 1043, name: "files of others in the results of tools", run: func(t *testing.T) {
		claude := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"file","file_id":"file_011CNha8iCJcU1wXNR6q4V8w"}}]}`)
		google := strings.Replace(calledWith(G, "{}", `{"output":"x"}`), `{"output":"x"}}}`, `{"output":"x"},"parts":[{"fileData":{"fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc","mimeType":"image/png"}}]}}`, 1)
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: claude}, "messages[2].content[0]")
		}
		for _, to := range []string{O, A} {
			refuses(t, trip{from: G, to: to, ask: google}, "contents[2].parts[0]")
		}
	}},
	{number: 1044, name: "one resolution for all, and another for a part", run: func(t *testing.T) {
		picture := `{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}%s}`
		ask := `{"contents":[{"parts":[` + fmt.Sprintf(picture, "") + `,` + fmt.Sprintf(picture, `,"mediaResolution":{"level":"MEDIA_RESOLUTION_HIGH"}`) + `]}],"generationConfig":{"mediaResolution":"MEDIA_RESOLUTION_LOW"}}`
		take(t, trip{from: G, to: O, ask: ask}).sends("messages.0.content.#.image_url.detail", `["low","high"]`)
		two := talkO(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `","detail":"low"}},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `","detail":"high"}}]}`)
		l := take(t, trip{from: O, to: G, model: "gemini-2.5-flash", ask: two})
		l.sends("generationConfig.mediaResolution", `"MEDIA_RESOLUTION_HIGH"`)
		if !strings.Contains(l.told(), "approximated") {
			t.Error(l.told())
		}
	}},
	{number: 1045, name: "words between calls", run: func(t *testing.T) {
		parts := `{"text":"a"},{"functionCall":{"id":"1","name":"f","args":{}}},{"text":"b"},{"functionCall":{"id":"2","name":"f","args":{}}}`
		ask := `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[` + parts + `]},{"role":"user","parts":[` +
			`{"functionResponse":{"id":"2","name":"f","response":{"output":"second"}}},{"functionResponse":{"id":"1","name":"f","response":{"output":"first"}}}]}]}`
		l := take(t, trip{from: G, to: A, ask: ask})
		l.sends("messages.1.content.#.type", `["text","tool_use","text","tool_use"]`)
		l.sends("messages.2.content.#.content", `["first","second"]`)
		l.quiet()
		l = take(t, trip{from: G, to: O, ask: ask})
		l.sends("messages.1.tool_calls.#.id", `["1","2"]`)
		is(t, "the words", textsOf(l.got().Get("messages.1.content")), "ab")
		l.warns("contents[1].parts[2]", chat.Approximated)
	}},
	{number: 1046, name: "sampling beside thoughts in a budget", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"reasoning_effort":"low","temperature":0.2,"top_p":0.9,"top_k":5,"tool_choice":"none"`)})
		for _, field := range []string{"temperature", "top_p", "top_k"} {
			l.sends(field, "")
			l.warns(field, chat.Dropped)
		}
		l = take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"temperature":1,"topP":0.97,"thinkingConfig":{"thinkingBudget":2000}}}`})
		l.sends("top_p", "0.97")
		l.sends("thinking.budget_tokens", "2000")
		l.quiet()
	}},
	{number: 1047, name: "a tool in free text that must be called, or is one of those that may be", run: func(t *testing.T) {
		tools := `"tools":[{"type":"custom","custom":{"name":"p"}},{"type":"function","function":{"name":"f"}}],`
		for choice, want := range map[string][2]string{
			`{"type":"custom","custom":{"name":"p"}}`: {`{"type":"tool","name":"p"}`, `{"mode":"ANY","allowedFunctionNames":["p"]}`},
			`{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"custom","custom":{"name":"p"}}]}}`: {`{"type":"any"}`, `{"mode":"ANY","allowedFunctionNames":["p"]}`},
		} {
			take(t, trip{from: O, to: A, ask: withO(tools + `"tool_choice":` + choice)}).sends("tool_choice", want[0])
			take(t, trip{from: O, to: G, ask: withO(tools + `"tool_choice":` + choice)}).sends("toolConfig.functionCallingConfig", want[1])
		}
	}},
	{number: 1048, name: "tiers, in the six directions", run: func(t *testing.T) {
		for _, row := range []struct{ from, ask, to, at, want string }{
			{O, withO(`"service_tier":"fast"`), G, "serviceTier", `"priority"`}, {O, withO(`"service_tier":"scale"`), G, "serviceTier", ""}, {O, withO(`"service_tier":"default"`), A, "service_tier", `"standard_only"`},
			{G, `{"contents":[{"parts":[{"text":"go"}]}],"serviceTier":"SERVICE_TIER_FLEX"}`, O, "service_tier", `"flex"`}, {G, `{"contents":[{"parts":[{"text":"go"}]}],"serviceTier":"SERVICE_TIER_UNSPECIFIED"}`, O, "service_tier", ""},
			{G, `{"contents":[{"parts":[{"text":"go"}]}],"serviceTier":"standard"}`, A, "service_tier", `"standard_only"`},
			{A, strings.Replace(plain[A], "{", `{"service_tier":"standard_only",`, 1), O, "service_tier", `"default"`}, {A, strings.Replace(plain[A], "{", `{"service_tier":"standard_only",`, 1), G, "serviceTier", `"standard"`},
		} {
			l := take(t, trip{from: row.from, to: row.to, ask: row.ask})
			l.sends(row.at, row.want)
			is(t, row.ask+", told", strings.Contains(l.told(), "dropped"), strings.Contains(row.ask, "scale"))
		}
		is(t, "one that nobody has, for Claude", gjson.Get(take(t, trip{from: O, to: A, ask: withO(`"service_tier":"flex"`)}).got().Raw, "service_tier").Exists(), false)
	}},
	{number: 1053, name: "two calls of one id, or of none, to OpenAI", run: func(t *testing.T) {
		for _, id := range []string{`"id":"t",`, ""} {
			call, result := `{"type":"tool_use",`+id+`"name":"f","input":{"a":"%d"}}`, strings.Replace(`{"type":"tool_result",`+id+`"content":"%d"}`, `"id"`, `"tool_use_id"`, 1)
			ask := `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + fmt.Sprintf(call+","+call+","+call, 1, 2, 3) +
				`]},{"role":"user","content":[` + fmt.Sprintf(result+","+result, 1, 2) + `]}]}`
			l := take(t, trip{from: A, to: O, ask: ask})
			seen := map[string]bool{}
			for i, call := range l.got().Get("messages.1.tool_calls").Array() {
				sent := call.Get("id").Str
				is(t, "seen before", seen[sent], false)
				seen[sent] = true
				is(t, "the result", l.got().Get(`messages.#(tool_call_id=="`+sent+`").content`).Str, []string{"1", "2", "[no result]"}[i])
			}
			is(t, "the calls", len(seen), 3)
			is(t, "once more the same", take(t, trip{from: A, to: O, ask: ask}).got().Raw, l.got().Raw)
		}
	}},
	{number: 1054, name: "pictures and sounds that responseFormat asks for", run: func(t *testing.T) {
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseFormat":[{"%s":{}}]}}`
		refuses(t, trip{from: G, to: O, ask: fmt.Sprintf(ask, "image")}, "generationConfig.responseModalities")
		for _, kind := range []string{"image", "audio"} {
			refuses(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, kind)}, "generationConfig.responseModalities")
		}
		take(t, trip{from: G, to: O, ask: fmt.Sprintf(ask, "audio")}).sends("modalities", `["text","audio"]`)
	}},
	{number: 1055, name: "sounds and clips as vLLM's clients send them", run: func(t *testing.T) {
		for kind, form := range map[string]string{"audio_url": "audio/wav", "video_url": "video/mp4"} {
			ask := partO(`{"type":"` + kind + `","` + kind + `":{"url":"data:` + form + `;base64,AAAA"}}`)
			take(t, trip{from: O, to: G, ask: ask}).sends("contents.0.parts.1.inlineData", `{"mimeType":"`+form+`","data":"AAAA"}`)
			refuses(t, trip{from: O, to: A, ask: ask}, "messages[0].content[1]")
		}
	}},
	{number: 1059, name: "marks for a router that takes them", run: func(t *testing.T) {
		long := strings.Replace(mark, `"ephemeral"`, `"ephemeral","ttl":"1h"`, 1)
		ask := `{"model":"m","max_tokens":99,"cache_control":{"type":"ephemeral"},"system":[{"type":"text","text":"s"},{"type":"text","text":"t"` + long + `}],` + toolsA + `,"messages":[{"role":"user","content":[{"type":"text","text":"go"` + mark + `}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"` + mark + `}]}]}`
		l := take(t, trip{from: A, to: O, kind: "openrouter", ask: ask})
		l.sends("messages.0.content", `[{"type":"text","text":"s"},{"type":"text","text":"t","cache_control":{"type":"ephemeral","ttl":"1h"}}]`)
		l.sends("messages.1.content", `[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]`)
		l.sends("messages.3.content", `[{"type":"text","text":"x","cache_control":{"type":"ephemeral"}}]`)
		l.sends("cache_control", `{"type":"ephemeral"}`)
		l.quiet()
		l = take(t, trip{from: A, to: O, kind: "vllm", ask: ask})
		if strings.Contains(l.got().Raw, "cache") || strings.Count(l.told(), "ignored") < 4 {
			t.Errorf("%s %s", l.got().Raw, l.told())
		}
	}},
}}
