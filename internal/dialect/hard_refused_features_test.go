package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// refusesFirst is an upstream that refuses a request once, with this status and these words, and
// takes it then.
func refusesFirst(way trip, status int, words string) trip {
	answer := hi[way.to]
	if way.stream {
		answer = map[string]string{O: chunksO("stop", `{"content":"hi"}`), A: messageA(textA(0, "hi"), "end_turn"), G: sse(hi[G])}[way.to]
	}
	way.statuses, way.answers = []int{status, 200}, []string{said(way.to, words), answer}
	return way
}

// reminded is a conversation in which the system speaks between turns.
var reminded = map[string]string{
	A: `{"model":"m","max_tokens":99,"system":"S","messages":[{"role":"user","content":"go"},{"role":"system","content":"mind"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`,
	O: `{"model":"m","messages":[{"role":"system","content":"S"},{"role":"user","content":"go"},{"role":"system","content":"mind"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`,
}

// strictTools are n functions that are to be called strictly by this schema.
func strictTools(n int, schema string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"type":"function","function":{"name":"f%d","strict":true,"parameters":%s}}`, i, schema))
	}
	return `"tools":[` + strings.Join(list, ",") + `]`
}

// manyOf is the schema of an object with n properties.
func manyOf(n int, property string, required bool) string {
	var properties, names []string
	for i := range n {
		properties = append(properties, fmt.Sprintf(`"p%d":%s`, i, property))
		names = append(names, fmt.Sprintf(`"p%d"`, i))
	}
	if !required {
		names = nil
	}
	return `{"type":"object","properties":{` + strings.Join(properties, ",") + `},"required":[` + strings.Join(names, ",") + `],"additionalProperties":false}`
}

var hardRefused = section{"AN", "what upstreams refuse", []hard{
	// vllm-project/vllm#41114, ollama/ollama#17774, QwenLM/Qwen3.8#244: Claude Code's reminders to models whose template wants them first.
	{number: 1161, name: "system text between turns, to a server whose template has it only at the beginning", answer: "asked again with it as marked text of the user, with a warning", run: func(t *testing.T) {
		for kind, status := range map[string]int{"vllm": 400, "ollama": 500, "llamacpp": 500, "lmstudio": 400} {
			for _, streamed := range []bool{false, true} {
				ask := reminded[A]
				if streamed {
					ask = strings.Replace(ask, "{", `{"stream":true,`, 1)
				}
				l := take(t, refusesFirst(trip{from: A, to: O, kind: kind, own: true, stream: streamed, ask: ask}, status, "Jinja Exception: System message must be at the beginning."))
				is(t, kind+", first", l.sent[0].Get("messages.#.role").Raw, `["system","user","system","assistant","user"]`)
				is(t, kind+", then", l.sent[1].Get("messages.#.role").Raw, `["system","user","user","assistant","user"]`)
				is(t, kind+", marked", l.sent[1].Get("messages.2.content").Str, "<system-reminder>\nmind\n</system-reminder>")
				l.warns("messages[1]", chat.Approximated)
				is(t, kind+", answered", strings.Contains(l.body, `"hi"`), true)
			}
		}
		l := try(t, trip{from: A, to: O, kind: "vllm", own: true, ask: reminded[A], status: 400, answers: []string{said(O, "System message must be at the beginning.")}})
		is(t, "refused again", fmt.Sprint(l.status, len(l.calls)), "400 2")
	}},
	// vellum-ai/vellum-assistant#18387, caozhiyuan/copilot-api#196.
	{number: 1162, name: "a picture in a result that reports an error, to Claude", answer: "the picture follows the results", run: func(t *testing.T) {
		picture := `,"parts":[{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]`
		ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}}},{"functionCall":{"id":"2","name":"f","args":{}}}]},` +
			`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"error":"boom"}` + picture + `}},{"functionResponse":{"id":"2","name":"f","response":{"output":"ok"}` + picture + `}}]}]}`
		l := take(t, trip{from: G, to: A, ask: ask})
		l.sends("messages.2.content.#.type", `["tool_result","tool_result","image"]`)
		l.sends("messages.2.content.0.content.#.type", `["text","text"]`)
		l.sends("messages.2.content.0.is_error", "true")
		l.sends("messages.2.content.1.content.#.type", `["text","image"]`)
		l.warns("contents[2].parts[0]", chat.Approximated)
	}},
	// Alcova-AI/adk-anthropic-go#23, can1357/oh-my-pi#6590.
	{number: 1163, name: "a call is wanted of a Claude that thinks as it finds fit", answer: "the choice is auto, and one line of the system prompt asks for a call", run: func(t *testing.T) {
		for from, ask := range map[string]string{
			O: withO(toolsO + `,"reasoning_effort":"high","tool_choice":"required"`),
			G: `{` + toolsG + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}},"generationConfig":{"thinkingConfig":{"thinkingLevel":"HIGH"}},"contents":[{"parts":[{"text":"go"}]}]}`,
		} {
			for _, model := range []string{"claude-opus-4-6", "claude-opus-4-7", "claude-sonnet-4-5"} {
				l := take(t, trip{from: from, to: A, model: model, ask: ask})
				l.sends("tool_choice", `{"type":"auto"}`)
				is(t, model, strings.Contains(l.got().Get("system").Raw, "must call"), true)
				is(t, model+", thinks", l.got().Get("thinking.type").Exists(), true)
			}
		}
		take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: withO(toolsO + `,"tool_choice":"required"`)}).sends("tool_choice.type", `"any"`)
	}},
	// google-gemini/gemini-cli#19436, maximhq/bifrost#4202.
	{number: 1164, name: "a picture in a result, to a Gemini before 3", answer: "it follows the results in a turn of the user's", run: func(t *testing.T) {
		ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},{"type":"text","text":"and?"}`)
		for _, model := range []string{"gemini-2.5-flash", "gemini-2.5-pro", "gemini-2.0-flash"} {
			l := take(t, trip{from: A, to: G, model: model, ask: ask})
			l.sends("contents.2.parts.#", "1")
			l.sends("contents.2.parts.0.functionResponse.parts", "")
			l.sends("contents.2.parts.0.functionResponse.response", `{"output":"see"}`)
			l.sends("contents.3.parts.0.inlineData.data", quoted(pixel))
			l.sends("contents.3.parts.1.text", `"and?"`)
			l.warns("messages[2].content[0]", chat.Approximated)
		}
		take(t, trip{from: A, to: G, model: "gemini-3-flash", ask: ask}).sends("contents.2.parts.0.functionResponse.parts.0.inlineData.data", quoted(pixel))
	}},
	// google-gemini/cookbook#1290, vercel/ai#8943.
	{number: 1165, name: "penalties, which some of Google's models refuse", answer: "asked again without them, with a warning", run: func(t *testing.T) {
		for field, name := range map[string]string{"presence_penalty": "presencePenalty", "frequency_penalty": "frequencyPenalty"} {
			l := take(t, refusesFirst(trip{from: O, to: G, model: "gemini-3-pro", ask: withO(`"` + field + `":0.5`)}, 400, "Penalty is not enabled for models/gemini-3-pro"))
			is(t, name, l.sent[0].Get("generationConfig."+name).Raw, "0.5")
			is(t, name+", then", l.sent[1].Get("generationConfig."+name).Exists(), false)
			l.warns(field, chat.Dropped)
			l = take(t, trip{from: O, to: G, model: "gemini-3-pro", ask: withO(`"` + field + `":0`)})
			l.sends("generationConfig."+name, "")
			l.quiet()
		}
	}},
	// 0xPlaygrounds/rig#788, google/adk-python#3900; unicef/adt-studio#476 for speech.
	{number: 1166, name: "a system prompt, to a model of Google's that takes none", answer: "it is marked text of the user's first turn", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"system","content":"be brief"},{"role":"user","content":"go"}]}`
		l := take(t, trip{from: O, to: G, model: "gemma-3-27b-it", ask: ask})
		l.sends("systemInstruction", "")
		l.sends("contents", `[{"role":"user","parts":[{"text":"<system-reminder>\nbe brief\n</system-reminder>"},{"text":"go"}]}]`)
		l.warns("messages[0]", chat.Approximated)
		l = take(t, trip{from: O, to: G, model: "gemini-2.5-flash-preview-tts", ask: ask})
		l.sends("systemInstruction", "")
		l.sends("contents.0.parts.#.text", `["### PERFORMANCE\nbe brief\n#### TRANSCRIPT","go"]`)
		take(t, trip{from: O, to: G, model: "gemma-4-31b-it", ask: ask}).sends("systemInstruction.parts.0.text", `"be brief"`)
		take(t, trip{from: O, to: G, model: "gemma-3-27b-it", ask: `{"model":"m","messages":[{"role":"system","content":"be brief"}]}`}).sends("contents.0.parts.0.text", `"be brief"`)
	}},
	// camel-ai/camel#4171, elizaOS/eliza#16516, vercel/ai#17268.
	{number: 1167, name: "more strict tools, optional and manifold properties than Claude is held to", answer: "no tool is strict, or the shape is asked for in words, with a warning", run: func(t *testing.T) {
		text, either := `{"type":"string"}`, `{"type":["string","null"]}`
		for what, row := range map[string]struct {
			tools string
			kept  bool
		}{
			"20 tools": {strictTools(20, manyOf(1, text, true)), true}, "21 tools": {strictTools(21, manyOf(1, text, true)), false},
			"24 optional": {strictTools(2, manyOf(12, text, false)), true}, "26 optional": {strictTools(2, manyOf(13, text, false)), false},
			"16 unions": {strictTools(2, manyOf(8, either, true)), true}, "18 unions": {strictTools(2, manyOf(9, either, true)), false},
		} {
			l := take(t, trip{from: O, to: A, model: "claude-opus-4-6", ask: withO(row.tools)})
			is(t, what, strings.Contains(l.got().Get("tools").Raw, `"strict":true`), row.kept)
			is(t, what+", all are there", l.got().Get("tools.#").Int(), int64(strings.Count(row.tools, `"strict"`)))
			is(t, what+", told", l.warned("tools", chat.Dropped), !row.kept)
		}
		shaped := func(n int, more string) string {
			return withO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + manyOf(n, either, true) + `}}` + more)
		}
		for n, kept := range map[int]bool{16: true, 17: false} {
			l := take(t, trip{from: O, to: A, model: "claude-opus-4-6", ask: shaped(n, "")})
			is(t, fmt.Sprint("a shape of ", n), l.got().Get("output_config.format").Exists(), kept)
			is(t, fmt.Sprint("in words, of ", n), strings.Contains(l.got().Get("system").Raw, "p16"), !kept)
		}
		l := take(t, trip{from: O, to: A, model: "claude-opus-4-6", ask: shaped(9, ","+strictTools(1, manyOf(9, either, true)))})
		is(t, "both", fmt.Sprint(l.got().Get("output_config.format").Exists(), l.got().Get("tools.0.strict").Bool()), "false true")
	}},
	// anthropics/anthropic-sdk-typescript#885, anthropics/anthropic-sdk-python#1185: there is no figure for this one.
	{number: 1168, name: "schemas that are too much for Claude, by its own word", answer: "asked again without strict, with a warning", run: func(t *testing.T) {
		words := "The compiled grammar is too large, which would cause performance issues. Simplify your tool schemas or reduce the number of strict tools."
		l := take(t, refusesFirst(trip{from: O, to: A, model: "claude-opus-4-6", ask: withO(strictTools(1, manyOf(1, `{"type":"string"}`, true)))}, 400, words))
		is(t, "first and then", fmt.Sprint(l.sent[0].Get("tools.0.strict").Bool(), l.sent[1].Get("tools.0.strict").Exists()), "true false")
		l.warns("tools[0]", chat.Dropped)
	}},
	// openai/openai-agents-js#712, NousResearch/hermes-agent#82785.
	{number: 1169, name: "arguments behind an empty object", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for what, body := range map[string]string{
				"streamed":      chunksO("tool_calls", toolO(0, "c", "f", "{}"), toolO(0, "", "", `{"a":`), toolO(0, "", "", `"1"}`)),
				"at once":       chunksO("tool_calls", toolO(0, "c", "f", "{}"), toolO(0, "", "", `{"a":"1"}`)),
				"in one string": endO("tool_calls", `"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}{\"a\":\"1\"}"}}]`),
			} {
				either(t, trip{from: from, to: O, answers: []string{body}}, func(l *landed) { is(t, from+" "+what, argued(l), `{"a":"1"}`) })
			}
			either(t, trip{from: from, to: O, answers: []string{chunksO("tool_calls", toolO(0, "c", "f", "{}"))}}, func(l *landed) { is(t, from+", none", argued(l), "{}") })
			two := chunksO("tool_calls", toolO(0, "c", "f", "{}"), toolO(1, "d", "f", "{}"), toolO(1, "", "", `{"a":"2"}`))
			either(t, trip{from: from, to: O, answers: []string{two}}, func(l *landed) {
				calls, _ := called(l)
				is(t, from+", two", calls, 2)
			})
		}
	}},
	// openclaw/openclaw#74846, farion1231/cc-switch#2331: the history is another model's, or was made without thinking.
	{number: 1170, name: "calls without thoughts, to a model that wants them back", answer: "asked again with a blank thought", run: func(t *testing.T) {
		for _, words := range []string{
			"thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
			"The `reasoning_content` in the thinking mode must be passed back to the API.",
			"Missing `reasoning_content` field in the assistant message at message index 2.",
		} {
			l := take(t, refusesFirst(trip{from: A, to: O, kind: "deepseek", ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`)}, 400, words))
			is(t, words, l.sent[1].Get(`messages.#(role=="assistant").reasoning_content`).Raw, `" "`)
			is(t, words+", and nowhere else", strings.Count(l.sent[1].Raw, "reasoning_content"), 1)
		}
	}},
	// farion1231/cc-switch#1022, claude-code-best/claude-code#340: Claude Code asks for 32,000 tokens and more.
	{number: 1171, name: "an answer that was to be longer than a model's can be", answer: "asked again for as much as there is room for, with a warning", run: func(t *testing.T) {
		for _, row := range []struct {
			from, to, words string
			asked           int
			want            string
		}{
			{A, O, "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 17459 input tokens (32000 > 32768 - 17459). (parameter=max_tokens, value=32000)", 32000, "15309"},
			{A, O, "max_tokens is too large: 64000. This model supports at most 16384 completion tokens, whereas you provided 64000.", 64000, "16384"},
			{G, O, "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion). Please reduce the length of the messages or completion.", 32000, "24768"},
			{G, O, "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40000 tokens: 8000 tokens from the input messages and 32000 tokens for the completion.", 32000, "24768"},
			{O, A, "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022", 64000, "8192"},
			{O, A, "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again", 20000, "10000"},
			{O, G, "Unable to submit request because it has a maxOutputTokens value of 100000 but the supported range is from 1 (inclusive) to 65537 (exclusive). Update the value and try again.", 100000, "65536"},
		} {
			l := take(t, refusesFirst(trip{from: row.from, to: row.to, ask: askingFor(row.from, row.asked)}, 400, row.words))
			at := map[string]string{O: "max_completion_tokens", A: "max_tokens", G: "generationConfig.maxOutputTokens"}[row.to]
			is(t, row.words, l.sent[0].Get(at).Raw+" "+l.sent[1].Get(at).Raw, fmt.Sprint(row.asked)+" "+row.want)
			l.warns(map[string]string{O: "max_completion_tokens", A: "max_tokens", G: "generationConfig.maxOutputTokens"}[row.from], chat.Approximated)
		}
		full := try(t, trip{from: A, to: O, ask: askingFor(A, 32000), status: 400, answers: []string{said(O, "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 32700 input tokens (32000 > 32768 - 32700).")}})
		is(t, "no room at all", fmt.Sprint(full.status, len(full.calls)), "400 1")
	}},
	// anthropics/claude-code#89211, lidge-jun/opencodex#5029.
	{number: 1172, name: "Anthropic's search for tools, to other models", answer: "it is left out: all tools are offered at once", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"tools":[{"type":"tool_search_tool_regex_20251119","name":"tool_search_tool_regex"},{"name":"f","input_schema":{"type":"object","properties":{}},"defer_loading":true}],"messages":[{"role":"user","content":"go"}]}`
		for to, at := range map[string]string{O: "tools.#.function.name", G: "tools.0.functionDeclarations.#.name"} {
			l := take(t, trip{from: A, to: to, ask: ask})
			l.sends(at, `["f"]`)
			l.warns("tools[0]", chat.Ignored)
		}
	}},
	// Mistral's own form of thoughts, in a history that its clients keep.
	{number: 1173, name: "thoughts in a list, as Mistral's clients send them back", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"so"},{"type":"text","text":" so"}]},{"type":"text","text":"well"}]},{"role":"user","content":"on"}]}`
		l := take(t, trip{from: O, to: A, ask: ask})
		l.sends("messages.1.content.#.text", `["well"]`)
		l.warns("messages[1].content[0]", chat.Dropped)
		l = take(t, trip{from: O, to: G, ask: ask})
		l.sends("contents.1.parts.0.text", `"so so"`)
		l.sends("contents.1.parts.0.thought", "true")
	}},
	{number: 1174, name: "members beside a function that belong into it", run: func(t *testing.T) {
		ask := withO(`"tools":[{"type":"function","strict":true,"description":"D","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]`)
		for _, to := range []string{A, G} {
			l := take(t, trip{from: O, to: to, ask: ask})
			l.warns("tools[0].strict", chat.Dropped)
			l.warns("tools[0].description", chat.Dropped)
		}
	}},
	// mastra-ai/mastra#14187, Kilo-Org/kilocode#7773.
	{number: 1175, name: "an end for calls, and no call", run: func(t *testing.T) {
		ends := map[string]string{O: "stop", A: "end_turn", G: "STOP"}
		bodies := map[string]forms{
			O: {endO("tool_calls", `"content":"hm","tool_calls":[]`), chunksO("tool_calls", `{"content":"hm","tool_calls":[]}`)},
			A: {wholeA("tool_use", `{"type":"text","text":"hm"}`), messageA(textA(0, "hm"), "tool_use")},
		}
		for to, body := range bodies {
			for _, from := range []string{O, A, G} {
				if from != to {
					body.each(t, trip{from: from, to: to}, func(l *landed) { is(t, from+" from "+to, lastEnd(l), ends[from]) })
				}
			}
		}
	}},
	// anthropics/claude-code#79418, decocms/studio#6874: one such tool among hundreds, and every request is refused.
	{number: 1176, name: "arguments whose names Claude does not take", answer: "they are told in the description, with a warning", run: func(t *testing.T) {
		schema := func(name string) string {
			return `{"type":"object","additionalProperties":false,"description":"D","properties":{` + quoted(name) + `:{"type":"string"},"a":{"type":"integer"}},"required":[` + quoted(name) + `,"a"]}`
		}
		for _, name := range []string{"$filter", "a b", "@type", "größe", strings.Repeat("x", 65), "a[]", ""} {
			for from, ask := range map[string]string{O: offering(O, schema(name)), G: offering(G, schema(name))} {
				l := take(t, trip{from: from, to: A, ask: ask})
				l.sends("tools.0.input_schema.properties", `{"a":{"type":"integer"}}`)
				l.sends("tools.0.input_schema.required", `["a"]`)
				l.sends("tools.0.input_schema.additionalProperties", "")
				is(t, name+", told to the model", strings.Contains(l.got().Get("tools.0.input_schema.description").Str, quoted(name)+`:{"type":"string"}`), true)
				is(t, name+", told", strings.Contains(l.told(), "approximated; properties of odd names"), true)
			}
			l := take(t, trip{from: O, to: A, ask: strictly(schema(name))})
			l.sends("tools.0.strict", "")
		}
		for _, name := range []string{"a.b", "a-b", "_a", "9"} {
			take(t, trip{from: O, to: A, ask: offering(O, schema(name))}).quiet()
		}
		call := `{"type":"tool_use","id":"t","name":"f","input":{"$filter":"x"}}`
		l := take(t, trip{from: O, to: A, ask: offering(O, schema("$filter")), answers: []string{wholeA("tool_use", call)}})
		l.gets("choices.0.message.tool_calls.0.function.arguments", `"{\"$filter\":\"x\"}"`)
	}},
	// Google's words for every limit, on its own server of OpenAI's dialect.
	{number: 1177, name: "a limit of a minute that is called a quota", run: func(t *testing.T) {
		body := `[{"error":{"code":429,"message":"You exceeded your current quota, please check your plan and billing details. * Quota exceeded for metric: generate_content_free_tier_requests, limit: 10\nPlease retry in 57.3s.","status":"RESOURCE_EXHAUSTED"}}]`
		for _, from := range []string{A, G} {
			l := try(t, trip{from: from, to: O, kind: "vllm", own: true, ask: plain[from], status: 429, answers: []string{body}})
			is(t, from, fmt.Sprint(l.status, l.failure.RetryAfter, l.failure.Details["reason"]), "429 57.3s <nil>")
			spent := try(t, trip{from: from, to: O, ask: plain[from], status: 429, answers: []string{`{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`}})
			is(t, from+", a quota", fmt.Sprint(spent.status, spent.failure.RetryAfter, spent.failure.Details["reason"]), "429 0sinsufficient_quota")
		}
	}},
	// Proxies before OpenAI's models, and models that are newer than our tables; NousResearch/hermes-agent#23435 for xAI's.
	{number: 1178, name: "a parameter that a model does not take, by its own word", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		for _, row := range []struct{ ask, body, gone, there, field string }{
			{`"max_tokens":99`, `{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}`, "max_tokens", "max_completion_tokens", ""},
			{`"max_tokens":99,"temperature":0.5`, `{"error":{"message":"Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}`, "temperature", "max_tokens", "temperature"},
			{`"max_tokens":99,"top_k":5`, `{"error":{"message":"property 'top_k' is unsupported","type":"invalid_request_error"}}`, "top_k", "max_tokens", "top_k"},
			{`"max_tokens":60000,"thinking":{"type":"adaptive"},"output_config":{"effort":"high"}`, `{"code":"invalid-argument","error":"Model grok-x does not support parameter reasoningEffort."}`, "reasoning_effort", "max_tokens", "thinking"},
			{`"max_tokens":99,"stop_sequences":["E"]`, `{"error":{"message":"Unsupported parameter: 'stop' is not supported with this model.","type":"invalid_request_error","param":"stop","code":"unsupported_parameter"}}`, "stop", "max_tokens", ""},
		} {
			ask := `{"model":"m",` + row.ask + `,"messages":[{"role":"user","content":"go"}]}`
			l := take(t, trip{from: A, to: O, kind: "vllm", own: true, ask: ask, statuses: []int{400, 200}, answers: []string{row.body, hi[O]}})
			is(t, row.body, fmt.Sprint(l.sent[0].Get(row.gone).Exists(), l.sent[1].Get(row.gone).Exists(), l.sent[1].Get(row.there).Exists()), "true false true")
			if row.field != "" {
				l.warns(row.field, chat.Dropped)
			}
		}
		never := try(t, trip{from: A, to: O, ask: plain[A], status: 400, answers: []string{`{"error":{"message":"Unsupported parameter: 'messages'","param":"messages","code":"unsupported_parameter"}}`}})
		is(t, "what no request can do without", fmt.Sprint(never.status, len(never.calls)), "400 1")
	}},
	// mistralai/mistral-common#169: Claude Code's reminders stand behind the results. charmbracelet/crush#279 for two turns of the user's.
	{number: 1182, name: "turns in an order that a model's template does not have", answer: "asked again with one turn for each, with a warning", run: func(t *testing.T) {
		ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"},{"type":"text","text":"mind"}`)
		for _, words := range []string{"Unexpected role 'user' after role 'tool'", "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results."} {
			l := take(t, refusesFirst(trip{from: A, to: O, kind: "mistral", ask: ask}, 400, words))
			is(t, words, l.sent[0].Get("messages.#.role").Raw, `["user","assistant","tool","user"]`)
			is(t, words+", then", l.sent[1].Get("messages.#.role").Raw, `["user","assistant","tool","assistant","user"]`)
			l.warns("messages", chat.Added)
		}
		two := `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"},{"role":"system","content":"mind"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`
		l := take(t, refusesFirst(trip{from: A, to: O, kind: "vllm", own: true, ask: two}, 400, "Conversation roles must alternate user/assistant/user/assistant/..."))
		is(t, "one by one", l.sent[1].Get("messages.#.role").Raw, `["user","assistant","user"]`)
		is(t, "all is said", strings.Contains(l.sent[1].Get("messages.0").Raw, "mind") && strings.Contains(l.sent[1].Get("messages.0").Raw, `"b"`), true)
	}},
	{number: 1179, name: "values for what happens anyway, in what is sent", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: strings.Replace(plain[A], "{", `{"top_k":0,`, 1)})
		l.sends("generationConfig.topK", "")
		l = take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseModalities":["TEXT"],"responseMimeType":"text/plain","candidateCount":1}}`})
		l.sends("modalities", "")
		l.quiet()
	}},
	{number: 1180, name: "the name of a picture", run: func(t *testing.T) {
		ask := partG(`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `","displayName":"x.png"}}`)
		for _, to := range []string{O, A} {
			take(t, trip{from: G, to: to, ask: ask}).warns("contents[0].parts[1]", chat.Ignored)
		}
	}},
	{number: 1181, name: "an answer of nothing is a text to OpenAI's clients", run: func(t *testing.T) {
		for to, body := range map[string]string{A: wholeA("end_turn"), G: partsG("", `,"finishReason":"STOP"`)} {
			take(t, trip{from: O, to: to, ask: plain[O], answers: []string{body}}).gets("choices.0.message.content", `""`)
		}
		take(t, trip{from: O, to: A, ask: plain[O], answers: []string{wholeA("max_tokens", `{"type":"thinking","thinking":"so","signature":"`+claudes+`"}`)}}).gets("choices.0.message.content", `""`)
		take(t, trip{from: O, to: A, ask: plain[O], answers: []string{callingOf(A, "f", "").whole}}).gets("choices.0.message.content", "null")
	}},
	// patlux/pi-commandcode-provider#60, ollama/ollama#18002: a session with screenshots goes on with a model that sees none.
	{number: 1183, name: "pictures of tools and of earlier turns, to a model that sees none", answer: "asked again with words in their place, with a warning; a picture that the user shows now is refused", run: func(t *testing.T) {
		picture := `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`
		ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"see"},` + picture + `]}`)
		earlier := `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":[{"type":"text","text":"what"},` + picture + `]},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`
		for words, status := range map[string]int{
			"No endpoints found that support image input": 404, "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj": 500,
			"Failed to deserialize the JSON body into the target type: messages[3]: unknown variant `image_url`, expected `text`": 422, "m is not a multimodal model": 400, "This model does not support image inputs.": 400,
		} {
			for _, body := range []string{ask, earlier} {
				l := take(t, refusesFirst(trip{from: A, to: O, kind: "vllm", own: true, ask: body}, status, words))
				is(t, words, fmt.Sprint(strings.Contains(l.sent[0].Raw, pixel), strings.Contains(l.sent[1].Raw, pixel), strings.Contains(l.sent[1].Raw, "[image left out")), "true false true")
				is(t, words+", told", strings.Contains(l.told(), "dropped; a picture"), true)
			}
			now := try(t, trip{from: A, to: O, kind: "vllm", own: true, ask: sayA(picture), status: status, answers: []string{said(O, words)}})
			is(t, words+", its status", now.status == 404, false)
			is(t, words+", now", now.failure != nil && strings.Contains(now.sent[len(now.sent)-1].Raw, pixel), true)
		}
	}},
}}
