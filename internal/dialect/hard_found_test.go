package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

const cited = `"annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":2,"title":"T","url":"https://a.example/"}}]`

var hardFound = section{"N", "found to fail in November 2026", []hard{
	{number: 301, name: "a conversation that is too long, in the words that clients look for", run: func(t *testing.T) {
		for _, told := range []struct {
			to, body string
			status   int
			tokens   string // "": no figures
			window   string
		}{
			{O, `{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 130001 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`, 400, "130001", "128000"},
			{O, `{"error":{"message":"This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4500 in the messages, 500 in the completion).","type":"BadRequestError","code":400}}`, 400, "5000", "4096"},
			{O, `{"error":{"code":400,"message":"request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it","type":"exceed_context_size_error"}}`, 400, "5000", "4096"},
			{O, `{"error":{"message":"Please reduce the length of the messages or completion.","type":"invalid_request_error","code":"context_length_exceeded"}}`, 400, "", ""},
			{O, `{"error":"the request exceeds the available context size"}`, 500, "", ""},
			{A, `{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 205000 tokens > 200000 maximum"}}`, 400, "205000", "200000"},
			{G, `{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}`, 400, "1200000", "1048576"},
		} {
			for from, words := range map[string][3]string{
				A: {"prompt is too long", "prompt is too long: %t tokens > %w maximum", "error.message"},
				O: {"maximum context length", "%w tokens", "error.message"},
				G: {"exceeds the maximum number of tokens", "(%t) exceeds the maximum number of tokens allowed (%w)", "error.message"},
			} {
				l := try(t, trip{from: from, to: told.to, ask: plain[from], status: told.status, answers: []string{told.body}})
				said := gjson.Get(l.body, words[2]).Str
				want := words[0]
				if told.tokens != "" {
					want = strings.NewReplacer("%t", told.tokens, "%w", told.window).Replace(words[1])
				}
				if l.status != 400 || !strings.Contains(said, want) || from == A && !strings.HasPrefix(said, words[0]) {
					t.Errorf("%s from %s: %d %s, want %q", from, told.to, l.status, l.body, want)
				}
				if from == O {
					l.gets("error.code", `"context_length_exceeded"`)
				}
			}
		}
	}},
	{number: 311, name: "sources that only Anthropic's own search can name", answer: "they are left out and reported: Claude refuses them without its index", run: func(t *testing.T) {
		for _, answer := range []string{
			endO("stop", `"content":"hi",`+cited),
			sse(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hi",`+cited+`}}]}`,
				`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, "[DONE]"),
		} {
			l := take(t, trip{from: A, to: O, ask: plain[A], answers: []string{answer}, stream: strings.HasPrefix(answer, "data:")})
			if strings.Contains(l.body, "citation") || !strings.Contains(l.body, "hi") {
				t.Error(l.body)
			}
			l.warns("answer", chat.Dropped)
			if !strings.Contains(l.record, "dropped") {
				t.Errorf("the record has %q", l.record)
			}
		}
	}},
	{number: 314, name: "what is lost of an answer is told and recorded, streamed or not", run: func(t *testing.T) {
		paused := strings.Replace(endG("CONTINUATION", `{"text":"hi"}`), `"finishReason"`, `"continuationToken":"t","finishReason"`, 1)
		for name, way := range map[string]trip{
			"a continuation that is cut off": {from: A, to: G, answers: []string{paused}},
			"a picture":                      {from: A, to: G, answers: []string{wholeG(`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`)}},
			"an end without a name":          {from: A, to: O, answers: []string{endO("weird", `"content":"hi"`)}},
			"citations of a document":        {from: O, to: A, answers: []string{contents[A][3].answer}},
			"a call that was cut off":        {from: G, to: O, answers: []string{endO("length", `"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{\"x"}}]`)}},
			"orphan result":                  {from: O, to: A, ask: talkO(says("user", "go"), `{"role":"tool","tool_call_id":"nobody","content":"x"}`)},
		} {
			if way.ask == "" {
				way.ask = plain[way.from]
			}
			for _, stream := range []bool{false, true} {
				way.stream = stream
				if stream && len(way.answers) > 0 {
					way.answers = []string{"data: " + way.answers[0] + "\n\n"}
					if way.to == A {
						continue // its streams have other frames
					}
					way.answers[0] = strings.ReplaceAll(way.answers[0], `"message":`, `"delta":`)
				} else if stream {
					continue
				}
				l := take(t, way)
				if len(l.losses) == 0 || l.record == "" {
					t.Errorf("%s, stream %v: told %s, recorded %q", name, stream, l.told(), l.record)
				}
			}
		}
	}},
}}

// A server that is not the author's own, whatever its kind is called, gets what compatible
// servers take and its own thoughts back; a proxy before the author's gets what the author takes.
func TestOtherServersGetWhatCompatibleOnesTake(t *testing.T) {
	t.Parallel()
	const history = `{"role":"user","content":"go"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[` + calling + `]},{"role":"tool","tool_call_id":"c1","content":"x"}`
	for _, own := range []bool{false, true} {
		l := take(t, trip{from: A, to: O, own: own, ask: `{"model":"m","max_tokens":9,"metadata":{"user_id":"u"},"messages":[{"role":"user","content":"go"}]}`})
		for member, authors := range map[string]bool{"max_completion_tokens": true, "safety_identifier": true, "max_tokens": false} {
			if l.got().Get(member).Exists() != (authors != own) {
				t.Errorf("own %v: %s in %s", own, member, l.got().Raw)
			}
		}
		l = take(t, trip{from: O, to: O, own: own, ask: talkO(history)})
		if got := l.got().Get("messages.1.reasoning_content").Str; (got == "hm") != own {
			t.Errorf("own %v: thoughts %q, told %s", own, got, l.told())
		}
		if own {
			l.quiet()
		}
	}
}
