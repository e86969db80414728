package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// shownA is a picture in Anthropic's dialect.
const shownA = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`

// session is a conversation of Anthropic's dialect with so many pictures of a tool's, and so many that the user shows now.
func session(given, now int) string {
	content := strings.TrimSuffix(strings.Repeat(shownA+",", given), ",")
	return `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + callA("toolu_1") + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[` + content +
		`]}]},{"role":"assistant","content":"so"},{"role":"user","content":[{"type":"text","text":"on"}` + strings.Repeat(","+shownA, now) + `]}]}`
}

// What a session has gathered when it comes to another model, or has become too long for one.
var hardSession = section{"BD", "what a session has gathered", []hard{
	// NousResearch/hermes-agent#104914, charmbracelet/crush#2613, openclaw/openclaw#13202, anomalyco/opencode#48647, microsoft/vscode#303825.
	{number: 1430, name: "more pictures in a session than a model takes", answer: "asked again with words in place of the oldest that tools gave and of earlier turns, with a warning; those that the user shows now stay", run: func(t *testing.T) {
		for _, words := range []string{
			"At most 2 image(s) may be provided in one prompt.", "too many images: maximum allowed for model gemini-3.1-pro-preview is 2, got 4", "Too many images in request. Max is 2.",
			"request contains 4 images, exceeding the maximum of 2 allowed per request", "messages: too many images and documents: 4 + 1 > 3", "Too much media: 1 document pages + 4 images > 3", "Image count 4 exceeds limit 2 per request.",
			"The request contains too many images: 4 images were provided, but the model supports a maximum of 2 images.", "Too many images were provided, we currently limit the number of images per conversation to 2",
			"Too many images in request: 4 > 2", "Exceeded limit on max data-uri per request: 2", "messages: too many images: image_count > 2", "Too many images provided. This model supports up to 2 images",
		} {
			for _, to := range []string{O, G} {
				for _, streamed := range []bool{false, true} {
					l := take(t, refusesFirst(trip{from: A, to: to, stream: streamed, ask: session(3, 1)}, 400, words))
					is(t, to+" "+words, inLine(strings.Count(l.sent[0].Raw, pixel), strings.Count(l.then().Raw, pixel), strings.Count(l.then().Raw, "[image left out")), "4 2 2")
					l.warns("messages[2].content[0]", chat.Dropped)
				}
				now := try(t, trip{from: A, to: to, ask: session(1, 3), status: 400, answers: []string{said(to, words)}})
				is(t, to+", now: "+words, fmt.Sprint(now.status, len(now.sent), strings.Count(now.then().Raw, pixel)), "400 2 3")
			}
			own := try(t, refusesFirst(trip{from: A, to: A, ask: session(3, 1)}, 400, words))
			is(t, "own: "+words, fmt.Sprint(own.status, len(own.sent)), "400 1")
		}
		const closely = "messages.19.content.27.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels"
		both := trip{from: A, to: O, ask: session(110, 0), statuses: []int{400, 400, 200}, answers: []string{said(O, "too many images and documents: 110 + 0 > 100"), said(O, closely), hi[O]}}
		is(t, "first many, then large ones", strings.Count(take(t, both).then().Raw, pixel), 20)
		is(t, "few and large", len(try(t, refusesFirst(trip{from: A, to: O, ask: session(3, 1)}, 400, closely)).sent), 1)
	}},
	// langchain-ai/langchain#38651, pleaseai/shunt#446: Anthropic's libraries have it as a block, too.
	{number: 1431, name: "the system speaks in a block of the user's turn", run: func(t *testing.T) {
		block := `{"type":"mid_conv_system","content":[{"type":"text","text":"mind"},{"type":"text","text":"this"}],"cache_control":{"type":"ephemeral"}}`
		ask := `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":[{"type":"text","text":"go"},` + block + `]},{"role":"assistant","content":[` + callA("toolu_1") + `]},{"role":"user","content":[` + resultA("toolu_1") + `,` + block + `]}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		is(t, "roles", l.got().Get("messages.#.role").Raw, `["user","system","assistant","tool","system"]`)
		is(t, "words", textsOf(l.got().Get("messages.1.content"))+textsOf(l.got().Get("messages.4.content")), "mindthismindthis")
		l = take(t, trip{from: A, to: G, ask: ask})
		is(t, "at Google", l.got().Get("contents.#.role").Raw, `["user","model","user","user"]`)
		is(t, "behind the result", strings.Count(l.got().Get("contents.3").Raw, "system-reminder"), 4)
		l.warns("messages[2].content[1]", chat.Approximated)
		take(t, trip{from: A, to: A, ask: ask}).sends("messages.2.content.1", block)
		far := trip{from: A, to: A, own: true, model: "qwen3", ask: ask}
		l = take(t, refusesFirst(far, 400, "messages.0.content.1: role: system is not supported"))
		is(t, "where the system has no turn", strings.Contains(l.then().Raw, "mid_conv_system"), false)
		first := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"system":"S","messages":[{"role":"user","content":[` + block + `,{"type":"text","text":"go"}]}]}`})
		is(t, "at the beginning", first.got().Get("messages.#.role").Raw, `["system","user"]`)
		refuses(t, trip{from: A, to: O, ask: sayA(`{"type":"mid_conv_system"}`)}, "messages[0].content")
	}},
	// tailcallhq/forgecode#2107, Kilo-Org/kilocode#4631: an answer that was cut short while the model thought, and one that it is to go on with.
	{number: 1700, name: "thoughts at the end of a turn, and in one that Claude goes on with", answer: "left out, with a warning", run: func(t *testing.T) {
		seal := chat.Envelope{Dialect: A, Provider: "far", Model: "claude-sonnet-4-5", Raw: claudes}.Wrap()
		text := `{"type":"reasoning.text","text":"hm","signature":"` + seal + `"}`
		turn := func(content, thoughts string) string {
			return `{"role":"assistant","content":` + content + `,"reasoning_details":[` + thoughts + `]}`
		}
		for _, effort := range []string{`"none"`, `"high"`, `null`} {
			ask := func(turns ...string) trip {
				return trip{from: O, to: A, model: "claude-sonnet-4-5", ask: strings.Replace(talkO(turns...), `"model"`, `"reasoning_effort":`+effort+`,"model"`, 1)}
			}
			l := take(t, ask(says("user", "go"), turn("null", text), says("user", "on")))
			is(t, effort+", between", l.got().Get("messages.#.content.0.text").Raw, `["go","on"]`)
			l.warns("reasoning_effort", chat.Dropped)
			is(t, effort+", last", take(t, ask(says("user", "go"), turn(`""`, text))).got().Get("messages.#.content.0.text").Raw, `["go"]`)
			is(t, effort+", with words", take(t, ask(says("user", "go"), turn(`"so"`, text), says("user", "on"))).got().Get("messages.1.content.#.type").Raw, `["thinking","text"]`)
			begun := take(t, ask(says("user", "go"), turn(`"so"`, text))).got().Get("messages")
			is(t, effort+", to go on with", inLine(begun.Get("1.content.#.type").Raw, begun.Get("#").Int()), map[bool]string{true: `["thinking","text"] 3`, false: `["text"] 2`}[effort == `"high"`])
		}
	}},
	// microsoft/vscode#320196, diegosouzapw/OmniRoute#2191.
	{number: 1701, name: "hidden thoughts of another model, and thoughts where none can be, in Claude's own dialect", answer: "asked again without thoughts, with a warning", run: func(t *testing.T) {
		ask := blocksA(`{"type":"text","text":"go"}`, `{"type":"redacted_thinking","data":"c2ln"},{"type":"text","text":"so"}`, `{"type":"text","text":"on"}`)
		for _, words := range []string{
			"messages.1.content.0: Invalid `data` in `redacted_thinking` block", "messages.1.content.0.redacted_thinking.data: Field required", "messages.1: The final block in an assistant message cannot be `thinking`.",
			"messages.1.content.0.thinking: each thinking block must contain thinking",
			"When thinking is disabled, an `assistant` message in the final position cannot contain `thinking`. To use thinking blocks, enable `thinking` in your request.",
		} {
			for _, own := range []bool{false, true} {
				l := take(t, refusesFirst(trip{from: A, to: A, own: own, ask: ask}, 400, words))
				is(t, words, inLine(l.got().Get("messages.1.content.#").Int(), l.then().Get("messages.1.content").Raw), `2 [{"type":"text","text":"so"}]`)
				l.warns("thinking", chat.Dropped)
			}
		}
	}},
	// anomalyco/opencode#6418, farion1231/cc-switch#7226: another target answered the turn before, and did not think.
	{number: 1432, name: "a turn that another model made, to a Claude that is to think on", answer: "asked again with thinking off for this turn where the model's name was the operator's, with a warning", run: func(t *testing.T) {
		const words = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
		ask := `{"model":"m","max_tokens":9999,"thinking":{"type":"enabled","budget_tokens":2048},` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + callA("toolu_1") + `]},{"role":"user","content":[` + resultA("toolu_1") + `]}]}`
		for _, streamed := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: A, to: A, stream: streamed, ask: ask}, 400, words))
			is(t, "then", l.then().Raw, strings.Replace(l.sent[0].Raw, `{"type":"enabled","budget_tokens":2048}`, `{"type":"disabled"}`, 1))
			l.warns("thinking", chat.Dropped)
		}
		own := try(t, refusesFirst(trip{from: A, to: A, model: "m", ask: ask}, 400, words))
		is(t, "by its own name", fmt.Sprint(own.status, len(own.sent)), "400 1")
		far := take(t, refusesFirst(trip{from: A, to: A, model: "m", own: true, ask: ask}, 400, words))
		is(t, "at another server", far.then().Get("thinking.type").Str, "disabled")
		said := strings.Replace(ask, callA("toolu_1"), `{"type":"thinking","thinking":"hm","signature":"`+claudes+`"},`+callA("toolu_1"), 1)
		is(t, "with thoughts", len(try(t, refusesFirst(trip{from: A, to: A, ask: said}, 400, words)).sent), 1)
	}},
	// anomalyco/opencode#10259, anomalyco/opencode#34089, BerriAI/litellm#31400: agents offer no tools where they ask for a summary.
	{number: 1433, name: "calls of tools that are not offered any more, to Amazon's models behind other servers", answer: "asked again with those tools, not to be called, with a warning", run: func(t *testing.T) {
		asks := map[string]string{
			O: talkO(says("user", "go"), callsO("c1"), resultO("c1", "x")), A: strings.Replace(behindCalls(callA("c1"), resultA("c1")), toolsA+",", "", 1),
			G: `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}},{"functionCall":{"id":"c2","name":"f","args":{}}}]},{"parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"x"}}},{"functionResponse":{"id":"c2","name":"f","response":{"output":"x"}}}]}]}`,
		}
		for _, words := range []string{
			"bedrock error: The toolConfig field must be defined when using toolUse and toolResult content blocks.", "Requests which include `tool_use` or `tool_result` blocks must define tools",
			"litellm.UnsupportedParamsError: Bedrock doesn't support tool calling without `tools=` param specified. Pass `tools=` param OR set `litellm.modify_params = True`", "Anthropic expects the `tools=` param to be passed in.",
		} {
			for from, ask := range asks {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+" "+words, inLine(l.then().Get("tools.#.function.name").Raw, l.then().Get("tool_choice").Raw), `["f"] "none"`)
				l.warns("tools", chat.Added)
			}
			l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: asks[A]}, 400, words))
			is(t, "in its own dialect: "+words, inLine(l.then().Get("tools.#.name").Raw, l.then().Get("tool_choice.type").Raw), `["f"] "none"`)
			own := try(t, refusesFirst(trip{from: A, to: A, ask: asks[A]}, 400, words))
			is(t, "at the author's: "+words, fmt.Sprint(own.status, len(own.sent)), "400 1")
			offered := try(t, refusesFirst(trip{from: A, to: O, own: true, ask: behindCalls(callA("c1"), resultA("c1"))}, 400, words))
			is(t, "offered: "+words, fmt.Sprint(offered.status, len(offered.sent)), "400 1")
		}
		twice := trip{from: A, to: O, own: true, ask: asks[A], statuses: []int{400, 400, 200}, answers: []string{said(O, "The toolConfig field must be defined"), said(O, "Bedrock doesn't support tool_choice=none."), hi[O]}}
		l := take(t, twice)
		is(t, "where it cannot be told", inLine(l.then().Get("tools.#.function.name").Raw, l.then().Get("tool_choice").Exists()), `["f"] false`)
	}},
	// Agents put what a tool of the Model Context Protocol gave them into a result as it is.
	{number: 1434, name: "resources of the Model Context Protocol in results", run: func(t *testing.T) {
		held := `{"type":"resource","resource":{"uri":"file:///a/b.txt","mimeType":"text/plain","text":"words"}}`
		link := `{"type":"resource_link","uri":"file:///c","name":"c.md","mimeType":"text/markdown"}`
		blob := `{"type":"resource","resource":{"uri":"file:///d/e.png","mimeType":"image/png","blob":"` + pixel + `"}}`
		ask := func(parts string) string {
			return askedO(callsO("c1"), `{"role":"tool","tool_call_id":"c1","content":[`+parts+`]}`)
		}
		take(t, trip{from: O, to: A, ask: ask(held + "," + link)}).sends("messages.2.content.0.content.#.text", `["file:///a/b.txt\nwords","c.md\nfile:///c"]`)
		take(t, trip{from: O, to: A, ask: ask(blob)}).sends("messages.2.content.0.content.0.source", `{"type":"base64","media_type":"image/png","data":"`+pixel+`"}`)
		take(t, trip{from: O, to: G, ask: ask(held)}).sends("contents.2.parts.0.functionResponse.response", `{"output":"file:///a/b.txt\nwords"}`)
		for _, own := range []bool{false, true} {
			take(t, trip{from: O, to: O, own: own, ask: ask(held)}).sends("messages.2.content", `"file:///a/b.txt\nwords"`)
		}
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[` + held + `,` + link + `]}`)})
			is(t, "from Claude's clients to "+to, strings.Contains(l.got().Raw, `file:///a/b.txt\nwords`) && strings.Contains(l.got().Raw, `c.md\nfile:///c`), true)
			l.warns("messages[2].content[0]", chat.Approximated)
		}
		for _, part := range []string{`{"type":"resource"}`, `{"type":"resource","resource":{"uri":"x","blob":"%"}}`, `{"type":"resource_link"}`} {
			is(t, part, try(t, trip{from: O, to: A, ask: ask(part)}).status, 400)
		}
		const theirs = `{"type":"resource","id":"r"}`
		take(t, trip{from: O, to: O, own: true, ask: ask(theirs)}).sends("messages.2.content.0", theirs)
	}},
	// LiteLLM's and OpenRouter's users mark calls, where Anthropic's API has marks on them too.
	{number: 1435, name: "a cache mark on a call, in OpenAI's API", run: func(t *testing.T) {
		ask := askedO(strings.Replace(callsO("c1"), `"id":"c1",`, `"id":"c1","cache_control":{"type":"ephemeral","ttl":"1h"},`, 1), resultO("c1", "x"))
		l := take(t, trip{from: O, to: A, ask: ask})
		l.sends("messages.1.content.0.cache_control", `{"type":"ephemeral","ttl":"1h"}`)
		l.quiet()
		take(t, trip{from: O, to: G, ask: ask}).sends("contents.1.parts.0.functionCall.name", `"f"`)
	}},
	// anomalyco/opencode#48750, anthropics/claude-code#61570, earendil-works/pi#1643, QwenLM/Qwen3-VL#2069: models call what is no tool, and agents keep it.
	{number: 1436, name: "names of tools that a server does not take, in its own dialect", answer: "asked again with names that it takes; answers have the client's", run: func(t *testing.T) {
		const odd = "psql 'x' ü"
		asks := map[string]string{
			O: strings.NewReplacer(`"name":"f","arguments"`, `"name":"`+odd+`","arguments"`).Replace(askedO(callsO("c1"), resultO("c1", "x"))),
			A: strings.Replace(behindCalls(callA("c1"), resultA("c1")), `"id":"c1","name":"f"`, `"id":"c1","name":"`+odd+`"`, 1),
		}
		at := map[string]string{O: "messages.1.tool_calls.0.function.name", A: "messages.1.content.0.name"}
		for _, words := range []string{
			"Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", "messages.77.content.0.tool_use.name: String should have at most 200 characters",
			"Value 'psql' at 'messages.2.member.content.1.member.toolUse.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+",
			"Invalid 'tools[48].name': string does not match pattern.", "tools.17.custom.name: String should have at most 64 characters", "<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.",
		} {
			for dialect, ask := range asks {
				l := take(t, refusesFirst(trip{from: dialect, to: dialect, own: true, ask: ask}, 400, words))
				is(t, dialect+", first: "+words, l.sent[0].Get(at[dialect]).Str, odd)
				is(t, dialect+", then: "+words, strings.Trim(l.then().Get(at[dialect]).Str, "abcdefghijklmnopqrstuvwxyz_0123456789"), "")
				own := try(t, refusesFirst(trip{from: dialect, to: dialect, ask: ask}, 400, words))
				is(t, dialect+", at the author's: "+words, fmt.Sprint(own.status, len(own.sent)), "400 1")
			}
			l := try(t, refusesFirst(trip{from: A, to: O, own: true, ask: asks[A]}, 400, words))
			is(t, "translated: "+words, fmt.Sprint(l.status, len(l.sent)), "400 1")
		}
		offered := trip{from: O, to: O, own: true, ask: strings.ReplaceAll(askedO(callsO("c1"), resultO("c1", "x")), `"name":"f"`, `"name":"my.tool"`)}
		const words = "Invalid 'tools[0].function.name': string does not match pattern."
		sent := take(t, refusesFirst(offered, 400, words)).then().Get("tools.0.function.name").Str
		calling := refusesFirst(offered, 400, words)
		calling.answers[1] = strings.Replace(hi[O], `"content":"hi"`, `"content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"`+sent+`","arguments":"{}"}}]`, 1)
		take(t, calling).gets("choices.0.message.tool_calls.0.function.name", `"my.tool"`)
	}},
	// farion1231/cc-switch#3314 for Amazon's words; Google's own for names and choices; OpenAI's of its older models; Anthropic's API as clouds have it.
	{number: 1706, name: "names, choices, shapes, tiers and turns, refused in other words", answer: "asked again with what the model takes, with a warning where that is less", run: func(t *testing.T) {
		long, shape := strings.Repeat("n", 100), `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		tool := func(name, more string) string {
			return `{"type":"function","function":{"name":"` + name + `","parameters":` + shape + more + `}}`
		}
		allowed := `"tools":[` + tool("f", "") + `,` + tool("g", "") + `],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"g"}}]}}`
		format := `"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":` + shape + `}}`
		for _, row := range []struct{ to, model, ask, words, at, first, then, field string }{
			{A, "claude-sonnet-4-5", talkO(says("user", "go"), says("assistant", "so")), "The model that you are using requires the last turn in the conversation to be a user message. Add a user message to the conversation and try again.", "messages.#", "2", "3", "messages"},
			{A, "", withO(`"tools":[` + tool(long, "") + `]`), "tools.0.custom.name: String should have at most 64 characters", "tools.0.name", long, "", ""},
			{A, "", withO(`"service_tier":"auto"`), "service_tier: Extra inputs are not permitted", "service_tier", "auto", "", "service_tier"},
			{G, "", withO(`"tools":[` + tool(long, "") + `]`), "* GenerateContentRequest.tools[0].function_declarations[0].name: Invalid function name. Must start with a letter or an underscore, with a maximum length of 64.", "tools.0.functionDeclarations.0.name", long, "", ""},
			{G, "", withO(allowed), "Please set allowed_function_names only when function_calling_config mode is ANY.", "tools.0.functionDeclarations.#.name", `["f","g"]`, `["g"]`, "tool_choice"},
			{G, "", withO(allowed), `Invalid value at 'tool_config.function_calling_config.mode' (type.googleapis.com/google.ai.generativelanguage.v1beta.FunctionCallingConfig.Mode), "VALIDATED"`, "toolConfig.functionCallingConfig", `{"mode":"VALIDATED","allowedFunctionNames":["g"]}`, `{"mode":"AUTO"}`, "tool_choice"},
			{G, "", withO(`"tools":[` + tool("f", `,"strict":true`) + `]`), "VALIDATED mode is not supported for this model.", "toolConfig.functionCallingConfig.mode", "VALIDATED", "", "tools"},
			{G, "", withO(`"tools":[` + tool("f", "") + `],"tool_choice":"required",` + format), "Forced function calling (ANY mode) with response mime type: 'application/json' is unsupported", "generationConfig.responseMimeType", "application/json", "", "response_format"},
			{O, "", `{"model":"m","max_tokens":99,"output_config":{"format":{"type":"json_schema","schema":` + shape + `}},"messages":[{"role":"user","content":"go"}]}`, "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.", "response_format.type", "json_schema", "", "output_config.format"},
		} {
			from := O
			if row.to == O {
				from = A
			}
			l := take(t, refusesFirst(trip{from: from, to: row.to, model: row.model, ask: row.ask}, 400, row.words))
			is(t, row.words, l.got().Get(row.at).String(), row.first)
			if then := l.then().Get(row.at).String(); row.first == long {
				is(t, row.words, len(then), 64)
			} else {
				is(t, row.words, then, row.then)
			}
			is(t, row.words+", told", row.field == "" || strings.Contains(l.told(), row.field+";"), true)
		}
	}},
	// google-gemini/gemini-cli#19436.
	{number: 1707, name: "a picture in a result, to a Gemini before 3 whose name tells nothing", answer: "asked again with the picture in a turn of the user's, with a warning", run: func(t *testing.T) {
		picture := `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`
		for from, ask := range map[string]string{
			A: session(1, 0),
			O: talkO(says("user", "go"), callsO("c1"), `{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"see"},`+picture+`]}`),
		} {
			for _, words := range []string{
				"Unable to submit request because `function_response.parts` is not supported for this model. Learn more: https://cloud.google.com/vertex-ai/generative-ai/docs/multimodal/function-calling",
				"Multimodal function responses are not supported for this model.", "Multimodal function response is not supported by models/gemini-2.5-flash.",
				`Invalid JSON payload received. Unknown name "parts" at 'contents[2].parts[0].function_response': Cannot find field.`,
			} {
				l := take(t, refusesFirst(trip{from: from, to: G, model: "prod", ask: ask}, 400, words))
				is(t, from+" "+words, inLine(l.got().Get("contents.2.parts.0.functionResponse.parts.#").Int(), strings.Contains(l.then().Get("contents.2.parts.0").Raw, pixel), l.then().Get("contents.3.parts.0.inlineData.data").Str == pixel), "1 false true")
				is(t, from+", told", strings.Contains(l.told(), "attached in a user's turn"), true)
			}
		}
	}},
	{number: 1709, name: "thoughts of another Claude in a loop, in Claude's own dialect", answer: "asked again without them, and, where they are missed then, without thinking for this turn", run: func(t *testing.T) {
		ask := strings.Replace(blocksA(`{"type":"text","text":"go"}`, `{"type":"thinking","thinking":"hm","signature":"c2ln"},`+callA("c"), resultA("c")), `"max_tokens":9`, `"max_tokens":9,"thinking":{"type":"adaptive"}`, 1)
		for model, want := range map[string]string{"m": "disabled", "claude-opus-4-8": "disabled", "claude-sonnet-5-5": "between_tools"} {
			l := take(t, trip{from: A, to: A, model: model, ask: ask, statuses: []int{400, 400, 200}, answers: []string{
				said(A, "messages.1.content.0: Invalid `signature` in `thinking` block"), said(A, "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`."), hi[A],
			}})
			is(t, model, inLine(len(l.sent), strings.Contains(l.then().Raw, "hm"), l.then().Get("thinking").Raw), `3 false {"type":"`+want+`"}`)
			l.warns("thinking", chat.Dropped)
		}
	}},
}}
