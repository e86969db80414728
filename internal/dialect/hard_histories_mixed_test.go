package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/relay"
)

// marked is a text of OpenAI's clients with Anthropic's marker.
func marked(text, ttl string) string {
	return `{"type":"text","text":"` + text + `","cache_control":{"type":"ephemeral","ttl":"` + ttl + `"}}`
}

var hardJoined = section{"AI", "two facts at a time", []hard{
	{number: 1100, name: "a result is missing between two that are in another order", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: askedO(callsO("c1", "c2", "c3"), resultO("c3", "three"), resultO("c1", "one"))})
		is(t, "to Claude", l.got().Get("messages.2.content.#.tool_use_id").Raw, `["c1","c2","c3"]`)
		is(t, "its words", l.got().Get("messages.2.content.2.content").Str, "three")
		l = take(t, trip{from: O, to: G, ask: askedO(callsO("c1", "c2", "c3"), resultO("c3", "three"), resultO("c1", "one"))})
		is(t, "to Google", l.got().Get("contents.2.parts.#").Int(), 3)
		is(t, "its words", l.got().Get("contents.2.parts.2.functionResponse.response.output").Str, "three")
	}},
	{number: 1101, name: "calls in two turns of the model's, and then their results", run: func(t *testing.T) {
		ask := askedO(callsO("c1"), callsO("c2"), resultO("c1", "one"), resultO("c2", "two"), says("user", "on"))
		l := take(t, trip{from: O, to: A, ask: ask})
		is(t, "calls", l.got().Get("messages.1.content.#.id").Raw, `["c1","c2"]`)
		is(t, "results", l.got().Get("messages.2.content.#.tool_use_id").Raw, `["c1","c2"]`)
		is(t, "words", l.got().Get("messages.2.content.#.content").Raw, `["one","two"]`)
		l = take(t, trip{from: O, to: G, ask: ask})
		is(t, "Google's calls", l.got().Get("contents.1.parts.#").Int(), 2)
		is(t, "Google's results", l.got().Get("contents.2.parts.#.functionResponse.response.output").Raw, `["one","two"]`)
	}},
	{number: 1102, name: "the system speaks between a call and its result", run: func(t *testing.T) {
		ask := askedO(callsO("c1"), says("system", "mind"), resultO("c1", "one"))
		l := take(t, trip{from: O, to: A, ask: ask})
		is(t, "the result is first", l.got().Get("messages.2.content.0.type").Str, "tool_result")
		is(t, "the words are there", strings.Contains(l.got().Get("messages.2.content").Raw, "mind"), true)
		l = take(t, trip{from: O, to: G, ask: ask})
		is(t, "Google's", l.got().Get("contents.2.parts.#.functionResponse.response.output").Raw, `["one"]`)
		is(t, "the words follow", strings.Contains(l.got().Get("contents.3").Raw, "mind"), true)
	}},
	{number: 1103, name: "marks that are kept for an hour behind others, and more than four", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","messages":[{"role":"system","content":[` + marked("s", "5m") + `]},{"role":"user","content":[` + marked("u", "1h") + `]}]}`})
		system, user := l.got().Get("system.0.cache_control.ttl").Str, l.got().Get("messages.0.content.0.cache_control.ttl").Str
		if system != "1h" && user == "1h" {
			t.Errorf("an hour stands behind five minutes: %s", l.got().Raw)
		}
		if !strings.Contains(l.told(), "cache") && !strings.Contains(l.told(), "approximated") && !strings.Contains(l.told(), "ignored") {
			t.Error(l.told())
		}
		l = take(t, trip{from: O, to: A, ask: `{"model":"m","messages":[{"role":"user","content":[` + marked("1", "5m") + `,` + marked("2", "5m") + `,` + marked("3", "5m") + `,` + marked("4", "5m") + `,` + marked("5", "5m") + `]}]}`})
		is(t, "marks", strings.Count(l.got().Raw, "cache_control"), 4)
		is(t, "told", len(l.losses) > 0, true)
	}},
	{number: 1104, name: "an end that is not said, in every frame", run: func(t *testing.T) {
		never := `,"finishReason":"FINISH_REASON_UNSPECIFIED"`
		stream := sse(partsG(`{"text":"so","thought":true}`, never), partsG(`{"text":"h"}`, never), partsG(`{"text":"i"}`, never), partsG("", `,"finishReason":"MAX_TOKENS"`))
		for from, want := range map[string]string{O: "length", A: "max_tokens"} {
			l := take(t, trip{from: from, to: G, stream: true, ask: streaming(from), answers: []string{stream}})
			is(t, from, lastEnd(l), want)
			is(t, from+", the words", l.joined("choices.0.delta.content")+l.joined("delta.text"), "hi")
			l = take(t, trip{from: from, to: G, ask: plainly(from, false), answers: []string{partsG(`{"text":"hi"}`, never)}})
			is(t, from+", whole", lastEnd(l), map[string]string{O: "stop", A: "end_turn"}[from])
		}
	}},
	{number: 1105, name: "a call among Google's thoughts is a call", run: func(t *testing.T) {
		for _, from := range []string{O, A} {
			part := `{"thought":true,"functionCall":{"name":"f","args":{"a":"1"}},"thoughtSignature":"` + googles1 + `"}`
			forms{wholeG(part), inChunks("STOP", part)}.each(t, trip{from: from, to: G}, func(l *landed) {
				is(t, from, argued(l), `{"a":"1"}`)
			})
		}
	}},
	{number: 1106, name: "numbers of calls that are texts", run: func(t *testing.T) {
		stream := strings.ReplaceAll(strings.ReplaceAll(chunksO("tool_calls", toolO(0, "c", "f", `{"a":`), toolO(1, "d", "f", `{"b":`), toolO(0, "", "", `1}`), toolO(1, "", "", `2}`)), `[{"index":0,`, `[{"index":"0",`), `[{"index":1,`, `[{"index":"1",`)
		stream = strings.ReplaceAll(stream, `"choices":[{"index":"0",`, `"choices":[{"index":0,`)
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{stream}})
		is(t, "the arguments", l.joined("delta.partial_json"), `{"a":1}{"b":2}`)
	}},
	{number: 1107, name: "a result with words, a picture and an error", run: func(t *testing.T) {
		ask := calledA(`{"type":"tool_result","tool_use_id":"toolu_1","is_error":true,"content":[{"type":"text","text":"boom"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},{"type":"text","text":"and?"}`)
		l := take(t, trip{from: A, to: O, ask: ask})
		is(t, "to OpenAI", strings.HasPrefix(l.got().Get("messages.2.content").Str, "Error: boom"), true)
		is(t, "the picture", l.got().Get("messages.3.content.#.type").Raw, `["image_url"]`)
		is(t, "the words behind it", l.got().Get("messages.4.content").Str, "and?")
		l = take(t, trip{from: A, to: G, ask: ask})
		l.sends("contents.2.parts.0.functionResponse.response.error", `"boom"`)
		is(t, "to Google", l.got().Get("contents.2.parts.0.functionResponse.parts.0.inlineData.data").Str, pixel)
		is(t, "the words apart", l.got().Get("contents.3.parts.0.text").Str, "and?")
	}},
	{number: 1108, name: "a picture in a result, as careless clients of OpenAI's send it", run: func(t *testing.T) {
		ask := strings.Replace(askedO(callsO("c1"), resultO("c1", "§")), `"§"`, `[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`+pixel+`"}}]`, 1)
		take(t, trip{from: O, to: A, ask: ask}).sends("messages.2.content.0.content.#.type", `["text","image"]`)
		is(t, "to Google", take(t, trip{from: O, to: G, ask: ask}).got().Get("contents.2.parts.0.functionResponse.parts.0.inlineData.data").Str, pixel)
	}},
	{number: 1109, name: "an answer that was begun, and thoughts", run: func(t *testing.T) {
		ask := `{"model":"m","reasoning_effort":"high","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"{"}]}`
		l := take(t, trip{from: O, to: A, ask: ask})
		thinks := l.got().Get("thinking.type").Str == "enabled"
		turns := l.got().Get("messages").Array()
		if thinks && turns[len(turns)-1].Get("role").Str == "assistant" {
			t.Errorf("both: %s", l.got().Raw)
		}
		is(t, "told", strings.Contains(l.told(), "approximated") || strings.Contains(l.told(), "dropped"), true)
	}},
	{number: 1110, name: "a long whole answer, paused, with marks of code around its JSON", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(`"max_completion_tokens":30000`), answers: []string{messageA(textA(0, "a"), "pause_turn"), messageA(textA(0, "b"), "end_turn")}})
		l.gets("choices.0.message.content", `"ab"`)
		is(t, "counted", fmt.Sprint(len(l.calls), tokensOf(&l.booked)), "2 [10 18 0]")
		l = take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_object"},"max_completion_tokens":30000`), answers: []string{messageA(textA(0, "```json\n{\"a\"", ":1}\n```"), "end_turn")}})
		l.gets("choices.0.message.content", `"{\"a\":1}"`)
	}},
	{number: 1111, name: "a long whole answer is remembered as any other", run: func(t *testing.T) {
		vault := relay.NewVault()
		ask := `{"model":"m","reasoning_effort":"high",` + toolsO + `,"messages":[{"role":"user","content":"go"}%s]}`
		l := take(t, trip{from: O, to: A, vault: vault, ask: fmt.Sprintf(ask, ""), answers: []string{messageA(thoughtA(0, "so", claudes)+toolA(1, "toolu_1", "f", `{"a":"1"}`), "tool_use")}})
		l.sends("stream", "true")
		call := gjson.Get(l.body, "choices.0.message.tool_calls.0")
		back := `,{"role":"assistant","content":null,"tool_calls":[` + call.Raw + `]},{"role":"tool","tool_call_id":` + quoted(call.Get("id").Str) + `,"content":"x"}`
		l = take(t, trip{from: O, to: A, vault: vault, ask: fmt.Sprintf(ask, back)})
		l.sends("messages.1.content.0", `{"type":"thinking","thinking":"so","signature":"`+claudes+`"}`)
	}},
	{number: 1112, name: "a role that no API has", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: `{"model":"m","messages":[{"role":"critic","content":"go"}]}`}, "messages[0].role")
		}
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"tool","content":"go"}]}`}, "messages[0].role")
		}
	}},
	{number: 1113, name: "no tools, and a history of calls and results", run: func(t *testing.T) {
		without := map[string]string{}
		for from := range longer {
			ask := strings.Replace(longer[from][0], "§", "", 1)
			without[from] = strings.Replace(ask, map[string]string{O: toolsO, A: toolsA, G: toolsG}[from]+",", "", 1)
		}
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: without[from]})
			if to == A {
				l.sends("tools.#.name", `["f"]`)
				l.sends("tool_choice.type", `"none"`)
				return
			}
			is(t, from+" to "+to, l.got().Get("tools").Exists(), false)
		})
	}},
	{number: 1114, name: "none may be called, one at a time, and thoughts", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: withO(toolsO + `,"tool_choice":"none","parallel_tool_calls":false,"reasoning_effort":"high"`)})
		l.sends("tool_choice", `{"type":"none"}`)
		l.sends("thinking.type", `"enabled"`)
		l = take(t, trip{from: O, to: G, ask: withO(toolsO + `,"tool_choice":"none","parallel_tool_calls":false`)})
		l.sends("toolConfig.functionCallingConfig.mode", `"NONE"`)
		l.quiet()
	}},
	{number: 1115, name: "a filter, and words behind it", run: func(t *testing.T) {
		azure := sse(`{"id":"","object":"","model":"","choices":[],"prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"filtered":false,"severity":"safe"}}}]}`, delta(0, `"role":"assistant","content":""`, "null"),
			delta(0, `"content":"hm"`, "null"), `{"id":"x","choices":[{"index":0,"delta":{},"finish_reason":"content_filter","content_filter_results":{"hate":{"filtered":true,"severity":"high"}}}]}`, "[DONE]")
		for from, want := range map[string]string{A: "refusal", G: "SAFETY"} {
			for _, streamed := range []bool{false, true} {
				l := take(t, trip{from: from, to: O, stream: streamed, ask: plainly(from, streamed), answers: []string{azure}})
				is(t, from, lastEnd(l), want)
				is(t, from+", the words", strings.Contains(l.body, `"hm"`), true)
				l.warns("answer", chat.Ignored)
			}
		}
	}},
}}
