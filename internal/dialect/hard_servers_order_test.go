package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// What servers put where it does not belong, and what a dialect cannot close.
var hardTurned = section{"AY", "what stands in another order, and what cannot be closed", []hard{
	// NVIDIA-NeMo/Switchyard#242, zendev-sh/goai#117: vLLM's deltas have the content first.
	{number: 1282, name: "the last thought behind the first word, in one delta", run: func(t *testing.T) {
		for _, field := range []string{`"reasoning_content":"."`, `"reasoning":"."`, `"reasoning":".","reasoning_details":[{"type":"reasoning.text","text":".","index":0}]`} {
			answer := sse(delta(0, strings.ReplaceAll(field, ".\"", "hm\""), "null"), delta(0, `"content":"V",`+field, "null"), delta(0, `"content":"oy"`, "null"), delta(0, "", `"stop"`), "[DONE]")
			for _, from := range []string{A, G} {
				is(t, from+" "+field, tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{answer}}), "hm.|Voy||stop")
			}
			l := take(t, trip{from: A, to: O, own: true, stream: true, ask: strings.ReplaceAll(thinkingAsks[A], "%s", `,"stream":true`), answers: []string{answer}})
			sameList(t, "the blocks, "+field, blocksOf(l), "thinking hm.", "text Voy")
			l = take(t, trip{from: A, to: O, own: true, stream: true, ask: streamA, answers: []string{answer}})
			sameList(t, "the blocks without thoughts, "+field, blocksOf(l), "text Voy")
		}
	}},
	// OpenRouter tells of a provider that failed inside the choice: nodetool-ai/nodetool#5755.
	{number: 1283, name: "an error inside a choice of a stream", answer: "it has its status, and before the first word the next target is asked", run: func(t *testing.T) {
		failed := strings.Replace(delta(0, `"content":""`, `"error"`), `"finish_reason"`, `"error":{"code":429,"message":"slow down"},"finish_reason"`, 1)
		for _, from := range []string{O, A, G} {
			first := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(failed, "[DONE]")}})
			is(t, from+", its status", first.status, 429)
			later := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(delta(0, `"content":"a"`, "null"), failed, "[DONE]")}})
			is(t, from+", later", later.failure != nil && strings.Contains(later.body, map[string]string{O: "rate_limit_exceeded", A: "rate_limit_error", G: "RESOURCE_EXHAUSTED"}[from]), true)
			is(t, from+", no end", strings.Contains(later.body, "[DONE]") || strings.Contains(later.body, "message_stop"), false)
		}
		whole := try(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{strings.Replace(endO("error", `"content":""`), `"finish_reason"`, `"error":{"code":429,"message":"slow down"},"finish_reason"`, 1)}})
		is(t, "whole", whole.status, 429)
	}},
	// LeenHawk/gproxy#91: whatever Claude's API enforces is closed, and a closed map is always empty.
	{number: 1284, name: "a map in what is to be enforced, to Claude", answer: "an answer is asked for in words; a tool is no longer strict; both with a warning", run: func(t *testing.T) {
		const nested = `{"type":"object","properties":{"m":%s},"required":["m"],"additionalProperties":false}`
		maps := []string{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":["object","null"]}`}
		for _, schema := range maps {
			schema = fmt.Sprintf(nested, schema)
			l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":` + schema + `}}`)})
			l.sends("output_config", "")
			is(t, schema, strings.Contains(l.got().Get("system.0.text").Str, schema), true)
			l.warns("response_format", chat.Approximated)
			l = take(t, trip{from: O, to: A, ask: withO(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` + schema + `}}]`)})
			l.sends("tools.0.strict", "")
			l.sends("tools.0.input_schema", schema)
			l.warns("tools[0]", chat.Dropped)
		}
		l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":{"type":"object"}}}`)})
		l.sends("output_config", "")
		l = take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],` + configG(`"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"m":{"type":"OBJECT"}}}`) + `}`})
		l.sends("output_config", "")
		for _, closed := range []string{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{},"additionalProperties":false}`} {
			l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":` + fmt.Sprintf(nested, closed) + `}}`)})
			l.sends("output_config.format.schema.properties.m.additionalProperties", "false")
		}
		l = take(t, trip{from: O, to: A, ask: withO(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{},"additionalProperties":false}}}]`)})
		l.sends("tools.0.strict", "true")
		l.quiet()
	}},
	// earendil-works/pi#1048, diegosouzapw/OmniRoute#2281, NeuroAIHub/BrainPilot#549: agents call the system so wherever a model thinks.
	{number: 1285, name: "the role developer, to servers that do not know it", answer: "asked again with the system in its place, with a warning", run: func(t *testing.T) {
		ask := talkO(says("developer", "S"), userO, assistantO, says("developer", "T"), userO)
		for _, words := range []string{
			"Failed to deserialize the JSON body into the target type: messages[0].role: unknown variant `developer`, expected one of `system`, `user`, `assistant`, `tool`",
			"developer is not one of ['system', 'assistant', 'user', 'tool', 'function'] - 'messages.['0].role'", "Invalid value: 'developer'. Supported values are: 'system', 'assistant', 'user', 'function', and 'tool'.",
			"The developer role is not supported.", "Unexpected message role.", "[1214] Incorrect role information",
		} {
			for _, streamed := range []bool{false, true} {
				l := take(t, refusesFirst(trip{from: O, to: O, own: true, stream: streamed, ask: ask}, 400, words))
				is(t, words, l.then().Get("messages.0").Raw, `{"role":"system","content":"S"}`)
				is(t, words, strings.Contains(l.then().Raw, "developer"), false)
				is(t, "it still says", strings.Contains(l.then().Get("messages.3.content").Str, "T"), true)
				l.warns("messages", chat.Ignored)
			}
			home := try(t, refusesFirst(trip{from: O, to: O, ask: ask}, 400, words))
			is(t, "at OpenAI's", fmt.Sprint(home.status, len(home.calls)), "400 1")
		}
	}},
	// QuantumNous/new-api#989, lobehub/lobehub#7128, router-for-me/CLIProxyAPI#3608, sgl-project/sglang#892: Gemma's models have no system.
	{number: 1286, name: "a system, to a model that has none", answer: "asked again with its text at the beginning of the user's, with a warning", run: func(t *testing.T) {
		asks := map[string]string{O: talkO(says("system", "S"), userO, assistantO, userO), A: turnsA(userO + `,` + assistantO + `,` + userO), G: turnsG(userG + `,` + modelG + `,` + userG)}
		asks[A], asks[G] = strings.Replace(asks[A], "{", `{"system":"S",`, 1), strings.Replace(asks[G], "{", `{"systemInstruction":{"parts":[{"text":"S"}]},`, 1)
		at := map[string]string{O: "messages", A: "system", G: "systemInstruction"}
		for _, from := range []string{O, A, G} {
			for _, words := range []string{"System role not supported", "System messages are not allowed", "Unsupported value: 'messages[0].role' does not support 'system' with this model.", "This model doesn't support system messages."} {
				for _, status := range []int{400, 500} { // SGLang's
					l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: asks[from]}, status, words))
					is(t, from+" "+words, l.then().Get("messages.#.role").Raw+l.then().Get("messages.0.content").Str, `["user","assistant","user"]`+"S\n\ngo")
					l.warns(at[from], chat.Approximated)
				}
			}
			if from != G {
				l := take(t, refusesFirst(trip{from: from, to: G, model: "gemma-3-27b-it", ask: asks[from]}, 400, "Developer instruction is not enabled for models/gemma-3-27b-it"))
				is(t, from+" to Google", l.then().Get("systemInstruction").Raw+l.then().Get("contents.0.parts.0.text").Str, "S\n\ngo")
				l.warns(at[from], chat.Approximated)
			}
		}
		l := take(t, refusesFirst(trip{from: G, to: O, own: true, ask: strings.Replace(asks[G], userG, modelG, 1)}, 400, "System role not supported"))
		is(t, "before the model's", l.then().Get("messages.0").Raw, `{"role":"user","content":"S"}`)
	}},
	// Perplexity's and DeepSeek's words for what Mistral's and Google's templates say otherwise.
	{number: 1287, name: "two turns of one speaker, to servers that say in other words that they take one", run: func(t *testing.T) {
		for _, words := range []string{
			"After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).", "After the (optional) system message(s), user and assistant roles should be alternating.",
			"deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input). You should interleave the user/assistant messages in the message sequence.",
		} {
			for from, ask := range map[string]string{O: talkO(userO, userO), A: turnsA(userO + `,` + userO)} {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+" "+words, l.then().Get("messages.#.role").Raw, `["user"]`)
				l.warns("messages", chat.Approximated)
			}
		}
	}},
	// A thought that another model told, in OpenAI's own dialect: what is not sent is told, as at Groq and Mistral.
	{number: 1288, name: "thoughts and signatures of others in a client's own bytes, to OpenAI", run: func(t *testing.T) {
		ask := talkO(userO, `{"role":"assistant","content":"so"%s}`, userO)
		seal := chat.Envelope{Dialect: G, Provider: "far", Model: "gemini-3-pro", Raw: googles1}.Wrap()
		for members, want := range map[string]chat.Verb{
			`,"reasoning_content":"hm"`:                                                             chat.Dropped,
			`,"reasoning_details":[{"type":"reasoning.text","text":"hm"}]`:                          chat.Dropped,
			`,"reasoning_content":"hm","reasoning_details":[{"type":"reasoning.text","text":"hm"}]`: chat.Dropped,
			`,"extra_content":{"google":{"thought_signature":"` + seal + `"}}`:                      chat.Ignored,
		} {
			l := take(t, trip{from: O, to: O, ask: fmt.Sprintf(ask, members)})
			l.sends("messages.1", `{"role":"assistant","content":"so"}`)
			is(t, members+", told", len(l.losses), 1)
			l.warns(map[chat.Verb]string{chat.Dropped: "messages[1].reasoning_content", chat.Ignored: "messages[1]"}[want], want)
		}
		for _, nothing := range []string{"", `,"reasoning_content":""`} {
			take(t, trip{from: O, to: O, ask: fmt.Sprintf(ask, nothing)}).quiet()
		}
		own := take(t, trip{from: O, to: O, own: true, ask: fmt.Sprintf(ask, `,"reasoning_content":"hm"`)})
		own.sends("messages.1.reasoning_content", `"hm"`)
		own.quiet()
	}},
	// vllm-project/vllm#43995, OpenHands/software-agent-sdk#2887, MoonshotAI/kimi-cli#1171, HKUDS/nanobot#1487: every turn after it is refused.
	{number: 1289, name: "a call of the history that was cut off, to servers that read its arguments", answer: "asked again with them under _raw, with a warning", run: func(t *testing.T) {
		ask := func(arguments string) string {
			return `{"model":"m",` + toolsO + `,"messages":[` + userO + `,{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":` + quoted(arguments) + `}},` +
				`{"id":"c2","type":"function","function":{"name":"f","arguments":"{\"a\": 1.0}"}}]},{"role":"tool","tool_call_id":"c1","content":"cut"},{"role":"tool","tool_call_id":"c2","content":"x"}]}`
		}
		for _, words := range []string{
			"Expecting ',' delimiter: line 1 column 54 (char 53)", "Unterminated string starting at: line 1 column 113 (char 112)", "unexpected end of data: line 1 column 133 (char 132)", `Invalid \escape: line 1 column 5 (char 4)`,
			"Expecting property name enclosed in double quotes: line 1 column 2 (char 1)", "Extra data: line 1 column 29 (char 28)", "Failed to parse tool call arguments as JSON: [json.exception.parse_error.101] parse error",
			"invalid tool call arguments", "Invalid JSON format in tool call arguments", `<400> InternalError.Algo.InvalidParameter: The "function.arguments" parameter of the code model must be in JSON format.`,
			"messages.70.tool_calls.0.function.arguments: arguments must be a valid JSON object string",
		} {
			for _, status := range []int{400, 500} { // llama.cpp's
				l := take(t, refusesFirst(trip{from: O, to: O, own: true, ask: ask(`{"a":"x`)}, status, words))
				calls := l.then().Get("messages.1.tool_calls")
				is(t, words, calls.Get("0.function.arguments").Str, `{"_raw":"{\"a\":\"x"}`)
				is(t, "as it was", calls.Get("1.function.arguments").Str, `{"a": 1.0}`)
				l.warns("messages[1].tool_calls[0]", chat.Approximated)
			}
		}
		home := try(t, refusesFirst(trip{from: O, to: O, ask: ask(`{"a":"x`)}, 400, "Expecting ',' delimiter: line 1 column 54 (char 53)"))
		is(t, "at OpenAI's", fmt.Sprint(home.status, len(home.calls)), "400 1")
		l := take(t, trip{from: A, to: O, own: true, ask: strings.Replace(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), `{"a":"1"}`, `[1]`, 1)})
		l.sends("messages.1.tool_calls.0.function.arguments", `"{\"_raw\":\"[1]\"}"`)
		l.warns("messages[1].content[0]", chat.Approximated)
	}},
	// Strict mode knows less of JSON Schema than Claude's clients write: which part it is changes, and only OpenAI's words tell.
	{number: 1290, name: "a schema that OpenAI's strict mode does not know", answer: "asked again with a tool that is not strict, and for an answer in words, with a warning", run: func(t *testing.T) {
		const schema = `{"type":"object","properties":{"a":{"type":"string","contentEncoding":"base64"}},"required":["a"],"additionalProperties":false}`
		tools := `{"model":"m","max_tokens":9,"tools":[{"name":"f","strict":true,"input_schema":` + schema + `}],"messages":[` + userO + `]}`
		l := take(t, refusesFirst(trip{from: A, to: O, ask: tools}, 400, "Invalid schema for function 'f': In context=('properties', 'a'), 'contentEncoding' is not permitted."))
		is(t, "strict", l.sent[0].Get("tools.0.function.strict").Raw+l.then().Get("tools.0.function.strict").Raw, "true")
		l.warns("tools[0]", chat.Approximated)
		for from, ask := range map[string]string{
			A: `{"model":"m","max_tokens":9,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}},"messages":[` + userO + `]}`,
			G: turnsG(userG)[:len(turnsG(userG))-1] + `,` + configG(`"responseMimeType":"application/json","responseJsonSchema":`+schema) + `}`,
		} {
			l := take(t, refusesFirst(trip{from: from, to: O, ask: ask}, 400, "Invalid schema for response_format 'answer': In context=('properties', 'a'), 'contentEncoding' is not permitted."))
			is(t, from+", in words", fmt.Sprint(l.then().Get("response_format").Exists(), strings.Contains(l.then().Get("messages.0.content").Str, "contentEncoding")), "false true")
			is(t, from+", told", strings.Contains(l.told(), string(chat.Approximated)), true)
		}
		own := try(t, refusesFirst(trip{from: O, to: O, ask: withO(toolsO)}, 400, "Invalid schema for function 'f': In context=('properties', 'a'), 'contentEncoding' is not permitted."))
		is(t, "the client's own", fmt.Sprint(own.status, len(own.calls)), "400 1")
	}},
	// deepseek-ai/DeepSeek-V3#1397, anthropics/claude-code#65863, farion1231/cc-switch#4239: Claude Code's sub-agents do not think, whatever effort is set for all.
	{number: 1291, name: "an effort for thinking that is off, to a server that takes one or the other", answer: "asked again without the effort, with a warning", run: func(t *testing.T) {
		const words = "thinking options type cannot be disabled when reasoning_effort is set"
		for more, left := range map[string]string{"": "", `,"format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}`: "format"} {
			ask := `{"model":"m","max_tokens":9,"thinking":{"type":"disabled"},"output_config":{"effort":"max"` + more + `},"messages":[{"role":"user","content":"go"}]}`
			l := take(t, refusesFirst(trip{from: A, to: A, own: true, ask: ask}, 400, words))
			is(t, "what is asked then", inLine(l.got().Get("output_config.effort"), l.then().Get("output_config.effort").Exists(), l.then().Get("output_config").Exists(), l.then().Get("thinking.type")), fmt.Sprint("max false ", left != "", " disabled"))
			is(t, "told: "+l.told(), strings.Contains(l.told(), "no effort where thinking is off"), true)
			home := try(t, refusesFirst(trip{from: A, to: A, model: "m", ask: ask}, 400, words))
			is(t, "at Anthropic's, by its own name", fmt.Sprint(home.status, len(home.calls)), "400 1")
		}
	}},
	// anthropics/claude-code#68551, #33506, #59129, routatic/proxy#171, caozhiyuan/copilot-api#286: Claude Code takes a model whose name it does not know for a new one.
	{number: 1292, name: "a way to think that a model does not have, whose name told the client nothing", answer: "asked again in the model's own way, with a warning; by its own name the client hears the refusal", run: func(t *testing.T) {
		ask := func(more string) string {
			return `{"model":"m","max_tokens":32000,"context_management":{"edits":[]},"thinking":{"type":"adaptive","display":"omitted"},"output_config":{"effort":"xhigh"` + more + `},"messages":[{"role":"user","content":"go"}]}`
		}
		said := func(body gjson.Result) string {
			return strings.Join(strings.Fields(inLine(body.Get("thinking.type"), body.Get("thinking.budget_tokens"), body.Get("output_config.effort"))), " ")
		}
		for words, want := range map[string]string{
			"adaptive thinking is not supported on this model":                                                                 "enabled 32768",
			"This model does not support adaptive thinking.":                                                                   "enabled 32768",
			"thinking.type: 'adaptive' is not supported on this model":                                                         "enabled 32768",
			"thinking: Input tag 'adaptive' found using 'type' does not match any of the expected tags: 'disabled', 'enabled'": "enabled 32768",
			"This model does not support the effort parameter.":                                                                "adaptive",
			`output_config.effort "high" was provided, but model claude-haiku-4.5 does not support reasoning effort`:           "adaptive",
			`output_config.effort "xhigh" is not supported by model claude-opus-4.7; supported values: [medium]`:               "adaptive",
			"output_config.effort: effort level 'high' is not supported on this model.":                                        "adaptive",
			"output_config.effort: effort level 'xhigh' is not supported on this model.":                                       "adaptive high",
			"output_config: Extra inputs are not permitted":                                                                    "adaptive",
			"thinking: Extra inputs are not permitted":                                                                         "",
			"output_config.effort: Input should be 'low', 'medium' or 'high'":                                                  "adaptive high",
		} {
			for _, own := range []bool{false, true} { // at the author's by another name, and at another server
				l := take(t, refusesFirst(trip{from: A, to: A, own: own, model: "claude-opus-4-6", ask: ask("")}, 400, words))
				now := l.then()
				is(t, words, said(now), want)
				is(t, words+", what else was said", now.Get("context_management").Raw, `{"edits":[]}`)
				is(t, words+", told: "+l.told(), strings.Contains(l.told(), "thinking"), true)
			}
			home := try(t, refusesFirst(trip{from: A, to: A, model: "m", ask: ask("")}, 400, words))
			is(t, words+", by its own name", fmt.Sprint(home.status, len(home.calls)), "400 1")
		}
		l := take(t, refusesFirst(trip{from: A, to: A, ask: ask(`,"format":{"type":"json_schema","schema":{"type":"object"}}`)}, 400, "This model does not support the effort parameter."))
		is(t, "the shape of the answer stays", l.then().Get("output_config").Raw, `{"format":{"type":"json_schema","schema":{"type":"object"}}}`)
		budget := `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":31999},"messages":[{"role":"user","content":"go"}]}`
		for _, words := range []string{
			`"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive" and "output_config.effort" to control thinking behavior.`,
			"thinking.enabled: budget_tokens is not supported on this model. Use `thinking.type.adaptive` and `output_config.effort` instead.",
			"thinking.budget_tokens is no longer supported for this model.", "thinking.type: `enabled` is not supported for this model.", "This model only supports adaptive thinking.",
		} {
			l = take(t, refusesFirst(trip{from: A, to: A, model: "claude-opus-4-6", ask: budget}, 400, words))
			is(t, words+", tokens, to a model of levels", said(l.then()), "adaptive high")
		}
		for _, words := range []string{`"thinking.type.disabled" is not supported for this model.`, "thinking.disabled: thinking cannot be disabled on this model."} {
			off := strings.Replace(budget, `"enabled","budget_tokens":31999`, `"disabled"`, 1)
			is(t, words, said(take(t, refusesFirst(trip{from: A, to: A, model: "claude-opus-4-6", ask: off}, 400, words)).then()), "")
		}
		results := strings.Replace(ask(""), `{"role":"user","content":"go"}`, `{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"1"}]}`, 1)
		l = take(t, refusesFirst(trip{from: A, to: A, ask: results}, 400, "adaptive thinking is not supported on this model"))
		is(t, "a call without a thought before it, which a budget does not allow", l.then().Get("thinking").Raw, `{"type":"disabled"}`)
		results = strings.Replace(results, `{"type":"adaptive","display":"omitted"}`, `{"type":"enabled","budget_tokens":2000}`, 1)
		l = take(t, refusesFirst(trip{from: A, to: A, ask: results}, 400, "thinking: Extra inputs are not permitted"))
		is(t, "such a call, to a model that does not think", l.then().Get("thinking").Exists(), false)
		loose := strings.Replace(ask(""), `{"type":"adaptive","display":"omitted"}`, `true`, 1)
		for _, words := range []string{"adaptive thinking is not supported on this model", "This model does not support the effort parameter."} {
			is(t, "a switch, "+words, take(t, refusesFirst(trip{from: A, to: A, model: "claude-opus-4-6", ask: loose}, 400, words)).status, 200)
		}
	}},
	// sipeed/picoclaw#2939, HKUDS/nanobot#3418, Ultimate-Multisite/superdav-ai-agent#1847: agents send a temperature to every model but those whose names they know.
	{number: 1800, name: "sampling that a Claude does not take, whose name told the client nothing", answer: "asked again without it, with a warning; by its own name the client hears the refusal", run: func(t *testing.T) {
		said := func(body gjson.Result) string {
			return strings.Join(strings.Fields(inLine(body.Get("temperature"), body.Get("top_p"), body.Get("top_k"), body.Get("stop_sequences.0"))), " ")
		}
		for words, want := range map[string]string{
			"`temperature` is deprecated for this model.": "x", "`temperature`, `top_p` and `top_k` are not supported on this model.": "x", "top_k: Extra inputs are not permitted": "x",
			"This model does not support the temperature parameter.":                                  "x",
			"`temperature` and `top_p` cannot both be specified for this model. Please use only one.": "0.2 5 x",
		} {
			for _, streamed := range []bool{false, true} {
				ask := `{"model":"m","max_tokens":9,"temperature":0.2,"top_p":0.9,"top_k":5,"stop_sequences":["x"],"messages":[{"role":"user","content":"go"}]}`
				way := refusesFirst(trip{from: A, to: A, stream: streamed, model: "claude-opus-4-8", ask: ask}, 400, words)
				if streamed {
					way.ask = strings.Replace(ask, `{`, `{"stream":true,`, 1)
				}
				l := take(t, way)
				is(t, words, said(l.then()), want)
				l.warns("top_p", chat.Dropped)
				way.model = "m"
				home := try(t, way)
				is(t, words+", by its own name", fmt.Sprint(home.status, len(home.calls)), "400 1")
			}
		}
	}},
	// anomalyco/opencode#37964, langgenius/dify#24307, dyad-sh/dyad#870: clients go by a model's name, and another name tells them nothing.
	{number: 1293, name: "a parameter that a model does not take, whose name told the client nothing", answer: "asked again without it, or by the name that the model has for it, with a warning; by its own name the client hears the refusal", run: func(t *testing.T) {
		for words, row := range map[string][2]string{
			"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.":    {`"max_tokens":9`, `max_completion_tokens 9`},
			"Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported.": {`"temperature":0`, ""},
			"Unsupported parameter: 'parallel_tool_calls' is not supported with this model.":                                {`"parallel_tool_calls":false`, ""},
			"Unrecognized request argument supplied: reasoning_effort":                                                      {`"reasoning_effort":"high"`, ""},
			"Unsupported parameter: 'logprobs' is not supported with this model.":                                           {`"logprobs":true,"top_logprobs":2`, ""},
		} {
			for _, streamed := range []bool{false, true} {
				ask, answers := withO(row[0]), []string(nil)
				if streamed {
					ask, answers = strings.Replace(ask, `{`, `{"stream":true,`, 1), []string{sse(delta(0, `"content":"hi"`, "null"), delta(0, "", `"stop"`), "[DONE]")}
				}
				way := refusesFirst(trip{from: O, to: O, stream: streamed, ask: ask}, 400, words)
				if answers != nil {
					way.answers[1] = answers[0]
				}
				l := take(t, way)
				var left []string
				l.then().ForEach(func(key, _ gjson.Result) bool {
					if !slices.Contains([]string{"model", "messages", "stream", "stream_options", "max_completion_tokens"}, key.Str) {
						left = append(left, key.Str)
					}
					return true
				})
				is(t, words+", what is left of it", fmt.Sprint(left), "[]")
				if name, value, ok := strings.Cut(row[1], " "); ok {
					is(t, words, l.then().Get(name).Raw, value)
				}
				is(t, words+", told: "+l.told(), len(l.losses), 1)
			}
			for _, own := range []bool{false, true} {
				home := try(t, refusesFirst(trip{from: O, to: O, model: "m", own: own, ask: withO(row[0])}, 400, words))
				is(t, words+", by its own name", fmt.Sprint(home.status, len(home.calls)), "400 1")
			}
		}
		const words = "Unrecognized request argument supplied: stream_options"
		counted := refusesFirst(trip{from: O, to: O, stream: true, ask: withO(`"stream":true,"stream_options":{"include_usage":true}`)}, 400, words)
		counted.answers[1] = sse(delta(0, `"content":"hi"`, "null"), delta(0, "", `"stop"`), "[DONE]")
		l := take(t, counted)
		is(t, words, inLine(l.sent[0].Get("stream_options").Exists(), l.then().Get("stream_options").Exists(), len(l.losses)), "true false 1")
		wrong := try(t, refusesFirst(trip{from: O, to: O, ask: withO(`"temperature":5`)}, 400, "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 5 instead."))
		is(t, "a value that no model takes", fmt.Sprint(wrong.status, len(wrong.calls)), "400 1")
		for words, row := range map[string][3]string{
			"Thinking level is not supported for this model.":                           {`"thinkingConfig":{"thinkingLevel":"HIGH"},"seed":1`, "thinkingConfig", ""},
			"Unable to submit request because thinking is not supported by this model.": {`"thinking_config":{"include_thoughts":true},"seed":1`, "thinking_config", ""},
			"Penalty is not enabled for models/gemini-3.5-flash":                        {`"presencePenalty":1,"frequencyPenalty":1,"seed":1`, "presencePenalty", "frequencyPenalty"},
			"Logprobs is not enabled for models/gemini-3.5-flash":                       {`"responseLogprobs":true,"logprobs":2,"seed":1`, "responseLogprobs", "logprobs"},
		} {
			ask := `{"contents":[{"role":"user","parts":[{"text":"go"}]}],"generationConfig":{` + row[0] + `}}`
			l := take(t, refusesFirst(trip{from: G, to: G, ask: ask}, 400, words))
			config := l.then().Get("generationConfig")
			is(t, words, inLine(config.Get(row[1]).Exists(), row[2] != "" && config.Get(row[2]).Exists(), config.Get("seed").Raw), "false false 1")
			is(t, words+", told: "+l.told(), len(l.losses) > 0, true)
			home := try(t, refusesFirst(trip{from: G, to: G, model: "m", ask: ask}, 400, words))
			is(t, words+", by its own name", fmt.Sprint(home.status, len(home.calls)), "400 1")
		}
	}},
}}
