package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// What people complained of in 2026: members that libraries send back, forms that servers insist on, schemas in Moonshot's words.
var hardMined = section{"BO", "what libraries send back, and forms that servers insist on", []hard{
	// anthropics/anthropic-sdk-python#1107 and #1566, anthropic-sdk-go#186, anthropics/claude-code#11678 and #89211.
	{number: 1543, name: "members and blocks of Claude's own answers and tools that a server of its dialect does not know", answer: "asked again without the members, and with words for the blocks, with a warning; by Anthropic's own API the client hears the refusal", run: func(t *testing.T) {
		t.Run("members", minedOfClaude)
		t.Run("blocks", minedBlocks)
	}},
	// anomalyco/opencode#43467, partITech/php-mistral#76, Gitlawb/openclaude#739.
	{number: 1544, name: "members that say nothing, as OpenAI's library sends a turn back", answer: "asked again without them; that makes no difference to the answer", run: minedBlanks},
	// vercel/ai#18921, MoonshotAI/kimi-code#792 and #2661, luxus/pi-hindsight#551, anomalyco/opencode#25011.
	{number: 1545, name: "schemas whose types do not stand where Moonshot's servers look for them", answer: "asked again with types where they are wanted, with a warning", run: minedTypes},
	// MoonshotAI/kimi-cli#2531, Portkey-AI/gateway#1062, NousResearch/hermes-agent#16478.
	{number: 1546, name: "names that begin with a digit, ids that are too long, results that do not name their tool or are none of a call's", answer: "asked again in the form that the server wants, with a warning where that adds or leaves out anything", run: func(t *testing.T) {
		t.Run("forms", minedForms)
		t.Run("pairs", minedPairs)
	}},
	// ggml-org/llama.cpp#20861, NEKOparapa/AiNiee#641: agents end a request with a turn of the model's by accident.
	{number: 1547, name: "an answer that the client began, to a server that does not go on with it, in its own dialect", answer: "asked again with a line of the user's that asks to go on, with a warning", run: func(t *testing.T) {
		for from, words := range map[string][]string{
			O: {"Expected last role User or Tool (or Assistant with prefix True) for serving but got assistant", "Assistant response prefill is incompatible with enable_thinking."},
			A: {"This model does not support assistant message prefill. The conversation must end with a user message."},
		} {
			ask := map[string]string{O: talkO(says("user", "go"), says("assistant", "{")), A: talkA(says("user", "go"), says("assistant", "{"))}[from]
			for _, sentence := range words {
				l := take(t, refusesFirst(trip{from: from, to: from, own: true, ask: ask}, 400, sentence))
				is(t, sentence, l.then().Get("messages.2.role").Str, "user")
				is(t, inLine(sentence, l.then().Get("messages.2.content").Raw), strings.Contains(strings.ToLower(l.then().Get("messages.2.content").Raw), "continue"), true)
				is(t, l.told(), len(l.losses), 1)
				is(t, "by the author's own name", try(t, refusesFirst(trip{from: from, to: from, ask: ask}, 400, sentence)).status, 400)
			}
		}
	}},
	// ggml-org/llama.cpp#19703, lmstudio-ai/lmstudio-bug-tracker#842: what gpt-oss itself has said is refused when it comes back.
	{number: 1548, name: "thoughts beside words and a call, to a template that takes one or the other", answer: "asked again without thoughts of earlier turns, with a warning", run: func(t *testing.T) {
		const words = "Cannot pass both content and thinking in an assistant message with tool calls! Put the analysis message in one or the other, but not both. at row 290, column 178:"
		asks := map[string]string{
			O: talkO(says("user", "go"), `{"role":"assistant","content":"I look.","reasoning_content":"hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"tool","tool_call_id":"c1","content":"x"}`),
			A: talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"I look."},{"type":"tool_use","id":"t1","name":"f","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}`),
		}
		for from, ask := range asks {
			for _, status := range []int{400, 500} {
				l := take(t, refusesFirst(trip{from: from, to: O, kind: "llamacpp", ask: ask}, status, words))
				is(t, "first", l.got().Get("messages.1.reasoning_content").Str, "hm")
				is(t, "then", l.then().Get("messages.1.reasoning_content").Exists(), false)
				is(t, "then", l.then().Get("messages.1.content").Str, "I look.")
				is(t, "then"+l.told(), strings.Contains(l.told(), "dropped; thoughts of earlier turns"), true)
			}
		}
	}},
	// quarkiverse/quarkus-langchain4j#1983.
	{number: 1549, name: "words beside results, to a model of Amazon's", answer: "asked again with a turn of the model's between them, with a warning", run: func(t *testing.T) {
		ask := talkO(says("user", "go"), `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`, `{"role":"tool","tool_call_id":"c1","content":"x"}`, says("user", "and this"))
		l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: ask}, 400, "messages.2.content: Conversation blocks and tool use blocks cannot be provided in the same turn."))
		is(t, "between", l.then().Get("messages.3.role").Str, "assistant")
		is(t, "behind", l.then().Get("messages.4.content").Str, "and this")
		l.warns("messages", chat.Added)
	}},
	// The more tools there are, the more often: Claude Code with a few servers has more than 128 (musistudio/claude-code-router#686).
	{number: 1550, name: "more tools than an upstream takes", answer: "400 that names the tools, never one that says that the conversation is too long; the next target is asked", run: func(t *testing.T) {
		for _, words := range []string{
			"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 142 instead.",
			"tools: List should have at most 128 items after validation, not 142", "Too many tools: 142, at most 128 are allowed.", "The number of tools exceeds the maximum of 128.",
			"Invalid request: too many tools provided, max 128",
		} {
			for _, from := range []string{A, G} {
				l := try(t, trip{from: from, to: O, ask: plain[from], status: 400, answers: []string{said(O, words)}})
				is(t, words, l.status, 400)
				is(t, words, l.failure.TooLong == nil && l.failure.Elsewhere, true)
				is(t, words, l.failure.Details["field"], any("tools"))
				is(t, words, strings.HasPrefix(l.failure.Message, "prompt is too long"), false)
			}
		}
		l := try(t, trip{from: A, to: O, ask: plain[A], status: 400, answers: []string{said(O, "Invalid 'messages': array too long. Expected an array with maximum length 2048, but got an array with length 2050 instead.")}})
		is(t, "of messages", l.failure.Elsewhere, false)
	}},
	{number: 1551, name: "examples of a tool's arguments, as Anthropic's API has them", answer: "they stand in its description, with a warning", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"tools":[{"name":"f","description":"does","input_schema":{"type":"object","properties":{"a":{"type":"string"}}},"input_examples":[{"a": "x"},{}]},{"name":"g","input_schema":{"type":"object"},"input_examples":[]}],"messages":[` + says("user", "go") + `]}`
		for to, path := range map[string]string{O: "tools.0.function.description", G: "tools.0.functionDeclarations.0.description"} {
			l := take(t, trip{from: A, to: to, ask: ask})
			is(t, to, l.got().Get(path).Str, "does\n\nExamples of its arguments:\n{\"a\":\"x\"}\n{}")
			l.warns("tools[0]", chat.Approximated)
			is(t, to+l.told(), strings.Contains(l.told(), "input_examples; dropped"), false)
		}
		take(t, trip{from: A, to: A, ask: ask}).sends("tools.0.input_examples", `[{"a": "x"},{}]`)
	}},
	// MoonshotAI/Kimi-K2#141, anthropics/claude-code#29531: sub-agents of Claude Code do not think, its newer versions as they find fit.
	{number: 1552, name: "a way to think that a server of Claude's dialect does not have, in other words", answer: "asked again in the model's own way, with a warning", run: func(t *testing.T) {
		for _, row := range []struct{ words, thinking, want string }{
			{"invalid thinking: only type=enabled is allowed for this model", `{"type":"adaptive"}`, "enabled"},
			{"invalid thinking: only type=enabled is allowed for this model", `{"type":"disabled"}`, ""},
			{"Only 'enabled' and 'disabled' are supported for thinking; 'adaptive' is not supported.", `{"type":"adaptive"}`, "enabled"},
			{"thinking.enabled.budget_tokens: Field required", `{"type":"enabled"}`, "enabled"},
		} {
			ask := `{"model":"m","max_tokens":20000,"thinking":` + row.thinking + `,"messages":[` + says("user", "go") + `]}`
			l := take(t, refusesFirst(trip{from: A, to: A, own: true, model: "kimi-k3", ask: ask}, 400, row.words))
			is(t, row.words, l.then().Get("thinking.type").Str, row.want)
			is(t, row.words, l.then().Get("thinking.budget_tokens").Exists(), row.want == "enabled")
			is(t, row.words+l.told(), len(l.losses) > 0, true)
		}
	}},
	// anomalyco/opencode#2944, suyiiyii/AutoGLM-GUI#438, musistudio/claude-code-router#429: one picture in a session, and all that follows is refused.
	{number: 1553, name: "pictures of earlier turns, to a model that sees none, whose server hardly says so", answer: "asked again with words in their place, with a warning; a picture that the user shows now is refused", run: func(t *testing.T) {
		seen := `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},` + urlO + `]},` + says("assistant", "so") + `,` + says("user", "on") + `]}`
		shown := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},` + imageA + `]}]}`
		ofA := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},` + imageA + `]},` + says("assistant", "so") + `,` + says("user", "on") + `]}`
		for _, words := range []string{"API 调用参数有误，请检查文档。", "Invalid API parameter, please check the documentation.", "messages.content.type 参数非法，取值范围 ['text']"} {
			l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: ofA}, 400, words))
			is(t, words, strings.Contains(l.then().Raw, "image_url"), false)
			is(t, words+l.told(), len(l.losses) > 0, true)
			is(t, words, try(t, refusesFirst(trip{from: A, to: O, own: true, ask: shown}, 400, words)).status, 400)
			l = try(t, refusesFirst(trip{from: O, to: O, own: true, ask: seen}, 400, words)) // its own bytes: as with other servers that say it
			is(t, words, l.status, 400)
			l = try(t, refusesFirst(trip{from: A, to: O, own: true, ask: plain[A]}, 400, words)) // there are none
			is(t, inLine(words, len(l.sent)), l.status, 400)
		}
	}},
	// BerriAI/litellm#22979, anomalyco/opencode#31259, anthropics/claude-code#54013: what Claude said ends the session in which it is said again.
	{number: 1554, name: "texts of nothing, pictures of another type than they are said to be and schemas of older drafts, which Claude refuses with every turn", answer: "asked again without such texts, with the types that the bytes show, and with schemas of the newest draft, with a warning; from another dialect none of them is ever sent", run: func(t *testing.T) {
		t.Run("schemas", minedDrafts)
		t.Run("texts", minedNothings)
		t.Run("pictures", minedPictures)
	}},
	{number: 1556, name: "results without the name of their tool, in Google's own dialect", answer: "asked again with the names of the calls that they answer, with a warning", run: func(t *testing.T) {
		ask := func(a, b, c string) string {
			return `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}},{"functionCall":{"id":"b","name":"g","args":{}}}]},{"role":"user","parts":[` +
				`{"functionResponse":{"id":"b",` + b + `"response":{}}},{"function_response":{"id":"a",` + a + `"response":{}}}]},{"role":"model","parts":[{"functionCall":{"name":"h","args":{}}}]},{"role":"user","parts":[{"functionResponse":{` + c + `"response":{}}}]}]}`
		}
		for _, own := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: G, to: G, own: own, ask: ask("", `"name":"",`, "")}, 400, "* GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty."))
			names := l.then().Get("contents.2.parts.0.functionResponse.name").Str + l.then().Get("contents.2.parts.1.function_response.name").Str + l.then().Get("contents.4.parts.0.functionResponse.name").Str
			is(t, l.then().Raw, names, "gfh")
			l.warns("contents", chat.Added)
		}
	}},
	// Cursor's agent, and who else has learned them from OpenAI, sends tools of free text to whatever server.
	{number: 1555, name: "tools that take free text, to a server of OpenAI's dialect that knows functions alone", answer: "asked again with functions of one string, with a warning; calls reach the client as it knows them", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"type":"custom","custom":{"name":"patch","description":"d"}}],"messages":[` + says("user", "go") + `]}`
		called := `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"patch","arguments":"{\"input\":\"*** Begin\"}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
		for _, words := range []string{
			"[{'type': 'literal_error', 'loc': ('body', 'tools', 0, 'type'), 'msg': \"Input should be 'function'\", 'input': 'custom'}]",
			"Failed to deserialize the JSON body into the target type: tools[0].type: unknown variant `custom`, expected `function` at line 1 column 90",
			"invalid params, invalid tool type: (2013)",
		} {
			way := refusesFirst(trip{from: O, to: O, own: true, ask: ask}, 400, words)
			way.answers[1] = called
			l := take(t, way)
			is(t, words, l.then().Get("tools.0.function.parameters.properties.input.type").Str, "string")
			is(t, words+l.body, strings.Contains(l.body, `"custom":{"name":"patch","input":"*** Begin"}`), true)
			l.warns("tools[0]", chat.Approximated)
		}
	}},
}}

// minedNothings has Claude's own empty texts come back, alone and beside all else.
func minedNothings(t *testing.T) {
	const mark = `,"cache_control":{"type":"ephemeral"}`
	blank := func(text, more string) string { return `{"type":"text","text":` + quoted(text) + more + `}` }
	call, result := `{"type":"tool_use","id":"t1","name":"f","input":{}}`, `{"type":"tool_result","tool_use_id":"t1","content":""}`
	ask := `{"model":"m","max_tokens":9,"system":[` + blank("", mark) + `,` + blank("S", "") + `],"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[` + blank("go", "") + `,` + blank("", mark) + `]},` +
		`{"role":"assistant","content":[` + blank("", "") + `,` + blank(" ", "") + `,` + call + `]},{"role":"user","content":[` + result + `,` + blank("\n", "") + `]},` +
		`{"role":"assistant","content":[` + blank(" ", "") + `]},{"role":"user","content":"  "},{"role":"assistant","content":""},{"role":"user","content":[]},` + says("assistant", "so") + `,` + says("user", "on") + `]}`
	want := `{"model":"` + models[A] + `","max_tokens":9,"system":[` + blank("S", "") + `],"tools":[{"name":"f","input_schema":{"type":"object"}}],"messages":[{"role":"user","content":[` + blank("go", "") + `]},` +
		`{"role":"assistant","content":[` + call + `]},{"role":"user","content":[` + result + `]},{"role":"user","content":"(empty)"},{"role":"user","content":"(empty)"},` + says("assistant", "so") + `,` + says("user", "on") + `]}`
	for _, words := range []string{
		"messages: text content blocks must be non-empty", "messages: text content blocks must contain non-whitespace text", "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
		"messages.4: all messages must have non-empty content except for the optional final assistant message", "user messages must have non-empty content",
	} {
		for _, own := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: A, to: A, own: own, ask: ask}, 400, words))
			is(t, words, l.then().Raw, want)
			l.warns("messages[0]", chat.Ignored)
			l.warns("messages[4]", chat.Approximated)
		}
		l := try(t, refusesFirst(trip{from: A, to: A, ask: plain[A]}, 400, words)) // there are none
		is(t, inLine(words, len(l.sent)), l.status, 400)
	}
	l := take(t, refusesFirst(trip{from: A, to: A, ask: `{"model":"m","max_tokens":9,"system":" ","messages":[` + says("user", "go") + `]}`}, 400, "system: text content blocks must contain non-whitespace text"))
	is(t, "a system of nothing", l.then().Get("system").Exists(), false)
	for _, to := range []string{O, G} {
		is(t, to, strings.Contains(take(t, trip{from: A, to: to, ask: ask}).got().Raw, `"text":""`), false)
	}
}

// minedPictures has a tool and a person give pictures with a wrong type: what a PNG is said to be.
func minedPictures(t *testing.T) {
	picture := func(kind string) string {
		return `{"type":"image","source":{"type":"base64","media_type":"` + kind + `","data":"` + pixel + `"}}`
	}
	talk := func(kind string) string {
		return talkA(`{"role":"user","content":[`+picture(kind)+`]}`, `{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"media_type":"image/webp"}}]}`,
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[`+picture(kind)+`]}]}`, says("assistant", "so"), says("user", "on"))
	}
	for _, words := range []string{
		"messages.0.content.0.image.source.base64: The image was specified using the image/webp media type, but the image appears to be a image/png image",
		"messages.0.content.0.image.source.base64.data: Image does not match the provided media type image/webp",
	} {
		for _, own := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: A, to: A, own: own, ask: talk("image/webp")}, 400, words))
			is(t, words, l.then().Raw, strings.Replace(talk("image/png"), `"m"`, `"`+models[A]+`"`, 1))
			l.warns("messages[0]", chat.Approximated)
			l.warns("messages[2]", chat.Approximated)
		}
		is(t, words, try(t, refusesFirst(trip{from: A, to: A, ask: talk("image/png")}, 400, words)).status, 400)
	}
}

// minedDrafts has a server of the Model Context Protocol describe its tools in an older draft, and as a choice.
func minedDrafts(t *testing.T) {
	talk := func(schema, more string) string {
		return `{"model":"m","max_tokens":9,"tools":[{"name":"ok","input_schema":{"type":"object", "properties":{}}},{"name":"f","input_schema":` + schema + more + `}],"messages":[` + says("user", "go") + `]}`
	}
	for _, own := range []bool{false, true} {
		l := take(t, refusesFirst(trip{from: A, to: A, own: own, ask: talk(`{"type":"object","properties":{"ttl":{"type":"integer","exclusiveMinimum":true,"minimum":0}}}`, "")}, 400,
			"tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12)."))
		same(t, l.then(), "tools.1.input_schema.properties.ttl", `{"type":"integer","exclusiveMinimum":0}`)
		is(t, "the other", l.then().Get("tools.0").Raw, `{"name":"ok","input_schema":{"type":"object", "properties":{}}}`)
		is(t, l.told(), len(l.losses) > 0 && strings.Contains(l.told(), "tools[1]"), true)
		l = take(t, refusesFirst(trip{from: A, to: A, own: own, ask: talk(`{"type":"object","anyOf":[{"properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}},"required":["b"]}]}`, `,"cache_control":{"type":"ephemeral"}`)}, 400,
			"tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"))
		is(t, l.then().Raw, l.then().Get("tools.1.input_schema.anyOf").Exists() || !l.then().Get("tools.1.input_schema.properties.b").Exists() || !l.then().Get("tools.1.cache_control").Exists(), false)
		is(t, l.then().Raw, strings.Contains(l.then().Get("tools.1.description").Str, "must fit this JSON Schema"), true)
	}
	is(t, "fine ones", try(t, refusesFirst(trip{from: A, to: A, ask: talk(`{"type":"object"}`, "")}, 400, "tools.1.custom.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12")).status, 400)
}

// talkA is a conversation of Anthropic's.
func talkA(messages ...string) string {
	return `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}],"messages":[` + strings.Join(messages, ",") + `]}`
}

// minedOfClaude takes away what only Anthropic's own API knows, where a server has refused it.
func minedOfClaude(t *testing.T) {
	call := func(more string) string {
		return `{"type":"tool_use","id":"t1","name":"f","input":{"caller":"me"}` + more + `}`
	}
	text := func(more string) string { return `{"type":"text","text":"so"` + more + `}` }
	talk := func(block, tool string) string {
		return `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":{"type":"object"}` + tool + `}],"messages":[` + says("user", "go") + `,{"role":"assistant","content":[` + text("") + `,` + block + `]},` +
			`{"role":"user","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"d"},"citations":{"enabled":true}},{"type":"text","text":"on"}]}]}`
	}
	for _, row := range []struct{ words, block, without, tool string }{
		{"messages.1.content.1.tool_use.caller: Extra inputs are not permitted", call(`,"caller":{"type":"direct"}`), call(""), ""},
		{"messages.1.content.1.tool_use.caller: Input should be a valid dictionary or object to extract fields from", call(`,"caller":null`), call(""), ""},
		{"messages.1.content.1.text.parsed_output: Extra inputs are not permitted", text(`,"parsed_output":null`), text(""), ""},
		{"messages.1.content.1.text.citations: Extra inputs are not permitted", text(`,"citations":null`), text(""), ""},
		{"messages.1.content.1.text.citations: Input should be a valid list", text(`,"citations":null`), text(""), ""},
		{"tools.0.custom.input_examples: Extra inputs are not permitted", text(""), text(""), `,"input_examples":[{"a":"x"}]`},
		{"Deferred custom tools are only supported on Anthropic models and on Anthropic-compatible provider endpoints that implement deferral. Received x.", text(""), text(""), `,"defer_loading":true`},
	} {
		ask := talk(row.block, row.tool)
		l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, row.words))
		is(t, row.words, l.then().Raw, strings.Replace(talk(row.without, ""), `"m"`, `"`+models[A]+`"`, 1))
		is(t, row.words+l.told(), len(l.losses) == 1 && l.losses[0].Verb == chat.Dropped, true)
		is(t, "by the author", try(t, refusesFirst(trip{from: A, to: A, ask: ask}, 400, row.words)).status, 400)
	}
	// A wish to cite is none of them.
	l := try(t, refusesFirst(trip{from: A, to: A, own: true, ask: talk(text(""), "")}, 400, "messages.2.content.0.document.citations: Extra inputs are not permitted"))
	is(t, "a document", l.status, 400)
	is(t, "a document", len(l.sent), 1)
}

// minedBlocks says in words what only Anthropic's own API has blocks for.
func minedBlocks(t *testing.T) {
	ask := talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"ToolSearch","input":{}}]}`,
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":[{"type":"tool_reference","tool_name":"f"}]}]}`)
	for _, words := range []string{
		"The parameter messages.content.type specified in the request are not valid: invalid value: tool_reference, supported values are: text, thinking, image, 'tool_use' and tool_result.",
		"Unsupported content type: server_tool_use", "Failed to deserialize the JSON body into the target type: messages[1].content[0]: unknown variant `server_tool_use`, expected one of `text`, `tool_use`, `tool_result`, `thinking`",
	} {
		l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, words))
		is(t, l.then().Raw, strings.Contains(l.then().Raw, "server_tool_use") || strings.Contains(l.then().Raw, "tool_reference"), false)
		is(t, l.then().Raw, strings.Contains(l.then().Get("messages.1.content").Raw, "web_search q") && strings.Contains(l.then().Get("messages.2.content").Raw, "tool f"), true)
		l.warns("messages[1].content[0]", chat.Approximated)
		is(t, "by the author", try(t, refusesFirst(trip{from: A, to: A, ask: ask}, 400, words)).status, 400)
	}
	l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: `{"model":"m","max_tokens":9,"metadata":{"user_id":"{\"device_id\":\"d\"}"},"messages":[` + says("user", "go") + `]}`}, 400, "Invalid 'user_id': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'."))
	is(t, "an end user", l.then().Get("metadata").Exists(), false)
}

// minedBlanks takes away what is null or empty, where a server has refused it, and nothing that says something.
func minedBlanks(t *testing.T) {
	const kept = `{"role":"assistant","content":"so","refusal":null,"annotations":[],"audio":null,"function_call":null,"tool_calls":[],"tools":null}`
	for words, name := range map[string]string{
		"Extra inputs are not permitted, field: 'messages[1].refusal', value: None":                                                          "refusal",
		"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'annotations' is unsupported)]":        "annotations",
		"messages.1.assistant.audio: property 'messages.1.assistant.audio' is unsupported":                                                   "audio",
		"Invalid 'messages[1].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.":            "tool_calls",
		"[] is too short - 'messages.1.tool_calls'":                                                                                          "tool_calls",
		"[{'type': 'extra_forbidden', 'loc': ('body', 'messages', 1, 'assistant', 'function_call'), 'msg': 'Extra inputs are not permitted'": "function_call",
		"Failed to deserialize the JSON body into the target type: messages[1]: unknown field `annotations`, expected one of `role`":         "annotations",
	} {
		ask := talkO(says("user", "go"), kept, says("user", "on"))
		l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: ask}, 400, words))
		is(t, words, l.sent[0].Get("messages.1."+name).Exists(), true)
		is(t, words, l.then().Get("messages.1."+name).Exists(), false)
		is(t, words, len(l.then().Get("messages.1").Map()), 7)
		l.warns("messages[1]."+name, chat.Ignored)
		is(t, "by the author", try(t, refusesFirst(trip{from: O, to: O, ask: ask}, 400, words)).status, 400)
		said := talkO(says("user", "go"), `{"role":"assistant","content":null,"refusal":"no","function_call":{"name":"f","arguments":"{}"},"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}],"audio":{"id":"a"}}`, says("user", "on"))
		if name != "annotations" {
			l = try(t, refusesFirst(trip{from: O, to: O, own: true, ask: said}, 400, words))
			is(t, "what is said: "+words, l.status, 400)
		}
	}
	// Mistral, of a list of no tools: in its own form, and in a proxy's.
	for _, body := range []string{
		`{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}]}}`,
		`{"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","tools"],"msg":"Extra inputs are not permitted","input":[]}]}`,
		`{"object":"error","message":"{\"detail\":[{\"type\":\"extra_forbidden\",\"loc\":[\"body\",\"tools\"],\"msg\":\"Extra inputs are not permitted\",\"input\":[]}]}"}`,
	} {
		l := take(t, trip{from: O, to: O, kind: "mistral", ask: `{"model":"m","messages":[` + says("user", "go") + `],"tools":[],"tool_choice":"auto","parallel_tool_calls":true}`, statuses: []int{422, 200}, answers: []string{body, hi[O]}})
		is(t, body, l.then().Raw, `{"model":"`+models[O]+`","messages":[`+says("user", "go")+`]}`)
	}
}

// minedTypes asks Moonshot's models again with schemas in their own form.
func minedTypes(t *testing.T) {
	const words = "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path 'properties.a': when using anyOf, type should be defined in anyOf items instead of the parent schema>"
	const anything = `"anyOf":[{"type":"string"},{"type":"number"},{"type":"boolean"},{"type":"object","properties":{}},{"type":"array","items":{"type":"string"}},{"type":"null"}]`
	for a, want := range map[string]string{
		`{"type":"string","anyOf":[{"type":"string"},{"pattern":"x"}]}`: `{"anyOf":[{"type":"string"},{"pattern":"x","type":"string"}]}`,
		`{"type":"string","description":"d","anyOf":[{"maxLength":1}]}`: `{"description":"d","anyOf":[{"maxLength":1,"type":"string"}]}`,
		`{"description":"d"}`:                    `{"description":"d",` + anything + `}`,
		`{"enum":["x","y"]}`:                     `{"enum":["x","y"],"type":"string"}`,
		`{"enum":["x",1]}`:                       `{"enum":["x",1]}`,
		`{"properties":{"b":{"enum":[true]}}}`:   `{"properties":{"b":{"enum":[true],"type":"boolean"}},"type":"object"}`,
		`{"items":{"type":"string"}}`:            `{"items":{"type":"string"},"type":"array"}`,
		`{"$ref":"#/$defs/x","description":"d"}`: `{"$ref":"#/$defs/x"}`,
		`{"$ref":"#/properties/z"}`:              `{"type":"integer"}`,
		`{"type":"array","items":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"required":["b"],"anyOf":[{"required":["c"]},{"properties":{"e":{"type":"null"}}}]}}`: `{"type":"array","items":{"anyOf":[{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}},"required":["b","c"]},` +
			`{"type":"object","properties":{"e":{"type":"null"},"b":{"type":"string"},"c":{"type":"string"}},"required":["b"]}]}}`,
	} {
		schema := `{"type":"object","properties":{"a":` + a + `,"z":{"type":"integer"}},"$defs":{"x":{"type":"string"}}}`
		for from, ask := range map[string]string{
			A: `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":` + schema + `}],"messages":[` + says("user", "go") + `]}`,
			G: `{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":` + schema + `}]}],"contents":[{"parts":[{"text":"go"}]}]}`,
			O: `{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}],"messages":[` + says("user", "go") + `]}`,
		} {
			l := try(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
			if a == want { // there was nothing to change
				is(t, from+a, l.status == 400 || from == O, true)
				continue
			}
			same(t, l.then(), "tools.0.function.parameters.properties.a", want)
			is(t, from+l.told(), strings.Contains(l.told(), "types stand where"), true)
		}
	}
}

// minedPairs has sessions that were interrupted go on at servers of their own dialect: calls without results, results without calls,
// and one id twice.
func minedPairs(t *testing.T) {
	call := func(id string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{}"}}`
	}
	for _, row := range []struct{ from, ask, words, path, want string }{
		{O, talkO(says("user", "go"), `{"role":"assistant","content":null,"tool_calls":[`+call("a")+`]}`, says("user", "never mind")), "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: a", "messages.2.tool_call_id", "a"},
		{O, talkO(says("user", "go"), `{"role":"assistant","content":null,"tool_calls":[`+call("a")+`,`+call("b")+`]}`, `{"role":"tool","tool_call_id":"a","content":"x"}`), "Not the same number of function calls and responses", "messages.3.tool_call_id", "b"},
		{O, talkO(says("user", "go"), `{"role":"assistant","content":null,"tool_calls":[`+call("a")+`,`+call("b")+`]}`, `{"role":"tool","tool_call_id":"a","content":"x"}`), "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", "messages.3.tool_call_id", "b"},
		{O, talkO(says("user", "go"), `{"role":"tool","tool_call_id":"a","content":"x"}`, says("user", "on")), `messages with role "tool" must be a response to a preceeding message with "tool_calls".`, "messages.1.role", "user"},
		{A, talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}`, says("user", "never mind")), "messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: a.", "messages.2.content.0.tool_use_id", "a"},
		{A, talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}},{"type":"tool_use","id":"a","name":"f","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`), "messages.1.content.1: `tool_use` ids must be unique", "messages.1.content.1.id", "a_2"},
		{A, talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"and this"}]}`), "invalid params, tool call result does not follow tool call (2013)", "messages.3.content.0.text", "and this"},
		{A, talkA(says("user", "go"), `{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"}]}`), "invalid params, tool result's tool id(a) not found (2013)", "messages.1.content.0.type", "text"},
		{G, `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"a","name":"f","args":{}}},{"functionCall":{"id":"b","name":"g","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"a","name":"f","response":{}}}]}]}`, "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.", "contents.2.parts.1.functionResponse.name", "g"},
	} {
		l := take(t, refusesFirst(trip{from: row.from, to: row.from, own: true, ask: row.ask}, 400, row.words))
		is(t, row.words+l.then().Raw, l.then().Get(row.path).Str, row.want)
		is(t, row.words+l.told(), len(l.losses) > 0, true)
		is(t, "by the author", try(t, refusesFirst(trip{from: row.from, to: row.from, ask: row.ask}, 400, row.words)).status, 400)
	}
}

// minedForms asks again with names, ids and results as a server wants them.
func minedForms(t *testing.T) {
	long := strings.Repeat("c", 50)
	talk := func(id, name string) string {
		return `{"model":"m","tools":[{"type":"function","function":{"name":"` + name + `","parameters":{"type":"object","properties":{}}}}],"messages":[` + says("user", "go") +
			`,{"role":"assistant","content":null,"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"` + name + `","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"x"}]}`
	}
	called := `{"id":"x","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c2","type":"function","function":{"name":"NAME","arguments":"{}"}}]},"finish_reason":"tool_calls"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`
	way := refusesFirst(trip{from: O, to: O, own: true, ask: talk("c1", "21st_magic")}, 400, "Invalid request: function name is invalid, must start with a letter and can contain letters, numbers, underscores, and dashes")
	sent := take(t, way).then().Get("tools.0.function.name").Str
	is(t, sent, sent[0] == 't' && sent != "21st_magic", true)
	way.answers[1] = strings.Replace(called, "NAME", sent, 1)
	l := take(t, way)
	is(t, "in the history", l.then().Get("messages.1.tool_calls.0.function.name").Str, sent)
	is(t, "in the answer: "+l.body, strings.Contains(l.body, `"21st_magic"`), true)

	for _, words := range []string{
		"Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 50 instead.",
		"Invalid 'messages[2].tool_call_id': string too long. Expected a string with maximum length 40, but got a string with length 50 instead.",
	} {
		l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: talk(long, "f")}, 400, words))
		id := l.then().Get("messages.1.tool_calls.0.id").Str
		is(t, id, id != "" && len(id) <= 40, true)
		is(t, id, l.then().Get("messages.2.tool_call_id").Str, id)
	}

	for _, words := range []string{
		"GenerateContentRequest.contents[2].parts[0].function_response.name: Name cannot be empty.",
		"Tool message must have a 'name' field. The 'name' field is required to match the tool call with its response in Gemini API.",
	} {
		for from, ask := range map[string]string{
			O: talk("c1", "f"),
			A: talkA(says("user", "go"), `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{}}]}`, `{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"x"}]}`),
		} {
			l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
			is(t, from, l.then().Get("messages.2.name").Str, "f")
			is(t, from, l.sent[0].Get("messages.2.name").Exists(), false)
		}
	}
}
