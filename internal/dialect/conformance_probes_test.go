package dialect_test

import "strings"

const (
	probeAddress = "https://inputs.example/a"
	pngBytes     = "\x89PNG\r\n\x1a\n picture"
	pdfBytes     = "%PDF-1.4\n document"
	wav          = "UklGRiQAAABXQVZFZm10IBAAAAABAAEA"
)

func sayO(parts string) string {
	return `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},` + parts + `]}]}`
}

func sayA(blocks string) string {
	return `{"model":"m","max_tokens":9999,"messages":[{"role":"user","content":[{"type":"text","text":"see"},` + blocks + `]}]}`
}

func sayG(parts string) string { return `{"contents":[{"parts":[{"text":"see"},` + parts + `]}]}` }

// turnsA is an Anthropic conversation.
func turnsA(messages string) string {
	return `{"model":"m","max_tokens":9999,"messages":[` + messages + `]}`
}

func turnsG(contents string) string { return `{"contents":[` + contents + `]}` }

const (
	userO      = `{"role":"user","content":"go"}`
	userG      = `{"role":"user","parts":[{"text":"go"}]}`
	modelG     = `{"role":"model","parts":[{"text":"so"}]}`
	assistantO = `{"role":"assistant","content":"so"}`
	shape      = `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
	picked     = `{"type":"function","function":{"name":"f"}}`
	callG      = `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{"a":"1"}}}]}`
)

// callsF are answers that call f.
var callsF = map[string]string{O: callingOf(O, "f", "").whole, A: callingOf(A, "f", "").whole, G: callingOf(G, "f", "").whole}

// ratedHi are answers with log-probabilities.
var ratedHi = map[string]string{
	O: strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason"`, `"logprobs":{"content":[{"token":"hi","logprob":-0.5,"bytes":[104,105],"top_logprobs":[]}]},"finish_reason"`, 1),
	G: partsG(`{"text":"hi"}`, `,"logprobsResult":{"chosenCandidates":[{"token":"hi","logProbability":-0.5}]},"finishReason":"STOP"`),
}

var probes = []probe{
	// What is said.
	{name: "text", asks: map[string]string{O: plain[O], A: plain[A], G: plain[G]}},
	{
		name: "system prompt", asks: map[string]string{O: talkO(says("system", "s"), userO), A: `"system":"s"`, G: `"systemInstruction":{"parts":[{"text":"s"}]}`},
		at: map[string]string{O: `messages.#(role=="system")`, A: "system", G: "systemInstruction"},
	},
	{name: "developer message", asks: map[string]string{O: talkO(says("developer", "s"), userO)}, at: map[string]string{A: "system", G: "systemInstruction"}},
	{name: "system text between turns", asks: map[string]string{O: talkO(userO, assistantO, says("system", "s"), userO), A: turnsA(userO + `,` + assistantO + `,` + userO + `,` + says("system", "s"))}},
	{name: "system text between turns, on a model that takes it", asks: map[string]string{O: talkO(userO, assistantO, userO, says("system", "s"))}, models: map[string]string{A: "claude-opus-4-8"}, at: map[string]string{A: `messages.#(role=="system")`}},
	{name: "two turns of one speaker", asks: map[string]string{O: talkO(userO, userO), A: turnsA(userO + `,` + userO), G: turnsG(userG + `,` + userG)}},
	{name: "the assistant begins", asks: map[string]string{O: talkO(assistantO, userO), A: turnsA(assistantO + `,` + userO), G: turnsG(modelG + `,` + userG)}},
	{name: "an answer that the client began (prefill)", asks: map[string]string{O: talkO(userO, assistantO), A: turnsA(userO + `,` + assistantO), G: turnsG(userG + `,` + modelG)}},
	{name: "names of participants", asks: map[string]string{O: talkO(`{"role":"user","name":"ada","content":"go"}`)}},
	{name: "a refusal in the history", asks: map[string]string{O: talkO(userO, `{"role":"assistant","refusal":"no","content":null}`, userO)}},

	// Media.
	{
		name: "image, base64", asks: map[string]string{
			O: sayO(`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + pixel + `"}}`), A: sayA(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}`),
			G: sayG(`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`),
		},
		at: map[string]string{O: "messages.0.content.1.image_url", A: "messages.0.content.1.source.data", G: "contents.0.parts.1.inlineData"},
	},
	{
		name: "image, URL", fetch: pngBytes, asks: map[string]string{
			O: sayO(`{"type":"image_url","image_url":{"url":"` + probeAddress + `"}}`), A: sayA(`{"type":"image","source":{"type":"url","url":"` + probeAddress + `"}}`),
			G: sayG(`{"fileData":{"mimeType":"image/png","fileUri":"` + probeAddress + `"}}`),
		},
		at: map[string]string{O: "messages.0.content.1.image_url", A: "messages.0.content.1.source", G: "contents.0.parts.1.inlineData"},
	},
	{name: "image detail", asks: map[string]string{O: sayO(`{"type":"image_url","image_url":{"detail":"low","url":"data:image/png;base64,` + pixel + `"}}`), G: sayG(`{"mediaResolution":{"level":"MEDIA_RESOLUTION_LOW"},"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`)}},
	{
		name: "PDF, base64", asks: map[string]string{
			O: sayO(`{"type":"file","file":{"filename":"a.pdf","file_data":"data:application/pdf;base64,` + pdf + `"}}`), A: sayA(`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`),
			G: sayG(`{"inlineData":{"mimeType":"application/pdf","data":"` + pdf + `"}}`),
		},
		at: map[string]string{O: "messages.0.content.1.file.file_data", A: "messages.0.content.1.source.data", G: "contents.0.parts.1.inlineData"},
	},
	{
		name: "PDF, URL", fetch: pdfBytes, asks: map[string]string{A: sayA(`{"type":"document","source":{"type":"url","url":"` + probeAddress + `"}}`), G: sayG(`{"fileData":{"mimeType":"application/pdf","fileUri":"` + probeAddress + `"}}`)},
		at: map[string]string{O: "messages.0.content.1.file.file_data", A: "messages.0.content.1.source", G: "contents.0.parts.1.inlineData"},
	},
	{name: "text document", asks: map[string]string{A: sayA(`{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}`), G: sayG(`{"inlineData":{"mimeType":"text/plain","data":"d29yZHM="}}`)}},
	{name: "title and context of a document", asks: map[string]string{A: sayA(`{"type":"document","title":"T","context":"C","source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`)}},
	{name: "citations of a document wanted", asks: map[string]string{A: sayA(`{"type":"document","citations":{"enabled":true},"source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`)}},
	{name: "search results as input", asks: map[string]string{A: sayA(`{"type":"search_result","source":"https://a.example/","title":"T","content":[{"type":"text","text":"words"}]}`)}},
	{name: "audio in", asks: map[string]string{O: sayO(`{"type":"input_audio","input_audio":{"format":"wav","data":"` + wav + `"}}`), G: sayG(`{"inlineData":{"mimeType":"audio/wav","data":"` + wav + `"}}`)}, at: map[string]string{O: "messages.0.content.1.input_audio", G: "contents.0.parts.1.inlineData"}},
	{name: "video in", asks: map[string]string{G: sayG(`{"inlineData":{"mimeType":"video/mp4","data":"AAAAGGZ0eXBtcDQy"}}`)}},
	{name: "file of a provider, by id", asks: map[string]string{O: sayO(`{"type":"file","file":{"file_id":"file-abc"}}`), A: sayA(`{"type":"document","source":{"type":"file","file_id":"file_011CNha8iCJcU1wXNR6q4V8w"}}`), G: sayG(`{"fileData":{"mimeType":"application/pdf","fileUri":"https://generativelanguage.googleapis.com/v1beta/files/abc"}}`)}},
	{name: "file of this service, by id", asks: map[string]string{O: sayO(`{"type":"file","file":{"file_id":"file_0693kq1w2e3r4t5y6n7m8p9s0v"}}`), A: sayA(`{"type":"document","source":{"type":"file","file_id":"file_0693kq1w2e3r4t5y6n7m8p9s0v"}}`), G: sayG(`{"fileData":{"mimeType":"application/pdf","fileUri":"files/file_0693kq1w2e3r4t5y6n7m8p9s0v"}}`)}},

	// Tools.
	{name: "functions", asks: map[string]string{O: toolsO, A: toolsA, G: toolsG}, at: map[string]string{O: "tools.0.function.parameters", A: "tools.0.input_schema", G: "tools.0.functionDeclarations.0.parametersJsonSchema"}},
	{name: "function without parameters", asks: map[string]string{O: `"tools":[` + picked + `]`, A: `"tools":[{"name":"f","input_schema":{"type":"object","properties":{}}}]`, G: `"tools":[{"functionDeclarations":[{"name":"f"}]}]`}, at: map[string]string{O: "tools.0", A: "tools.0", G: "tools.0"}},
	{name: "strict functions", asks: map[string]string{O: `"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` + shape + `}}]`, A: `"tools":[{"name":"f","strict":true,"input_schema":` + shape + `}]`}, at: map[string]string{O: "tools.0.function.strict", A: "tools.0.strict", G: `toolConfig.functionCallingConfig`}},
	{name: "schema beyond what the API takes (pattern)", asks: map[string]string{O: `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","pattern":"^a"}}}}}]`, A: `"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string","pattern":"^a"}}}}]`}},
	{name: "tool that takes free text", asks: map[string]string{O: `"tools":[{"type":"custom","custom":{"name":"f"}}]`}},
	{name: "names that only Gemini allows", asks: map[string]string{G: `"tools":[{"functionDeclarations":[{"name":"mcp.a:b"}]}]`}},
	{name: "tools that run at the provider", asks: map[string]string{O: `"web_search_options":{}`, A: `"tools":[{"type":"web_search_20250305","name":"web_search"}]`, G: `"tools":[{"googleSearch":{}}]`}},
	{name: "choice: none", asks: map[string]string{O: toolsO + `,"tool_choice":"none"`, A: toolsA + `,"tool_choice":{"type":"none"}`, G: toolsG + `,"toolConfig":{"functionCallingConfig":{"mode":"NONE"}}`}, at: choiceAt},
	{name: "choice: at least one", asks: map[string]string{O: toolsO + `,"tool_choice":"required"`, A: toolsA + `,"tool_choice":{"type":"any"}`, G: toolsG + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`}, at: choiceAt, answer: callsF},
	{name: "choice: this one", asks: map[string]string{O: toolsO + `,"tool_choice":` + picked, A: toolsA + `,"tool_choice":{"type":"tool","name":"f"}`, G: toolsG + `,"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}}`}, at: choiceAt, answer: callsF},
	{name: "choice: some of the tools", asks: map[string]string{O: toolsO + `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[` + picked + `]}}`, G: toolsG + `,"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["f"]}}`}},
	{name: "one call at a time", asks: map[string]string{O: toolsO + `,"parallel_tool_calls":false`, A: toolsA + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`}, at: map[string]string{O: "parallel_tool_calls", A: "tool_choice.disable_parallel_tool_use"}},
	{name: "parallel calls and their results", asks: map[string]string{O: three, A: `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[` + userO + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}},{"type":"tool_use","id":"t2","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"},{"type":"tool_result","tool_use_id":"t2","content":"y"}]}]}`, G: `{` + toolsG + `,"contents":[` + userG + `,` + `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}},{"functionResponse":{"name":"f","response":{"output":"y"}}}]}]}`}},
	{name: "a picture in a result", asks: map[string]string{A: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]}`), G: `{` + toolsG + `,"contents":[` + userG + `,` + callG + `,{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"x"},"parts":[{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}]}}]}]}`}},
	{name: "a result that reports an error", asks: map[string]string{A: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":"boom"}`), G: `{` + toolsG + `,"contents":[` + userG + `,` + callG + `,{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"error":"boom"}}}]}]}`}},
	{name: "a call without its result", asks: map[string]string{O: `{"model":"m",` + toolsO + `,"messages":[` + userO + `,{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},` + userO + `]}`, A: `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[` + userO + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{}}]},` + userO + `]}`, G: `{` + toolsG + `,"contents":[` + userG + `,` + callG + `,` + userG + `]}`}},
	{name: "what a provider's own tools said, in the history", asks: map[string]string{A: turnsA(userO + `,{"role":"assistant","content":[{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}},{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[]},{"type":"text","text":"so"}]},` + userO), G: turnsG(userG + `,{"role":"model","parts":[{"executableCode":{"language":"PYTHON","code":"1+1"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"2"}}]},` + userG)}},
}

var choiceAt = map[string]string{O: "tool_choice", A: "tool_choice", G: "toolConfig.functionCallingConfig.mode"}
