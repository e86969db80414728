package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// delta is a chunk of OpenAI's with one choice's delta.
func delta(choice int, members, finish string) string {
	if finish == "" {
		finish = "null"
	}
	return fmt.Sprintf(`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":%d,"delta":{%s},"finish_reason":%s}]}`, choice, members, finish)
}

var hardOrder = section{"N", "found to fail in November 2026", []hard{
	{number: 304, name: "a schema that needs itself", answer: "the property that leads back is not required any more", run: func(t *testing.T) {
		const node = `{"type":"object","properties":{"name":{"type":"string"},"next":{"$ref":"#/$defs/node"}},"required":["name","next"]}`
		for name, row := range map[string]struct{ schema, at, want string }{
			"one that needs itself":   {`{"type":"object","properties":{"n":{"$ref":"#/$defs/node"}},"required":["n"],"$defs":{"node":` + node + `}}`, "$defs.node.required", `["name"]`},
			"a list of itself":        {`{"type":"object","properties":{"n":{"$ref":"#/$defs/t"}},"$defs":{"t":{"type":"object","properties":{"kids":{"type":"array","items":{"$ref":"#/$defs/t"}}},"required":["kids"]}}}`, "$defs.t.required", ""},
			"two that need another":   {`{"type":"object","properties":{"n":{"$ref":"#/definitions/a"}},"definitions":{"a":{"type":"object","properties":{"b":{"$ref":"#/definitions/b"}},"required":["b"]},"b":{"type":"object","properties":{"a":{"$ref":"#/definitions/a"}},"required":["a"]}}}`, "$defs.#", ""},
			"as a whole":              {`{"type":"object","properties":{"v":{"type":"string"},"next":{"$ref":"#"}},"required":["v","next"]}`, "$defs.root_.required", `["v"]`},
			"in the middle of others": {`{"type":"object","properties":{"n":{"$ref":"#/$defs/x"}},"$defs":{"x":{"type":"object","properties":{"in":{"type":"object","properties":{"up":{"$ref":"#/$defs/x"}},"required":["up"]}},"required":["in"]}}}`, "$defs.x.properties.in.required", ""},
			"without a property":      {`{"type":"object","properties":{"n":{"$ref":"#/$defs/j"}},"$defs":{"j":{"anyOf":[{"type":"string"},{"type":"array","items":{"$ref":"#/$defs/j"}}]}}}`, "$defs.j.anyOf.1.items", `{}`},
			"optional is fine":        {strings.Replace(`{"type":"object","properties":{"n":{"$ref":"#/$defs/node"}},"$defs":{"node":`+node+`}}`, `,"next"]`, `]`, 1), "$defs.node.required", `["name"]`},
		} {
			l := take(t, trip{from: O, to: G, ask: `{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + row.schema + `}}]}`})
			schema := l.got().Get("tools.0.functionDeclarations.0.parametersJsonSchema")
			same(t, schema, row.at, row.want)
			if fine := strings.HasSuffix(name, "fine"); fine == l.warned("tools[0]", chat.Approximated) {
				t.Errorf("%s: told %s", name, l.told())
			}
			if name == "two that need another" && strings.Count(schema.Raw, "required") != 1 {
				t.Errorf("more was loosened than had to be: %s", schema.Raw)
			}
		}
	}},
	{number: 305, name: "thoughts between words come back between them", run: func(t *testing.T) {
		blocks := []string{`{"type":"thinking","thinking":"one","signature":"` + claudes + `1"}`, `{"type":"text","text":"é, so "}`,
			`{"type":"thinking","thinking":"two","signature":"` + claudes + `2"}`, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`}
		ask := `{"model":"m","reasoning_effort":"high",` + toolsO + `,"messages":[{"role":"user","content":"go"}%s]}`
		l := take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, ""), answers: []string{wholeA("tool_use", blocks...)}})
		message := gjson.Get(l.body, "choices.0.message").Raw
		again := func(message string) *landed {
			return take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, `,`+message+`,{"role":"tool","tool_call_id":"toolu_1","content":"x"}`)})
		}
		back := again(message)
		back.sends("messages.1.content", "["+strings.Join(blocks, ",")+"]")
		// A client that changed the words, or lost a thought, gets no thoughts in another order.
		for _, changed := range []string{strings.Replace(message, "é, so ", "s", 1), withoutDetail(message)} {
			if changed == message {
				t.Fatal("nothing was changed")
			}
			back = again(changed)
			back.sends("messages.1.content.#.type", `["text","tool_use"]`)
			back.sends("thinking.type", `"disabled"`)
			back.warns("reasoning_effort", chat.Dropped)
		}
	}},
	{number: 306, name: "two thoughts of a stream, each told once", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, stream: true, ask: strings.Replace(streamO, `"stream"`, `"reasoning_effort":"high","stream"`, 1), answers: []string{
			messageA(thoughtA(0, "one", claudes+"1")+textA(1, "so ")+thoughtA(2, "two", claudes+"2")+textA(3, "it is"), "end_turn")}})
		var said []string
		for _, list := range l.all("choices.0.delta.reasoning_details") {
			for _, d := range list.Array() {
				envelope, _ := chat.Unwrap(d.Get("signature").Str)
				said = append(said, d.Get("index").Raw+d.Get("text").Str+envelope.Raw)
			}
		}
		is(t, "the thoughts", strings.Join(said, " "), "0one"+claudes+"1 1two"+claudes+"2")
		is(t, "the place of the second", l.all("choices.0.delta.reasoning_details.0.after.content")[0].Raw, "3")
	}},
	{number: 307, name: "what Claude signed, moved to Gemini 3", run: func(t *testing.T) {
		ask := `{"contents":[{"role":"user","parts":[{"text":"go"}]}%s],"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`
		first := take(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, ""), answers: []string{wholeA("tool_use", `{"type":"thinking","thinking":"hm","signature":"`+claudes+`"}`,
			`{"type":"tool_use","id":"t1","name":"f","input":{}}`, `{"type":"tool_use","id":"t2","name":"f","input":{}}`)}})
		parts := gjson.Get(first.body, "candidates.0.content.parts").Array()
		is(t, "the parts", len(parts), 3)
		results := `{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"f","response":{}}},{"functionResponse":{"id":"t2","name":"f","response":{}}}]}`
		whole := `,{"role":"model","parts":[` + parts[0].Raw + `,` + parts[1].Raw + `,` + parts[2].Raw + `]},` + results
		pieces := `,{"role":"model","parts":[` + parts[0].Raw + `]},{"role":"model","parts":[` + parts[1].Raw + `]},{"role":"model","parts":[` + parts[2].Raw + `]},` + results
		for _, history := range []string{whole, pieces} {
			l := take(t, trip{from: G, to: G, model: "gemini-3-pro", ask: fmt.Sprintf(ask, history)})
			is(t, "the placeholders", strings.Count(l.got().Raw, `"thoughtSignature":"skip_thought_signature_validator"`), 1)
			if strings.Contains(l.got().Raw, chat.EnvelopePrefix) {
				t.Error(l.got().Raw)
			}
			for _, p := range l.got().Get(`contents.#.parts|@flatten`).Array() {
				if p.Get("thoughtSignature").Exists() != (p.Get("functionCall.id").Str == "t1") {
					t.Error(p.Raw)
				}
			}
			l = take(t, trip{from: G, to: G, model: "gemini-2.5-flash", ask: fmt.Sprintf(ask, history)})
			is(t, "the placeholders", strings.Count(l.got().Raw, `thoughtSignature`), 0)
		}
		// One that signed nothing is told by Google's refusal, and asked again.
		l := take(t, trip{from: G, to: G, model: "gemini-3-pro", ask: fmt.Sprintf(ask, `,{"role":"model","parts":[`+parts[1].Raw+`]},{"role":"user","parts":[{"functionResponse":{"id":"t1","name":"f","response":{}}}]}`),
			answers: []string{`{"error":{"code":400,"message":"Function call is missing a thought_signature in functionCall parts.","status":"INVALID_ARGUMENT"}}`, hi[G]}, statuses: []int{400, 200}})
		is(t, "the calls", len(l.sent), 2)
		is(t, "the placeholders", strings.Count(l.sent[1].Raw, `"thoughtSignature":"skip_thought_signature_validator"`), 1)
	}},
	{number: 308, name: "two candidates in a stream", run: func(t *testing.T) {
		answer := sse(delta(0, `"role":"assistant","content":"a"`, ""), delta(1, `"role":"assistant","content":"x"`, ""), delta(0, `"content":"b"`, ""), delta(1, `"content":"y"`, ""),
			delta(1, `"tool_calls":[{"index":0,"id":"k","type":"function","function":{"name":"f","arguments":"{}"}}]`, ""), delta(1, "", `"tool_calls"`), delta(0, "", `"length"`),
			`{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7}}`, "[DONE]")
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{"candidateCount":2}}`
		l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{answer}})
		l.sends("n", "2")
		l.sends("stream", "true")
		said, ends, usage := map[string]string{}, map[string]string{}, 0
		for _, e := range l.events() {
			c := e.data.Get("candidates.0")
			at := c.Get("index").Raw
			for _, p := range c.Get("content.parts").Array() {
				said[at] += p.Get("text").Str + p.Get("functionCall.name").Str
			}
			ends[at] += c.Get("finishReason").Str
			total := e.data.Get("usageMetadata.totalTokenCount")
			is(t, "usage in the frame", total.Exists(), true)
			if total.Int() > 0 {
				usage++
			}
		}
		is(t, "the answers", said["0"]+" "+said["1"], "ab xyf")
		is(t, "the ends", ends["0"]+" "+ends["1"], "MAX_TOKENS STOP")
		is(t, "the times that usage is told", usage, 1)
		tokens := l.all("usageMetadata.totalTokenCount")
		is(t, "the tokens", tokens[len(tokens)-1].Raw, "7")
		// An upstream that streams nothing gives both as well, one that gives more than it was asked for only the first.
		l = take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"b"},"finish_reason":"stop"}]}`}})
		is(t, "both", l.joined("candidates.0.content.parts.0.text"), "ab")
		l = take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{answer}})
		is(t, "the one", l.joined("delta.text"), "ab")
	}},
	{number: 310, name: "a model that only speaks", answer: "only sound is asked for, and wav gets its header here", run: func(t *testing.T) {
		ask := `{"model":"m","modalities":["text","audio"],"audio":{"voice":"%s","format":"%s"},"messages":[{"role":"user","content":"say hi"}]}`
		sound := wholeG(`{"inlineData":{"mimeType":"audio/L16;codec=pcm;rate=24000","data":"AAABAAIA"}}`)
		l := take(t, trip{from: O, to: G, model: "gemini-2.5-flash-preview-tts", ask: fmt.Sprintf(ask, "alloy", "wav"), answers: []string{sound}})
		l.sends("generationConfig.responseModalities", `["AUDIO"]`)
		l.sends("generationConfig.speechConfig", `{"voiceConfig":{"prebuiltVoiceConfig":{"voiceName":"Kore"}}}`)
		l.warns("modalities", chat.Approximated)
		l.warns("audio", chat.Approximated)
		if data := gjson.Get(l.body, "choices.0.message.audio.data").Str; !strings.HasPrefix(data, "UklGR") {
			t.Error(l.body)
		}
		l = take(t, trip{from: O, to: G, model: "gemini-2.5-flash-preview-tts", ask: fmt.Sprintf(ask, "puck", "pcm16"), answers: []string{sound}})
		l.sends("generationConfig.speechConfig.voiceConfig.prebuiltVoiceConfig.voiceName", `"Puck"`)
		l.gets("choices.0.message.audio.data", `"AAABAAIA"`)
		if l.warned("audio", chat.Approximated) {
			t.Error(l.told())
		}
	}},
	{number: 316, name: "no empty thought behind the words", answer: "the turn is named before the words, and the house keeps the signature", run: func(t *testing.T) {
		chunk := func(parts, more string) string {
			return `{"candidates":[{"content":{"role":"model","parts":[` + parts + `]},"index":0` + more + `}]}`
		}
		signed, thought := `{"text":"","thoughtSignature":"`+googles1+`"}`, `{"text":"hm","thought":true,"thoughtSignature":"`+googles1+`"}`
		details := `"reasoning_details":[{"type":"reasoning.text","text":"","signature":"sig","index":0}]`
		for name, way := range map[string]trip{
			"whole":             {to: G, answers: []string{wholeG(`{"text":"hi"}`, signed)}},
			"a signature":       {to: G, stream: true, answers: []string{sse(chunk(`{"text":"hi"}`, ""), chunk(signed, ""), chunk("", `,"finishReason":"STOP"`))}},
			"at the end":        {to: G, stream: true, answers: []string{sse(chunk(`{"text":"hi"}`, ""), chunk(signed, `,"finishReason":"STOP"`))}},
			"a thought":         {to: G, stream: true, answers: []string{sse(chunk(`{"text":"hi"}`, ""), chunk(thought, `,"finishReason":"STOP"`))}},
			"from other server": {to: O, kind: "vllm", stream: true, answers: []string{sse(delta(0, `"content":"hi"`, ""), delta(0, details, ""), delta(0, "", `"stop"`), "[DONE]")}},
		} {
			for _, asked := range []string{"", `"thinking":{"type":"adaptive"},`} {
				way.from, way.ask = A, `{"model":"m","max_tokens":9999,`+asked+`"messages":[{"role":"user","content":"go"}]}`
				l := take(t, way)
				blocks := gjson.Get(l.body, "content").Array()
				if way.stream {
					blocks = l.all("content_block")
				}
				for i, b := range blocks {
					if b.Get("type").Str == "thinking" && i > 0 && !strings.Contains(l.body, `"thinking":"hm"`) {
						t.Errorf("%s (%s): %s", name, asked, l.body)
					}
				}
				if asked == "" && len(blocks) != 1 || !strings.Contains(l.body, "hi") {
					t.Errorf("%s (%s): %s", name, asked, l.body)
				}
				if asked == "" && way.to == G && name != "a thought" {
					l.warns("answer", chat.Ignored)
				}
			}
		}
	}},
	{number: 312, name: "a character cut in two", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			ask := map[string]string{A: thinksA(`,"stream":true`), G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`}[from]
			l := take(t, trip{from: from, to: O, kind: "vllm", stream: true, ask: ask, answers: []string{sse(
				delta(0, `"reasoning_content":"hm \ud83d"`, ""), delta(0, `"reasoning_content":"\ude00"`, ""),
				delta(0, `"content":"a\ud83d"`, ""), delta(0, `"content":"\ude00b"`, ""), delta(0, `"content":"`+"\xe2\x82"+`"`, ""), delta(0, `"content":"`+"\xac"+`c\ud83d"`, ""),
				delta(0, "", `"stop"`), "[DONE]")}})
			said := l.joined("delta.text")
			for _, p := range l.all("candidates.0.content.parts.0") {
				if !p.Get("thought").Bool() {
					said += p.Get("text").Str
				}
			}
			is(t, "the text", said, "a😀b€c")
			if strings.Contains(l.body, "\uFFFD") || strings.Contains(l.body, `\ufffd`) || !strings.Contains(l.body, "😀") {
				t.Error(l.body)
			}
			l = take(t, trip{from: from, to: O, ask: plain[from], answers: []string{endO("length", `"content":"a 😀 \ud83d\ude00 \\ud83d b\ud83d"`)}})
			if !strings.Contains(l.body, `a 😀 😀 \\ud83d b"`) {
				t.Error(l.body)
			}
		}
		for _, far := range []trip{
			{from: O, to: A, answers: []string{messageA(textA(0, `a\ud83d`, `\ude00b`), "end_turn")}},
			{from: O, to: G, answers: []string{sse(`{"candidates":[{"content":{"role":"model","parts":[{"text":"a\ud83d"}]},"index":0}]}`, `{"candidates":[{"content":{"role":"model","parts":[{"text":"\ude00b"}]},"finishReason":"STOP","index":0}]}`)}},
		} {
			far.stream, far.ask = true, streamO
			if to := far.to; to == A {
				far.answers[0] = strings.ReplaceAll(far.answers[0], `\\ud`, `\ud`)
			}
			l := take(t, far)
			is(t, "the text from "+far.to, l.joined("choices.0.delta.content"), "a😀b")
		}
	}},
}}

// withoutDetail is a message as a client has it that lost all thoughts but the last.
func withoutDetail(message string) string {
	list := gjson.Get(message, "reasoning_details")
	return strings.Replace(strings.Replace(message, list.Raw, "["+list.Array()[1].Raw+"]", 1), `"reasoning_content":"onetwo"`, `"reasoning_content":"two"`, 1)
}
