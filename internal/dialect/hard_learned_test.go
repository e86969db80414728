package dialect_test

import (
	"strings"
	"testing"
)

// What the three APIs have learned in the autumn of 2026 and servers in their place have not, and the reverse.
var hardLearned = section{"BR", "what APIs have learned, and servers in their place have not", []hard{
	// Google's own samples for its cloud.
	{number: 1576, name: "who speaks, in capitals", run: func(t *testing.T) {
		for to, want := range map[string]string{O: "user assistant user", A: "user assistant user"} {
			l := take(t, trip{from: G, to: to, ask: `{"contents":[{"role":"USER","parts":[{"text":"a"}]},{"role":"MODEL","parts":{"text":"b"}},{"role":"User","parts":{"text":"c"}}]}`})
			var roles []string
			for _, m := range l.got().Get("messages").Array() {
				roles = append(roles, m.Get("role").Str)
			}
			is(t, to, strings.Join(roles, " "), want)
		}
		take(t, trip{from: G, to: O, ask: `{"contents":{"role":"USER","parts":{"text":"a"}}}`}).sends("messages.0.content", `"a"`)
		refuses(t, trip{from: G, to: O, ask: `{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}`}, "contents[0].role")
	}},
	// google-gemini-php/client#94: protobuf's JSON has what is no number in a string. OpenAI says -9999 of what cannot be.
	{number: 1577, name: "log-probabilities that are no numbers", run: func(t *testing.T) {
		for number, want := range map[string]string{`"-Infinity"`: "-9999", `"NaN"`: "-9999", `-20000`: "-9999", `-0.5`: "-0.5", `"Infinity"`: "0"} {
			answer := `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP","avgLogprobs":"Infinity","logprobsResult":{"chosenCandidates":[{"token":"a","logProbability":-0.5}],"topCandidates":[{"candidates":[{"token":"b","logProbability":` + number + `}]}]}}],"usageMetadata":{"promptTokenCount":1}}`
			for _, streamed := range []bool{false, true} {
				body := answer
				if streamed {
					body = sse(answer)
				}
				l := take(t, trip{from: O, to: G, stream: streamed, ask: withO(`"logprobs":true,"top_logprobs":1`), answers: []string{body}})
				is(t, number, strings.Contains(l.body, `"top_logprobs":[{"token":"b","logprob":`+want+`,`), true)
			}
		}
	}},
}}
