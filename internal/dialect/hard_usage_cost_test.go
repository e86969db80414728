package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// usedO is OpenAI's plain answer with this usage.
func usedO(usage string) string {
	at := strings.Index(hi[O], `"usage":`)
	return hi[O][:at] + `"usage":` + usage + `}`
}

func usedA(usage string) string {
	at := strings.Index(hi[A], `"usage":`)
	return hi[A][:at] + `"usage":` + usage + `}`
}

var hardUsage = section{"J", "usage and cost", []hard{
	{number: 199, name: "Anthropic's classes in OpenAI's", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("user", "go")), answers: []string{
			usedA(`{"input_tokens":12,"cache_read_input_tokens":18000,"cache_creation_input_tokens":500,"output_tokens":900,"output_tokens_details":{"thinking_tokens":640}}`),
		}})
		for path, want := range map[string]string{
			"prompt_tokens": "18512", "prompt_tokens_details.cached_tokens": "18000", "prompt_tokens_details.cache_write_tokens": "500",
			"completion_tokens": "900", "completion_tokens_details.reasoning_tokens": "640", "total_tokens": "19412",
		} {
			l.gets("usage."+path, want)
		}
	}},
	{number: 201, name: "OpenAI's classes in Anthropic's", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: offerA(""), answers: []string{
			usedO(`{"prompt_tokens":18014,"prompt_tokens_details":{"cached_tokens":0,"cache_write_tokens":18011},"completion_tokens":40,"completion_tokens_details":{"reasoning_tokens":10},"total_tokens":18054}`),
		}})
		for path, want := range map[string]string{
			"input_tokens": "3", "cache_creation_input_tokens": "18011", "cache_read_input_tokens": "0", "output_tokens": "40",
			"output_tokens_details.thinking_tokens": "10",
		} {
			l.gets("usage."+path, want)
		}
	}},
	{number: 203, name: "input that is told twice", run: func(t *testing.T) {
		stream := strings.Replace(strings.Replace(messageA(textA(0, "hi"), "end_turn"), `"input_tokens":5`, `"input_tokens":27`, 1), `"usage":{"output_tokens":9}`, `"usage":{"input_tokens":27,"output_tokens":9}`, 1)
		l := take(t, trip{from: O, to: A, stream: true, ask: withO(`"stream":true,"stream_options":{"include_usage":true}`), answers: []string{stream}})
		usages := l.all("usage")
		if len(usages) != 1 || usages[0].Get("prompt_tokens").Int() != 27 || usages[0].Get("completion_tokens").Int() != 9 {
			t.Errorf("%v", usages)
		}
	}},
	{number: 205, name: "usage that nobody asked for", run: func(t *testing.T) {
		for _, far := range []trip{
			{to: O, answers: []string{chunksO("stop", `{"content":"hi"}`)}},
			{to: A, answers: []string{messageA(textA(0, "hi"), "end_turn")}},
			{to: G, answers: []string{sse(hi[G])}},
		} {
			far.from, far.stream, far.ask = O, true, withO(`"stream":true`)
			l := take(t, far)
			for _, e := range l.events() {
				if len(e.data.Get("choices").Array()) == 0 || e.data.Get("usage").Type == gjson.JSON {
					t.Errorf("from %s: %s", far.to, e.data.Raw)
				}
			}
			if u := l.reply.Seen.Usage; u.Prompt() == 0 || u.Completion() == 0 {
				t.Errorf("from %s: recorded %+v", far.to, u)
			}
		}
	}},
	{number: 207, name: "more from the cache than there was", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: offerA(""), answers: []string{usedO(`{"prompt_tokens":10,"prompt_tokens_details":{"cached_tokens":50},"completion_tokens":1,"total_tokens":11}`)}})
		for _, field := range []string{"input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"} {
			if n := gjson.Get(l.body, "usage."+field).Int(); n < 0 || n > 10 {
				t.Errorf("%s %d", field, n)
			}
		}
		l.warns("usage", chat.Approximated)
	}},
	{number: 208, name: "usage that is known only at the end", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("stop", `{"content":"hi"}`)}})
		for _, e := range l.events() {
			switch e.name {
			case "message_start":
				if e.data.Get("message.usage.input_tokens").Int() <= 0 {
					t.Error(e.data.Raw)
				}
			case "message_delta":
				same(t, e.data, "usage.input_tokens", "7")
				same(t, e.data, "usage.output_tokens", "9")
				same(t, e.data, "usage.cache_read_input_tokens", "0")
			}
		}
	}},
	{number: 210, name: "Gemini's thoughts count", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: talkO(says("user", "go")), answers: []string{
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"thoughtsTokenCount":20,"totalTokenCount":35}}`,
		}})
		l.gets("usage.completion_tokens", "25")
		l.gets("usage.completion_tokens_details.reasoning_tokens", "20")
		l.gets("usage.total_tokens", "35")
	}},
	{number: 211, name: "thinking tokens in a stream", run: func(t *testing.T) {
		chunk := `{"candidates":[{"content":{"role":"model","parts":[{"text":"hi"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":5,"thoughtsTokenCount":20,"totalTokenCount":35}}`
		l := take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(chunk)}})
		for _, e := range l.events() {
			if e.name == "message_delta" {
				same(t, e.data, "usage.output_tokens", "25")
				same(t, e.data, "usage.output_tokens_details.thinking_tokens", "20")
			}
		}
	}},
}}
