package upstream

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

const toolsGemini = `"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"type":"object","properties":{"a":{"type":"number"}},"required":["a"]}},{"name":"g"}]}]`

func TestGeminiAnswers(t *testing.T) {
	t.Parallel()
	s := NewGemini(t)
	v := post(t, s, path(s, "gemini-2.5-flash", false), `{"contents":[{"parts":[{"text":"look"},{"inlineData":{"mimeType":"image/jpeg","data":"`+tinyJPEG+`"}}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`).value(t)
	parts := listAt(v, "candidates", 0, "content", "parts")
	if len(parts) != 2 || !boolAt(parts, 0, "thought") || textAt(parts, 1, "text") != "You said: look I was given 1: image/jpeg." {
		t.Errorf("%s", encode(v))
	}
	usage := objectAt(v, "usageMetadata")
	if sum := intAt(usage, "promptTokenCount") + intAt(usage, "candidatesTokenCount") + intAt(usage, "thoughtsTokenCount"); sum != intAt(usage, "totalTokenCount") {
		t.Errorf("usage %s", encode(usage))
	}
}

// TestGeminiLoop runs three rounds of signed calls, and then breaks the signatures.
func TestGeminiLoop(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"gemini-3-flash", "gemini-2.5-flash"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			s := NewGemini(t)
			contents := `{"role":"user","parts":[{"text":"call:f,g*3"}]}`
			for round := range 4 {
				v := post(t, s, path(s, model, false), chatGemini(contents, toolsGemini)).value(t)
				content := objectAt(v, "candidates", 0, "content")
				if round == 3 {
					if text := textAt(content, "parts", 0, "text"); text != "The tools said: ok 2 | ok 2" {
						t.Fatalf("the end is %s", encode(v))
					}
					break
				}
				answers := ""
				for _, p := range listAt(content, "parts") {
					if call := objectAt(p, "functionCall"); call != nil {
						id := ""
						if call["id"] != nil {
							id = fmt.Sprintf(`"id":%q,`, textAt(call, "id"))
						}
						answers += fmt.Sprintf(`,{"functionResponse":{%s"name":%q,"response":{"output":"ok %d"}}}`, id, textAt(call, "name"), round)
					}
				}
				contents += `,` + string(encode(content)) + `,{"role":"user","parts":[` + answers[1:] + `]}`
			}
			if model == "gemini-2.5-flash" {
				return
			}
			if !strings.Contains(contents, `"thoughtSignature"`) {
				t.Fatal("nothing is signed")
			}
			for name, broken := range map[string]string{
				"other arguments": strings.Replace(contents, `"args":{"a":7}`, `"args":{"a":8}`, 1),
				"dropped":         strings.ReplaceAll(contents, `"thoughtSignature"`, `"partMetadata":{},"displayName"`),
			} {
				if answer := post(t, s, path(s, model, false), chatGemini(broken, toolsGemini)); answer.status != 400 {
					t.Errorf("%s: %d %s", name, answer.status, answer.body)
				}
			}
			if foreign := post(t, s, path(s, "gemini-4-pro", false), chatGemini(contents, toolsGemini)); foreign.status != 400 {
				t.Errorf("another family: %d %s", foreign.status, foreign.body)
			}
		})
	}
}

// TestGeminiStreamsWhatItSaysWhole also holds the sequence of dialects.md 3.3, as
// events and as an array.
func TestGeminiStreamsWhatItSaysWhole(t *testing.T) {
	t.Parallel()
	s := NewGemini(t)
	for _, text := range []string{"Grüße, <b> and more", "call:f,g and more"} {
		body := chatGemini(`{"role":"user","parts":[{"text":"`+text+`"}]}`, toolsGemini+`,"generationConfig":{"thinkingConfig":{"includeThoughts":true}}`)
		whole := post(t, s, path(s, "gemini-3-pro", false), body).value(t)
		var chunks []any
		answer := post(t, s, path(s, "gemini-3-pro", true), body)
		if !strings.HasSuffix(answer.body, "\r\n\r\n") || answer.header.Get("Content-Type") != "text/event-stream" {
			t.Errorf("%q %q", answer.header, answer.body)
		}
		for _, e := range events(t, answer.body) {
			chunks = append(chunks, e.value(t))
		}
		array := post(t, s, strings.TrimSuffix(path(s, "gemini-3-pro", true), "?alt=sse"), body)
		if got := string(encode(array.value(t))); got != string(encode(chunks)) || array.header.Get("Content-Type") != "application/json; charset=UTF-8" {
			t.Errorf("the array is %s", got)
		}
		var parts []any
		for i, c := range chunks {
			if last := i == len(chunks)-1; last != (textAt(c, "candidates", 0, "finishReason") == "STOP") {
				t.Errorf("chunk %d: %s", i, encode(c))
			}
			for _, p := range listAt(c, "candidates", 0, "content", "parts") {
				parts = joined(parts, p.(object))
			}
		}
		if got, want := string(encode(parts)), string(encode(at(whole, "candidates", 0, "content", "parts"))); got != want {
			t.Errorf("streamed %s\nwhole    %s", got, want)
		}
		last := chunks[len(chunks)-1]
		if string(encode(at(last, "usageMetadata"))) != string(encode(at(whole, "usageMetadata"))) {
			t.Errorf("usage %s", encode(last))
		}
	}
}

// joined adds a part to those before it, or to the text of the last.
func joined(parts []any, p object) []any {
	text, isText := p["text"].(string)
	if n := len(parts); n > 0 && isText {
		last := parts[n-1].(object)
		if before, ok := last["text"].(string); ok && last["thought"] == p["thought"] {
			last["text"] = before + text
			if p["thoughtSignature"] != nil {
				last["thoughtSignature"] = p["thoughtSignature"]
			}
			return parts
		}
	}
	if isText && text == "" {
		return parts
	}
	return append(parts, p)
}

func TestNumbersKeepTheirDigits(t *testing.T) {
	t.Parallel()
	s := NewGemini(t)
	s.Next(Say(Call("f", `{"id":12345678901234567890,"x":1.0}`)))
	v := post(t, s, path(s, "gemini-3-pro", false), chatGemini(userGemini, toolsGemini)).value(t)
	if id := at(v, "candidates", 0, "content", "parts", 0, "functionCall", "args", "id"); id != json.Number("12345678901234567890") {
		t.Errorf("%v", id)
	}
}
