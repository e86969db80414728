package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"stele/internal/chat"
)

// What servers say with another status than it has, or under other names.
var hardWorded = section{"AZ", "what servers say in words of their own", []hard{
	// openclaw/openclaw#97564, diegosouzapw/OmniRoute#8136: configured fallbacks never engage when a model is retired.
	{number: 1320, name: "a model that is not there, with another status than 404", answer: "404 in the client's dialect, and the next target is asked", run: func(t *testing.T) {
		for words, names := range map[string]string{
			"Model Not Exist": "invalid_request_error", "Unknown Model, please check the model code.": "1211", "模型不存在，请检查模型代码。": "1211", "Invalid model: x": "invalid_model",
			"x is not a valid model ID": "400", "/chat/completions: Invalid model name passed in model=x. Call `/v1/models` to view available models for your key.": "400",
			"invalid params, unknown model 'x' (2013)": "2013", "The provided model identifier is invalid.": "validation_error", "Invalid model 'x'. Permitted models can be found in the documentation.": "invalid_model",
			"The requested model is not supported.": "model_not_supported", "The requested model 'x' is not supported by any provider you have enabled.": "x", "Model does not exist. Please check it carefully.": "20012",
			"model 'x' not found": "invalid_request_error", "The model `x` has been decommissioned and is no longer supported.": "model_decommissioned", "* GenerateContentRequest.model: unexpected model name format": "x",
		} {
			for _, status := range []int{400, 410} {
				pairs(func(from, to string) {
					body := `{"error":{"message":` + quoted(words) + `,"type":"invalid_request_error","code":` + quoted(names) + `}}`
					for _, streamed := range []bool{false, true} {
						l := try(t, trip{from: from, to: to, own: true, stream: streamed, ask: plainly(from, streamed), status: status, answers: []string{body}})
						if named := strings.HasPrefix(names, "model_not"); to == O || !named {
							is(t, inLine(from, to, status, words), l.status, 404)
						}
					}
				})
			}
		}
		for _, words := range []string{"tools[0]: the function 'no_model' was not found", "This model does not support tools", "The model produced an invalid output", "temperature is not supported by this model"} {
			l := try(t, trip{from: A, to: O, own: true, ask: plain[A], status: 400, answers: []string{`{"error":{"message":` + quoted(words) + `,"type":"invalid_request_error"}}`}})
			is(t, words, l.status, 400)
		}
	}},
	// MiniMax's base_resp, Cloudflare's and watsonx's list of errors, in each place where an answer should be.
	{number: 1321, name: "an error with 200 under another name than error", answer: "what it says, streamed or not, with its Retry-After", run: func(t *testing.T) {
		for body, want := range map[string]int{
			`{"choices":null,"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`:                                     429,
			`{"choices":null,"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`:                           429,
			`{"base_resp":{"status_code":2013,"status_msg":"invalid params, context window exceeds limit (2013)"}}`:           400,
			`{"base_resp":{"status_code":2049,"status_msg":"invalid api key"}}`:                                               502,
			`{"errors":[{"message":"AiError: Internal server error","code":3046}],"success":false,"result":{},"messages":[]}`: 502,
			`{"errors":[{"message":"rate limit reached","code":"rate_limit"}],"success":false}`:                               429,
			`{"detail":"Too many requests"}`: 429,
			`{"id":"x","choices":null,"created":1,"usage":null,"base_resp":{"status_code":1039,"status_msg":"token limit of TPM"}}`: 429,
		} {
			for _, streamed := range []bool{false, true} {
				for _, to := range []string{O, A, G} {
					l := try(t, trip{from: O, to: to, own: true, stream: streamed, ask: plainly(O, streamed), answers: []string{body}, header: http.Header{"Retry-After": {"7"}}})
					is(t, inLine(to, streamed, body), l.status, want)
					is(t, inLine("told when, ", body), strings.Contains(body, "1002") && l.failure.RetryAfter.Seconds() != 7, false)
				}
			}
		}
		listed := try(t, trip{from: A, to: O, own: true, ask: plain[A], status: 400, answers: []string{`{"errors":[{"code":"invalid_input_argument","message":"the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model"}],"trace":"t","status_code":400}`}})
		is(t, "watsonx", strings.Contains(listed.body, "prompt is too long: 9000 tokens > 8192 maximum"), true)
		is(t, "in a word", try(t, trip{from: O, to: O, own: true, ask: plain[O], status: 400, answers: []string{`{"errors":["bad thing"]}`}}).status, 400)
	}},
	{number: 1420, name: "a limit that is told inside an answer, with the time until it is over", answer: "as with 429: the time is told", run: func(t *testing.T) {
		for to, limit := range map[string]string{O: `"code":429`, A: `"type":"rate_limit_error"`, G: `"code":429,"status":"RESOURCE_EXHAUSTED"`} {
			for _, told := range []string{`"message":"Please try again in 20s."`, `"message":"slow down","retry_after":20`} {
				body := `{"error":{` + limit + `,` + told + `}}`
				whole := try(t, trip{from: O, to: to, own: true, ask: plain[O], answers: []string{body}})
				is(t, inLine(to, told), fmt.Sprint(whole.status, whole.failure.RetryAfter), "429 20s")
				streamed := try(t, trip{from: O, to: to, own: true, stream: true, ask: plainly(O, true), answers: []string{sse(body)}})
				is(t, inLine(to, told, "streamed"), fmt.Sprint(streamed.status, streamed.failure.RetryAfter), "429 20s")
			}
		}
	}},
	// tashfeenahmed/freellmapi#426, Aider-AI/aider#2296: agents shorten a conversation on some words only.
	{number: 1322, name: "a conversation that is too long, in the words of routers", run: func(t *testing.T) {
		for _, said := range []struct {
			status int
			body   string
		}{
			{413, `{"error":{"code":"tokens_limit_reached","message":"Request body too large for gpt-4o model. Max size: 8000 tokens.","details":"Request body too large for gpt-4o model. Max size: 8000 tokens."}}`},
			{400, `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: OpenAIException - boom","type":null,"param":null,"code":"400"}}`},
			{400, `{"error":{"message":"inputs must have less than 8192 tokens. Given: 9000"}}`}, {422, `{"status":422,"message":"Tokens limit exceeded: 9000 > 8192"}`},
			{400, `{"errors":[{"message":"AiError: AiError: The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (8192).","code":5021}],"success":false}`},
		} {
			for from, words := range map[string]string{O: "context_length_exceeded", A: "prompt is too long", G: "exceeds the maximum number of tokens"} {
				l := try(t, trip{from: from, to: O, own: true, ask: plain[from], status: said.status, answers: []string{said.body}})
				is(t, from+" "+said.body, fmt.Sprint(l.status, strings.Contains(l.body, words)), "400 true")
			}
		}
	}},
	// HKUDS/nanobot#4048, dataelement/bisheng#2426, JeffOtano/roni#125: it is the operator's bill, and no fault of the request.
	{number: 1323, name: "an account that is not paid for, in other words", answer: "as any other quota that is used up: not the client's request, and no time to wait", run: func(t *testing.T) {
		for _, said := range []struct {
			to     string
			status int
			body   string
		}{
			{O, 400, `{"error":{"message":"Access denied, please make sure your account is in good standing.","type":"Arrearage","param":null,"code":"Arrearage"}}`},
			{O, 400, `{"error":{"message":"Budget has been exceeded! Current cost: 0.1, Max budget: 0.05","type":"budget_exceeded","param":null,"code":"400"}}`},
			{G, 429, `{"error":{"code":429,"message":"Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.","status":"RESOURCE_EXHAUSTED"}}`},
			{G, 429, `{"error":{"code":429,"message":"Your project has exceeded its spending cap.","status":"RESOURCE_EXHAUSTED"}}`},
			{O, 429, `[{"error":{"code":429,"message":"Your prepayment credits are depleted.","status":"RESOURCE_EXHAUSTED"}}]`},
			{A, 402, `{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`},
			{A, 429, `{"type":"error","error":{"type":"exceeded_current_quota_error","message":"Your account is suspended due to insufficient balance, please recharge your account"}}`},
		} {
			l := try(t, trip{from: O, to: said.to, own: true, ask: plain[O], status: said.status, answers: []string{said.body}, header: http.Header{"Retry-After": {"7"}}})
			is(t, said.body, fmt.Sprint(l.status, strings.Contains(l.body, `"insufficient_quota"`), l.failure.RetryAfter), "429 true 0s")
		}
		expired := `{"error":{"message":"Authentication Error - Expired Key. Key Expiry time 2026-01-01","type":"expired_key","param":"k","code":"400"}}` // LiteLLM's
		is(t, "a key that has ended", try(t, trip{from: O, to: O, own: true, ask: plain[O], status: 400, answers: []string{expired}}).status, 502)
		for _, to := range []string{O, A, G} {
			placed := `{"error":{"code":400,"message":"User location is not supported for the API use.","status":"FAILED_PRECONDITION"}}`
			is(t, to+", where the server stands", try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 400, answers: []string{placed}}).status, 502)
		}
	}},
	// Text Generation Inference's and Amazon's word for a model that failed; Anthropic says so with 500 too.
	{number: 1324, name: "a model that failed, told as a failed dependency or as any error", answer: "an error of the upstream's, so that the next target is asked", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			l := try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 424, answers: []string{`{"error":"Request failed during generation","error_type":"generation"}`}})
			is(t, to, l.status, 502)
		}
		for _, to := range []string{O, A} {
			busy := try(t, trip{from: A, to: to, own: true, ask: plain[A], status: 500, answers: []string{`{"type":"error","error":{"type":"api_error","message":"Overloaded"}}`}})
			is(t, to+", busy", busy.status, 529)
		}
	}},
	// NousResearch/hermes-agent#106205, openclaw/openclaw#99432, #97009: it is the server that has too much to do, whoever asks.
	{number: 1757, name: "a server that has too much to do, told with 429", answer: "as with 503, and with its time; that the account has asked too often stays 429", run: func(t *testing.T) {
		for said, want := range map[string]string{
			`{"error":{"code":"1305","message":"The service may be temporarily overloaded, please try again later"}}`:                                "503 529 503",
			`{"error":{"message":"The engine is currently overloaded, please try again later","type":"engine_overloaded_error"}}`:                    "503 529 503",
			`{"code":429,"reason":"SERVER_OVERLOAD","message":"server overload, please try again later","metadata":{}}`:                              "503 529 503",
			`{"error":{"type":"server_overload","message":"please try again later"}}`:                                                                "503 529 503",
			`{"error":{"code":"1302","message":"Rate limit reached for requests"}}`:                                                                  "429 429 429",
			`{"error":{"message":"Your account reached max organization concurrency: 3, please try again later","type":"rate_limit_reached_error"}}`: "429 429 429",
		} {
			var got []int
			for _, from := range []string{O, A, G} {
				l := try(t, trip{from: from, to: O, own: true, ask: plain[from], status: 429, answers: []string{said}, header: http.Header{"Retry-After": {"7"}}})
				got = append(got, l.status)
				is(t, from+" "+said+", when", l.failure.RetryAfter.String(), "7s")
			}
			is(t, said, strings.Trim(fmt.Sprint(got), "[]"), want)
		}
	}},
	// gemini-cli's code and Claude Code's connectors in a history, where the turn is one string.
	{number: 1325, name: "what stands for no words, between words that are one string", answer: "it has lines of its own", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, kind: "vllm", ask: turnsG(userG + `,{"role":"model","parts":[{"text":"so"},{"executableCode":{"language":"PYTHON","code":"print(1)"}},{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1\n"}},{"text":"one"}]},` + userG)})
		l.sends("messages.1.content", quoted("so\n```python\nprint(1)\n```\n```\n1\n\n```\none"))
		l = take(t, trip{from: A, to: O, kind: "vllm", ask: turnsA(userO + `,{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b\n"},{"type":"mcp_tool_use","id":"mcptoolu_1","name":"echo","server_name":"s","input":{"p":1}},` +
			`{"type":"mcp_tool_result","tool_use_id":"mcptoolu_1","is_error":false,"content":[{"type":"text","text":"hello"}]},{"type":"text","text":"done"}]},` + userO)})
		l.sends("messages.1.content", quoted("ab\n[echo 1]\nhello\ndone"))
	}},
	// Gitlawb/openclaude#1263, can1357/oh-my-pi#9569, QwenLM/qwen-code#73: the key is good, and all others were kept from it.
	{number: 1326, name: "an answer for which OpenRouter's credit would not do, if it were as long as it may be", answer: "asked for one that is as long as the credit allows; where that is too short, a quota that is used up", run: func(t *testing.T) {
		afford := func(n int) string {
			return fmt.Sprintf("This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford %d. To increase, visit https://openrouter.ai/settings/credits and upgrade to a paid account", n)
		}
		is(t, "its own bytes", try(t, refusesFirst(trip{from: O, to: O, kind: "openrouter", ask: plain[O]}, 402, afford(30104))).status, 429)
		for _, from := range []string{A, G} {
			for _, streamed := range []bool{false, true} {
				long := strings.Replace(plainly(from, streamed), `"max_tokens":9999`, `"max_tokens":65536`, 1)
				l := take(t, refusesFirst(trip{from: from, to: O, kind: "openrouter", stream: streamed, ask: long}, 402, afford(30104)))
				is(t, from+", shorter", max(l.then().Get("max_tokens").Int(), l.then().Get("max_completion_tokens").Int()), 30104)
				is(t, from+", told: "+l.told(), from == A && l.warned("max_tokens", chat.Approximated) || l.warned("generationConfig.maxOutputTokens", chat.Added), true)
			}
			short := try(t, refusesFirst(trip{from: from, to: O, kind: "openrouter", ask: plain[from]}, 402, afford(12)))
			is(t, from+", of no use", fmt.Sprint(short.status, len(short.sent)), "429 1")
		}
	}},
	// Cerebras answers 429 with neither a Retry-After nor words for it.
	{number: 1327, name: "when to ask again, in headers that name the time of a limit", run: func(t *testing.T) {
		for _, row := range []struct {
			left, header, reset, want string
		}{
			{"0", "Tokens-Minute", "11.38", "11.38s"}, {"0", "Requests-Day", "33011.382867", "9h10m11.382867s"}, {"0", "Requests-Minute", "45", "45s"}, {"0", "Tokens-Hour", "90s", "1m30s"}, {"0", "Tokens-Day", "1e300", "0s"}, {"0", "Tokens", "NaN", "0s"}, {"0", "Tokens", "-1", "0s"},
			{"115", "Requests-Minute", "45.5", "0s"},
		} {
			header := http.Header{"X-Ratelimit-Remaining-" + row.header: {row.left}, "X-Ratelimit-Reset-" + row.header: {row.reset}}
			l := try(t, trip{from: A, to: O, own: true, ask: plain[A], status: 429, header: header, answers: []string{`{"message":"Requests per minute limit exceeded","type":"too_many_requests_error","param":"quota","code":"request_quota_exceeded"}`}})
			is(t, inLine(row), fmt.Sprint(l.status, " ", l.failure.RetryAfter), "429 "+row.want)
		}
	}},
	// Only the code tells an agent that to ask again in the same words is of no use.
	{number: 1328, name: "what a request says is refused, in the words of other vendors", answer: "OpenAI's clients get content_policy_violation", run: func(t *testing.T) {
		for words, code := range map[string]string{
			"Input data may contain inappropriate content.": "data_inspection_failed", "Content Exists Risk": "invalid_request_error", "System detected potentially unsafe or sensitive content in input or generation.": "1301",
			"The request was rejected because it was considered high risk": "content_filter", "input new_sensitive (1026)": "invalid_request_error", "Output blocked by content filtering policy": "invalid_request_error",
		} {
			for _, to := range []string{O, A, G} {
				l := try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 400, answers: []string{`{"error":{"message":` + quoted(words) + `,"type":` + quoted(code) + `,"code":` + quoted(code) + `}}`}})
				if to != G || code != "data_inspection_failed" { // Google's dialect has no types
					is(t, to+" "+words, fmt.Sprint(l.status, strings.Contains(l.body, `"content_policy_violation"`)), "400 true")
				}
			}
		}
		l := try(t, trip{from: O, to: O, own: true, ask: plain[O], status: 400, answers: []string{`{"error":{"message":"temperature is too high","type":"invalid_request_error","code":null}}`}})
		is(t, "another", strings.Contains(l.body, "content_policy"), false)
	}},
}}
