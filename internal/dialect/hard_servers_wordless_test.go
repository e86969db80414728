package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// wordless is a loop of tools without a word in it: a call, and a result of nothing.
var wordless = map[string]string{
	O: `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":""}]}`,
	A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c"}]}]}`,
	G: `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":""}}}]}]}`,
}

// reading is a conversation in which the user showed a document two turns ago, %s being that.
var reading = map[string]string{
	O: `{"model":"m","messages":[{"role":"user","content":[%s,{"type":"text","text":"see"}]},{"role":"assistant","content":"ok"},{"role":"user","content":"on"}]}`,
	A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s,{"type":"text","text":"see"}]},{"role":"assistant","content":"ok"},{"role":"user","content":"on"}]}`,
	G: `{"contents":[{"role":"user","parts":[%s,{"text":"see"}]},{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"on"}]}]}`,
}

// shown are a PDF and a text as clients of each dialect show them.
var shown = map[string][2]string{
	O: {`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + pdfData + `"}}`, `{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,aGVsbG8="}}`},
	A: {`{"type":"document","title":"a.pdf","source":{"type":"base64","media_type":"application/pdf","data":"` + pdfData + `"}}`, `{"type":"document","title":"a.txt","source":{"type":"text","media_type":"text/plain","data":"hello"}}`},
	G: {`{"inlineData":{"mimeType":"application/pdf","data":"` + pdfData + `"}}`, `{"inlineData":{"mimeType":"text/plain","data":"aGVsbG8="}}`},
}

const pdfData = "JVBERi0xLjQKJSVFT0YK"

// What conversations have that some servers do not take, and say so in words of their own: nothing said, documents, a shape beside tools.
var hardWordless = section{"BU", "turns without words, documents, and shapes beside tools", []hard{
	// MoonshotAI/kimi-cli#2035 and #2621, Toloka/tolokaforge#1286, openclaw/openclaw#74589 (MiniMax), AstrBotDevs/AstrBot#6551 (xAI).
	{number: 1710, name: "turns and results without words, to servers that take none", answer: "asked again with words that say so, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"text content is empty", "Invalid request: the message at position 2 with role 'tool' must not be empty", "invalid params, chat content is empty (2013)", "Invalid request content: Each message must have at least one content element.",
			"The text field in the ContentBlock object at messages.1.content.0 is blank. Add text to the text field, and try again.", "messages: text content blocks must be non-empty", "message content cannot be empty", "Assistant message must have either content or tool_calls, but not none.",
		} {
			for from, ask := range wordless {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+", "+words, inLine(l.then().Get("messages.1.content").String(), l.then().Get("messages.1.tool_calls.#").Int(), l.then().Get("messages.2.content").String()), "(no content) 1 (no content)")
				l.warns(map[string]string{O: "messages[1]", A: "messages[1]", G: "contents[1]"}[from], chat.Added)
			}
		}
		for from, ask := range wordless {
			l := take(t, refusesFirst(trip{from: from, to: A, own: true, ask: ask}, 400, "invalid params, chat content is empty (2013)"))
			is(t, from, l.then().Get("messages.2.content.0.content").String(), "(no content)")
		}
		// What says something stays as it is.
		l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: strings.Replace(wordless[A], `"tool_use_id":"c"`, `"tool_use_id":"c","content":"1"`, 1)}, 400, "text content is empty"))
		is(t, "a result", l.then().Get("messages.2.content").String(), "1")
	}},
	// vercel/ai#16540 and agno-agi/agno#1065 (Groq), jgravelle/GroqApiLibrary#33.
	{number: 1711, name: "a shape of the answer beside tools, to servers that take one or the other", answer: "asked again for the shape in words, with a warning", run: func(t *testing.T) {
		shape := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		asks := map[string]string{
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"output_config":{"format":{"type":"json_schema","schema":` + shape + `}}}`,
			G: `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + shape + `}}`,
		}
		for _, words := range []string{
			"json mode cannot be combined with tool/function calling", "response_format` json_object cannot be combined with tool/function calling", `"tools" is incompatible with "response_format"`,
			"You cannot specify response format and function call at the same time", "Cannot use custom grammar constraints with tools.", "`response_format` of type json_schema cannot be used together with `tools`",
			"response_format json_schema is not supported with tools for this model", "Tools and structured outputs cannot be used at the same time",
		} {
			for from, ask := range asks {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+", "+words, inLine(l.got().Get("response_format.type").String(), l.then().Get("response_format").Exists(), l.then().Get("tools.#").Int(), strings.Contains(l.then().Get("messages.0.content").String(), `"required"`)), "json_schema false 1 true")
			}
		}
	}},
	// MoonshotAI/Kimi-K2.5#27, vm0-ai/vm0#19377, Alishahryar1/free-claude-code#357: every turn that follows is refused.
	{number: 1712, name: "documents, to servers that read none", answer: "asked again with a text as words, and others of tools and of earlier turns left out, with a warning; a document that the user shows now is refused", run: func(t *testing.T) {
		tag := map[string]string{O: "file", A: "document"}
		for to, kind := range tag {
			for _, words := range []string{"messages.8.content.4: Input tag '" + kind + "' found using 'type' does not match any of the expected tags: 'text'", "messages[0].content[0]: unknown variant `" + kind + "`, expected `text`", "the message at position 1 with role 'user' contains an invalid part type: " + kind} {
				for from, ask := range reading {
					l := take(t, refusesFirst(trip{from: from, to: to, own: true, ask: strings.Replace(ask, "%s", shown[from][0], 1)}, 400, words))
					is(t, from+to+words, inLine(strings.Contains(l.got().Raw, pdfData), strings.Contains(l.then().Raw, pdfData), strings.Contains(l.then().Get("messages.0").Raw, "document left out")), "true false true")
					l.warns(map[string]string{O: "messages[0].content[0]", A: "messages[0].content[0]", G: "contents[0].parts[0]"}[from], chat.Dropped)
				}
			}
		}
		l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: strings.Replace(reading[A], "%s", shown[A][1], 1)}, 400, "unknown variant `document`, expected one of `text`, `image`"))
		is(t, "a text", l.then().Get("messages.0.content.0.text").String(), "<document title=\"a.txt\">\nhello\n</document>")
		now := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[%s,{"type":"text","text":"see"}]}]}`
		l = try(t, refusesFirst(trip{from: A, to: O, own: true, ask: strings.Replace(now, "%s", shown[A][0], 1)}, 400, "Unknown part type: file"))
		is(t, "what is shown now", strings.Contains(l.then().Raw, pdfData), true)
		// Claude Code shows what it has read beside the result.
		l = take(t, refusesFirst(trip{from: A, to: A, own: true, ask: strings.Replace(wordless[A], `"tool_use_id":"c"}`, `"tool_use_id":"c","content":"read"},`+shown[A][0], 1)}, 400, "unknown variant `document`, expected one of `text`"))
		is(t, "what a tool has read", strings.Contains(l.then().Raw, pdfData), false)
	}},
	// mistralai/mistral-vibe#114, ericc-ch/copilot-api#273.
	{number: 1713, name: "an answer that the client began, to vLLM, Perplexity and GitHub's", answer: "asked again with a line of the user's that asks to go on, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"Cannot set `add_generation_prompt` to True when the last message is from the assistant. Consider using `continue_final_message` instead.", "Last message must have role `user`.",
			"The last message in a Gemini request must not be from the assistant",
		} {
			l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"{"}]}`}, 400, words))
			is(t, words, l.then().Get("messages.2.role").String(), "user")
			l.warns("messages[1]", chat.Approximated)
		}
	}},
	// livekit/agents#3134 and RooCodeInc/Roo-Code#10334 (Cerebras); BerriAI/litellm#7242, vercel/ai#4396, maximhq/bifrost#3196 (Amazon).
	{number: 1714, name: "strict tools and a call that must be, refused in yet other words", answer: "asked again without the word, or in words, with a warning", run: func(t *testing.T) {
		strict := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","strict":true,"input_schema":{"type":"object","properties":{},"additionalProperties":false}}]}`
		for _, words := range []string{"Tools with strict=True are not supported by this model", "Unrecognized request argument supplied: strict", "property 'tools.0.function.strict' is unsupported", "'strict' is not supported",
			"Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true' or 'strict: false'"} {
			l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: strict}, 400, words))
			is(t, words, inLine(l.got().Get("tools.0.function.strict").Bool(), l.then().Get("tools.0.function.strict").Exists()), "true false")
			l.warns("tools[0]", chat.Approximated)
		}
		forced := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object"}}],"tool_choice":{"type":"any"}}`
		for _, words := range []string{
			"This model doesn't support the toolConfig.toolChoice.any field. Remove toolConfig.toolChoice.any and try again.", "tool_choice must be 'auto' or 'none'", "Tool choice must be auto", "`tool_choice` must be either \"auto\" or \"none\"",
			"tool_choice: Input should be 'none' or 'auto'", "Currently only `auto` tool choice is supported",
		} {
			l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: forced}, 400, words))
			is(t, words, inLine(l.got().Get("tool_choice").String(), strings.Contains(l.then().Get("messages.0.content").String(), "You must call")), "required true")
			l.warns("tool_choice", chat.Approximated)
		}
	}},
	// QuantumNous/new-api#3022, google-gemini/gemini-cli#4400, brightwave-inc/tidebreak#1537.
	{number: 1715, name: "a schema without a type, to Google's cloud", answer: "asked again with types where they are wanted, with a warning", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"enum":["x","y"]},"b":{"description":"any"}}}`
		for _, words := range []string{"Unable to submit request because `f` functionDeclaration `parameters.a` schema didn't specify the schema type field.", "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[a].type: must be specified when not using one_of, any_of or all_of fields"} {
			for _, from := range []string{O, A} {
				l := take(t, refusesFirst(trip{from: from, to: G, ask: offering(from, schema)}, 400, words))
				is(t, from+words, inLine(l.got().Get(schemaAt[G]+".properties.a.type").Exists(), l.then().Get(schemaAt[G]+".properties.a.type").String(), l.then().Get(schemaAt[G]+".properties.a.enum").Raw), `false string ["x","y"]`)
				l.warns("tools[0]", chat.Approximated)
			}
		}
	}},
	// langchain-ai/langchainjs#11049 and #11175, langchain-ai/openwiki#231.
	{number: 1716, name: "thoughts as parts of a turn, as libraries keep them", run: func(t *testing.T) {
		for _, part := range []string{
			`{"type":"reasoning","reasoning":"hm","extras":{"signature":"s"}}`, `{"type":"reasoning","text":"hm"}`, `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"hm"}]}`,
			`{"type":"reasoning_content","reasoning_content":{"type":"text","text":"hm","signature":"s"}}`, `{"type":"reasoning","content":[{"type":"reasoning_text","text":"hm"}]}`,
		} {
			ask := `{"model":"m","messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":[` + part + `,{"type":"text","text":"4"}]},{"role":"user","content":"on"}]}`
			l := take(t, trip{from: O, to: A, ask: ask})
			is(t, part, l.got().Get("messages.1.content").Raw, `[{"type":"text","text":"4"}]`)
			l.warns("messages[1].content[0]", chat.Dropped)
			is(t, part, take(t, trip{from: O, to: G, ask: ask}).got().Get("contents.1.parts.#(text==hm).thought").Bool(), true)
		}
		ask := `{"model":"m","messages":[{"role":"user","content":"2+2"},{"role":"assistant","content":[{"type":"reasoning","reasoning":"hm"},{"type":"text","text":"4"}]},{"role":"user","content":"on"}]}`
		l := take(t, trip{from: O, to: O, own: true, ask: ask}) // no server takes the part: it is read, and told where they have thoughts
		is(t, "in its own dialect", inLine(l.got().Get("messages.1.content").Raw, l.got().Get("messages.1.reasoning_content").String()), `"4" hm`)
	}},
	// BerriAI/litellm#34029: Cursor names tools as the Responses API does, and for Claudes as Anthropic's.
	{number: 1717, name: "a choice among tools as other APIs have it, in OpenAI's own dialect", run: func(t *testing.T) {
		for choice, want := range map[string]string{
			`{"type":"function","name":"f"}`: `{"type":"function","function":{"name":"f"}}`, `{"type":"tool","name":"f"}`: `{"type":"function","function":{"name":"f"}}`, `{"type":"any"}`: `"required"`, `{"type":"auto"}`: `"auto"`,
			`{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"}]}`: `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}}`,
			`{"type":"function","function":{"name":"f"}}`:                                     `{"type":"function","function":{"name":"f"}}`,
			`{"type":"web_search"}`: `{"type":"web_search"}`, // a server's own
		} {
			take(t, trip{from: O, to: O, ask: `{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":` + choice + `}`}).sends("tool_choice", want)
		}
	}},
	// musistudio/claude-code-router#338 and #708 (Cerebras), vLLM's and SGLang's grammars.
	{number: 1718, name: "a schema that a server cannot hold an answer or a call to, in yet other words", answer: "asked again with bounds in descriptions, or for the shape in words, with a warning", run: func(t *testing.T) {
		shape := `{"type":"object","properties":{"a":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["a"],"additionalProperties":false}`
		for _, words := range []string{"Unsupported JSON schema fields: {'minItems', 'items'}", "The provided JSON schema contains features not supported by xgrammar.", "Invalid grammar request with cache hit=False", "Invalid JSON schema: 'minItems' is not supported"} {
			l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"output_config":{"format":{"type":"json_schema","schema":` + shape + `}}}`}, 400, words))
			is(t, words, inLine(l.then().Get("response_format").Exists(), strings.Contains(l.then().Get("messages.0.content").String(), "minItems")), "false true")
			l = take(t, refusesFirst(trip{from: G, to: O, own: true, ask: offering(G, shape)}, 400, words))
			is(t, words, inLine(l.got().Get(schemaAt[O]+".properties.a.minItems").Int(), l.then().Get(schemaAt[O]+".properties.a.minItems").Exists()), "1 false")
		}
	}},
	// MiniMax-AI/MiniMax-M2#27 and BigPizzaV3/CodexPlusPlus#267; mistral-common; suitenumerique/conversations#402 (Mistral).
	{number: 1719, name: "system text between turns, and thoughts of earlier ones, refused in yet other words", answer: "asked again with marked text of the user, or without the thoughts, with a warning", run: func(t *testing.T) {
		for _, words := range []string{"invalid params, chat content has invalid message role: system (2013)", "Unexpected role 'system' after role 'user'"} {
			for _, from := range []string{O, A} {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: reminded[from]}, 400, words))
				is(t, from+words, inLine(l.got().Get("messages.#(role==system)#.content").Raw, l.then().Get("messages.#(role==system)#.content").Raw), `["S","mind"] ["S"]`)
			}
		}
		for _, words := range []string{"Reasoning input is not enabled for this model", "Additional properties are not allowed ('reasoning_content' was unexpected)"} {
			l := take(t, refusesFirst(trip{from: A, to: O, own: true, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""},{"type":"text","text":"so"}]},{"role":"user","content":"on"}]}`}, 400, words))
			is(t, words, inLine(l.got().Get("messages.1.reasoning_content").String(), l.then().Get("messages.1.reasoning_content").Exists()), "hm false")
		}
	}},
	// OpenRouter says it with 404.
	{number: 1720, name: "tools, to a model that calls none, in yet other words", answer: "400 that names the tools; the next target is asked", run: func(t *testing.T) {
		for words, status := range map[string]int{"No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs": 404, "Tools are not supported by this model": 400, "Unsupported parameter: 'tools' is not supported with this model.": 400} {
			l := try(t, refusesFirst(trip{from: A, to: O, own: true, ask: offering(A, `{"type":"object"}`)}, status, words))
			is(t, words, inLine(l.status, l.failure.Elsewhere, strings.Contains(l.body, "calls no tools")), "400 true true")
		}
	}},
	// BerriAI/litellm#7416, sigoden/aichat#543.
	{number: 1721, name: "what Amazon's older Claudes do not know, in its older words", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		for member, value := range map[string]string{"metadata": `{"user_id":"u"}`, "context_management": `{"edits":[]}`} {
			l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"` + member + `":` + value + `}`}, 400,
				"Malformed input request: #: extraneous key ["+member+"] is not permitted, please reformat your input and try again."))
			is(t, member, inLine(l.got().Get(member).Exists(), l.then().Get(member).Exists()), "true false")
		}
		l := take(t, refusesFirst(trip{from: O, to: A, model: "claude-opus-4-8", ask: `{"model":"m","messages":[{"role":"user","content":"go"}],"reasoning_effort":"high"}`}, 400,
			"The model returned the following errors: Malformed input request: #: subject must not be valid against schema {\"required\":[\"messages\"]}#: extraneous key [output_config] is not permitted, please reformat your input and try again."))
		is(t, "effort", inLine(l.got().Get("output_config").Exists(), l.then().Get("output_config").Exists()), "true false")
	}},
	// anomalyco/opencode#2557, MetaGLM/zhipuai-sdk-python-v4#14.
	{number: 1722, name: "a conversation in which the user says nothing, to Zhipu's models", answer: "asked again with a turn of the user's, with a warning", run: func(t *testing.T) {
		for _, words := range []string{"The messages parameter is illegal. Please check the documentation.", "messages 参数非法。请检查文档。"} {
			l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: `{"model":"m","messages":[{"role":"system","content":"S"},{"role":"assistant","content":"so"}]}`}, 400, words))
			is(t, words, l.then().Get("messages.#(role==user)#.content").Raw, `["Go on."]`)
			l.warns("messages", chat.Added)
		}
	}},
	// anthropics/claude-code#10395, #34120, #56016, kirodotdev/Kiro#10783, NousResearch/hermes-agent#25837, #69078, #97059, MoonshotAI/kimi-code#1082, anomalyco/opencode#4781, google-gemini/gemini-cli#5064.
	{number: 1723, name: "a picture of a tool's or of an earlier turn that is too large, or that the server cannot read", answer: "asked again with words in place of the pictures that tools gave and of earlier turns, with a warning; those that the user shows now stay", run: func(t *testing.T) {
		for _, words := range []string{
			"messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 6500712 bytes > 5242880 bytes", "messages.2.content.0.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
			"Could not process image", "messages.2.content.0.image.source.base64.data: Image format image/png not supported", "Unable to process input image. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
			"Provided image is not valid.", "The image data you provided does not represent a valid image. Please check your input and try again with one of the supported image formats: ['image/jpeg', 'image/png'].",
			"You uploaded an unsupported image. Please make sure your image has of one the following formats: ['png', 'jpeg', 'gif', 'webp'].", "Invalid PNG image.", "Base64 string of provided image cannot be decoded.",
			"Invalid request: failed to decode image: unknown format", "cannot identify image file <_io.BytesIO object>", "Error while downloading https://x.example/1.png. Upstream status code: 404.",
		} {
			for _, way := range [][2]string{{A, O}, {A, G}, {O, A}, {G, A}} {
				for _, streamed := range []bool{false, true} {
					l := take(t, refusesFirst(trip{from: way[0], to: way[1], stream: streamed, ask: pictured[way[0]]}, 400, words))
					is(t, fmt.Sprint(way, words), inLine(strings.Count(l.sent[0].Raw, pixel), strings.Count(l.then().Raw, pixel), strings.Count(l.then().Raw, "[image left out: the server cannot read it")), "3 1 2")
				}
			}
			own := try(t, refusesFirst(trip{from: A, to: A, ask: pictured[A]}, 400, words))
			is(t, "own: "+words, fmt.Sprint(own.status, len(own.sent)), "400 1")
		}
		l := take(t, refusesFirst(trip{from: O, to: A, ask: pictured[O]}, 413, "Request exceeds the maximum size"))
		is(t, "all are too much", inLine(strings.Count(l.sent[0].Raw, pixel), strings.Count(l.then().Raw, pixel)), "3 1")
		now := try(t, trip{from: A, to: O, ask: session(0, 1), status: 400, answers: []string{said(O, "Invalid PNG image.")}})
		is(t, "now", fmt.Sprint(now.status, len(now.sent)), "400 1")
	}},
	// anthropics/claude-code#6197, #6231, #17510.
	{number: 1724, name: "a document of a tool's or of an earlier turn that has too many pages, or that the server cannot read", answer: "asked again with words in place of it, with a warning", run: func(t *testing.T) {
		for _, words := range []string{"messages.0.content.0.pdf.source.base64.data: A maximum of 100 PDF pages may be provided.", "The PDF specified was not valid.", "The PDF specified is password protected.", "The document has no pages.", "Could not process PDF"} {
			for _, way := range [][2]string{{O, A}, {G, A}, {A, G}} {
				l := take(t, refusesFirst(trip{from: way[0], to: way[1], ask: strings.Replace(reading[way[0]], "%s", shown[way[0]][0], 1)}, 400, words))
				is(t, fmt.Sprint(way, words), inLine(strings.Contains(l.sent[0].Raw, pdfData), strings.Contains(l.then().Raw, pdfData), strings.Contains(l.then().Raw, "document left out")), "true false true")
			}
		}
		l := take(t, refusesFirst(trip{from: O, to: A, ask: strings.Replace(reading[O], "%s", shown[O][0], 1)}, 413, "Request exceeds the maximum size"))
		is(t, "all are too much", strings.Contains(l.then().Raw, pdfData), false)
	}},
}}

// pictured is a session with a picture of a tool's, one of an earlier turn and one that the user shows now, in each dialect.
var pictured = map[string]string{
	A: `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":[` + shownA + `]},{"role":"assistant","content":[` + callA("toolu_1") + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":[` + shownA +
		`]}]},{"role":"assistant","content":"so"},{"role":"user","content":[{"type":"text","text":"on"},` + shownA + `]}]}`,
	O: `{"model":"m","messages":[{"role":"user","content":[` + shownO + `]},{"role":"assistant","content":"so"},{"role":"user","content":[` + shownO + `]},{"role":"assistant","content":"so"},{"role":"user","content":[{"type":"text","text":"on"},` + shownO + `]}]}`,
	G: `{"contents":[{"role":"user","parts":[` + shownG + `]},{"role":"model","parts":[{"text":"so"}]},{"role":"user","parts":[` + shownG + `]},{"role":"model","parts":[{"text":"so"}]},{"role":"user","parts":[{"text":"on"},` + shownG + `]}]}`,
}

const (
	shownO = `{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`
	shownG = `{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`
)
