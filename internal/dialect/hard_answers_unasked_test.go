package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// callingOf is an upstream's answer that calls a tool, with words before it or without.
func callingOf(to, name, words string) forms {
	call := `{"id":"c","type":"function","function":{"name":"` + name + `","arguments":"{}"}}`
	block, part := `{"type":"tool_use","id":"t","name":"`+name+`","input":{}}`, `{"functionCall":{"id":"g","name":"`+name+`","args":{}}}`
	switch {
	case to == O && words == "":
		return forms{endO("tool_calls", `"content":null,"tool_calls":[`+call+`]`), chunksO("tool_calls", toolO(0, "c", name, "{}"))}
	case to == O:
		return forms{endO("tool_calls", `"content":"`+words+`","tool_calls":[`+call+`]`), chunksO("tool_calls", `{"content":"`+words+`"}`, toolO(0, "c", name, "{}"))}
	case to == A && words == "":
		return forms{wholeA("tool_use", block), messageA(toolA(0, "t", name, "{}"), "tool_use")}
	case to == A:
		return forms{wholeA("tool_use", `{"type":"text","text":"`+words+`"}`, block), messageA(textA(0, words)+toolA(1, "t", name, "{}"), "tool_use")}
	case words == "":
		return forms{wholeG(part), inChunks("STOP", part)}
	}
	return forms{wholeG(`{"text":"`+words+`"}`, part), inChunks("STOP", `{"text":"`+words+`"}`, part)}
}

// forbidding is a request with a tool of which none may be called.
func forbidding(from string, streamed bool) string {
	more := map[string]string{O: `"tool_choice":"none",`, A: `"tool_choice":{"type":"none"},`, G: `"toolConfig":{"functionCallingConfig":{"mode":"NONE"}},`}
	return strings.Replace(plainly(from, streamed), "{", "{"+more[from], 1)
}

var hardUnasked = section{"AO", "what was not asked for, and what is said twice", []hard{
	{number: 1061, name: "a call though none was to be made", answer: "it is left out and reported; an answer of nothing else is an error", run: func(t *testing.T) {
		ends := map[string]string{O: "stop", A: "end_turn", G: "STOP"}
		pairs(func(from, to string) {
			for _, streamed := range []bool{false, true} {
				for _, words := range []string{"hm", ""} {
					what := fmt.Sprintf("%s from %s, streamed %t, words %q", from, to, streamed, words)
					answer := callingOf(to, "f", words)
					body := map[bool]string{false: answer.whole, true: answer.stream}[streamed]
					l := try(t, trip{from: from, to: to, stream: streamed, ask: forbidding(from, streamed), answers: []string{body}})
					calls, _ := called(l)
					is(t, what+", calls", calls, 0)
					if words == "" {
						if l.failure == nil || !strings.Contains(l.body, `"error"`) || strings.Contains(l.body, "message_stop") || strings.Contains(l.body, "[DONE]") {
							t.Errorf("%s: %d %s", what, l.status, l.body)
						}
						continue
					}
					is(t, what+", the end", lastEnd(l), ends[from])
					is(t, what+", the words", strings.Contains(l.body, `"hm"`), true)
					l.warns("answer", chat.Dropped)
				}
			}
		})
	}},
	{number: 1062, name: "a call of a tool that the client does not have", answer: "it reaches the client: agents answer it with an error, from which the model learns", run: func(t *testing.T) {
		ends := map[string]string{O: "tool_calls", A: "tool_use", G: "STOP"}
		pairs(func(from, to string) {
			callingOf(to, "zzz", "").each(t, trip{from: from, to: to}, func(l *landed) {
				calls, without := called(l)
				is(t, from+" from "+to, fmt.Sprint(calls, without, lastEnd(l), strings.Contains(l.body, `"zzz"`)), fmt.Sprint(1, 0, ends[from], true))
			})
		})
	}},
	{number: 1063, name: "a call that was not to be made, of the client's own dialect", run: func(t *testing.T) {
		for _, d := range []string{O, A, G} {
			for streamed, body := range map[bool]string{false: callingOf(d, "f", "").whole, true: callingOf(d, "f", "").stream} {
				l := take(t, trip{from: d, to: d, stream: streamed, ask: forbidding(d, streamed), answers: []string{body}})
				if streamed && d == O { // the usage that only we asked for
					body = strings.Replace(body, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9,"total_tokens":16}}`+"\n\n", "", 1)
				}
				is(t, d, l.body, body)
			}
		}
	}},
	{number: 1064, name: "of several answers one calls what it may not", run: func(t *testing.T) {
		ask := strings.Replace(forbidding(G, false), `"contents"`, `"generationConfig":{"candidateCount":2},"contents"`, 1)
		whole := `{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"},{"index":1,"message":{"role":"assistant","content":"b","tool_calls":[` + calling + `]},"finish_reason":"tool_calls"}]}`
		l := take(t, trip{from: G, to: O, ask: ask, answers: []string{whole}})
		l.gets("candidates.#.content.parts.#.text", `[["a"],["b"]]`)
		l.gets("candidates.#.finishReason", `["STOP","STOP"]`)
		l.warns("answer", chat.Dropped)
		for _, to := range []string{A, G} { // as it was said of old
			l = take(t, trip{from: O, to: to, ask: withO(`"functions":[{"name":"f","parameters":{"type":"object","properties":{}}}],"function_call":"none"`), answers: []string{callingOf(to, "f", "hm").whole}})
			is(t, to, strings.Contains(l.body, "function_call"), false)
			l.gets("choices.0.finish_reason", `"stop"`)
		}
	}},
	{number: 1065, name: "the tier that serves, for a stream as for a whole answer", run: func(t *testing.T) {
		tiered := func(chunks, tier string) string {
			return strings.ReplaceAll(chunks, `"model":"m",`, `"model":"m","service_tier":"`+tier+`",`)
		}
		for said, want := range map[string]string{"default": "standard", "priority": "priority", "flex": ""} {
			l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{tiered(chunksO("stop", `{"content":"hi"}`), said)}})
			is(t, said, l.joined("message.usage.service_tier"), want)
			is(t, said+", again", l.joined("usage.service_tier"), "")
		}
		late := strings.Replace(chunksO("stop", `{"content":"hi"}`), `"choices":[],"usage"`, `"choices":[],"service_tier":"priority","usage"`, 1)
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{late}})
		is(t, "told at the end", l.joined("usage.service_tier"), "priority")
		is(t, "not made up before", l.joined("message.usage.service_tier"), "")
		priority := strings.Replace(hi[G], `"usageMetadata":{`, `"usageMetadata":{"serviceTier":"priority",`, 1)
		is(t, "Google's", take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(priority)}}).joined("message.usage.service_tier"), "priority")
		for said, want := range map[string]string{"standard": "default", "priority": "priority"} {
			stream := strings.Replace(messageA(textA(0, "hi"), "end_turn"), `"usage":{`, `"usage":{"service_tier":"`+said+`",`, 1)
			whole := take(t, trip{from: O, to: A, ask: plain[O], answers: []string{usedA(`{"input_tokens":1,"output_tokens":1,"service_tier":"` + said + `"}`)}})
			is(t, "Claude's, streamed", take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{stream}}).joined("service_tier"), want)
			is(t, "Claude's, whole", gjson.Get(whole.body, "service_tier").Str, want)
			is(t, "Claude's, whole of a stream", gjson.Get(take(t, trip{from: O, to: A, ask: plain[O], answers: []string{stream}}).body, "service_tier").Str, want)
		}
	}},
	{number: 1066, name: "a blocked prompt, and a candidate beside it", run: func(t *testing.T) {
		refused := map[string]string{O: "content_filter", A: "refusal"}
		block := `"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},`
		beside := func(parts, more string) forms {
			one := strings.Replace(partsG(parts, more), "{", "{"+block, 1)
			return forms{one, sse(one)}
		}
		for from, want := range refused {
			for what, row := range map[string]struct {
				forms
				said string
			}{
				"nothing in it":        {beside("", ""), ""},
				"words and an end":     {beside(`{"text":"hm"}`, `,"finishReason":"STOP"`), "hm"},
				"words and no end":     {beside(`{"text":"hm"}`, ""), "hm"},
				"nothing, and another": {beside("", `,"finishReason":"OTHER"`), ""},
				"a filter's own end":   {beside("", `,"finishReason":"SAFETY"`), ""},
				"its end behind it":    {beside(`{"text":"hm"}`, `,"finishReason":"STOP"`), "hm"},
			} {
				row.each(t, trip{from: from, to: G}, func(l *landed) {
					is(t, from+" "+what, lastEnd(l), want)
					is(t, from+" "+what+", the words", strings.Contains(l.body, `"hm"`), row.said != "")
				})
			}
			behind := sse(strings.Replace(partsG(`{"text":"hm"}`, ""), "{", "{"+block, 1), partsG(`{"text":"so"}`, `,"finishReason":"STOP"`))
			is(t, from+" in an earlier frame", lastEnd(take(t, trip{from: from, to: G, stream: true, ask: streaming(from), answers: []string{behind}})), want)
			none := strings.Replace(partsG(`{"text":"hm"}`, `,"finishReason":"STOP"`), "{", `{"promptFeedback":{"blockReason":"BLOCK_REASON_UNSPECIFIED"},`, 1)
			forms{none, sse(none, `{"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1}}`)}.each(t, trip{from: from, to: G}, func(l *landed) {
				is(t, from+" no reason", lastEnd(l), map[string]string{O: "stop", A: "end_turn"}[from])
			})
		}
	}},
	{number: 1067, name: "a request that is more than an account may use in a minute", answer: "429 without Retry-After; it is tried at the next target, not here again", run: func(t *testing.T) {
		words := "Request too large for gpt-4o in organization org-abcdefgh on tokens per min (TPM): Limit 30000, Requested 46432. The input or output tokens must be reduced in order to run successfully."
		for i, from := range []string{O, A, G} {
			l := try(t, trip{from: from, to: O, ask: plain[from], status: 429, header: map[string][]string{"Retry-After": {"2"}}, answers: []string{
				`{"error":{"message":` + quoted(words) + `,"type":"tokens","param":null,"code":"rate_limit_exceeded"}}`,
			}})
			is(t, from, fmt.Sprint(l.status, l.failure.RetryAfter, len(l.calls), l.failure.Lasting()), "429 0s 1 true")
			is(t, from+", its kind", gjson.Get(l.body, []string{"error.code", "error.type", "error.status"}[i]).Str, []string{"rate_limit_exceeded", "rate_limit_error", "RESOURCE_EXHAUSTED"}[i])
			if strings.Contains(l.body, "org-") || strings.Contains(l.body, "30000") || !strings.Contains(l.body, "shorten") {
				t.Error(l.body)
			}
			l = try(t, trip{from: from, to: O, kind: "groq", ask: plain[from], status: 413, answers: []string{
				`{"error":{"message":"Request too large for model m in organization org_1 service tier on_demand on tokens per minute (TPM): Limit 6000, Requested 6767, please reduce your message size and try again.","type":"tokens","code":"rate_limit_exceeded"}}`,
			}})
			is(t, from+", Groq's", fmt.Sprint(l.status, l.failure.Elsewhere), "413 true")
			usual := try(t, trip{from: from, to: O, ask: plain[from], status: 429, answers: []string{
				`{"error":{"message":"Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000. Please try again in 40s.","type":"tokens","code":"rate_limit_exceeded"}}`,
			}})
			is(t, from+", the usual one", fmt.Sprint(usual.status, usual.failure.RetryAfter), "429 40s")
		}
	}},
	{number: 1068, name: "arguments that are a choice", run: func(t *testing.T) {
		for what, row := range map[string]struct{ schema, properties, required string }{
			"of objects":          {`{"oneOf":[{"type":"object","properties":{"a":{"type":"string"},"k":{"type":"integer"}},"required":["a","k"]},{"type":"object","properties":{"b":{"type":"number"},"k":{"type":"integer"}},"required":["k"]}]}`, `{"a":{"type":"string"},"k":{"type":"integer"},"b":{"type":"number"}}`, `["k"]`},
			"of what is required": {`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"a":{"type":"string"},"b":{"type":"string"}}`, ``},
			"of all":              {`{"allOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]},{"properties":{"b":{"type":"string"}}}]}`, `{"a":{"type":"string"},"b":{"type":"string"}}`, `["a"]`},
			"of references":       {`{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/y"}],"$defs":{"x":{"type":"object","properties":{"a":{"type":"string"}}},"y":{"type":"object","properties":{"b":{"type":"string"}}}}}`, `{"a":{"type":"string"},"b":{"type":"string"}}`, ``},
		} {
			pairs(func(from, to string) {
				l := take(t, trip{from: from, to: to, ask: offering(from, row.schema)})
				name := what + ", " + from + " to " + to
				sent := l.got().Get(schemaAt[to])
				is(t, name+", the type", sent.Get("type").Str, "object")
				same(t, sent, "properties", row.properties)
				if got := sent.Get("required").Raw; got != row.required && got != "[]" {
					t.Errorf("%s requires %s", name, got)
				}
				is(t, name+", at the root", sent.Get("anyOf").Exists() || sent.Get("oneOf").Exists() || sent.Get("allOf").Exists(), false)
				is(t, name+", told", strings.Contains(l.told(), "tools[0]") && strings.Contains(l.told(), "approximated; a choice at the root"), true)
				if !strings.Contains(l.got().Raw, "must fit this JSON Schema") {
					t.Errorf("%s: %s", name, l.got().Raw)
				}
			})
		}
		for _, to := range []string{A, G} { // a strict one is none any more
			l := take(t, trip{from: O, to: to, ask: strictly(`{"anyOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}]}`)})
			is(t, to, l.got().Get("tools.0.strict").Exists(), false)
			is(t, to, l.got().Get("toolConfig.functionCallingConfig.mode").Str == "VALIDATED", false)
		}
	}},
	{number: 1069, name: "arguments whose schema does not say that they are an object", run: func(t *testing.T) {
		for _, schema := range []string{`{"properties":{"a":{"type":"string"}}}`, `{"additionalProperties":{"type":"string"}}`, `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`, `{"$ref":"#/$defs/x","$defs":{"x":{"properties":{"a":{"type":"string"}}}}}`} {
			pairs(func(from, to string) {
				l := take(t, trip{from: from, to: to, ask: offering(from, schema)})
				is(t, schema+" "+from+" to "+to, l.got().Get(schemaAt[to]+".type").Str, "object")
			})
		}
	}},
}}
