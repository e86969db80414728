package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// torn are answers that end in the middle of a call's arguments, by the word for their end.
func torn(to, word string) string {
	switch to {
	case O:
		return chunksO(word, `{"content":"hm"}`, toolO(0, "c", "f", `{"a": "ab`))
	case A:
		return messageA(textA(0, "hm")+toolA(1, "t", "f", `{"a": "ab`), word)
	}
	return sse(partsG(`{"text":"hm"}`, ""), partsG(`{"functionCall":{"name":"f","willContinue":true}}`, ""),
		partsG(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"ab","willContinue":true}],"willContinue":true}}`, ""), partsG("", `,"finishReason":"`+word+`"`))
}

// lastEnd is the word for the end that a client of a stream or of a whole answer hears.
func lastEnd(l *landed) string {
	words := gjson.Get(l.body, finishAt[l.trip.from]).Str
	for _, at := range []string{"choices.0.finish_reason", "delta.stop_reason", "candidates.0.finishReason"} {
		if l.trip.stream {
			words += l.joined(at)
		}
	}
	return words
}

var hardMixed = section{"AE", "two things at once", []hard{
	{number: 1025, name: "an end in the middle of arguments, for each word there is", run: func(t *testing.T) {
		for _, row := range []struct {
			to, word string
			ends     map[string]string
		}{
			{O, "content_filter", map[string]string{A: "refusal", G: "SAFETY"}}, {O, "length", map[string]string{A: "max_tokens", G: "MAX_TOKENS"}},
			{A, "refusal", map[string]string{O: "content_filter", G: "SAFETY"}}, {A, "max_tokens", map[string]string{O: "length", G: "MAX_TOKENS"}},
			{A, "model_context_window_exceeded", map[string]string{O: "length", G: "MAX_TOKENS"}},
			{G, "SAFETY", map[string]string{O: "content_filter", A: "refusal"}}, {G, "MAX_TOKENS", map[string]string{O: "length", A: "max_tokens"}},
		} {
			for from, end := range row.ends {
				either(t, trip{from: from, to: row.to, answers: []string{torn(row.to, row.word)}}, func(l *landed) {
					what := fmt.Sprintf("%s from %s, %s, streamed %t", from, row.to, row.word, l.trip.stream)
					is(t, what, lastEnd(l), end)
					if from == G { // whose calls are whole
						is(t, what+", the call", strings.Contains(l.body, "functionCall"), false)
						l.warns("answer", chat.Dropped)
					}
					if !strings.Contains(l.body, `"hm"`) {
						t.Errorf("%s: %s", what, l.body)
					}
				})
			}
		}
	}},
	{number: 1026, name: "free text that the limit cut off", run: func(t *testing.T) {
		tool := `"tools":[{"type":"custom","custom":{"name":"p"}}]`
		for arguments, want := range map[string]string{
			`{"input":"*** Begin\nab`: "*** Begin\nab", `{"input":"ab\u00`: "ab", `{"input":"ab\`: "ab", `{ "input" : "a\ud83d\ude`: "a", `{"input":"ab"`: "ab", `{"input":"`: "",
		} {
			l := take(t, trip{from: O, to: A, stream: true, ask: withO(tool + `,"stream":true`), answers: []string{messageA(toolA(0, "t", "p", arguments), "max_tokens")}})
			is(t, arguments, l.joined("choices.0.delta.tool_calls.0.custom.input"), want)
			is(t, "the end", l.joined("choices.0.finish_reason"), "length")
			l = take(t, trip{from: O, to: A, ask: withO(tool), answers: []string{messageA(toolA(0, "t", "p", arguments), "max_tokens")}})
			is(t, arguments, gjson.Get(l.body, "choices.0.message.tool_calls.0.custom.input").Str, want)
		}
	}},
	{number: 1027, name: "values for what happens anyway", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			l := take(t, trip{from: O, to: to, ask: withO(`"top_k":-1,"min_p":0.0,"repetition_penalty":1.0,"verbosity":"medium","n":1,"logprobs":false,"store":false,"temperature":1`)})
			if strings.Contains(l.got().Raw, "op_k") || strings.Contains(l.got().Raw, "topK") || strings.Contains(l.told(), "dropped") {
				t.Errorf("%s %s", l.got().Raw, l.told())
			}
			take(t, trip{from: O, to: to, ask: withO(`"top_k":0`)}).quiet()
			take(t, trip{from: O, to: to, ask: withO(`"min_p":0.1`)}).warns("min_p", chat.Dropped)
			take(t, trip{from: O, to: to, ask: withO(`"verbosity":"low"`)}).warns("verbosity", chat.Dropped)
			take(t, trip{from: O, to: to, ask: withO(`"modalities":["text"],"audio":{"voice":"alloy","format":"wav"}`)}).warns("audio", chat.Ignored)
		}
	}},
	{number: 1028, name: "a stop sequence in arguments and in thoughts is none", run: func(t *testing.T) {
		ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"stopSequences":["1","2","3","4","END"],"thinkingConfig":{"includeThoughts":true}}}`
		answer := forms{
			endO("tool_calls", `"content":"a EN","reasoning_content":"the END of it","tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\":\"D END\"}"}}]`),
			chunksO("tool_calls", `{"reasoning_content":"the END of it"}`, `{"content":"a EN"}`, toolO(0, "c", "f", `{"a":"D E`), toolO(0, "", "", `ND"}`)),
		}
		for streamed, body := range map[bool]string{false: answer.whole, true: answer.stream} {
			l := take(t, trip{from: G, to: O, kind: "vllm", stream: streamed, ask: ask, answers: []string{body}})
			is(t, "the arguments", argued(l), `{"a":"D END"}`)
			if said := strings.Join(strings.Fields(l.body), ""); !strings.Contains(l.body, "the END of it") || !strings.Contains(l.body, `"EN"`) && !strings.Contains(said, `"aEN"`) {
				t.Error(l.body)
			}
		}
	}},
	{number: 1029, name: "two answers, and a call in each", run: func(t *testing.T) {
		ask := `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":2}}`
		both := sse(
			`{"id":"x","choices":[{"index":0,"delta":`+toolO(0, "c", "f", `{"a":`)+`},{"index":1,"delta":`+toolO(0, "c", "f", `{"a":`)+`}]}`,
			`{"id":"x","choices":[{"index":1,"delta":`+toolO(0, "", "", `"2"}`)+`},{"index":0,"delta":`+toolO(0, "", "", `"1"}`)+`}]}`,
			`{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"},{"index":1,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]")
		for _, streamed := range []bool{false, true} {
			l := take(t, trip{from: G, to: O, stream: streamed, ask: ask, answers: []string{both}})
			said := map[int64]string{}
			for _, frame := range append(l.frames(), gjson.Parse(l.body)) {
				for _, c := range frame.Get("candidates").Array() {
					said[c.Get("index").Int()] += c.Get("content.parts.0.functionCall.args.a").Str + c.Get("finishReason").Str
				}
			}
			if said[0] != "1STOP" || said[1] != "2STOP" {
				t.Errorf("%v in %s", said, l.body)
			}
		}
	}},
	{number: 1030, name: "it breaks off inside of a call", run: func(t *testing.T) {
		for to, stream := range map[string]string{
			O: chunksO("", toolO(0, "c", "f", `{"a":`)) + sse(`{"error":{"message":"m","type":"server_error","code":null}}`),
			A: cutA(messageA(toolA(0, "t", "f", `{"a":`), "tool_use"), "event: content_block_stop") + named(`{"type":"error","error":{"type":"overloaded_error","message":"m"}}`),
			G: sse(partsG(`{"functionCall":{"name":"f","willContinue":true}}`, ""), `{"error":{"code":503,"message":"m","status":"UNAVAILABLE"}}`),
		} {
			for _, from := range others(to) {
				l := try(t, trip{from: from, to: to, stream: true, ask: streaming(from), answers: []string{stream}})
				if l.failure == nil || !strings.Contains(l.body, `"error"`) || strings.Contains(l.body, "functionCall") || strings.Contains(l.body, "finish_reason\":\"") || strings.Contains(l.body, "message_delta") {
					t.Errorf("%s from %s: %s", from, to, l.body)
				}
				if whole := try(t, trip{from: from, to: to, ask: plainly(from, false), answers: []string{stream}}); whole.failure == nil || whole.status < 500 {
					t.Errorf("%s from %s, whole: %d %s", from, to, whole.status, whole.body)
				}
			}
		}
	}},
	{number: 1031, name: "a conversation that is too long, told behind the first words", run: func(t *testing.T) {
		begun := map[string]string{O: chunksO("", `{"content":"a"}`), A: cutA(messageA(textA(0, "a"), "end_turn"), "event: message_delta"), G: sse(partsG(`{"text":"a"}`, ""))}
		failed := map[string]string{
			O: sse(`{"error":{"message":"This model's maximum context length is 1000 tokens. However, your messages resulted in 2000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`),
			A: named(`{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 2000 tokens > 1000 maximum"}}`),
			G: sse(`{"error":{"code":400,"message":"The input token count (2000) exceeds the maximum number of tokens allowed (1000).","status":"INVALID_ARGUMENT"}}`),
		}
		words := map[string]string{O: "maximum context length is 1000 tokens", A: "prompt is too long: 2000 tokens > 1000 maximum", G: "The input token count (2000) exceeds the maximum number of tokens allowed (1000)."}
		pairs(func(from, to string) {
			l := try(t, trip{from: from, to: to, stream: true, ask: streaming(from), answers: []string{begun[to] + failed[to]}})
			if got := l.joined("error.message"); !strings.Contains(got, words[from]) {
				t.Errorf("%s from %s: %s", from, to, got)
			}
			if from == O {
				is(t, "the code", l.joined("error.code"), "context_length_exceeded")
			}
		})
	}},
	{number: 1032, name: "members of answers that say nothing", run: func(t *testing.T) {
		nothing := strings.Replace(endO("stop", `"content":"hi"`), `{"id"`, `{"base_resp":{"status_code":0,"status_msg":""},"input_sensitive":false,"output_sensitive_type":0,"request_id":"r","id"`, 1)
		for _, from := range []string{A, G} {
			take(t, trip{from: from, to: O, kind: "vllm", ask: plain[from], answers: []string{nothing}}).quiet()
		}
		about := strings.Replace(nothing, `"base_resp"`, `"metadata":{"weight_version":"default"},"base_resp"`, 1)
		take(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], answers: []string{about}}).warns("answer", chat.Ignored)
		wrong := strings.Replace(nothing, `"status_code":0`, `"status_code":7`, 1)
		take(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], answers: []string{wrong}}).warns("answer", chat.Dropped)
	}},
	{number: 1049, name: "a call in pieces that the model could not write", run: func(t *testing.T) {
		for _, from := range []string{O, A} {
			begun := sse(partsG(`{"functionCall":{"name":"f","willContinue":true}}`, ""), partsG(`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"ab","willContinue":true}],"willContinue":true}}`, ""), partsG("", `,"finishReason":"MALFORMED_FUNCTION_CALL"`))
			for _, streamed := range []bool{false, true} {
				l := try(t, trip{from: from, to: G, stream: streamed, ask: plainly(from, streamed), answers: []string{begun}})
				if l.failure == nil || strings.Contains(l.body, `"ab`) {
					t.Errorf("%s, streamed %t: %s", from, streamed, l.body)
				}
			}
			either(t, trip{from: from, to: G, answers: []string{torn(G, "MALFORMED_FUNCTION_CALL")}}, func(l *landed) {
				calls, _ := called(l)
				is(t, from+", the calls", calls, 0)
				l.warns("answer", chat.Approximated)
			})
		}
	}},
	{number: 1050, name: "counters that only an earlier frame has", run: func(t *testing.T) {
		frames := []string{
			strings.Replace(partsG(`{"text":"a"}`, ""), "{", `{"usageMetadata":{"promptTokenCount":30,"cachedContentTokenCount":10,"totalTokenCount":30},`, 1),
			strings.Replace(partsG(`{"text":"b"}`, `,"finishReason":"STOP"`), "{", `{"usageMetadata":{"candidatesTokenCount":4},`, 1),
		}
		l := take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(frames...)}})
		u := l.all("usage")[0]
		is(t, "the counts", fmt.Sprint(u.Get("input_tokens"), u.Get("cache_read_input_tokens"), u.Get("output_tokens")), "20 10 4")
		passed := take(t, trip{from: G, to: G, stream: true, ask: streamG, answers: []string{sse(frames...)}})
		is(t, "what is metered", passed.reply.Seen.Usage.Prompt(), 30)
		l = take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(frames[0], partsG(`{"text":"b"}`, `,"finishReason":"STOP"`))}})
		is(t, "told once", l.all("usage")[0].Get("cache_read_input_tokens").Int(), 10)
	}},
	{number: 1051, name: "log-probabilities of what is no text yet, and of a refusal", run: func(t *testing.T) {
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseLogprobs":true}}`
		piece := func(member, text, of, token string) string {
			return `{"id":"c","choices":[{"index":0,"delta":{"` + member + `":` + quoted(text) + `},"logprobs":{"` + of + `":[{"token":"` + token + `","logprob":-0.5,"bytes":null,"top_logprobs":[]}]},"finish_reason":null}]}`
		}
		for _, row := range []struct{ first, second string }{
			{piece("content", "", "content", "half"), piece("content", "é", "content", "rest")}, {piece("refusal", "I can", "refusal", "half"), piece("refusal", "not", "refusal", "rest")},
		} {
			answer := sse(row.first, row.second, delta(0, "", `"stop"`), "[DONE]")
			l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{answer}})
			is(t, "streamed", l.joined("candidates.0.logprobsResult.chosenCandidates.0.token"), "halfrest")
			for _, frame := range l.frames() {
				if len(frame.Get("candidates.0.content.parts").Array()) == 0 {
					t.Errorf("no part in %s", frame.Raw)
				}
			}
			take(t, trip{from: G, to: O, ask: ask, answers: []string{answer}}).gets("candidates.0.logprobsResult.chosenCandidates.#.token", `["half","rest"]`)
		}
	}},
	{number: 1052, name: "a search at Anthropic, its source and a call of the client's tool", run: func(t *testing.T) {
		web := `{"type":"web_search_result_location","url":"https://a.example/","title":"T","encrypted_index":"I","cited_text":"c"}`
		blocks := []string{
			`{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"q"}}`,
			`{"type":"web_search_tool_result","tool_use_id":"srvtoolu_1","content":[{"type":"web_search_result","url":"https://a.example/","title":"T","encrypted_content":"E"}]}`,
			`{"type":"text","text":"Wörd","citations":[` + web + `]}`, `{"type":"tool_use","id":"t","name":"f","input":{}}`,
		}
		answer := forms{wholeA("tool_use", blocks...), messageA(named(
			`{"type":"content_block_start","index":0,"content_block":{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{}}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{\"query\":\"q\"}"}}`, `{"type":"content_block_stop","index":0}`,
			`{"type":"content_block_start","index":1,"content_block":`+blocks[1]+`}`, `{"type":"content_block_stop","index":1}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","index":2,"delta":{"type":"citations_delta","citation":`+web+`}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"Wörd"}}`, `{"type":"content_block_stop","index":2}`)+toolA(3, "t", "f", "{}"), "tool_use")}
		for from, end := range map[string]string{O: "tool_calls", G: "STOP"} {
			answer.each(t, trip{from: from, to: A}, func(l *landed) {
				calls, without := called(l)
				is(t, from, fmt.Sprintf("%d %d %s", calls, without, lastEnd(l)), "1 0 "+end)
				if !strings.Contains(l.told(), "server_tool_use") || !strings.Contains(l.told(), "web_search_tool_result") || strings.Count(l.body, `"https://a.example/"`) != 1 {
					t.Errorf("%s: %s %s", from, l.told(), l.body)
				}
			})
		}
	}},
	{number: 1057, name: "words for ends in other letters, of another's API, or as numbers", run: func(t *testing.T) {
		for _, row := range []struct {
			to, word string
			want     map[string]string
		}{
			{O, `"STOP"`, map[string]string{A: "end_turn", G: "STOP"}}, {O, `"MAX_TOKENS"`, map[string]string{A: "max_tokens", G: "MAX_TOKENS"}}, {O, `"SAFETY"`, map[string]string{A: "refusal", G: "SAFETY"}},
			{A, `"stop"`, map[string]string{O: "stop", G: "STOP"}}, {A, `"length"`, map[string]string{O: "length", G: "MAX_TOKENS"}}, {A, `"END_TURN"`, map[string]string{O: "stop", G: "STOP"}},
			{G, `"stop"`, map[string]string{O: "stop", A: "end_turn"}}, {G, `"max_tokens"`, map[string]string{O: "length", A: "max_tokens"}}, {G, `2`, map[string]string{O: "length", A: "max_tokens"}}, {G, `3`, map[string]string{O: "content_filter", A: "refusal"}},
		} {
			answers := map[string]string{
				O: strings.Replace(endO("%", `"content":"hi"`), `"%"`, row.word, 1), A: strings.Replace(endA("%"), `"%"`, row.word, 1), G: partsG(`{"text":"hi"}`, `,"finishReason":`+row.word),
			}
			for from, want := range row.want {
				l := take(t, trip{from: from, to: row.to, own: true, ask: plain[from], answers: []string{answers[row.to]}})
				is(t, from+" from "+row.to+" "+row.word, lastEnd(l), want)
				if strings.Contains(l.told(), "approximated") || strings.Contains(l.told(), "dropped") {
					t.Errorf("%s: %s", row.word, l.told())
				}
			}
		}
	}},
	{number: 1058, name: "answers of an older API, or of one where a list was meant", run: func(t *testing.T) {
		older := forms{
			`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"hi","finish_reason":"stop"}]}`,
			sse(`{"id":"x","object":"text_completion","choices":[{"index":0,"text":"h","finish_reason":null}]}`, `{"id":"x","choices":[{"index":0,"text":"i","finish_reason":"stop"}]}`, "[DONE]"),
		}
		for _, from := range []string{A, G} {
			older.each(t, trip{from: from, to: O, kind: "vllm"}, func(l *landed) {
				whole := gjson.Get(l.body, "content.0.text").Str + gjson.Get(l.body, "candidates.0.content.parts.0.text").Str
				if l.trip.stream {
					whole = l.joined("delta.text") + l.joined("candidates.0.content.parts.0.text")
				}
				is(t, from, whole, "hi")
			})
		}
		for _, answer := range []string{`{"candidates":[{"content":{"parts":{"text":"hi"}},"finishReason":"STOP"}]}`, `{"candidates":{"content":{"parts":[{"text":"hi"}]},"finishReason":"STOP"}}`} {
			take(t, trip{from: O, to: G, ask: plain[O], answers: []string{answer}}).gets("choices.0.message.content", `"hi"`)
		}
	}},
}}
