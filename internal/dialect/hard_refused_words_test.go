package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// askedAgain is a trip to a server that refuses with these words, or with this body, and takes the next request.
func askedAgain(way trip, words string) trip {
	way = refusesFirst(way, 400, words)
	if strings.HasPrefix(words, "{") || strings.HasPrefix(words, "[") {
		way.answers[0] = words
	}
	return way
}

// then is what was sent last.
func (l *landed) then() gjson.Result { return l.sent[len(l.sent)-1] }

// inLine is values with a blank between any two.
func inLine(values ...any) string { return strings.TrimSpace(fmt.Sprintln(values...)) }

// longestAnswers are how servers say that an answer may have no more than 8,192 tokens.
var longestAnswers = []string{
	"Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", "<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]",
	"`max_completion_tokens` must be less than or equal to `8192`, the maximum value for `max_completion_tokens` is less than the `context_window` for this model",
	"Invalid 'max_tokens': integer above maximum value. Expected a value <= 8192, but got 64000 instead.", "max_tokens 64000 exceeds model limit 8192",
	"The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 8192, but got 32000 instead.",
	"The maximum tokens you requested exceeds the model limit of 8192. Try again with a maximum tokens value that is lower than 8192.",
	"max_tokens (64000) exceeds the maximum allowed (8192)", "max_tokens too large. Max is 8192", "max_tokens must be at most 8192", "max_tokens must not exceed 8192", "max_tokens should be less than 8193", "max_tokens limit is 8192", "max_tokens is 64000, which exceeds the limit of 8192", "max output tokens is 8192", "max_tokens is out of range (1-8192)",
	"the maximum value of max_tokens is 8192", "Value error, max_tokens must be less than or equal to max_model_len (8192)", "The value of max_tokens should be between 1 and 8192",
	`{"detail":[{"type":"less_than_equal","loc":["body","max_tokens"],"msg":"Input should be less than or equal to 8192","input":64000,"ctx":{"le":8192}}]}`,
}

// unknownSeeds are how servers say that they do not know a parameter.
var unknownSeeds = []string{
	"unknown field `seed`, expected one of `model`, `messages`", `json: unknown field "seed"`, "Additional properties are not allowed ('seed' was unexpected)",
	"Extra inputs are not permitted, field: 'seed', value: 1", "Unrecognized request arguments supplied: seed, store", "Argument not supported on this model: seed",
	`Invalid JSON payload received. Unknown name "seed": Cannot find field.`, "seed: Extra inputs are not permitted", "The parameter `seed` is not supported by this model.",
	"This model does not support the `seed` parameter.", "got an unexpected keyword argument 'seed'", "Unsupported parameter(s): `seed`", "Field 'seed' is not allowed", "property seed should not exist",
}

// unknownEfforts are how servers say that they do not think, or not so much.
var unknownEfforts = []string{
	`{"error":{"message":"Invalid value: 'medium'. Supported values are: 'low' and 'high'.","type":"invalid_request_error","param":"reasoning_effort","code":"invalid_value"}}`,
	"`reasoning_effort` must be one of `none` or `default`", `{"detail":[{"type":"literal_error","loc":["body","reasoning_effort"],"msg":"Input should be 'low' or 'high'","input":"medium"}]}`,
	`invalid think value: "medium" (must be "high", "low", true, or false)`, `"qwen3" does not support thinking`, "invalid reasoning_effort: medium", "reasoning_effort is not supported with this model",
}

// freeChoices are how servers say that a call cannot be asked for.
var freeChoices = []string{
	"Thinking mode does not support this tool_choice", "deepseek-reasoner does not support this tool_choice", "tool_choice 'required' is incompatible with thinking enabled",
	"<400> InternalError.Algo.InvalidParameter: The tool_choice parameter does not support being set to required or object in thinking mode",
	"`tool_choice`: only \"none\" and \"auto\" are supported", "Invalid tool_choice: only auto is allowed", "No endpoints found that support the provided 'tool_choice' value.",
	"Thinking may not be enabled when tool_choice forces tool use.", // Claude's, behind other servers
}

// blindness is how servers say that a model sees no pictures.
var blindness = []string{
	"Invalid content type. image_url is only supported by certain models.", "This model only supports text input", "messages[0].content[1].type: image_url is not supported",
	"unsupported content part type: image_url", "Invalid value: 'image_url'. Supported values are: 'text'.", "this model is missing data required for image input", "Image input not supported",
}

// callsNothing is how servers say that they call no tools.
var callsNothing = []string{
	`{"object":"error","message":"\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set","type":"BadRequestError","param":null,"code":400}`,
	"registry.ollama.ai/library/gemma:2b does not support tools", "`tool calling` is not supported with this model", "Function calling is not enabled for models/gemma-3-27b-it",
}

var hardAgain = section{"AS", "what servers refuse in their own words, and what they put around answers", []hard{
	// Gitlawb/openclaude#331, yiliqi78/TOKENICODE#3, nickscamara/open-deep-research#19: Claude Code asks every model for 32,000 tokens.
	{number: 1230, name: "an answer that was to be longer than a model's can be, as others say it", answer: "asked again for as much as there is, with a warning", run: func(t *testing.T) {
		ask := strings.Replace(plain[A], `"max_tokens":9`, `"max_tokens":64000`, 1)
		for _, words := range longestAnswers {
			l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, words))
			is(t, words, l.then().Get("max_tokens").Raw, "8192")
			l.warns("max_tokens", chat.Approximated)
		}
		way := trip{from: A, to: O, own: true, ask: ask, statuses: []int{400, 400, 200}, answers: []string{
			said(O, "max_tokens=64000 cannot be greater than max_model_len=max_total_tokens=32768. Please request fewer output tokens."),
			said(O, "'max_tokens' or 'max_completion_tokens' is too large: 32768. This model's maximum context length is 32768 tokens and your request has 1001 input tokens (32768 > 32768 - 1001)."), hi[O],
		}}
		is(t, "twice", take(t, way).then().Get("max_tokens").Raw, "31767")
		l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, "This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens (6000 of text input, 64000 in the output)."))
		is(t, "both", l.then().Get("max_tokens").Raw, "59536")
		for _, words := range []string{"max_tokens must be an integer", "max_tokens must be at most 512", "n must be at most 8192", "tools: at most 128"} {
			l := try(t, trip{from: A, to: O, own: true, ask: ask, status: 400, answers: []string{said(O, words)}})
			is(t, words, inLine(l.status, l.sent[len(l.sent)-1].Get("max_tokens").Raw), "400 64000")
		}
	}},
	{number: 1231, name: "a parameter that a server does not know, in the words of any", answer: "asked again without it, with a warning", run: func(t *testing.T) {
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"seed":1,"temperature":0.5,"topP":0.9}}`
		for _, words := range unknownSeeds {
			l := take(t, askedAgain(trip{from: G, to: O, own: true, ask: ask}, words))
			is(t, words, inLine(l.sent[0].Get("seed").Raw, l.then().Get("seed").Exists(), l.then().Get("temperature").Raw), "1 false 0.5")
			l.warns("generationConfig.seed", chat.Dropped)
		}
		// MoonshotAI's models take one value and no other.
		l := take(t, askedAgain(trip{from: G, to: O, own: true, ask: ask}, "invalid temperature: only 1 is allowed for this model"))
		is(t, "a value", inLine(l.then().Get("temperature").Exists(), l.then().Get("seed").Raw), "false 1")
		own := try(t, trip{from: O, to: O, model: "m", own: true, ask: withO(`"seed":1`), status: 400, answers: []string{said(O, unknownSeeds[0])}})
		is(t, "a client's own bytes", inLine(own.status, len(own.calls)), "400 1")
	}},
	{number: 1232, name: "thoughts that a server does not have, or not so many of", answer: "asked again without a word of it, with a warning", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":10000},"messages":[{"role":"user","content":"go"}]}`
		for _, words := range unknownEfforts {
			l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, words))
			is(t, words, inLine(l.sent[0].Get("reasoning_effort").Str, l.then().Get("reasoning_effort").Exists()), "medium false")
			l.warns("thinking", chat.Dropped)
		}
	}},
	// deepseek-ai/DeepSeek-V3#1376, cloudwego/eino#994, can1357/oh-my-pi#7315.
	{number: 1233, name: "a call is wanted of a model that cannot be held to it", answer: "asked for in words, with a warning", run: func(t *testing.T) {
		for choice, line := range map[string]string{`{"type":"any"}`: "at least one of the tools", `{"type":"tool","name":"f"}`: "the tool f"} {
			for _, words := range freeChoices {
				l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: `{"model":"m","max_tokens":99,` + toolsA + `,"tool_choice":` + choice + `,"messages":[{"role":"user","content":"go"}]}`}, words))
				is(t, words, inLine(l.sent[0].Get("tool_choice").Exists(), l.then().Get("tool_choice").Exists()), "true false")
				is(t, words, l.then().Get("messages.0.content").Str, "You must call "+line+" in your next turn.")
				l.warns("tool_choice", chat.Approximated)
			}
		}
		two := strings.Replace(toolsA, `]`, `,{"name":"g","input_schema":{"type":"object","properties":{}}}]`, 1)
		for choice, offered := range map[string]string{`{"type":"none"}`: "", `{"type":"tool","name":"g"}`: `["g"]`} {
			l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: `{"model":"m","max_tokens":99,` + two + `,"tool_choice":` + choice + `,"messages":[{"role":"user","content":"go"}]}`}, freeChoices[0]))
			is(t, choice, l.then().Get("tools.#.function.name").Raw, offered)
			l.warns("tool_choice", chat.Approximated)
		}
	}},
	// OpenHands/OpenHands#4838, getsentry/sentry-mcp#106, microsoft/genaiscript#1381.
	{number: 1234, name: "a tool whose description is too long for a server", answer: "all of it is in the system text, with a warning", run: func(t *testing.T) {
		long := strings.Repeat("wörd ", 300)
		ask := `{"model":"m","max_tokens":99,"system":"S","tools":[{"name":"f","description":"` + long + `","input_schema":{"type":"object","properties":{}}},{"name":"g","description":"short","input_schema":{"type":"object","properties":{}}}],"messages":[{"role":"user","content":"go"}]}`
		l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, `{"error":{"message":"Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1500 instead.","type":"invalid_request_error","param":"tools[0].function.description","code":"string_above_max_length"}}`))
		is(t, "short enough", len(l.then().Get("tools.0.function.description").Str) <= 1024, true)
		is(t, "whole", strings.Contains(l.then().Get("messages.0.content").Raw, "About the tool f: "+long), true)
		is(t, "the other", l.then().Get("tools.1.function.description").Str, "short")
		l.warns("tools[0]", chat.Approximated)
	}},
	{number: 1235, name: "tools, to a model or a server that calls none", answer: "400 that names the tools and what the server says; the next target is asked", run: func(t *testing.T) {
		for from, ask := range map[string]string{A: `{"model":"m","max_tokens":9,` + toolsA + `,"messages":[{"role":"user","content":"go"}]}`, O: withO(toolsO), G: `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}]}`} {
			for _, words := range callsNothing {
				l := try(t, askedAgain(trip{from: from, to: O, own: true, ask: ask}, words))
				is(t, from+words, inLine(l.status, len(l.calls), l.failure.Elsewhere, l.failure.Details["field"]), "400 1 true tools")
				is(t, from+words, strings.Contains(gjson.Get(l.body, "error.message").Str, "calls no tools: "), true)
			}
		}
	}},
	// The wish for usage is ours, in a client's own bytes as well.
	{number: 1236, name: "a stream's wish for usage, to a server that does not know it", answer: "asked again without it; tokens are counted here", run: func(t *testing.T) {
		for _, words := range []string{"Unknown parameter: 'stream_options'.", "stream_options: Extra inputs are not permitted", `{"detail":[{"type":"extra_forbidden","loc":["body","stream_options"],"msg":"Extra inputs are not permitted"}]}`} {
			for from, ask := range map[string]string{A: plainly(A, true), G: plain[G], O: `{"model":"m","stream":true,"messages":[{"role":"user","content":"go"}]}`} {
				l := take(t, askedAgain(trip{from: from, to: O, own: true, stream: true, ask: ask}, words))
				is(t, from+words, inLine(l.sent[0].Get("stream_options").Exists(), l.then().Get("stream_options").Exists(), strings.Contains(l.body, "hi")), "true false true")
				is(t, from+words, l.booked.Usage().Output > 0, true)
			}
		}
		ask := `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"go"}]}`
		own := try(t, trip{from: O, to: O, model: "m", own: true, stream: true, ask: ask, status: 400, answers: []string{said(O, "Unknown parameter: 'stream_options'.")}})
		is(t, "a client's own wish, to a model by its own name", inLine(own.status, len(own.calls)), "400 1")
	}},
	// earendil-works/pi#1172, OpenCoworkAI/open-cowork#232.
	{number: 1237, name: "strict tools, to a server that does not know them", answer: "asked again without the word, with a warning", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		asks := map[string]string{O: `{"model":"m","max_tokens":9,"tools":[{"name":"f","strict":true,"input_schema":` + schema + `}],"messages":[{"role":"user","content":"go"}]}`, A: withO(strictTools(1, schema))}
		for to, from := range map[string]string{O: A, A: O} {
			for _, words := range []string{`Validation Error: "strict" - Extra inputs are not permitted`, "tools.0.function.strict: Extra inputs are not permitted", "tools.0.custom.strict: Extra inputs are not permitted"} {
				l := take(t, askedAgain(trip{from: from, to: to, own: true, model: map[string]string{A: "claude-sonnet-4-5"}[to], ask: asks[to]}, words))
				is(t, to+words, strings.Contains(l.then().Raw, "strict"), false)
				is(t, to+words, l.warned("tools[0]", chat.Approximated) || l.warned("tools[0]", chat.Dropped), true)
			}
		}
		l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: asks[O]}, `{"detail":[{"type":"extra_forbidden","loc":["body","tools",0,"function","strict"],"msg":"Extra inputs are not permitted"}]}`))
		is(t, "FastAPI's", strings.Contains(l.then().Raw, "strict"), false)
	}},
	{number: 1238, name: "calls of the history, to models of Mistral's and of Google's at other servers", answer: "asked again with ids of nine letters, or with Google's placeholder", run: func(t *testing.T) {
		ask := behindCalls(callA("toolu_abcdefghijkl")+","+callA("toolu_mnopqrstuvwx"), resultA("toolu_mnopqrstuvwx")+","+resultA("toolu_abcdefghijkl"))
		l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, "Tool call id was toolu_abcdefghijkl but must be a-z, A-Z, 0-9, with a length of 9."))
		calls, results := l.then().Get("messages.1.tool_calls.#.id"), l.then().Get(`messages.#(role=="tool")#.tool_call_id`)
		for i, id := range calls.Array() {
			is(t, "an id", inLine(len(id.Str), strings.ContainsAny(id.Str, "_-")), "9 false")
			is(t, "its result", strings.Contains(results.Raw, quoted(id.Str)), true)
			is(t, "distinct", i == 0 || id.Str != calls.Array()[0].Str, true)
		}
		for _, words := range []string{`[{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}]`, "Corrupted thought signature."} {
			l = take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, words))
			is(t, words, l.then().Get("messages.1.tool_calls.#.extra_content.google.thought_signature").Raw, `["skip_thought_signature_validator","skip_thought_signature_validator"]`)
		}
	}},
	// cortexkit/magic-context#511, BerriAI/litellm#29282, anthropics/claude-code#63469, QwenLM/Qwen#2244.
	{number: 1239, name: "what a Claude does not take, or a server of its dialect", answer: "asked again in another way, with a warning", run: func(t *testing.T) {
		for _, words := range []string{"This model does not support assistant message prefill. The conversation must end with a user message.", "last message must be from user"} {
			l := take(t, askedAgain(trip{from: O, to: A, model: "profile-1", ask: talkO(says("user", "go"), says("assistant", "so"))}, words))
			is(t, words, l.sent[0].Get("messages.#.role").Raw+l.then().Get("messages.#.role").Raw, `["user","assistant"]["user","assistant","user"]`)
		}
		for _, words := range []string{"output_config.effort: Input should be 'low', 'medium', 'high' or 'max'", "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium."} {
			l := take(t, askedAgain(trip{from: O, to: A, model: "claude-opus-4-7", ask: withO(`"reasoning_effort":"xhigh"`)}, words))
			is(t, words, l.then().Get("output_config.effort").Str, "high")
		}
		shape := `"response_format":{"type":"json_schema","json_schema":{"name":"x","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}`
		for _, words := range []string{"output_config.format: Extra inputs are not permitted", "This model does not support structured outputs", "'claude-x' does not support output format"} {
			l := take(t, askedAgain(trip{from: O, to: A, model: "claude-sonnet-4-5", ask: withO(shape)}, words))
			is(t, words, inLine(l.sent[0].Get("output_config.format").Exists(), l.then().Get("output_config.format").Exists()), "true false")
			l.warns("response_format", chat.Approximated)
		}
		for _, words := range []string{
			"messages: Unexpected role \"system\". The Messages API accepts a top-level `system` parameter, not \"system\" as an input message role.", "messages[1].role: unknown variant `system`, expected `user` or `assistant`",
			"messages[1].role must be either 'user' or 'assistant', but got 'system'", "request.messages.1.role: Invalid discriminator value. Expected 'user' | 'assistant'",
		} {
			l := take(t, askedAgain(trip{from: O, to: A, model: "claude-opus-4-8", ask: reminded[O]}, words))
			is(t, words, l.sent[0].Get("messages.#.role").Raw+l.then().Get("messages.#.role").Raw, `["user","system","assistant","user"]["user","user","assistant","user"]`)
		}
	}},
	{number: 1240, name: "pictures and log-probabilities, to a model that has none, as others say it", answer: "asked again without them, with a warning", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`
		for _, words := range blindness {
			l := take(t, askedAgain(trip{from: A, to: O, own: true, ask: ask}, words))
			is(t, words, strings.Contains(l.then().Raw, "image_url"), false)
			l.warns("messages[0].content[1]", chat.Dropped)
		}
		for _, words := range []string{"Logprobs is not enabled for models/gemini-2.5-flash-lite", "Logprobs is not supported for the current model."} {
			l := take(t, askedAgain(trip{from: O, to: G, ask: withO(`"logprobs":true,"top_logprobs":2,"seed":3`)}, words))
			is(t, words, l.then().Get("generationConfig").Raw, `{"seed":3}`)
			l.warns("logprobs", chat.Dropped)
		}
	}},
	{number: 1241, name: "an answer with something around it", answer: "what is in it is the answer", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			for _, from := range []string{O, A, G} {
				for _, around := range []string{`{"response":%s,"traceId":"x"}`, `{"code":0,"message":"success","data":%s}`, `{"result":%s,"success":true,"errors":[],"messages":[]}`, `[%s]`} {
					whole := strings.Replace(around, "%s", hi[to], 1)
					is(t, from+" from "+to+around, tells(t, trip{from: from, to: to, own: true, answers: []string{whole}}), "|hi||stop")
					l := take(t, trip{from: from, to: to, own: true, ask: plain[from], answers: []string{whole}})
					is(t, from+" from "+to+around, l.booked.Usage().Input, int64(3))
				}
				l := try(t, trip{from: from, to: to, own: true, ask: plain[from], answers: []string{`{"code":1001,"success":false,"data":null,"msg":"token expired"}`}})
				is(t, from+" from "+to+", no answer", l.failure != nil && l.status >= 500, true)
			}
		}
	}},
	{number: 1242, name: "frames with something around them", answer: "what is in them is the answer", run: func(t *testing.T) {
		for to, body := range map[string]string{O: chunksO("stop", `{"content":"h"}`, `{"content":"i"}`), A: messageA(textA(0, "h", "i"), "end_turn"), G: inChunks("STOP", `{"text":"h"}`, `{"text":"i"}`)} {
			for _, around := range []string{`{"response":%s}`, `{"code":0,"message":"success","data":%s}`, "data: %s", "data:%s"} { // the last two: openclaw/openclaw#96497
				var lines []string
				for line := range strings.Lines(body) {
					if data, found := strings.CutPrefix(strings.TrimSpace(line), "data: "); found && data != "[DONE]" {
						line = "data: " + strings.Replace(around, "%s", data, 1) + "\n"
					}
					lines = append(lines, line)
				}
				for _, from := range []string{O, A, G} {
					is(t, from+" from "+to+around, tells(t, trip{from: from, to: to, own: true, stream: true, answers: []string{strings.Join(lines, "")}}), "|hi||stop")
				}
			}
		}
	}},
	// As the Responses API has them, and as agents keep them.
	{number: 1243, name: "a call whose name and arguments are not in its function", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for _, call := range []string{`{"id":"c","type":"function","name":"f","arguments":"{\"a\":1}"}`, `{"id":"c","name":"f","arguments":{"a":1}}`} {
				is(t, from+call, tells(t, trip{from: from, to: O, own: true, answers: []string{endO("tool_calls", `"content":null,"tool_calls":[`+call+`]`)}}), `||f{"a":1}|tool`)
				is(t, from+call+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", `{"tool_calls":[`+call+`]}`)}}), `||f{"a":1}|tool`)
			}
			is(t, from+", in pieces", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", `{"tool_calls":[{"index":0,"id":"c","name":"f","arguments":""}]}`, `{"tool_calls":[{"index":0,"arguments":"{\"a\""}]}`, `{"tool_calls":[{"index":0,"arguments":":1}"}]}`)}}), `||f{"a":1}|tool`)
		}
		l := take(t, trip{from: O, to: A, ask: `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","name":"f","arguments":"{\"a\":1}"}]},{"role":"tool","tool_call_id":"c","content":"ok"}]}`})
		l.sends("messages.1.content.0.input", `{"a":1}`)
		l.quiet()
	}},
	{number: 1244, name: "a shape and thoughts, in the words of vLLM's and Ollama's clients", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		for _, member := range []string{`"guided_json":` + schema, `"guided_json":` + quoted(schema), `"structured_outputs":{"json":` + schema + `}`, `"extra_body":{"guided_json":` + schema + `}`} {
			take(t, trip{from: O, to: G, ask: withO(member)}).sends("generationConfig.responseJsonSchema", schema)
			take(t, trip{from: O, to: A, ask: withO(member)}).sends("output_config.format.schema", schema)
		}
		take(t, trip{from: O, to: A, ask: withO(`"structured_outputs":{"regex":"a+"}`)}).warns("structured_outputs", chat.Dropped)
		refuses(t, trip{from: O, to: A, ask: withO(`"guided_json":"a"`)}, "guided_json")
		take(t, trip{from: O, to: A, ask: withO(`"think":false`)}).sends("thinking", `{"type":"disabled"}`)
		take(t, trip{from: O, to: G, ask: withO(`"think":"high"`)}).sends("generationConfig.thinkingConfig.thinkingLevel", `"HIGH"`)
	}},
	{number: 1245, name: "a document of words that is empty", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","title":"a.txt","source":{"type":"text","media_type":"text/plain","data":""}},{"type":"text","text":"see"}]}]}`})
		is(t, "words", strings.HasPrefix(l.got().Get("messages.0.content.0.text").Str, `<document title="a.txt">`), true)
	}},
	{number: 1246, name: "a model that only streams, and one that does not", answer: "asked again in the other way; the client gets what it asked for", run: func(t *testing.T) {
		streams := chunksO("stop", `{"content":"h"}`, `{"content":"i"}`)
		for from, ask := range map[string]string{A: plain[A], G: plain[G]} {
			for _, words := range []string{"This model only support stream mode, please enable the stream parameter to access the model. ", "parameter.enable_thinking must be set to false for non-streaming calls", "Requests with max_tokens > 4096 must have stream=true"} {
				l := take(t, trip{from: from, to: O, own: true, ask: ask, statuses: []int{400, 200}, answers: []string{said(O, words), streams}})
				is(t, from+words, inLine(l.sent[0].Get("stream").Exists(), l.then().Get("stream").Bool(), strings.Contains(l.body, `"hi"`)), "false true true")
			}
			for _, words := range []string{"This model doesn't support tool use in streaming mode.", "streaming is not supported"} {
				l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), statuses: []int{400, 200}, answers: []string{said(O, words), hi[O]}})
				is(t, from+words, inLine(l.sent[0].Get("stream").Bool(), l.then().Get("stream").Exists(), len(l.events()) > 0, strings.Contains(l.body, `"hi"`)), "true false true true")
			}
		}
	}},
	// Cloudflare's Workers AI has an answer that was to be JSON as an object.
	{number: 1247, name: "words of an answer in another form", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for content, want := range map[string]string{`{"type":"text","text":"hi"}`: "hi", `{"answer":1.0}`: `{"answer":1.0}`, `42`: "42", `true`: "true"} {
				is(t, from+content, tells(t, trip{from: from, to: O, own: true, answers: []string{endO("stop", `"content":`+content)}}), "|"+want+"||stop")
				is(t, from+content+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("stop", `{"content":`+content+`}`)}}), "|"+want+"||stop")
			}
			is(t, from+", a delta", tells(t, trip{from: from, to: O, own: true, answers: []string{`{"id":"x","choices":[{"index":0,"delta":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`}}), "|hi||stop")
		}
		for _, from := range []string{O, A} {
			is(t, from+", Google's", tells(t, trip{from: from, to: G, own: true, answers: []string{`{"candidates":[{"content":"hi","finishReason":"STOP"}]}`}}), "|hi||stop")
		}
	}},
	// vllm-project/vllm#41114, ollama/ollama#17774: Claude Code at a server of Anthropic's dialect that is not Anthropic's.
	{number: 1248, name: "a conversation in the server's own dialect, whose form it does not take", answer: "asked again in the form it takes, with a warning; parameters are the client's affair", run: func(t *testing.T) {
		for name, test := range map[string]struct{ way, ask, words, path, want string }{
			"reminders":              {A, reminded[A], `messages.1.role: Invalid discriminator value. Expected 'user' | 'assistant'`, "messages.#.role", `["user","user","assistant","user"]`},
			"reminders, by pydantic": {A, reminded[A], `[{'type': 'literal_error', 'loc': ('body', 'messages', 1, 'role'), 'msg': "Input should be 'user' or 'assistant'", 'input': 'system'}]`, "messages.#.role", `["user","user","assistant","user"]`},
			"reminders, by hand":     {A, reminded[A], `messages[1].role must be one of "user", "assistant"`, "messages.#.role", `["user","user","assistant","user"]`},
			"reminders, in chat":     {O, reminded[O], "System message must be at the beginning.", "messages.#.role", `["system","user","user","assistant","user"]`},
			"in turns":               {O, `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`, "Conversation roles must alternate user/assistant/user/assistant", "messages.#.role", `["user"]`},
			"one text":               {O, `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}]}`, "invalid type: sequence, expected a string", "messages.0.content", `"a\n\nb"`},
		} {
			for _, streamed := range []bool{false, true} {
				ask := test.ask
				if streamed {
					ask = strings.Replace(ask, "{", `{"stream":true,`, 1)
				}
				l := take(t, refusesFirst(trip{from: test.way, to: test.way, own: true, stream: streamed, ask: ask}, 400, test.words))
				is(t, name, l.sent[1].Get(test.path).Raw, test.want)
				is(t, name+", told and answered", fmt.Sprint(len(l.losses) > 0, strings.Contains(l.body, `"hi"`)), "true true")
			}
			authors := try(t, refusesFirst(trip{from: test.way, to: test.way, model: "m", ask: test.ask}, 400, test.words))
			is(t, name+", at the author's, by its own name", fmt.Sprint(authors.status, len(authors.calls)), "400 1")
		}
		l := try(t, refusesFirst(trip{from: O, to: O, model: "m", own: true, ask: withO(`"top_k":3`)}, 400, "Unknown parameter: 'top_k'."))
		is(t, "a parameter", fmt.Sprint(l.status, len(l.calls)), "400 1")
	}},
	// huggingface_hub writes every schema in value; Together and llama.cpp take it in schema.
	{number: 1278, name: "a schema beside the type json_object, as Hugging Face's client writes it", answer: "it is the schema of the answer, whoever serves", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		for _, format := range []string{`{"type":"json_object","value":` + schema + `}`, `{"type":"json","value":` + schema + `}`, `{"type":"json_object","schema":` + schema + `}`} {
			ask := withO(`"response_format":` + format)
			take(t, trip{from: O, to: G, ask: ask}).sends("generationConfig.responseJsonSchema", schema)
			take(t, trip{from: O, to: A, ask: ask}).sends("output_config.format.schema", schema)
			take(t, trip{from: O, to: O, ask: ask}).sends("response_format", `{"type":"json_schema","json_schema":{"name":"answer","schema":`+schema+`}}`)
			at := "response_format.json_schema.schema"
			if strings.Contains(format, `"schema":`) {
				at = "response_format.schema"
			}
			take(t, trip{from: O, to: O, own: true, ask: ask}).sends(at, schema)
		}
		for _, way := range []trip{{from: O, to: O}, {from: O, to: O, own: true}} {
			way.ask = withO(`"response_format":{"type":"json"}`)
			take(t, way).sends("response_format", `{"type":"json_object"}`)
		}
		refuses(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"regex","value":"a+"}`)}, "response_format.type")
	}},
}}
