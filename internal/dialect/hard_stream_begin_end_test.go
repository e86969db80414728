package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// strayErrors are what servers and what stands before them send in a stream that they began with 200, and the status
// that a client of OpenAI's dialect gets for it.
var strayErrors = map[string]int{
	sse(`{"detail":"bad"}`):                                                       502,
	sse(`{"message":"bad"}`):                                                      502,
	sse(`{"error":"bad"}`):                                                        502,
	sse(`{"error":{"message":"bad","code":429}}`):                                 429,
	sse(`{"error":{"message":"bad","code":"429"}}`):                               429,
	sse(`{"error":{"message":"bad","type":"rate_limit_exceeded"}}`):               429,
	sse(`{"type":"error","error":{"type":"overloaded_error","message":"bad"}}`):   503,
	sse(`[{"error":{"code":503,"message":"bad","status":"UNAVAILABLE"}}]`):        503,
	sse(`{"object":"error","message":"bad","type":"BadRequestError","code":400}`): 400,
	sse(`{"code":429,"msg":"busy"}`):                                              429,
	sse(`{"error_code":336003,"error_msg":"bad"}`):                                502,
	sse(`{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`):           429,
	sse(`{"status_code":503,"message":"bad"}`):                                    503,
	"event: error\ndata: {\"message\":\"bad\"}\n\n":                               502,
	"event: error\ndata: bad\n\n":                                                 502,
	"data: Internal Server Error\n\n":                                             502,
	sse("[DONE]"):                                                                 502,
	": waiting\n\n" + sse(`{"detail":"Too many requests"}`):                       429,
}

// tooLongElsewhere are words of servers for a conversation that is too long, and the figures that they tell.
var tooLongElsewhere = map[string]string{
	"You passed 9001 input tokens and requested 0 output tokens. However, the model's context length is only 8192 tokens.":                  "9001 tokens > 8192",
	"Input validation error: `inputs` must have less than 4095 tokens. Given: 5000":                                                         "5000 tokens > 4095",
	"too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.":                                             "5000 tokens > 4081",
	"The provided prompt is 9000 tokens long, but the maximum supported sequence length is just 8192!":                                      "9000 tokens > 8192",
	"the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model":                                              "9000 tokens > 8192",
	"The sum of prompt length (9000.0) and max_tokens (100) should not exceed max_seq_len (8192)":                                           "9000 tokens > 8192",
	"Prompt length 9000 is greater than max_seq_len 8192":                                                                                   "9000 tokens > 8192",
	"Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens": "9000 tokens > 4096",
	"Input length 9000 exceeds maximum input length 8192":                                                                                   "9000 tokens > 8192",
	"input_tokens (9000) + max_tokens (100) must be <= 8192":                                                                                "9000 tokens > 8192",
	"The input token length 9000 exceeds the model's limit of 8192":                                                                         "9000 tokens > 8192",
	"Content exceeds the maximum sequence length of 8192 tokens":                                                                            "",
	"Total tokens of image and text exceed max message tokens.":                                                                             "",
	"tokens in request more than max tokens allowed":                                                                                        "",
	"the max input characters is 5120":                                                                                                      "",
	"prompt tokens too long":                                                                                                                "",
	"input length too long":                                                                                                                 "",
	"Prompt超长":                                                                                                                              "",
}

// behindCalls is a history of Anthropic's with calls, and results behind them.
func behindCalls(calls, results string) string {
	return `{"model":"m","max_tokens":99,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + calls + `]},{"role":"user","content":[` + results + `]}]}`
}

var hardBegun = section{"AR", "how streams begin and end, and what has no name", []hard{
	{number: 1212, name: "a result that does not name its call", run: func(t *testing.T) {
		a, b := callA("a"), callA("b")
		of := func(id, words string) string { return `{"type":"tool_result"` + id + `,"content":"` + words + `"}` }
		for _, none := range []string{``, `,"tool_use_id":""`, `,"tool_use_id":null`} {
			for what, row := range map[string][3]string{
				"alone":             {a, of(none, "x"), `["x"]`},
				"two of them":       {a + "," + b, of(none, "x") + "," + of(none, "y"), `["x","y"]`},
				"before one that":   {a + "," + b, of(none, "y") + "," + of(`,"tool_use_id":"a"`, "x"), `["x","y"]`},
				"behind one that":   {a + "," + b, of(`,"tool_use_id":"b"`, "y") + "," + of(none, "x"), `["x","y"]`},
				"and one too many":  {a, of(none, "x") + "," + of(none, "y"), `["x"]`},
				"and words with it": {a, of(none, "x") + `,{"type":"text","text":"on"}`, `["x"]`},
			} {
				l := take(t, trip{from: A, to: O, ask: behindCalls(row[0], row[1])})
				is(t, what+none, l.got().Get(`messages.#(tool_call_id=="a").content`).Str, "x")
				is(t, what+none, l.warned("messages", chat.Added), false)
				l = take(t, trip{from: A, to: G, ask: behindCalls(row[0], row[1])})
				is(t, what+none, l.got().Get("contents.2.parts.#.functionResponse.response.output").Raw, row[2])
			}
		}
	}},
	{number: 1214, name: "an error of any form where an answer should begin", answer: "it has its status, and the next target is asked", run: func(t *testing.T) {
		own := map[string]map[int]int{O: {}, A: {502: 500, 503: 529}, G: {502: 500}}
		for body, status := range strayErrors {
			for _, to := range []string{O, A, G} {
				for _, from := range []string{O, A, G} {
					want := status
					if s, ok := own[from][status]; ok {
						want = s
					}
					l := try(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{body}})
					is(t, from+" from "+to+" "+body, fmt.Sprint(l.status, strings.HasPrefix(l.body, "{")), fmt.Sprint(want, true))
				}
			}
		}
	}},
	// An error in the middle has no status any more, and is told all the same.
	{number: 1215, name: "an error under its name in the middle, in another's form", run: func(t *testing.T) {
		begun := map[string]string{O: chunksO("", `{"content":"hi"}`), A: cutA(messageA(textA(0, "hi"), "end_turn"), "event: content_block_stop"), G: sse(partsG(`{"text":"hi"}`, ""))}
		for to, body := range begun {
			for _, from := range others(to) {
				l := try(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{body + "event: error\ndata: {\"message\":\"Too many requests\"}\n\n"}})
				last := l.events()[len(l.events())-1].data
				is(t, from+" from "+to, last.Get("error.type").Str+last.Get("error.status").Str, map[string]string{O: "rate_limit_error", A: "rate_limit_error", G: "RESOURCE_EXHAUSTED"}[from])
			}
		}
	}},
	// @openai/agents sends what it has of a Responses item.
	{number: 1216, name: "members of a part that say nothing", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			for _, empty := range []string{`"annotations":[]`, `"logprobs":[]`, `"providerData":{}`, `"annotations":null`} {
				take(t, trip{from: O, to: to, ask: `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"text","text":"so",` + empty + `}]},{"role":"user","content":"on"}]}`}).quiet()
			}
			l := take(t, trip{from: O, to: to, ask: `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"so","annotations":[{"type":"x"}]}]}]}`})
			l.warns("messages[0].content[0].annotations", chat.Dropped)
		}
	}},
	// Texts of vLLM, TGI, Cohere, SambaNova, watsonx, TensorRT-LLM, tabbyAPI, LM Studio, Baidu, Volcengine, Zhipu and others.
	{number: 1217, name: "a conversation that is too long, as yet others say it", run: func(t *testing.T) {
		for words, figures := range tooLongElsewhere {
			for from, form := range map[string]string{A: "prompt is too long: %s", O: "maximum context length", G: "exceeds the maximum number of tokens"} {
				l := try(t, trip{from: from, to: O, own: true, ask: plain[from], status: 400, answers: []string{said(O, words)}})
				want := strings.ReplaceAll(form, "%s", figures)
				is(t, from+": "+words, strings.Contains(gjson.Get(l.body, "error.message").Str, want), true)
			}
		}
		for _, words := range []string{"stop: sequence length must be at most 64", "max_tokens is too large", "metadata.a: value exceeds maximum length 512", "Invalid 'messages[0].name': string too long."} {
			l := try(t, trip{from: A, to: O, own: true, ask: plain[A], status: 400, answers: []string{said(O, words)}})
			is(t, words, strings.HasPrefix(gjson.Get(l.body, "error.message").Str, "prompt is too long"), false)
		}
	}},
	// Amazon's guardrails, Google's Model Armor and reasons, the Responses API: a filter's end must not look like the model's own.
	{number: 1218, name: "why an answer ended, in another API's word", run: func(t *testing.T) {
		for end, list := range map[string][]string{
			"refused": {"guardrail_intervened", "content_filtered", "recitation", "RECITATION", "prohibited_content", "model_armor", "SAFETY", "refusal", "content_filter"},
			"length":  {"max_output_tokens", "length_limit", "MAX_TOKENS", "length", "model_length"}, "stop": {"completed", "eos_token", "STOP", "end_turn", "stop"},
		} {
			for _, word := range list {
				for to, answer := range map[string]forms{
					O: {endO(word, `"content":"hi"`), chunksO(word, `{"content":"hi"}`)}, A: {wholeA(word, `{"type":"text","text":"hi"}`), messageA(textA(0, "hi"), word)},
					G: {partsG(`{"text":"hi"}`, `,"finishReason":"`+word+`"`), inChunks(word, `{"text":"hi"}`)},
				} {
					for _, from := range others(to) {
						is(t, from+" from "+to+" "+word, tells(t, trip{from: from, to: to, own: true, answers: []string{answer.whole}}), "|hi||"+end)
						is(t, from+" from "+to+" "+word+", streamed", tells(t, trip{from: from, to: to, own: true, stream: true, answers: []string{answer.stream}}), "|hi||"+end)
					}
				}
			}
		}
	}},
	{number: 1219, name: "tokens by the names of other APIs", run: func(t *testing.T) {
		for usage, want := range map[string]string{
			`{"input_tokens":10,"output_tokens":5,"total_tokens":15}`:                                                                         "10 0 0 5 0",
			`{"input_tokens":10,"output_tokens":5,"input_tokens_details":{"cached_tokens":4},"output_tokens_details":{"reasoning_tokens":2}}`: "6 4 0 3 2",
			`{"input_tokens":10,"output_tokens":5,"cache_read_input_tokens":4,"cache_creation_input_tokens":3}`:                               "10 4 3 5 0",
			`{"input_tokens":99,"output_tokens":99,"prompt_tokens":10,"completion_tokens":5}`:                                                 "10 0 0 5 0",
		} {
			l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{`{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":` + usage + `}`}})
			u := l.booked.Usage()
			is(t, usage, fmt.Sprint(u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning), want)
			l.quiet()
		}
	}},
	// GitHub's reasoning_text, Ollama's thinking; some have an object, or the same words under two names.
	{number: 1220, name: "thoughts by other names", run: func(t *testing.T) {
		for _, member := range []string{`"reasoning_text":"hm"`, `"thinking":"hm"`, `"thinking_content":"hm"`, `"thought":"hm"`, `"reasoning":{"content":"hm"}`, `"reasoning":{"text":"hm"}`, `"reasoning":"hm","thinking":"hm"`, `"reasoning_content":"","reasoning":"hm"`, `"reasoning_content":null,"reasoning_text":"hm"`} {
			for _, from := range []string{A, G} {
				is(t, from+member, tells(t, trip{from: from, to: O, own: true, answers: []string{endO("stop", `"content":"hi",`+member)}}), "hm|hi||stop")
				is(t, from+member+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("stop", `{`+member+`}`, `{"content":"hi"}`)}}), "hm|hi||stop")
			}
		}
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{chunksO("stop", `{"reasoning":{"steps":[1]}}`, `{"content":"hi"}`)}})
		l.warns("answer", chat.Dropped)
	}},
	{number: 1221, name: "a call that stands in no list", run: func(t *testing.T) {
		call := `{"index":0,"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}`
		for _, from := range []string{A, G} {
			is(t, from, tells(t, trip{from: from, to: O, own: true, answers: []string{endO("tool_calls", `"content":null,"tool_calls":`+call)}}), "||f{}|tool")
			is(t, from+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", `{"tool_calls":`+call+`}`)}}), "||f{}|tool")
		}
	}},
	{number: 1222, name: "when to ask again, wherever it is said", run: func(t *testing.T) {
		plainly := said(O, "slow down")
		for _, row := range []struct {
			header http.Header
			body   string
			want   time.Duration
		}{
			{http.Header{"Retry-After": {"7s"}}, plainly, 7 * time.Second},
			{http.Header{"X-Ratelimit-Remaining-Requests": {"0"}, "X-Ratelimit-Reset-Requests": {"6m0s"}, "X-Ratelimit-Remaining-Tokens": {"5"}, "X-Ratelimit-Reset-Tokens": {"9h"}}, plainly, 6 * time.Minute},
			{http.Header{"Ratelimit-Remaining": {"0"}, "Ratelimit-Reset": {"30"}}, plainly, 30 * time.Second},
			{http.Header{"X-Ratelimit-Remaining": {"0"}, "X-Ratelimit-Reset": {"4102444800000"}}, plainly, 24 * time.Hour},
			{http.Header{"Anthropic-Ratelimit-Input-Tokens-Remaining": {"0"}, "Anthropic-Ratelimit-Input-Tokens-Reset": {"2100-01-01T00:00:00Z"}}, plainly, 24 * time.Hour},
			{http.Header{"X-Ratelimit-Remaining-Requests": {"5"}, "X-Ratelimit-Reset-Requests": {"6m0s"}}, plainly, 0},
			{nil, `{"error":{"message":"slow down","retry_after":20}}`, 20 * time.Second},
			{nil, `{"error":{"message":"slow down","metadata":{"retry_after_seconds":20}}}`, 20 * time.Second},
			{nil, `{"error":{"message":"slow down"},"retry_after":"20"}`, 20 * time.Second},
			{nil, said(O, "Your limit resets in 45 seconds."), 45 * time.Second},
			{nil, said(O, "Limit reached. It will reset after 1h2m3s."), time.Hour + 2*time.Minute + 3*time.Second},
			{nil, said(O, "Please wait 30 seconds before the next request."), 30 * time.Second},
		} {
			for _, to := range []string{O, A, G} {
				l := try(t, trip{from: O, to: to, own: true, ask: plain[O], status: 429, header: row.header, answers: []string{row.body}})
				is(t, fmt.Sprint(to, row.header, row.body), l.failure.RetryAfter, row.want)
			}
		}
	}},
	// LiteLLM's clients have addresses in the place of an id, and the type beside it.
	{number: 1223, name: "a file whose id is an address", run: func(t *testing.T) {
		file := func(of string) string { return partO(`{"type":"file","file":{` + of + `}}`) }
		address := file(`"file_id":"https://a.example/a","format":"application/pdf"`)
		take(t, trip{from: O, to: A, ask: address}).sends("messages.0.content.1.source", `{"type":"url","url":"https://a.example/a"}`)
		take(t, trip{from: O, to: G, ask: address}).sends("contents.0.parts.1.fileData", `{"fileUri":"https://a.example/a","mimeType":"application/pdf"}`)
		take(t, trip{from: O, to: G, ask: file(`"file_id":"gs://b/a","format":"application/pdf"`)}).sends("contents.0.parts.1.fileData", `{"fileUri":"gs://b/a","mimeType":"application/pdf"}`)
		refuses(t, trip{from: O, to: A, ask: file(`"file_id":"file-123"`)}, "messages[0].content[1]")
	}},
	{number: 1224, name: "a last message that says that it is to be gone on with", run: func(t *testing.T) {
		for _, member := range []string{`"prefix":true`, `"partial":true`} {
			l := take(t, trip{from: O, to: A, ask: `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"so",` + member + `}]}`})
			l.sends("messages.1.content.0.text", `"so"`)
			for _, loss := range l.losses {
				is(t, member, loss.Verb, chat.Ignored)
			}
		}
	}},
	{number: 1225, name: "the order of properties, in words", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":{"type":"ARRAY","items":{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}},"propertyOrdering":["b","a"]}}}}`})
		words := l.got().Get("messages.0.content").Str
		is(t, "words", strings.Contains(words, "propertyOrdering") || strings.Index(words, `"b":`) > strings.Index(words, `"a":`), false)
	}},
	// What is under a name of its own is news of the server's, and not why it failed.
	{number: 1226, name: "news of another name before an answer and in it", run: func(t *testing.T) {
		news := "event: status\ndata: {\"message\":\"queued\",\"code\":429}\n\n"
		for to, body := range map[string]string{O: chunksO("stop", `{"content":"hi"}`), A: messageA(textA(0, "hi"), "end_turn"), G: inChunks("STOP", `{"text":"hi"}`)} {
			for _, from := range others(to) {
				at := strings.Index(body, "\n\n") + 2
				for _, streamed := range []bool{false, true} {
					is(t, from+" from "+to+", before", tells(t, trip{from: from, to: to, own: true, stream: streamed, answers: []string{news + body}}), "|hi||stop")
					is(t, from+" from "+to+", in it", tells(t, trip{from: from, to: to, own: true, stream: streamed, answers: []string{body[:at] + news + body[at:]}}), "|hi||stop")
				}
			}
		}
	}},
	{number: 1227, name: "two ways of sampling, to a Claude behind a server of OpenAI's dialect", answer: "asked again with the temperature alone, with a warning", run: func(t *testing.T) {
		for _, words := range []string{"`temperature` and `top_p` cannot both be specified for this model. Please use only one.", "The model returned the following errors: temperature and top_p cannot both be specified"} {
			ask := strings.Replace(plain[A], "{", `{"temperature":0.5,"top_p":0.9,`, 1)
			l := take(t, trip{from: A, to: O, own: true, ask: ask, statuses: []int{400, 200}, answers: []string{said(O, words), hi[O]}})
			is(t, words, fmt.Sprint(l.sent[1].Get("temperature"), l.sent[1].Get("top_p").Exists()), "0.5 false")
			l.warns("top_p", chat.Dropped)
		}
	}},
	// Clients send thoughts back with every turn: to the server that wrote them, and to the next one.
	{number: 1228, name: "thoughts of earlier turns, to a server that does not take them", answer: "asked again without them, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
			"Unknown parameter: 'messages[1].reasoning_content'.", "messages.1.assistant.reasoning_content: Extra inputs are not permitted",
		} {
			ask := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"so","reasoning_content":"hm"},{"role":"user","content":"on"}]}`
			l := take(t, trip{from: O, to: O, own: true, ask: ask, statuses: []int{400, 200}, answers: []string{said(O, words), hi[O]}})
			is(t, words, fmt.Sprint(strings.Contains(l.sent[0].Raw, "reasoning_content"), strings.Contains(l.sent[1].Raw, "reasoning_content")), "true false")
			is(t, words, l.sent[1].Get("messages.1.content").Str, "so")
			l.warns("reasoning_effort", chat.Dropped)
		}
	}},
}}
