package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

const cited = `"annotations":[{"type":"url_citation","url_citation":{"start_index":0,"end_index":2,"title":"T","url":"https://a.example/"}}]`

var hardFound = section{"N", "found to fail in November 2026", []hard{
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
