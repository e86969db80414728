package dialect_test

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

var hardStreams = section{"K", "streams and transport", []hard{
	{number: 212, name: "a Gemini stream without alt=sse", elsewhere: "TestHard212AStreamAsAnArray"},
	{number: 214, name: "only data lines", run: func(t *testing.T) {
		for to, answer := range streamsOf("hi") {
			l := take(t, trip{from: G, to: to, stream: true, ask: plain[G], answers: []string{answer}})
			if to == G {
				continue // passes as it is
			}
			body := strings.ReplaceAll(l.body, "\r\n", "\n")
			for line := range strings.SplitSeq(body, "\n") {
				if line != "" && !strings.HasPrefix(line, "data: {") {
					t.Errorf("from %s: %q", to, line)
				}
			}
			if !strings.HasSuffix(body, "\n\n") {
				t.Error("no blank line at the end")
			}
		}
	}},
	{number: 216, name: "chunks as OpenAI's SDKs want them", run: func(t *testing.T) {
		answers := map[string]string{
			A: messageA(textA(0, "a", "b")+toolA(1, "t1", "f", `{"a":`, `1}`), "tool_use"),
			G: sse(`{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]}}]}`, wholeG(`{"functionCall":{"name":"f","args":{"a":1}}}`)),
		}
		for to, answer := range answers {
			l := take(t, trip{from: O, to: to, stream: true, ask: streamO, answers: []string{answer}})
			ids, roles := map[string]bool{}, 0
			for i, e := range l.events() {
				if e.data.Get("error").Exists() {
					t.Error(e.data.Raw)
				}
				ids[e.data.Get("id").Str] = true
				if e.data.Get("choices.0.delta.role").Exists() {
					roles++
					is(t, "the chunk with the role", i, 0)
				}
				for _, call := range e.data.Get("choices.0.delta.tool_calls").Array() {
					if !call.Get("index").Exists() || call.Get("id").Exists() && !call.Get("type").Exists() {
						t.Error(call.Raw)
					}
				}
			}
			is(t, "ids", len(ids), 1)
			is(t, "roles", roles, 1)
			if !strings.HasSuffix(l.body, "data: [DONE]\n\n") {
				t.Error("no end")
			}
		}
	}},
	{number: 218, name: "events as Anthropic's SDKs want them", run: func(t *testing.T) {
		for to, answer := range streamsOf("hi") {
			if to == A {
				continue
			}
			l := take(t, trip{from: A, to: to, stream: true, ask: streamA, answers: []string{answer}})
			events := l.events()
			for _, e := range events {
				is(t, "the event's name", e.name, e.data.Get("type").Str)
			}
			if !events[0].data.Get("message.usage").Exists() || !events[0].data.Get("message.content").IsArray() {
				t.Error(events[0].data.Raw)
			}
			n := len(events)
			if events[n-2].name != "message_delta" || !events[n-2].data.Get("usage").Exists() || events[n-1].name != "message_stop" || !strings.HasSuffix(l.body, "\n\n") {
				t.Error(l.body)
			}
		}
	}},
	{number: 220, name: "the last chunk of a Gemini stream", run: func(t *testing.T) {
		for to, answer := range streamsOf("hi") {
			if to == G {
				continue
			}
			l := take(t, trip{from: G, to: to, stream: true, ask: plain[G], answers: []string{answer}})
			events := l.events()
			for i, e := range events {
				if len(e.data.Get("candidates.0.content.parts").Array()) == 0 {
					t.Errorf("chunk %d has no parts: %s", i, e.data.Raw)
				}
			}
			last := events[len(events)-1].data
			if last.Get("candidates.0.finishReason").Str != "STOP" || !last.Get("usageMetadata.totalTokenCount").Exists() {
				t.Error(last.Raw)
			}
		}
	}},
	{number: 221, name: "a refusal before the first byte", elsewhere: "TestHard221ARefusalBeforeTheFirstByteKeepsItsStatus"},
	{number: 223, name: "a stream that just ends", run: func(t *testing.T) {
		whole := chunksO("stop", `{"content":"so far"}`)
		l := try(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{whole[:strings.Index(whole, `"finish_reason":"stop"`)-100]}})
		if l.failure == nil || !strings.Contains(l.body, "event: error") || strings.Contains(l.body, "message_stop") || strings.Contains(l.body, "end_turn") {
			t.Errorf("%v\n%s", l.failure, l.body)
		}
		l = try(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("", `{"content":"so far"}`)}})
		if l.failure == nil || !strings.Contains(l.body, "event: error") || strings.Contains(l.body, "message_stop") {
			t.Errorf("%v\n%s", l.failure, l.body)
		}
	}},
	{number: 225, name: "chunks without choices", run: func(t *testing.T) {
		answer := sse(`{"id":"","choices":[],"prompt_filter_results":[{"prompt_index":0}]}`) + strings.Replace(chunksO("stop", `{"content":"hi"}`), "data: [DONE]", `data: {"id":"x","note":1}`+"\n\ndata: [DONE]", 1)
		l := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{answer}})
		is(t, "the text", l.joined("delta.text"), "hi")
	}},
	{number: 226, name: "a client that leaves early", elsewhere: "TestHard226AClientThatLeavesEarlyEndsTheCall"},
	{number: 228, name: "very many deltas", elsewhere: "TestHard228ManyDeltasLeaveNothingBehind"},
	{number: 230, name: "frames of every sort", run: func(t *testing.T) {
		for to, answer := range streamsOf("hi") {
			odd := "\xef\xbb\xbf: comment\r\n\r\nretry: 3\r\nid: 7\r\n\r\n" + strings.ReplaceAll(strings.ReplaceAll(answer, "data: ", "data:"), "\n", "\r\n")
			for _, from := range []string{O, A, G} {
				if from == to {
					continue
				}
				ask := map[string]string{O: streamO, A: streamA, G: streamG}[from]
				l := take(t, trip{from: from, to: to, stream: true, ask: ask, answers: []string{odd}})
				if !strings.Contains(l.body, `"hi"`) {
					t.Errorf("%s from %s: %s", from, to, l.body)
				}
			}
		}
	}},
	{number: 232, name: "whole where a stream was wanted, and the reverse", run: func(t *testing.T) {
		asks := map[string]string{O: streamO, A: streamA, G: streamG}
		for _, from := range []string{O, A, G} {
			for to, answer := range streamsOf("hi") {
				l := take(t, trip{from: from, to: to, stream: true, ask: asks[from], answers: []string{hi[to]}})
				if len(l.events()) == 0 || !strings.Contains(l.body, `"hi"`) {
					t.Errorf("%s from %s, streamed: %s", from, to, l.body)
				}
				l = take(t, trip{from: from, to: to, ask: plain[from], answers: []string{answer}})
				if !gjson.Valid(l.body) || !strings.Contains(l.body, `"hi"`) {
					t.Errorf("%s from %s, whole: %s", from, to, l.body)
				}
			}
		}
	}},
	{number: 740, name: "a stream that is announced as something else, and the reverse", run: func(t *testing.T) {
		for _, said := range []string{"application/json", "text/plain; charset=utf-8", ""} {
			for to, answer := range streamsOf("hi") {
				for _, streamed := range []bool{true, false} {
					for _, from := range []string{O, A, G} {
						way := trip{from: from, to: to, stream: streamed, header: http.Header{"Content-Type": {said}}, answers: []string{"\n" + answer}}
						if streamed && from == to {
							continue // its bytes pass, and with them whatever announces them
						}
						if got := tells(t, way); got != "|hi||stop" {
							t.Errorf("%s from %s as %q (streamed %t): %s", from, to, said, streamed, got)
						}
						if way.answers[0] = hi[to]; said != "application/json" {
							if got := tells(t, way); got != "|hi||stop" {
								t.Errorf("%s from %s, whole as %q (streamed %t): %s", from, to, said, streamed, got)
							}
						}
					}
				}
			}
		}
	}},
	{number: 234, name: "an answer that goes on", run: func(t *testing.T) {
		first := `{"candidates":[{"content":{"role":"model","parts":[{"text":"one "}]},"finishReason":"CONTINUATION","continuationToken":"tok1","index":0}],"usageMetadata":{"promptTokenCount":5,"candidatesTokenCount":2,"totalTokenCount":7}}`
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{first, wholeG(`{"text":"two"}`)}})
		l.gets("choices.0.message.content", `"one two"`)
		l.gets("choices.0.finish_reason", `"stop"`)
		is(t, "the calls", len(l.sent), 2)
		same(t, l.sent[1], "continuationToken", `"tok1"`)
		l = take(t, trip{from: O, to: G, stream: true, ask: withO(`"stream":true`), answers: []string{sse(first), sse(wholeG(`{"text":"two"}`))}})
		is(t, "the text", l.joined("choices.0.delta.content"), "one two")
		is(t, "the finish", l.joined("choices.0.finish_reason"), "stop")
		for _, ask := range []trip{{answers: []string{first}, ask: plain[O]}, {answers: []string{sse(first)}, stream: true, ask: withO(`"stream":true`)}} {
			ask.from, ask.to = O, G
			l = take(t, ask) // for ever
			if len(l.sent) > 9 || strings.Contains(l.body, "CONTINUATION") || !strings.Contains(l.body, `"length"`) {
				t.Errorf("%d calls: %s", len(l.sent), l.body)
			}
		}
	}},
	{number: 236, name: "a prompt that was blocked", run: func(t *testing.T) {
		answer := `{"promptFeedback":{"blockReason":"SAFETY"},"usageMetadata":{"promptTokenCount":5,"totalTokenCount":5}}`
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{answer}})
		l.gets("choices.0.message.content", "null")
		l.gets("choices.0.finish_reason", `"content_filter"`)
		l = take(t, trip{from: O, to: G, stream: true, ask: withO(`"stream":true`), answers: []string{sse(answer)}})
		is(t, "the finish", l.joined("choices.0.finish_reason"), "content_filter")
		l = take(t, trip{from: A, to: G, ask: plain[A], answers: []string{answer}})
		l.gets("content", "[]")
		l.gets("stop_reason", `"refusal"`)
		l = take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(answer)}})
		is(t, "stop_reason", l.joined("delta.stop_reason"), "refusal")
	}},
	{number: 237, name: "a stream asked for with another Accept", elsewhere: "TestHard237AStreamWhateverAcceptSays"},
	{number: 520, name: "characters at which readers of text end a line", elsewhere: "TestHard520AnEventIsOneLineToReadersOfText"},
	{number: 238, name: "a stream in gzip", run: func(t *testing.T) {
		for to, answer := range streamsOf("hi") {
			var packed bytes.Buffer
			w := gzip.NewWriter(&packed)
			_, _ = w.Write([]byte(answer))
			_ = w.Close()
			for _, from := range []string{O, A, G} {
				ask := map[string]string{O: streamO, A: streamA, G: streamG}[from]
				l := take(t, trip{from: from, to: to, stream: true, ask: ask, header: http.Header{"Content-Encoding": {"gzip"}}, answers: []string{packed.String()}})
				if !strings.Contains(l.body, `"hi"`) {
					t.Errorf("%s from %s: %q", from, to, l.body)
				}
			}
		}
		stillIncremental(t)
	}},
}}

// streamsOf is an answer as each upstream streams it.
func streamsOf(text string) map[string]string {
	return map[string]string{
		O: chunksO("stop", `{"content":`+quoted(text)+`}`),
		A: messageA(textA(0, text), "end_turn"),
		G: sse(wholeG(`{"text":` + quoted(text) + `}`)),
	}
}
