package dialect_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// ends are whole streams of each dialect, with its last word where it has one.
var ends = map[string]string{
	O: chunksO("stop", `{"content":"hi"}`), A: messageA(textA(0, "hi"), "end_turn"), G: sse(partsG(`{"text":"hi"}`, "STOP")),
}

// What upstreams say behind all that is meant, and what they forget to say before it.
var hardBehind = section{"AU", "what stands behind the end, and what lacks its beginning", []hard{
	// vllm-project/vllm#48975, librefang/librefang#2975, mastra-ai/mastra#13826: words, thoughts and tokens in the arguments.
	{number: 1258, name: "words, tags and tokens behind arguments", run: func(t *testing.T) {
		const object = `{"a":{"b":"}"}}`
		for behind, clear := range map[string]bool{
			"Estimating the weather...": true, "\n\nI'll now search for it.": true, "</tool_call>": true, "<|call|>": true, " <|tool_call_end|>\n<|im_end|>": true, "}</tool_call>": true, "\n```": true,
			` or {"a":2}`: false, "[1]": false,
		} {
			said := object + behind
			begins, rest := said[:len(object)-3], said[len(object)-3:]
			for _, from := range []string{A, G} {
				for _, l := range []*landed{
					take(t, trip{from: from, to: O, own: true, ask: plainly(from, false), answers: []string{calls([3]string{"f", "c", said})}}),
					take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{chunksO("tool_calls", toolO(0, "c", "f", ""), toolO(0, "", "", begins), toolO(0, "", "", rest))}}),
				} {
					is(t, from+" "+said+" "+argued(l), strings.TrimSpace(argued(l)) == object, clear)
					is(t, from+" is told of "+said, l.warned("answer", chat.Approximated), !clear)
				}
			}
			for to, at := range map[string]string{A: "messages.1.content.0.input", G: "contents.1.parts.0.functionCall.args"} {
				is(t, to+" "+said, take(t, trip{from: O, to: to, ask: calledWith(O, said, "x")}).got().Get(at).Raw == object, clear)
			}
		}
	}},
	// The vendors' clients read no further than the last word.
	{number: 1259, name: "whatever stands behind the last word", run: func(t *testing.T) {
		for _, behind := range []string{"data: junk\n\n", "data: {\"error\":{\"message\":\"x\",\"code\":500}}\n\n", "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}\n\n", "<html>", "{\"error\":{\"message\":\"x\"}}", ": bye\n\n", "data: [DONE]\n\n"} {
			for _, to := range []string{O, A} {
				for _, from := range []string{O, A, G} {
					l := take(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{ends[to] + behind}})
					is(t, from+" from "+to+", "+behind, strings.Contains(l.body, `"hi"`), true)
					is(t, from+" from "+to+", "+behind+", as of a client's own", from == to || !strings.Contains(l.body, "error"), true)
				}
			}
		}
	}},
	// A client of Google's hears of the end only when its stream ends.
	{number: 1260, name: "an upstream that does not hang up", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			for _, from := range others(to) {
				take(t, trip{from: from, to: to, own: true, lingers: true, stream: true, ask: plainly(from, true), answers: []string{ends[to]}})
				l := take(t, trip{from: from, to: to, own: true, lingers: true, ask: plainly(from, false), answers: []string{ends[to]}})
				is(t, from+" from "+to, strings.Contains(l.body, `"hi"`), true)
			}
		}
	}},
	// Google's page on errors, and what stands before servers: an error of JSON as it would be without a stream.
	{number: 1261, name: "an error in the middle that is no event", run: func(t *testing.T) {
		const one = `{"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}`
		begun := map[string]string{O: chunksO("", `{"content":"hi"}`), A: cutA(messageA(textA(0, "hi"), "end_turn"), "event: content_block_stop"), G: sse(partsG(`{"text":"hi"}`, ""))}
		for to, body := range begun {
			for _, said := range []string{one, one + "\n", "[" + one + "]", strings.ReplaceAll(one, ",", ",\n  "), "[" + one + "\n]\n", `{"detail":"Service Unavailable"}`} {
				for _, from := range others(to) {
					l := try(t, trip{from: from, to: to, own: true, stream: true, ask: plainly(from, true), answers: []string{strings.TrimSuffix(body, "data: [DONE]\n\n") + said}})
					last := l.events()[len(l.events())-1].data
					is(t, from+" from "+to+": "+said, last.Get("error.type").Str+last.Get("error.status").Str, map[string]string{O: "service_unavailable_error", A: "overloaded_error", G: "UNAVAILABLE"}[from])
				}
			}
		}
	}},
	{number: 1262, name: "a call of Claude's dialect without an id", run: func(t *testing.T) {
		blocks := `{"type":"tool_use","name":"f","input":{}},{"type":"tool_use","id":"","name":"f","input":{}}`
		whole := strings.Replace(strings.Replace(hi[A], `{"type":"text","text":"hi"}`, blocks, 1), "end_turn", "tool_use", 1)
		for from, at := range map[string]string{O: "choices.0.message.tool_calls.#.id", G: "candidates.0.content.parts.#.functionCall.id"} {
			ids := gjson.Get(take(t, trip{from: from, to: A, own: true, ask: plainly(from, false), answers: []string{whole}}).body, at).Array()
			is(t, from, len(ids) == 2 && ids[0].Str != "" && ids[1].Str != "" && ids[0].Str != ids[1].Str, true)
		}
	}},
	// earendil-works/pi#6733 for Vertex, the pages of LiteLLM and OpenRouter on signatures: they take them back as and where they had them.
	{number: 1263, name: "signatures at other servers of OpenAI's dialect", run: func(t *testing.T) {
		const detail = `"index":0}`
		for _, row := range []struct{ call, beside string }{
			{`,"extra_content":{"vertex":{"thought_signature":"c2ln"}}`, ""},
			{`,"provider_specific_fields":{"thought_signature":"c2ln"}`, ""},
			{`,"thoughtSignature":"c2ln"`, ""}, // earendil-works/pi#9443
			{`,"thought_signature":"c2ln"`, ""},
			{"", `{"type":"reasoning.encrypted","data":"c2ln","id":"c","format":"google-gemini-v1",` + detail},
			{"", `{"type":"reasoning.encrypted","data":"c2ln","id":"rs_1","format":"openai-responses-v1",` + detail},
			{"", `{"type":"reasoning.text","text":"","signature":"c2ln","format":"anthropic-claude-v1",` + detail},
		} {
			call := `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}` + row.call + `}`
			beside := `"reasoning_details":[` + row.beside + `]`
			for _, from := range []string{A, G} {
				for _, streamed := range []bool{false, true} {
					answer := endO("tool_calls", `"content":null,`+beside+`,"tool_calls":[`+call+`]`)
					if streamed {
						told := []string{`{` + beside + `}`, `{"tool_calls":[` + strings.Replace(call, "{", `{"index":0,`, 1) + `]}`}
						if strings.Contains(beside, `"id":"c"`) { // it names the call
							told[0], told[1] = told[1], told[0]
						}
						answer = chunksO("tool_calls", told...)
					}
					first := take(t, trip{from: from, to: O, own: true, stream: streamed, ask: signing[from](streamed), answers: []string{answer}})
					l := take(t, trip{from: from, to: O, own: true, ask: broughtBack(from, first)})
					turn := l.got().Get("messages.1")
					is(t, from+": "+l.got().Raw, turn.Get("tool_calls.0").Raw, call)
					is(t, from+": "+turn.Raw, turn.Get("reasoning_details.0").Raw, row.beside)
				}
			}
		}
	}},
}}

// signing asks for thoughts to be shown.
var signing = map[string]func(streamed bool) string{
	A: func(streamed bool) string {
		return strings.Replace(plainly(A, streamed), "{", `{"thinking":{"type":"enabled","budget_tokens":1024},`, 1)
	},
	G: func(streamed bool) string {
		return strings.Replace(plainly(G, streamed), "{", `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},`, 1)
	},
}

// broughtBack is a request that brings a call back as its client heard of it, and its result.
func broughtBack(from string, first *landed) string {
	if from == G {
		var parts []string
		for _, p := range regexp.MustCompile(`"parts":\[(.*?)\],"role"`).FindAllStringSubmatch(first.body, -1) {
			parts = append(parts, p[1])
		}
		return `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[` + strings.Join(parts, ",") + `]},{"parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"x"}}}]}]}`
	}
	thought := ""
	if _, rest, found := strings.Cut(first.body, `"data":"`); found && strings.Contains(first.body, "redacted_thinking") {
		data, _, _ := strings.Cut(rest, `"`)
		thought = `{"type":"redacted_thinking","data":"` + data + `"},`
	} else if _, rest, found := strings.Cut(first.body, `"signature":"`+chat.EnvelopePrefix); found {
		signed, _, _ := strings.Cut(rest, `"`)
		thought = `{"type":"thinking","thinking":"","signature":"` + chat.EnvelopePrefix + signed + `"},`
	}
	return turnsA(userO + `,{"role":"assistant","content":[` + thought + `{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x"}]}`)
}
