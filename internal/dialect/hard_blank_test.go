package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// What a client's library loses of an answer when it sends it back.
var hardBlank = section{"BC", "what libraries lose on the way back", []hard{
	// genkit-ai/genkit#3816: Google ends streams with a signature beside an empty text, and its library for Go leaves empty texts out.
	{number: 1390, name: "a signature without the empty text that it came with, to Google", answer: "asked again with the text, with a warning", run: func(t *testing.T) {
		const words = "* GenerateContentRequest.contents[1].parts[1].data: required oneof field 'data' must have one initialized field"
		ask := func(part string) string {
			return `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"so"},` + part + `]},{"role":"user","parts":[{"text":"on"}]}]}`
		}
		for part, want := range map[string]string{
			`{"thoughtSignature":"c2ln"}`:                                             `{"thoughtSignature":"c2ln","text":""}`,
			`{"thought":true,"thought_signature":"c2ln"}`:                             `{"thought":true,"thought_signature":"c2ln","text":""}`,
			`{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}`:       `{"functionCall":{"name":"f","args":{}},"thoughtSignature":"c2ln"}`,
			`{"text":"","thoughtSignature":"c2ln"}`:                                   `{"text":"","thoughtSignature":"c2ln"}`,
			`{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`:          `{"inlineData":{"mimeType":"image/png","data":"` + pixel + `"}}`,
			`{"thoughtSignature":"c2ln"},{"thoughtSignature":"c2ln","text":"so far"}`: `{"thoughtSignature":"c2ln","text":""}`,
		} {
			for _, streamed := range []bool{false, true} {
				l := take(t, refusesFirst(trip{from: G, to: G, stream: streamed, ask: ask(part)}, 400, words))
				is(t, part, l.then().Get("contents.1.parts.1").Raw, want)
				is(t, part+", the rest", l.then().Get("contents.1.parts.0").Raw+l.then().Get("contents.2").Raw, `{"text":"so"}{"role":"user","parts":[{"text":"on"}]}`)
				is(t, part+", told: "+l.told(), l.warned("contents", chat.Added), !strings.HasPrefix(part, want))
			}
		}
	}},
}}
