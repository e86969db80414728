package dialect_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// bookedOf is what a trip is booked as: what went in, came from a cache and went there, what came out, and thoughts.
func bookedOf(l *landed) string {
	u := l.booked.Usage()
	return inLine(u.Input, u.CacheRead, u.CacheWrite, u.Output, u.Reasoning)
}

// What says with other words, in other places or in part only that it ended, that it failed and what it took.
var hardCounted = section{"BB", "ends, counts and parts in other words and places", []hard{
	// watsonx's, TensorRT's, Cohere's and the Responses API's words, at servers of any dialect.
	{number: 1360, name: "an end that is none, and one that is a limit, in yet other words", answer: "an answer that broke off is an error, whichever dialect says so; one that was cut short has the limit's word", run: func(t *testing.T) {
		for word, want := range map[string]string{
			"error": "error", "ERROR": "error", "abort": "error", "cancelled": "error", "TIMEOUT": "error", "USER_CANCEL": "error", "server_error": "error", "failed": "error", "network_error": "error",
			"time_limit": "length", "max_output": "length", "token_limit": "length", "ERROR_LIMIT": "length", "incomplete": "length", "repetition": "length", "COMPLETE": "stop", "ERROR_TOXIC": "refused", "content-filter": "refused",
		} {
			for to, answer := range map[string]forms{
				O: {endO(word, `"content":"hi"`), chunksO(word, `{"content":"hi"}`)},
				A: {wholeA(word, `{"type":"text","text":"hi"}`), messageA(textA(0, "hi"), word)},
				G: {partsG(`{"text":"hi"}`, `,"finishReason":"`+word+`"`), sse(partsG(`{"text":"hi"}`, ""), partsG("", `,"finishReason":"`+word+`"`))},
			} {
				for _, from := range others(to) {
					whole, streamed := tells(t, trip{from: from, to: to, own: true, answers: []string{answer.whole}}), tells(t, trip{from: from, to: to, own: true, stream: true, answers: []string{answer.stream}})
					if want == "error" {
						is(t, inLine(from, to, word, whole, streamed), strings.HasPrefix(whole, "error 50") && streamed == "error", true)
					} else {
						is(t, inLine(from, to, word), whole+" "+streamed, "|hi||"+want+" |hi||"+want)
					}
				}
			}
		}
	}},
	// Zhipu's, Alibaba's, Baidu's and MiniMax's errors: some servers send the last word behind them.
	{number: 1361, name: "an error of any form in the middle, with and without a last word behind it", answer: "it has its status, and is never the end of an answer", run: func(t *testing.T) {
		for said, want := range map[string]int{
			`{"code":1305,"msg":"The service may be temporarily overloaded"}`: 503, `{"code":"Throttling.RateQuota","message":"Requests rate limit exceeded","request_id":"x"}`: 429,
			`{"error_code":336003,"error_msg":"rate limit","id":"as-1"}`: 429, `{"status":"449","msg":"You exceeded your current rate limit","body":null}`: 429,
			`{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}`: 429, `{"detail":"boom"}`: 502, `{"errors":[{"message":"boom","code":"rate_limit"}]}`: 429,
		} {
			for to, stream := range map[string]string{
				O: sse(delta(0, `"content":"hi"`, "null"), said, "[DONE]"), A: cutA(messageA(textA(0, "hi"), "end_turn"), "event: message_delta") + sse(said) + named(`{"type":"message_stop"}`),
				G: sse(partsG(`{"text":"hi"}`, ""), said),
			} {
				for _, from := range others(to) {
					whole := try(t, trip{from: from, to: to, own: true, ask: plainly(from, false), answers: []string{stream}})
					is(t, inLine(from, to, said), whole.failure != nil && whole.failure.ChatStatus() == want, true)
					is(t, inLine(from, to, said, "streamed"), tells(t, trip{from: from, to: to, own: true, stream: true, answers: []string{stream}}), "error")
				}
			}
		}
		// What a server tells of its work is no error.
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{sse(delta(0, `"content":"hi"`, "null"), `{}`, `{"type":"ping"}`, `{"prompt_progress":{"total":9,"processed":3}}`, delta(0, "", `"stop"`), "[DONE]")}})
		l.gets("content.0.text", `"hi"`)
	}},
	// earendil-works/pi#6567: MiniMax leaves the usage out of message_delta; the first word of a stream is a guess.
	{number: 1362, name: "usage that only the beginning of Claude's stream tells", answer: "the prompt is booked as told, the answer by estimate", run: func(t *testing.T) {
		stream := messageA(textA(0, strings.Repeat("word ", 80)), "end_turn")
		for _, end := range []string{``, `,"usage":null`, `,"usage":{}`, `,"usage":{"output_tokens":null}`, `,"usage":{"input_tokens":5}`} {
			answer := strings.Replace(stream, `,"usage":{"output_tokens":9}`, end, 1)
			for _, from := range []string{O, A, G} {
				for _, streamed := range []bool{false, true} {
					l := take(t, trip{from: from, to: A, own: true, stream: streamed, ask: counting(from, streamed), answers: []string{answer}})
					passes := from == A && streamed // its words are not looked at
					is(t, inLine(from, streamed, end), l.booked.Estimated && l.booked.Input == 5 && (l.booked.Output >= 80 || passes && l.booked.Output > 4), true)
				}
			}
		}
	}},
	{number: 1363, name: "usage behind the end of Google's stream, which passes through", run: func(t *testing.T) {
		usage := `{"usageMetadata":{"promptTokenCount":70,"candidatesTokenCount":30,"totalTokenCount":100}}`
		for _, before := range []int{0, 1, 9} {
			var frames []string
			for range before {
				frames = append(frames, partsG(`{"text":"word "}`, ""))
			}
			stream := sse(append(frames, partsG(`{"text":"end"}`, `,"finishReason":"STOP"`), usage)...)
			for _, from := range []string{O, A, G} {
				l := take(t, trip{from: from, to: G, stream: true, ask: counting(from, true), answers: []string{stream}})
				is(t, inLine(from, before), inLine(bookedOf(l), l.booked.Estimated), "70 0 0 30 0 false")
			}
		}
	}},
	// BerriAI/litellm's Databricks, QuantumNous/new-api: servers that have Claude pass its counts on. QuantumNous/new-api#1358, vercel/ai#6738: Google's thoughts are in the total alone.
	{number: 1364, name: "what is counted beside a prompt, in all and in no part", run: func(t *testing.T) {
		for usage, want := range map[string]string{
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":105,"cache_creation_input_tokens":60,"cache_read_input_tokens":30}`:              "10 30 60 5 0",
			`{"prompt_tokens":10,"completion_tokens":5,"cache_creation_input_tokens":60,"cache_read_input_tokens":30}`:                                 "10 30 60 5 0",
			`{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"cache_creation_input_tokens":60,"cache_read_input_tokens":30}`:             "10 30 60 5 0",
			`{"prompt_tokens":100,"completion_tokens":5,"total_tokens":105,"cache_read_input_tokens":30,"prompt_tokens_details":{"cached_tokens":30}}`: "70 30 0 5 0",
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"cached_tokens":30}`:                                                          "0 10 0 5 0",
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"server_tool_use":{"web_search_requests":2}}`:                                 "10 0 0 5 0 2",
			`{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15,"prompt_tokens_details":{"web_search_requests":2}}`:                           "10 0 0 5 0 2",
		} {
			for _, row := range []forms{tallied(O, usage)} {
				for _, answer := range []string{row.whole, row.stream} {
					l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{answer}})
					if n := l.booked.Usage().Searches; n > 0 {
						is(t, usage, inLine(bookedOf(l), n), want)
					} else {
						is(t, usage, bookedOf(l), want)
					}
					l.quiet()
				}
			}
		}
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{tallied(G, `{"promptTokenCount":11,"candidatesTokenCount":9,"totalTokenCount":88}`).whole}})
		is(t, "thoughts", bookedOf(l), "11 0 0 9 68")
		l.gets("usage.completion_tokens", "77")
	}},
	// tidyverse/ellmer#822, maximhq/bifrost#6958.
	{number: 1365, name: "thoughts in a list, as Databricks has them", run: func(t *testing.T) {
		thought := func(text string) string {
			return `{"type":"reasoning","summary":[{"type":"summary_text","text":` + quoted(text) + `}]}`
		}
		whole := endO("stop", `"content":[`+thought("hm so")+`,{"type":"text","text":"hi"}]`)
		stream := chunksO("stop", `{"content":[`+thought("hm")+`]}`, `{"content":[`+thought(" so")+`]}`, `{"content":[{"type":"text","text":"hi"}]}`)
		for _, from := range []string{A, G} {
			for _, answer := range []string{whole, stream} {
				is(t, from, tells(t, trip{from: from, to: O, own: true, answers: []string{answer}}), "hm so|hi||stop")
				is(t, from+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{answer}}), "hm so|hi||stop")
			}
		}
		sealed := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{endO("stop", `"content":[{"type":"reasoning","summary":[{"type":"summary_text","text":"hm","signature":"s"}]},{"type":"text","text":"hi"}]`)}})
		is(t, "what it loses", strings.Contains(sealed.told(), "reasoning.signature"), true)
	}},
	{number: 1366, name: "what Zhipu, Volcano and Alibaba found", run: func(t *testing.T) {
		for _, member := range []string{
			`"web_search":[{"title":"A","link":"https://a.example","content":"c","refer":"ref_1"}]`, `"references":[{"url":"https://a.example","title":"A"}]`,
			`"search_info":{"search_results":[{"index":1,"site_name":"s","title":"A","url":"https://a.example"}]}`,
		} {
			whole := strings.TrimSuffix(endO("stop", `"content":"hi"`), "}") + "," + member + "}"
			stream := sse(delta(0, `"content":"hi"`, "null"), strings.TrimSuffix(delta(0, "", `"stop"`), "}")+","+member+"}", "[DONE]")
			for _, answer := range []string{whole, stream} {
				l := take(t, trip{from: G, to: O, own: true, ask: plain[G], answers: []string{answer}})
				l.gets("candidates.0.groundingMetadata.groundingChunks.0.web", `{"uri":"https://a.example","title":"A"}`)
			}
		}
		other := take(t, trip{from: G, to: O, own: true, ask: plain[G], answers: []string{strings.TrimSuffix(endO("stop", `"content":"hi"`), "}") + `,"references":["a"]}`}})
		is(t, "references of another kind", strings.Contains(other.told(), "references"), true)
	}},
	{number: 1367, name: "arguments by the name that they have among models, and as an object in a piece", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for _, function := range []string{`{"name":"f","parameters":{"a":1}}`, `{"name":"f","input":{"a":1}}`, `{"name":"f","parameters":"{\"a\":1}"}`} {
				call := `"tool_calls":[{"index":0,"id":"c1","type":"function","function":` + function + `}]`
				is(t, from+function, tells(t, trip{from: from, to: O, own: true, answers: []string{endO("tool_calls", `"content":null,`+call)}}), `||f{"a":1}|tool`)
				is(t, from+function+", streamed", tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{chunksO("tool_calls", "{"+call+"}")}}), `||f{"a":1}|tool`)
			}
		}
		stream := messageA(strings.Replace(toolA(0, "t1", "f", "%"), `"%"`, `{"a":1}`, 1), "tool_use")
		for _, from := range []string{O, G} {
			is(t, from, tells(t, trip{from: from, to: A, own: true, stream: true, answers: []string{stream}}), `||f{"a":1}|tool`)
		}
	}},
	// iFlow's limit, Groq's JSON, Amazon's own capitals and its throughput, Hugging Face's time to load a model.
	{number: 1368, name: "refusals of yet other servers", answer: "each has its class, so that the next target is asked", run: func(t *testing.T) {
		for _, said := range []struct {
			to           string
			status, want int
			wait         float64
			body         string
		}{
			{O, 449, 429, 0, `{"status":"449","msg":"You exceeded your current rate limit"}`}, {O, 200, 429, 0, `{"status":"449","msg":"You exceeded your current rate limit","body":null}`},
			{O, 400, 502, 0, `{"error":{"message":"Failed to generate JSON. Please adjust your prompt.","type":"invalid_request_error","code":"json_validate_failed","failed_generation":"{"}}`},
			{A, 400, 404, 0, `{"Message":"The provided model identifier is invalid."}`},
			{A, 400, 404, 0, `{"message":"Invocation of model ID anthropic.claude-sonnet-4-5-20250929-v1:0 with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model."}`},
			{A, 400, 400, 0, `{"Message":"max_tokens: must be at least 1"}`},
			{O, 503, 503, 20, `{"error":"Model x is currently loading","estimated_time":20.0}`},
		} {
			l := try(t, trip{from: O, to: said.to, own: true, ask: plain[O], status: said.status, answers: []string{said.body}, header: http.Header{}})
			is(t, said.body, fmt.Sprint(l.status, l.failure.RetryAfter.Seconds()), fmt.Sprint(said.want, said.wait))
		}
	}},
	// ericc-ch/copilot-api#81, HKUDS/nanobot#1555.
	{number: 1369, name: "one answer in several choices, as GitHub's Copilot gives what Claude says", answer: "its calls are those of the one answer that was asked for", run: func(t *testing.T) {
		say, call := `"role":"assistant","content":"I look."`, func(at int) string {
			return fmt.Sprintf(`"role":"assistant","tool_calls":[{"index":0,"id":"c%d","type":"function","function":{"name":"f","arguments":"{\"a\":%d}"}}]`, at, at)
		}
		for _, numbers := range [][3]int{{0, 0, 0}, {0, 1, 2}} {
			choice := func(n int, message string) string {
				return fmt.Sprintf(`{"index":%d,"message":{%s},"finish_reason":"tool_calls"}`, numbers[n], message)
			}
			whole := `{"id":"x","choices":[` + choice(0, say) + "," + choice(1, call(1)) + "," + choice(2, call(2)) + `],"usage":{"prompt_tokens":3,"completion_tokens":9,"total_tokens":12}}`
			stream := sse(delta(numbers[0], say, "null"), delta(numbers[1], call(1), "null"), delta(numbers[2], call(2), "null"), delta(numbers[0], "", `"tool_calls"`), delta(numbers[1], "", `"tool_calls"`), delta(numbers[2], "", `"tool_calls"`), "[DONE]")
			for _, from := range []string{A, G} {
				for _, answer := range []string{whole, stream} {
					for _, streamed := range []bool{false, true} {
						l := take(t, trip{from: from, to: O, own: true, stream: streamed, ask: plainly(from, streamed), answers: []string{answer}})
						is(t, inLine(from, numbers, streamed), strings.Contains(l.told(), "not asked for"), false)
						is(t, inLine(from, numbers, streamed), tells(t, trip{from: from, to: O, own: true, stream: streamed, answers: []string{answer}}), `|I look.|f{"a":1} f{"a":2}|tool`)
					}
				}
			}
			again := tells(t, trip{from: O, to: O, own: true, stream: true, answers: []string{whole}})
			is(t, "of the same dialect, made a stream", again, `|I look.|f{"a":1} f{"a":2}|tool`)
		}
		// Another answer is not part of the first one.
		two := `{"id":"x","choices":[{"index":0,"message":{` + say + `},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"Or so."},"finish_reason":"stop"}]}`
		l := take(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{two}})
		l.gets("content.0.text", `"I look."`)
		is(t, "another", strings.Contains(l.told(), "not asked for"), true)
	}},
	// can1357/oh-my-pi#2433, vellum-ai/vellum-assistant#34556.
	{number: 1370, name: "thoughts in their own place and between tags in the words, as MiniMax has them", answer: "told once; other words between tags are words", run: func(t *testing.T) {
		for _, row := range []struct {
			whole  string
			deltas []string
			want   string
		}{
			{`"reasoning_content":"The user just","content":"<think>\nThe user just\n</think>\n\nHi"`, []string{`{"reasoning_content":"The user","content":"<think>\nThe us"}`, `{"reasoning_content":" just","content":"er just\n</th"}`, `{"content":"ink>\n\nHi"}`}, "The user just|Hi||stop"},
			{`"reasoning_content":"hm","content":"<think></think>Hi"`, []string{`{"reasoning_content":"hm"}`, `{"content":"<think>"}`, `{"content":"</think>Hi"}`}, "hm|Hi||stop"},
			{`"reasoning_content":"hm","content":"<think>other</think>Hi"`, []string{`{"reasoning_content":"hm"}`, `{"content":"<think>oth"}`, `{"content":"er</think>Hi"}`}, "hm|<think>other</think>Hi||stop"},
			{`"reasoning_content":"hm","content":"<think>hm"`, []string{`{"reasoning_content":"hm"}`, `{"content":"<think>hm"}`}, "hm|<think>hm||stop"},
		} {
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					is(t, inLine(from, row.whole, streamed), tells(t, trip{from: from, to: O, own: true, stream: streamed, answers: []string{endO("stop", row.whole)}}), row.want)
					is(t, inLine(from, row.deltas, streamed), tells(t, trip{from: from, to: O, own: true, stream: streamed, answers: []string{chunksO("stop", row.deltas...)}}), row.want)
				}
			}
		}
	}},
	{number: 1371, name: "a sign of life and then an error, where Claude's stream should begin", answer: "it has its status, and the next target is asked, in its client's own dialect too", run: func(t *testing.T) {
		busy := named(`{"type":"ping"}`, `{"type": "ping"}`, `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}`)
		for from, want := range map[string]int{O: 503, A: 529, G: 503} {
			for _, streamed := range []bool{false, true} {
				l := try(t, trip{from: from, to: A, own: true, stream: streamed, ask: plainly(from, streamed), answers: []string{busy}})
				is(t, inLine(from, streamed), fmt.Sprint(l.status, l.booked.Output), fmt.Sprint(want, 0))
			}
		}
		l := take(t, trip{from: A, to: A, own: true, stream: true, ask: plainly(A, true), answers: []string{named(`{"type":"ping"}`) + messageA(textA(0, "hi"), "end_turn")}})
		is(t, "its own bytes", l.body, named(`{"type":"ping"}`)+messageA(textA(0, "hi"), "end_turn"))
	}},
	{number: 1372, name: "usage that is told before the words", answer: "an answer that is longer than was counted by then is booked by estimate", run: func(t *testing.T) {
		words := strings.Repeat("word ", 40)
		for first, want := range map[string]string{`{"prompt_tokens":70,"completion_tokens":1,"total_tokens":71}`: "70 51 true", `{"prompt_tokens":70,"completion_tokens":0,"total_tokens":70}`: "70 51 true", `{"prompt_tokens":70,"completion_tokens":90,"total_tokens":160}`: "70 90 false"} {
			begin := strings.TrimSuffix(delta(0, `"role":"assistant","content":"a"`, "null"), "}") + `,"usage":` + first + "}"
			for _, from := range []string{A, G} {
				l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(begin, delta(0, `"content":`+quoted(words+" so"), "null"), delta(0, "", `"stop"`), "[DONE]")}})
				is(t, inLine(from, first), inLine(l.booked.Input, l.booked.Output, l.booked.Estimated), want)
			}
		}
		google := []string{strings.TrimSuffix(partsG(`{"text":"a"}`, ""), "}") + `,"usageMetadata":{"promptTokenCount":70,"totalTokenCount":70}}`}
		for range 30 {
			google = append(google, partsG(`{"text":"word "}`, ""))
		}
		google = append(google, partsG("", `,"finishReason":"STOP"`))
		for _, from := range []string{O, G} { // of its own dialect by its frames
			l := take(t, trip{from: from, to: G, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(google...)}})
			is(t, from, l.booked.Input == 70 && l.booked.Output >= 30 && l.booked.Estimated, true)
		}
	}},
	{number: 1373, name: "a last word, and none why it ended", answer: "it ended as usual, and that is reported, of a stream as of a whole answer", run: func(t *testing.T) {
		for to, answers := range map[string][]string{
			O: {strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason":"stop"`, `"finish_reason":null`, 1), chunksO("", `{"content":"hi"}`) + sse("[DONE]")},
			A: {strings.Replace(wholeA("end_turn", `{"type":"text","text":"hi"}`), `"end_turn"`, "null", 1), strings.Replace(messageA(textA(0, "hi"), "end_turn"), `"end_turn"`, "null", 1)},
		} {
			for _, from := range others(to) {
				for _, answer := range answers {
					either(t, trip{from: from, to: to, own: true, answers: []string{answer}}, func(l *landed) {
						is(t, inLine(from, to, answer), strings.Count(l.told(), "did not say why it stopped"), 1)
					})
				}
			}
		}
	}},
	// earendil-works/pi#8511, OleksandrChekhovskyi/hax#15, BerriAI/litellm#21744: the turn was over without a word, and nobody heard why.
	{number: 1751, name: "a failure behind a router that says the answer just ended", answer: "an error, so that the next target is asked; passing streams keep their bytes", run: func(t *testing.T) {
		ended := func(word, said string) forms {
			end := func(inside string) string {
				return `{"id":"c","choices":[{"index":0,` + inside + `,"finish_reason":"stop","native_finish_reason":` + word + `}]}`
			}
			return forms{end(`"message":{"role":"assistant","content":"` + said + `"}`), sse(delta(0, `"role":"assistant","content":"`+said+`"`, "null"), end(`"delta":{"content":""}`), "[DONE]")}
		}
		for _, row := range []struct{ word, said, want string }{
			{`"network_error"`, "", "error"}, {`"error"`, "", "error"}, {`"MALFORMED_FUNCTION_CALL"`, "", "error"}, {`"network_error"`, "hi", "error"},
			{`"MALFORMED_FUNCTION_CALL"`, "hi", "|hi||stop"}, {`"STOP"`, "hi", "|hi||stop"}, {`"end_turn"`, "hi", "|hi||stop"}, {`null`, "hi", "|hi||stop"}, {`"completed"`, "", "|||stop"},
		} {
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					answer := ended(row.word, row.said).whole
					if streamed {
						answer = ended(row.word, row.said).stream
					}
					told := tells(t, trip{from: from, to: O, kind: "openrouter", stream: streamed, answers: []string{answer}})
					is(t, inLine(from, row.word, row.said, streamed, told), strings.HasPrefix(told, row.want), true)
				}
			}
			passed := try(t, trip{from: O, to: O, own: true, ask: plain[O], answers: []string{ended(row.word, row.said).whole}})
			is(t, "whole and passing: "+row.word+row.said, passed.failure != nil, row.want == "error")
		}
	}},
	// NVIDIA/TensorRT-LLM#9256, scouzi1966/maclocal-api#121 (gpt-oss), vllm-project/vllm#39885 (Gemma).
	{number: 1754, name: "thoughts between the tags of other models", answer: "they are thoughts where an answer begins with them; in the author's own API, and further in, they are words", run: func(t *testing.T) {
		for _, tags := range [][2]string{
			{"<thought>", "</thought>"}, {"[THINK]", "[/THINK]"}, {"<seed:think>", "</seed:think>"}, {"◁think▷", "◁/think▷"},
			{"<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>"}, {"<|channel>thought\n", "<channel|>"},
		} {
			for said, want := range map[string]string{
				tags[0] + "hm" + tags[1] + "\n\nhi": "hm|hi||stop", "\n" + tags[0] + "a < b" + tags[1] + "hi": "a < b|hi||stop", tags[0] + "hm": "hm|||stop", "hi " + tags[0] + "hm" + tags[1]: "|hi " + tags[0] + "hm" + tags[1] + "||stop",
			} {
				for _, size := range []int{len(said), 5, 1} {
					var deltas []string
					for rest := []rune(said); len(rest) > 0; rest = rest[min(size, len(rest)):] {
						deltas = append(deltas, `{"content":`+quoted(string(rest[:min(size, len(rest))]))+`}`)
					}
					for _, answer := range []string{endO("stop", `"content":`+quoted(said)), chunksO("stop", deltas...)} {
						for _, from := range []string{A, G} {
							for _, streamed := range []bool{false, true} {
								is(t, inLine(from, said, size, streamed), tells(t, trip{from: from, to: O, own: true, stream: streamed, answers: []string{answer}}), want)
							}
						}
					}
				}
			}
		}
		const final = "<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>final<|message|>hi"
		for _, streamed := range []bool{false, true} {
			is(t, "to the last mark", tells(t, trip{from: A, to: O, own: true, stream: streamed, answers: []string{chunksO("stop", `{"content":"`+final+`"}`, `{"content":" you<|ret"}`, `{"content":"urn|>"}`)}}), "hm|hi you||stop")
		}
		is(t, "at OpenAI", tells(t, trip{from: A, to: O, answers: []string{endO("stop", `"content":"<thought>hm</thought>hi"`)}}), "|<thought>hm</thought>hi||stop")
		is(t, "what prompts ask for", tells(t, trip{from: A, to: O, own: true, answers: []string{endO("stop", `"content":"<thinking>hm</thinking>hi"`)}}), "|<thinking>hm</thinking>hi||stop")
	}},
}}
