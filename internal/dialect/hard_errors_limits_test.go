package dialect_test

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"
)

// refusedBy makes a trip that an upstream refuses, and tells its status, whether it is a quota that is used up, and how long to wait.
func refusedBy(t *testing.T, from, to string, status int, body string) (said string, l *landed) {
	t.Helper()
	l = try(t, trip{from: from, to: to, own: true, ask: plain[from], status: status, answers: []string{body}, header: http.Header{"Retry-After": {"7"}}})
	if l.failure == nil {
		t.Fatalf("not refused: %s", body)
	}
	return fmt.Sprint(l.status, l.failure.Details["reason"] == "insufficient_quota", l.failure.RetryAfter), l
}

// hardLimited are what they call a limit, and what servers behind them have said.
var hardLimited = []hard{
	// strands-agents/harness-sdk#3722, BerriAI/litellm#37862, openclaw/openclaw#58839, ggml-org/llama.cpp#15780.
	{number: 1559, name: "a conversation that is too long, in the clouds' words, and with figures beside the words", run: func(t *testing.T) {
		for body, figures := range map[string]string{
			`{"error":{"code":"validation_error","message":"prompt tokens (400007) exceed model maximum (278528) for openai.gpt-5.5","param":null,"type":"invalid_request_error"}}`:                    "400007 tokens > 278528 maximum",
			`{"error":{"code":"validation_error","message":"prompt tokens (400007) exceed customer model maximum (278528)"}}`:                                                                          "400007 tokens > 278528 maximum",
			`{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size","type":"exceed_context_size_error","n_prompt_tokens":1407,"n_ctx":256}}`: "1407 tokens > 256 maximum",
			`{"message":"ValidationException: Input exceeds the max input token limit"}`:                                                                                                               "ValidationException",
			`{"type":"error","error":{"type":"invalid_request_error","message":"the request exceeds the available context size. try increasing it","n_prompt_tokens":1407,"n_ctx":256}}`:               "1407 tokens > 256 maximum",
		} {
			for _, to := range []string{O, A} {
				_, l := refusedBy(t, A, to, 400, body)
				is(t, to+" "+body, strings.HasPrefix(gjson.Get(l.body, "error.message").Str, "prompt is too long: "+figures), true)
			}
		}
		said, _ := refusedBy(t, A, O, 429, `{"message":"Too many tokens per day, please wait before trying again."}`)
		is(t, "a limit of a day", said, "429 false 7s")
	}},
	// OpenRouter's page of errors: limit_source. openclaw/openclaw#148275 and Alibaba's page of limits: its quota is a limit of a minute.
	{number: 1558, name: "a quota that is a limit of the moment, and a limit that is a quota", answer: "the first has the time that it takes, the second none, and neither is about a key", run: func(t *testing.T) {
		for body, want := range map[string]string{
			`402{"error":{"code":402,"message":"x","metadata":{"limit_source":"openrouter_in_flight_budget"}}}`:                                                                                        "429 false 7s",
			`402{"error":{"code":402,"message":"x","metadata":{"limit_source":"openrouter_credits"}}}`:                                                                                                 "429 true 0s",
			`403{"error":{"code":403,"message":"Budget limit exceeded for a guardrail","metadata":{"limit_source":"openrouter_guardrail_budget"}}}`:                                                    "429 true 0s",
			`403{"error":{"code":403,"message":"x","metadata":{"limit_source":"openrouter_key_limit"}}}`:                                                                                               "429 true 0s",
			`429{"error":{"message":"Allocated quota exceeded, please increase your quota limit.","type":"insufficient_quota","code":"insufficient_quota"}}`:                                           "429 false 7s",
			`429{"error":{"message":"You exceeded your current quota. For details, see: https://help.aliyun.com/en/model-studio/error-code","type":"insufficient_quota","code":"insufficient_quota"}}`: "429 false 7s",
			`429{"error":{"message":"You exceeded your current quota, please check your plan and billing details.","type":"insufficient_quota","code":"insufficient_quota"}}`:                          "429 true 0s",
		} {
			status := int(gjson.Parse(body[:3]).Int())
			said, _ := refusedBy(t, O, O, status, body[3:])
			is(t, body, said, want)
			if strings.Contains(body, "limit_source") {
				said, _ = refusedBy(t, O, A, status, body[3:])
				is(t, "in Anthropic's dialect "+body, said, want)
			}
		}
	}},
	// NousResearch/hermes-agent#16772, warpdotdev/warp#14867, can1357/oh-my-pi#3102, APIParkLab/APIPark#394, 666ghj/BettaFish#609, QuantumNous/new-api; Google's page of errors; cg-dot/vertexai-cf-workers.
	{number: 1560, name: "an account that is not paid for, or not for this, whatever the status", answer: "it is the operator's affair, and its numbers are not told", run: func(t *testing.T) {
		const spent, closed, gone = "429 true 0s", "502 false 0s", "404 false 0s"
		for body, want := range map[string]string{
			`400{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}`:                                                                      spent,
			`401{"type":"error","error":{"type":"CreditsError","message":"Insufficient balance. Manage your billing here: https://x.example/billing"}}`:                                               spent,
			`400{"error":{"message":"The free tier of the model has been exhausted. If you wish to continue access the model on a paid basis, disable it."}}`:                                         spent,
			`403{"error":{"message":"The free quota has been exhausted.","type":"AllocationQuota.FreeTierOnly","code":"AllocationQuota.FreeTierOnly"}}`:                                               spent,
			`403{"code":"The caller does not have permission to execute the specified operation","error":"Your team x has either used all available credits or reached its monthly spending limit."}`: spent,
			`429{"code":"Some resource has been exhausted","error":"Your team x has either used all available credits or reached its monthly spending limit."}`:                                       spent,
			`403{"error":{"message":"x","type":"new_api_error","code":"insufficient_user_quota"}}`:                                                                                                    spent,
			`400{"error":{"code":400,"message":"Gemini API free tier is not available in your country. Please enable billing on your project.","status":"FAILED_PRECONDITION"}}`:                      closed,
			`400{"type":"error","error":{"type":"invalid_request_error","message":"This credential is only authorized for use with Claude Code and cannot be used for other API requests."}}`:         closed,
			"400" + `{"error":{"code":400,"message":"Project ` + "`123456789`" + ` is not allowed to use Publisher Model ` + "`projects/a-1/models/m`" + `","status":"FAILED_PRECONDITION"}}`:         gone,
		} {
			for _, to := range []string{O, A, G} {
				if to == G && want == spent {
					continue // which these servers do not speak
				}
				said, l := refusedBy(t, O, to, int(gjson.Parse(body[:3]).Int()), body[3:])
				is(t, to+" "+body, said, want)
				is(t, "told", strings.Contains(l.body, "123456789"), false)
			}
		}
		_, l := refusedBy(t, O, O, 400, `{"error":{"message":"The project `+"`projects/123456789`"+` and Project `+"`123456789`"+` do not have it","status":"FAILED_PRECONDITION"}}`)
		is(t, "a project's number", strings.Contains(l.body, "123456789"), false)
		_, l = refusedBy(t, O, O, 400, `{"error":{"message":"sensitive words detected","type":"new_api_error","code":"sensitive_words_detected"}}`)
		is(t, "New API's filter", strings.Contains(l.body, "content_policy_violation"), true)
	}},
	// QwenLM/qwen-code#11216, agentscope-ai/QwenPaw#6708, theopenco/llmgateway#1267: what is behind a gateway has said it.
	{number: 1561, name: "an error as text in the words of another, and a limit that is told as any error", answer: "it is what the server behind has said", run: func(t *testing.T) {
		limit := `{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow\"}}`
		for words, want := range map[string]int{
			limit: 429, "upstream status 429: " + limit: 429, "Error from provider: 429 Too Many Requests " + limit: 429, "Streaming error: 404: Rate limit exceeded": 429,
			`{\"error\":{\"message\":\"Overloaded\",\"type\":\"overloaded_error\"}}`: 503, "Streaming response failed: [503] The request queue is full.": 503,
		} {
			for _, to := range []string{O, A} {
				body := `{"type":"error","error":{"type":"api_error","message":"` + words + `"}}`
				_, l := refusedBy(t, O, to, 500, body)
				is(t, to+" "+words, l.status, want)
				streamed := try(t, trip{from: O, to: to, own: true, stream: true, ask: streamO, answers: []string{map[string]string{O: sse(body), A: named(body)}[to]}})
				is(t, to+", in a stream "+words, streamed.status, want)
			}
		}
		busy := named(`{"type":"error","error":{"type":"invalid_request_error","message":"{\"error\":{\"message\":\"Too many requests, please wait before trying again.\"}}"}}`)
		is(t, "a request that is not wrong", try(t, trip{from: O, to: A, own: true, stream: true, ask: streamO, answers: []string{busy}}).status, 429)
		_, l := refusedBy(t, O, O, 400, `{"error":{"message":"{\"error\":{\"message\":\"temperature must be at most 1\",\"type\":\"invalid_request_error\"}}","type":"upstream_error"}}`)
		_, quoting := refusedBy(t, O, O, 400, `{"error":{"message":"f said: {\"error\":{\"message\":\"x\"}}","type":"invalid_request_error"}}`)
		is(t, "what a client may have said", gjson.Get(quoting.body, "error.message").Str, `f said: {"error":{"message":"x"}}`)
		is(t, "its words", gjson.Get(l.body, "error.message").Str, "temperature must be at most 1")
	}},
	// Code Assist's, which NikkeTryHard/zerogravity#19 reads.
	{number: 1567, name: "when a quota of Google's is whole again, beside its reason", run: func(t *testing.T) {
		body := `{"error":{"code":429,"message":"You have exhausted your capacity on this model.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED",` +
			`"domain":"cloudcode-pa.googleapis.com","metadata":{"quotaResetDelay":"1m16.9s"}}]}}`
		l := try(t, trip{from: G, to: G, own: true, ask: plain[G], status: 429, answers: []string{body}})
		is(t, "wait", l.failure.RetryAfter.Seconds(), 76.9)
		is(t, "told", gjson.Get(l.body, `error.details.#(retryDelay).retryDelay`).Str, "77s")
	}},
	// router-for-me/CLIProxyAPI#1666, raine/claude-code-proxy#139; MiniMax-AI/MiniMax-M2.7#36.
	{number: 1562, name: "when a limit is over, told as a time", answer: "it is a limit that passes, with the time until then", run: func(t *testing.T) {
		now := time.Now()
		for body, want := range map[string]float64{
			`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":7200}}`:                                                           7200,
			fmt.Sprintf(`{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","resets_at":%d}}`, now.Unix()+7200):                                                          7200,
			`{"type":"error","error":{"type":"rate_limit_error","message":"usage limit exceeded, 5-hour usage limit reached, resets at ` + now.UTC().Add(2*time.Hour).Format(time.RFC3339) + ` (2056)"}}`: 7200,
		} {
			for _, to := range []string{O, A} {
				if to == A && strings.Contains(body, "usage_limit_reached") {
					continue // Codex speaks the other one
				}
				l := try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 429, answers: []string{body}})
				is(t, to+" "+body, l.status, 429)
				is(t, to+" "+body, l.failure.Details["reason"] == "insufficient_quota", false)
				is(t, to+", wait", math.Abs(l.failure.RetryAfter.Seconds()-want) < 60, true)
			}
		}
		past, _ := refusedBy(t, O, A, 429, `{"type":"error","error":{"type":"rate_limit_error","message":"You have reached your specified API usage limits."}}`)
		is(t, "without a time", past, "429 true 0s")
	}},
	// charmbracelet/crush#2546: LM Studio's 400.
	{number: 1513, name: "a model that failed, told as a request that is wrong", answer: "an error of the upstream's, so that the next target is asked", run: func(t *testing.T) {
		for _, words := range []string{`Failed to load model "qwen/qwen3-coder-30b". Error: Operation canceled.`, "The model has crashed without additional information. (Exit code: null)", "Model unloaded."} {
			said, _ := refusedBy(t, O, O, 400, `{"error":`+quoted(words)+`}`)
			is(t, words, said, "502 false 0s")
		}
		said, _ := refusedBy(t, O, O, 400, `{"error":"tools.0: Failed to load model"}`)
		is(t, "which may be the client's words", said, "400 false 0s")
	}},
	// ggml-org/llama.cpp#19774: LiteLLM and llama.cpp say it with 500, in any dialect.
	{number: 1515, name: "a conversation that is too long, told as a failure of the server", run: func(t *testing.T) {
		for _, to := range []string{O, A, G} {
			for from, words := range map[string]string{O: "context_length_exceeded", A: "prompt is too long", G: "exceeds the maximum number of tokens"} {
				for _, said := range []string{"Context size has been exceeded.", "litellm.ContextWindowExceededError: prompt is too long: 2000 tokens > 1000 maximum"} {
					l := try(t, trip{from: from, to: to, own: true, ask: plain[from], status: 500, answers: []string{`{"error":{"code":500,"message":"` + said + `","type":"server_error"}}`}})
					is(t, from+" over "+to+" "+said, fmt.Sprint(l.status, strings.Contains(l.body, words)), "400 true")
				}
			}
			l := try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 500, answers: []string{`{"error":{"code":500,"message":"boom","type":"server_error"}}`}})
			is(t, "another failure", l.status, 502)
		}
	}},
	// langchain-ai/langchain-nvidia#201, anomalyco/opencode#992: NVIDIA's, where a stream has begun, and Cerebras's.
	{number: 1516, name: "a stream that is refused for its tools or its shape, also where it should begin", answer: "asked for as a whole, of which the stream is made", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for words, status := range map[string]int{"Tool calling is not supported in streaming mode!": 200, `\"stream=true\" with structured outputs is currently not supported for reasoning models.`: 400} {
				refusal := `{"error":{"object":"error","message":"` + words + `","type":"BadRequestError","param":null,"code":400}}`
				if status == 200 {
					refusal = sse(refusal)
				}
				l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), statuses: []int{status, 200}, answers: []string{refusal, hi[O]}})
				is(t, from+words, inLine(len(l.sent), l.then().Get("stream").Exists(), strings.Contains(l.body, `"hi"`)), "2 false true")
			}
		}
	}},
}
