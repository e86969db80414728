package dialect_test

import (
	"fmt"
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
				way := refusesFirst(trip{from: G, to: G, stream: streamed, ask: ask(part)}, 400, words)
				if strings.HasPrefix(part, want) { // it is about something else
					l := try(t, way)
					is(t, part, fmt.Sprint(l.status, len(l.sent)), "400 1")
					continue
				}
				l := take(t, way)
				is(t, part, l.then().Get("contents.1.parts.1").Raw, want)
				is(t, part+", the rest", l.then().Get("contents.1.parts.0").Raw+l.then().Get("contents.2").Raw, `{"text":"so"}{"role":"user","parts":[{"text":"on"}]}`)
				is(t, part+", told: "+l.told(), l.warned("contents", chat.Added), true)
			}
		}
	}},
	// LangChain and others gather the parts of all frames of a stream in one turn.
	{number: 1391, name: "thoughts in as many pieces as a stream had, in one turn of Google's API", run: func(t *testing.T) {
		const wish = `"generationConfig":{"thinkingConfig":{"includeThoughts":true,"thinkingBudget":2000}},`
		thought := strings.Replace(thoughtA(0, "Hm,", claudes), "event: content_block_stop", strings.TrimSpace(named(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":" so be it."}}`))+"\n\nevent: content_block_stop", 1)
		call := named(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}`, `{"type":"content_block_stop","index":1}`)
		first := take(t, trip{from: G, to: A, stream: true, ask: `{` + wish + toolsG + `,"contents":[{"parts":[{"text":"go"}]}]}`, answers: []string{messageA(thought+call, "tool_use")}})
		var parts []string
		for _, part := range first.all("candidates.0.content.parts.0") {
			parts = append(parts, part.Raw)
		}
		is(t, "pieces: "+strings.Join(parts, ","), len(parts) > 3, true)
		for _, more := range []string{"", `,{"text":"two","thought":true},{"text":" more","thought":true}`} {
			back := take(t, trip{from: G, to: A, ask: `{` + wish + toolsG + `,"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[` + strings.Join(parts, ",") + more + `]},{"parts":[{"functionResponse":{"name":"f","response":{"result":"x"}}}]}]}`})
			back.sends("messages.1.content.0", `{"type":"thinking","thinking":"Hm, so be it.","signature":"`+claudes+`"}`)
			back.sends("messages.1.content.1.type", `"tool_use"`)
		}
	}},
	// Agents put what a tool of the Model Context Protocol gave them, and LangChain's own blocks, into a message as they are.
	{number: 1392, name: "pictures and sounds with their data beside their type, in OpenAI's API", run: func(t *testing.T) {
		ask := func(part string) string {
			return `{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"see"},` + part + `]}]}`
		}
		for _, part := range []string{`{"type":"image","mimeType":"image/png","data":"` + pixel + `"}`, `{"type":"image","source_type":"base64","mime_type":"image/png","data":"` + pixel + `"}`} {
			for _, own := range []bool{false, true} {
				take(t, trip{from: O, to: O, own: own, ask: ask(part)}).sends("messages.0.content.1", `{"type":"image_url","image_url":{"url":"data:image/png;base64,`+pixel+`"}}`)
			}
			take(t, trip{from: O, to: A, ask: ask(part)}).sends("messages.0.content.1.source", `{"type":"base64","media_type":"image/png","data":"`+pixel+`"}`)
			take(t, trip{from: O, to: G, ask: ask(part)}).sends("contents.0.parts.1.inlineData.mimeType", `"image/png"`)
		}
		take(t, trip{from: O, to: G, ask: ask(`{"type":"audio","mimeType":"audio/wav","data":"UklGRg=="}`)}).sends("contents.0.parts.1.inlineData.mimeType", `"audio/wav"`)
		for _, part := range []string{`{"type":"image"}`, `{"type":"image","data":"` + pixel + `"}`, `{"type":"image","mimeType":"image/png","data":"%"}`, `{"type":"audio"}`} {
			is(t, part, try(t, trip{from: O, to: A, ask: ask(part)}).status, 400)
		}
		const theirs = `{"type":"image","image":"https://example.com/a.png"}`
		take(t, trip{from: O, to: O, own: true, ask: ask(theirs)}).sends("messages.0.content.1", theirs)
	}},
}}
