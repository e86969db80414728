package dialect_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// endingO is the end of a stream of OpenAI's with other members in its choice.
func endingO(text, finish, more string) string {
	return chunksO("", `{"content":"`+text+`"}`) + sse(`{"id":"chatcmpl-1","choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"`+more+`}]}`, "[DONE]")
}

// told says what every kind of upstream says of why an answer ended.
var hardEnded = section{"AA", "why it ended, and what it cost", []hard{
	{number: 976, name: "the stop sequence that a server names", run: func(t *testing.T) {
		for _, more := range []string{`,"stop_reason":"END"`, `,"matched_stop":"END"`} {
			whole := strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason":"stop"`, `"finish_reason":"stop"`+more, 1)
			for _, answer := range []string{whole, endingO("hi", "stop", more)} {
				streamed := answer != whole
				l := take(t, trip{from: A, to: O, kind: "vllm", stream: streamed, ask: plainly(A, streamed), answers: []string{answer}})
				if !strings.Contains(l.body, `"stop_reason":"stop_sequence","stop_sequence":"END"`) {
					t.Error(l.body)
				}
				take(t, trip{from: G, to: O, kind: "vllm", stream: streamed, ask: streamG, answers: []string{answer}}).warns("answer", chat.Ignored)
			}
		}
		for _, more := range []string{`,"stop_reason":null`, `,"matched_stop":151645`, `,"stop_reason":"end_turn"`} {
			l := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{endingO("hi", "stop", more)}})
			is(t, more, l.joined("delta.stop_reason"), "end_turn")
		}
	}},
	{number: 977, name: "ends in other servers' words", run: func(t *testing.T) {
		for word, want := range map[string][2]string{
			"model_length": {"max_tokens", "MAX_TOKENS"}, "content_filter: PROHIBITED_CONTENT": {"refusal", "PROHIBITED_CONTENT"}, "content_filter: RECITATION": {"refusal", "RECITATION"},
		} {
			for i, from := range []string{A, G} {
				l := take(t, trip{from: from, to: O, own: true, ask: plain[from], answers: []string{endO(word, `"content":"hi"`)}})
				is(t, from+" "+word, gjson.Get(l.body, finishAt[from]).Str, want[i])
				if strings.Contains(l.told(), "dropped") || strings.Contains(l.told(), "approximated") {
					t.Error(l.told())
				}
			}
		}
		malformed := "function_call_filter: MALFORMED_FUNCTION_CALL"
		for _, from := range []string{A, G} {
			for _, answer := range []string{endO(malformed, `"content":null`), endO(malformed, `"content":""`), chunksO(malformed)} {
				streamed := strings.HasPrefix(answer, "data")
				l := try(t, trip{from: from, to: O, own: true, stream: streamed, ask: plainly(from, streamed), answers: []string{answer}})
				if l.failure == nil {
					t.Errorf("%s: %s", from, l.body)
				}
			}
			l := take(t, trip{from: from, to: O, own: true, ask: plain[from], answers: []string{endO(malformed, `"content":"hi"`)}})
			l.warns("answer", chat.Approximated)
		}
	}},
	{number: 978, name: "why it would not go on, behind words", run: func(t *testing.T) {
		said := `,"stop_details":{"type":"refusal","category":"cyber","explanation":"because"}`
		whole := strings.Replace(wholeA("refusal", `{"type":"text","text":"hi"}`), `"stop_reason":"refusal"`, `"stop_reason":"refusal"`+said, 1)
		l := take(t, trip{from: O, to: A, ask: plain[O], answers: []string{whole}})
		l.gets("choices.0.finish_reason", `"content_filter"`)
		l.warns("answer", chat.Dropped)
		stream := strings.Replace(messageA(textA(0, "hi"), "refusal"), `"stop_reason":"refusal"`, `"stop_reason":"refusal"`+said, 1)
		take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{stream}}).warns("answer", chat.Dropped)
		take(t, trip{from: G, to: A, stream: true, ask: streamG, answers: []string{stream}}).warns("answer", chat.Ignored)
	}},
	{number: 979, name: "the tier that served", run: func(t *testing.T) {
		flex := strings.Replace(hi[G], `"usageMetadata":{`, `"usageMetadata":{"serviceTier":"flex",`, 1)
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{flex}})
		l.gets("service_tier", `"flex"`)
		l = take(t, trip{from: O, to: G, stream: true, ask: streamO, answers: []string{sse(flex)}})
		is(t, "streamed", l.joined("service_tier"), "flex")
		for said, want := range map[string]string{"default": `"standard"`, "priority": `"priority"`} {
			answer := strings.Replace(hi[O], `"usage"`, `"service_tier":"`+said+`","usage"`, 1)
			take(t, trip{from: A, to: O, ask: plain[A], answers: []string{answer}}).gets("usage.service_tier", want)
		}
		answer := strings.Replace(hi[O], `"usage"`, `"service_tier":"priority","usage"`, 1)
		take(t, trip{from: G, to: O, ask: plain[G], answers: []string{answer}}).gets("usageMetadata.serviceTier", `"priority"`)
	}},
	{number: 980, name: "log-probabilities of an answer in the other form", run: func(t *testing.T) {
		likely := func(token string) string {
			return `{"content":[{"token":"` + token + `","logprob":-0.5,"bytes":null,"top_logprobs":[]}],"refusal":null}`
		}
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseLogprobs":true}}`
		whole := strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason"`, `"logprobs":`+likely("hi")+`,"finish_reason"`, 1)
		l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{whole}})
		is(t, "streamed", l.joined("candidates.0.logprobsResult.chosenCandidates.0.token"), "hi")
		piece := func(text string) string {
			return `{"id":"c","choices":[{"index":0,"delta":{"content":"` + text + `"},"logprobs":` + likely(text) + `,"finish_reason":null}]}`
		}
		l = take(t, trip{from: G, to: O, ask: ask, answers: []string{sse(piece("h"), piece("i"), delta(0, "", `"stop"`), "[DONE]")}})
		l.gets("candidates.0.logprobsResult.chosenCandidates.#.token", `["h","i"]`)
	}},
	{number: 981, name: "what a sound says in words, for Google's clients", run: func(t *testing.T) {
		sound := endO("stop", `"content":null,"audio":{"id":"audio_1","data":"UklGRiQAAABXQVZF","transcript":"hello"}`)
		take(t, trip{from: G, to: O, ask: plain[G], answers: []string{sound}}).warns("answer", chat.Dropped)
		mute := endO("stop", `"content":null,"audio":{"id":"audio_1","transcript":"hello"}`)
		l := take(t, trip{from: G, to: O, ask: plain[G], answers: []string{mute}})
		l.gets("candidates.0.content.parts.0.text", `"hello"`)
		l.warns("answer", chat.Approximated)
		stream := chunksO("stop", `{"audio":{"id":"audio_1","transcript":"hel"}}`, `{"audio":{"transcript":"lo"}}`)
		l = take(t, trip{from: G, to: O, stream: true, ask: streamG, answers: []string{stream}})
		is(t, "streamed", l.joined("candidates.0.content.parts.0.text"), "hello")
		l.warns("answer", chat.Approximated)
	}},
	{number: 982, name: "sketches among Google's thoughts are no pictures", run: func(t *testing.T) {
		sketch, picture := `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="},"thought":true}`, `{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgpA"}}`
		for _, answer := range []string{wholeG(sketch, picture), inChunks("STOP", sketch, picture)} {
			streamed := strings.HasPrefix(answer, "data")
			l := take(t, trip{from: O, to: G, stream: streamed, ask: plainly(O, streamed), answers: []string{answer}})
			if strings.Contains(l.body, "iVBORw0KGgo=") || !strings.Contains(l.body, "iVBORw0KGgpA") {
				t.Error(l.body)
			}
			l.warns("answer", chat.Dropped)
		}
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{wholeG(`{"text":"hi"}`, `{"inlineData":{"mimeType":"image/png","data":"%%"}}`)}})
		l.warns("answer", chat.Dropped)
	}},
	{number: 983, name: "what later answers of several lose", run: func(t *testing.T) {
		odd := strings.Replace(hi[A], `"end_turn"`, `"moonrise"`, 1)
		l := take(t, trip{from: O, to: A, ask: withO(`"n":8`), answers: append(slices.Repeat([]string{hi[A]}, 7), odd)})
		l.warns("answer", chat.Approximated)
	}},
	{number: 984, name: "what the rest of a paused answer loses", run: func(t *testing.T) {
		first := partsG(`{"text":"a"}`, `,"finishReason":"CONTINUATION","continuationToken":"t"`)
		rest := partsG(`{"functionCall":{"name":"g","args":{}}}`, `,"finishReason":"STOP"`)
		allowed := strings.Replace(offerO(`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"a"}}]}}`), "{", `{"stream":true,`, 1)
		l := take(t, trip{from: O, to: G, stream: true, ask: allowed, answers: []string{sse(first), sse(rest)}})
		l.warns("answer", chat.Dropped)
	}},
	{number: 985, name: "a whole answer that came as a stream", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: plain[O], answers: []string{messageA(textA(0, "hi"), "moonrise")}})
		l.gets("choices.0.finish_reason", `"stop"`)
		l.warns("answer", chat.Approximated)
		ask := offerO(`,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"a"}}]}}`)
		l = take(t, trip{from: O, to: A, ask: ask, answers: []string{messageA(textA(0, "hi")+toolA(1, "t", "b", "{}"), "tool_use")}})
		l.gets("choices.0.message.tool_calls", "")
		l.warns("answer", chat.Dropped)
	}},
	{number: 986, name: "a refusal that names a client's tool is about the tool", run: func(t *testing.T) {
		words := "Invalid schema for function 'billing_lookup': schema must be a JSON Schema of type object"
		for _, from := range []string{A, G} {
			l := try(t, trip{from: from, to: O, ask: plain[from], status: 400, answers: []string{said(O, words)}})
			if l.status != 400 || gjson.Get(l.body, "error.message").Str != words {
				t.Errorf("%s: %d %s", from, l.status, l.body)
			}
		}
		spent := `{"error":{"message":"Billing hard limit has been reached","type":"invalid_request_error","code":"billing_hard_limit_reached"}}`
		is(t, "a limit of the operator's", try(t, trip{from: A, to: O, ask: plain[A], status: 400, answers: []string{spent}}).status, http.StatusTooManyRequests)
	}},
	{number: 987, name: "content that a router refuses is not the operator's key", run: func(t *testing.T) {
		flagged := `{"error":{"code":403,"message":"m requires moderation. Your input was flagged for \"violence\".","metadata":{"reasons":["violence"],"flagged_input":"x","provider_name":"p"}}}`
		for _, from := range []string{A, G} {
			l := try(t, trip{from: from, to: O, kind: "openrouter", ask: plain[from], status: 403, answers: []string{flagged}})
			if l.status != 400 || !strings.Contains(l.body, "flagged") {
				t.Errorf("%s: %d %s", from, l.status, l.body)
			}
		}
	}},
	{number: 990, name: "refusals whose words are further in, and whose fault they are", run: func(t *testing.T) {
		for _, row := range []struct {
			to, kind     string
			status, want int
			body, words  string
		}{
			{O, "mistral", 422, 400, `{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","zzz"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}`, "Extra inputs"},
			{O, "groq", 400, 500, `{"error":{"message":"Failed to call a function. Please adjust your prompt.","type":"invalid_request_error","code":"tool_use_failed","failed_generation":"<function=f>"}}`, "tool_use_failed"},
			{O, "deepseek", 402, 429, `{"error":{"message":"Insufficient Balance","type":"unknown_error","code":"invalid_request_error"}}`, "quota"},
			{O, "openrouter", 402, 429, `{"error":{"message":"Insufficient credits. Add more","code":402}}`, "quota"},
			{G, "", 403, 400, `{"error":{"code":403,"message":"You do not have permission to access the File abc or it may not exist.","status":"PERMISSION_DENIED"}}`, "File abc"},
			{G, "", 403, 500, `{"error":{"code":403,"message":"Permission denied on resource project x.","status":"PERMISSION_DENIED"}}`, "credentials"},
		} {
			l := try(t, trip{from: A, to: row.to, kind: row.kind, ask: plain[A], status: row.status, answers: []string{row.body}})
			if l.status != row.want || !strings.Contains(l.body, row.words) {
				t.Errorf("%s: %d %s", row.body, l.status, l.body)
			}
		}
		for to, words := range map[string]string{A: "Output blocked by content filtering policy", O: "Invalid prompt: flagged\",\"code\":\"invalid_prompt"} {
			body := strings.Replace(strings.Replace(refusals[to], `,"param":null,"code":null`, "", 1), "%", words, 1)
			from := map[string]string{A: O, O: G}[to]
			l := try(t, trip{from: from, to: to, ask: plain[from], status: 400, answers: []string{body}})
			is(t, to, l.failure.Details["reason"], any("content_policy_violation"))
		}
	}},
	{number: 991, name: "words beside a call, in one part of Google's", run: func(t *testing.T) {
		for _, part := range []string{`{"functionCall":{"name":"f","args":{}},"text":"%"}`, `{"text":"%","functionCall":{"name":"f","args":{}}}`} {
			for _, words := range []string{"so", ""} {
				either(t, trip{from: O, to: G, answers: []string{inChunks("STOP", strings.Replace(part, "%", words, 1))}}, func(l *landed) {
					is(t, part, argued(l), "{}")
					is(t, words, strings.Contains(l.body, `"so"`), words == "so")
				})
			}
		}
	}},
	{number: 992, name: "what Google found and wants to be shown", run: func(t *testing.T) {
		more := `,"urlContextMetadata":{"urlMetadata":[{"retrievedUrl":"https://a.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_SUCCESS"},{"retrievedUrl":"https://b.example/","urlRetrievalStatus":"URL_RETRIEVAL_STATUS_ERROR"}]},` +
			`"groundingMetadata":{"webSearchQueries":["q"],"searchEntryPoint":{"renderedContent":"<x>"}},"zzz":{"a":1},"yyy":[]`
		for _, answer := range []string{partsG(`{"text":"hi"}`, `,"finishReason":"STOP"`+more), sse(partsG(`{"text":"hi"}`, more), partsG("", `,"finishReason":"STOP"`+more))} {
			streamed := strings.HasPrefix(answer, "data")
			l := take(t, trip{from: O, to: G, stream: streamed, ask: plainly(O, streamed), answers: []string{answer}})
			for _, name := range []string{"searchEntryPoint", "webSearchQueries", "zzz"} {
				is(t, name, strings.Count(l.told(), name), 1)
			}
			if strings.Count(l.body, `"url":"https://a.example/"`) != 1 || strings.Contains(l.body, "b.example") || strings.Contains(l.told(), "yyy") {
				t.Errorf("%s %s", l.body, l.told())
			}
		}
	}},
	{number: 993, name: "a call beside a refusal is a call", run: func(t *testing.T) {
		said := endO("tool_calls", `"content":"c","refusal":"r","tool_calls":[{"id":"t","type":"function","function":{"name":"f","arguments":"{}"}}]`)
		take(t, trip{from: G, to: O, ask: plain[G], answers: []string{said}}).gets("candidates.0.finishReason", `"STOP"`)
		take(t, trip{from: A, to: O, ask: plain[A], answers: []string{said}}).gets("stop_reason", `"tool_use"`)
	}},
	{number: 994, name: "a document's title without an ending", run: func(t *testing.T) {
		ask := sayA(`{"type":"document","title":"Annual report","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0x"}}`)
		l := take(t, trip{from: A, to: O, ask: ask})
		if !strings.Contains(l.got().Raw, `"filename":"Annual report.pdf"`) {
			t.Error(l.got().Raw)
		}
	}},
	{number: 988, name: "conversation and answer that are too long together", run: func(t *testing.T) {
		const byA, byO = "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
			"This model's maximum context length is 200000 tokens. However, you requested 210000 tokens (190000 in the messages, 20000 in the completion). Please reduce the length of the messages or completion."
		for _, row := range []struct{ from, to, words, want string }{
			{O, A, byA, byO}, {A, A, byA, byA}, {A, O, byO, byA}, {O, O, byO, byO}, {G, A, byA, "The input token count (210000) exceeds the maximum number of tokens allowed (200000)."},
		} {
			l := try(t, trip{from: row.from, to: row.to, ask: plain[row.from], status: 400, answers: []string{said(row.to, row.words)}})
			is(t, row.from+row.to, gjson.Get(l.body, "error.message").Str, row.want)
		}
	}},
	{number: 989, name: "thoughts that must not be modified are forgotten", run: func(t *testing.T) {
		words := "messages.1.content.0: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified. These blocks must remain as they were in the original response."
		ask := `{"model":"m","max_tokens":2000,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"text","text":"so"}]},{"role":"user","content":"on"}]}`
		l := take(t, trip{from: A, to: A, ask: ask, statuses: []int{400, 200}, answers: []string{said(A, words), hi[A]}})
		is(t, "calls", len(l.sent), 2)
		is(t, "the thoughts", l.sent[1].Get(`messages.1.content.#(type=="thinking").type`).Str, "")
	}},
}}
