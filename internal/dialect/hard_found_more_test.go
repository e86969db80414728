package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// offering is a request with one tool of a schema.
func offering(from, schema string) string {
	switch from {
	case O:
		return `{"model":"m","messages":[{"role":"user","content":"go"}],"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]}`
	case A:
		return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":` + schema + `}]}`
	}
	return `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":` + schema + `}]}]}`
}

// schemaAt is where each upstream gets a tool's schema.
var schemaAt = map[string]string{O: "tools.0.function.parameters", A: "tools.0.input_schema", G: "tools.0.functionDeclarations.0.parametersJsonSchema"}

var hardMore = section{"P", "found while looking for more", []hard{
	{number: 401, name: "schemas of older drafts", run: func(t *testing.T) {
		for schema, row := range map[string][2]string{
			`{"type":"object","properties":{"a":{"type":"integer","minimum":0,"exclusiveMinimum":true}}}`:                                                       {"properties.a", `{"type":"integer","exclusiveMinimum":0}`},
			`{"type":"object","properties":{"a":{"type":"integer","maximum":9,"exclusiveMaximum":false}}}`:                                                      {"properties.a", `{"type":"integer","maximum":9}`},
			`{"type":"object","properties":{"a":{"type":"array","items":[{"type":"string"}],"additionalItems":{"type":"integer"}}}}`:                            {"properties.a", `{"type":"array","prefixItems":[{"type":"string"}],"items":{"type":"integer"}}`},
			`{"type":"object","properties":{"a":{"type":"string","required":true},"b":{"type":"string"}},"required":["b","b"]}`:                                 {"required", `["b","a"]`},
			`{"$schema":"http://json-schema.org/draft-04/schema#","type":"object","properties":{"a":{"type":"str","description":null},"b":{"type":"INTEGER"}}}`: {"properties", `{"a":{"type":"string"},"b":{"type":"integer"}}`},
		} {
			for _, from := range []string{O, G} {
				l := take(t, trip{from: from, to: A, ask: offering(from, schema)})
				same(t, l.got().Get(schemaAt[A]), row[0], row[1])
				if len(l.losses) == 0 || strings.Contains(l.got().Raw, "$schema") {
					t.Errorf("%s told %s", l.got().Raw, l.told())
				}
			}
		}
		fine := `{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{"type":{"type":"string"},"required":{"type":"boolean","default":null}},"required":["type"]}`
		l := take(t, trip{from: O, to: A, ask: offering(O, fine)})
		l.sends(schemaAt[A], fine)
		l.quiet()
	}},
	{number: 402, name: "no members, written as a list", run: func(t *testing.T) {
		for _, from := range []string{O, A, G} {
			for _, to := range []string{O, A, G} {
				if from == to {
					continue
				}
				l := take(t, trip{from: from, to: to, ask: offering(from, `{"type":"object","properties":{"o":{"type":"object","properties":[]}},"required":null}`)})
				l.sends(schemaAt[to]+".properties.o.properties", `{}`)
				l.sends(schemaAt[to]+".required", "")
			}
		}
	}},
	{number: 403, name: "a list without items, for Google", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: G, ask: offering(A, `{"type":"object","properties":{"l":{"type":"array"},"d":{"type":"array","items":{"type":["array","null"]}}}}`)})
		l.sends(schemaAt[G]+".properties", `{"l":{"type":"array","items":{}},"d":{"type":"array","items":{"type":["array","null"],"items":{}}}}`)
		l.warns("tools[0]", chat.Ignored)
	}},
	{number: 404, name: "words in a block that Anthropic does not know", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"input_text","text":"hello"}]}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		l.sends("messages.0.content", `"hello"`)
		l.warns("messages[0].content[0]", chat.Approximated)
		take(t, trip{from: A, to: G, ask: ask}).sends("contents.0.parts.0.text", `"hello"`)
	}},
	{number: 405, name: "more tokens than the model has", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":64000,"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: A, to: O, model: "gpt-4o", known: true, ask: ask})
		l.sends("max_completion_tokens", "16384")
		l.warns("max_tokens", chat.Approximated)
		take(t, trip{from: A, to: O, model: "a-model-of-ours", known: true, ask: ask}).sends("max_completion_tokens", "64000")
		passed := take(t, trip{from: O, to: O, model: "gpt-4o", known: true, ask: `{"model":"m","max_tokens":64000,"messages":[{"role":"user","content":"go"}]}`})
		passed.sends("max_tokens", "64000")
		passed.quiet()
	}},
	{number: 406, name: "a sound in two parts", run: func(t *testing.T) {
		ask := `{"model":"m","modalities":["audio"],"audio":{"voice":"Kore","format":"pcm16"},"messages":[{"role":"user","content":"go"}]}`
		part := func(data string) string {
			return `{"inlineData":{"mimeType":"audio/L16;rate=24000","data":"` + data + `"}}`
		}
		l := take(t, trip{from: O, to: G, model: "gemini-2.5-flash-preview-tts", ask: ask, answers: []string{wholeG(part("AAA="), part("BBB="))}})
		l.gets("choices.0.message.audio.data", `"AAAEEA=="`)
	}},
	{number: 407, name: "the signature of a picture", run: func(t *testing.T) {
		for _, stream := range []bool{false, true} {
			answer := wholeG(`{"text":"see"}`, `{"inlineData":{"mimeType":"image/png","data":"`+pixel+`"},"thoughtSignature":"`+googles1+`"}`)
			if stream {
				answer = sse(answer)
			}
			l := take(t, trip{from: O, to: G, model: "gemini-3-pro-image", stream: stream, ask: strings.Replace(plain[O], `{"model"`, `{"stream":`+map[bool]string{true: "true", false: "false"}[stream]+`,"model"`, 1), answers: []string{answer}})
			images := gjson.Get(l.body, "choices.0.message.images").Raw
			if stream {
				images = l.all("choices.0.delta.images")[0].Raw
			}
			history := talkO(says("user", "draw"), `{"role":"assistant","content":"see","images":`+images+`}`, says("user", "again"))
			take(t, trip{from: O, to: G, model: "gemini-3-pro-image", ask: history}).sends("contents.1.parts.1.thoughtSignature", `"`+googles1+`"`)
		}
		unsigned := talkO(says("user", "draw"), `{"role":"assistant","content":"see","images":[{"type":"image_url","image_url":{"url":"data:image/png;base64,`+pixel+`"}}]}`, says("user", "again"))
		take(t, trip{from: O, to: G, model: "gemini-3-pro-image", ask: unsigned}).sends("contents.1.parts.1.thoughtSignature", `"skip_thought_signature_validator"`)
	}},
	{number: 408, name: "log-probabilities of a stream", run: func(t *testing.T) {
		google := `{"candidates":[{"content":{"role":"model","parts":[{"text":"%"}]},"index":0#,"logprobsResult":{"chosenCandidates":[{"token":"%","logProbability":-0.5}],"topCandidates":[{"candidates":[{"token":"%","logProbability":-0.5}]}]}}]}`
		one := func(word, more string) string {
			return strings.ReplaceAll(strings.ReplaceAll(google, "%", word), "#", more)
		}
		l := take(t, trip{from: O, to: G, stream: true, ask: `{"model":"m","stream":true,"logprobs":true,"top_logprobs":1,"messages":[{"role":"user","content":"go"}]}`, answers: []string{sse(one("a", ""), one("b", `,"finishReason":"STOP"`))}})
		tokens := l.all("choices.0.logprobs.content.0")
		is(t, "the tokens", len(tokens), 2)
		is(t, "the last", tokens[1].Get("token").Str+tokens[1].Get("logprob").Raw+tokens[1].Get("top_logprobs.0.token").Str, "b-0.5b")
		is(t, "the text", l.joined("choices.0.delta.content"), "ab")
		chunk := `{"id":"c","choices":[{"index":0,"delta":{"content":"%"},"logprobs":{"content":[{"token":"%","logprob":-0.5,"bytes":null,"top_logprobs":[{"token":"%","logprob":-0.5,"bytes":null}]}],"refusal":null}}]}`
		l = take(t, trip{from: G, to: O, stream: true, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseLogprobs":true,"logprobs":1}}`,
			answers: []string{sse(strings.ReplaceAll(chunk, "%", "a"), strings.ReplaceAll(chunk, "%", "b"), delta(0, "", `"stop"`), "[DONE]")}})
		tokens = l.all("candidates.0.logprobsResult.chosenCandidates.0")
		is(t, "the tokens", len(tokens), 2)
		is(t, "the first", tokens[0].Get("token").Str+tokens[0].Get("logProbability").Raw, "a-0.5")
	}},
	{number: 409, name: "usage in every chunk", run: func(t *testing.T) {
		chunk := func(delta, finish, out string) string {
			return `{"id":"c","choices":[{"index":0,"delta":{` + delta + `},"finish_reason":` + finish + `}],"usage":{"prompt_tokens":5,"completion_tokens":` + out + `,"total_tokens":9}}`
		}
		l := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{sse(
			chunk(`"role":"assistant","content":null,"tool_calls":[{"index":0,"id":"k","type":"function","function":{"name":"f","arguments":""}}]`, "null", "1"),
			chunk(`"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":1}"}}]`, "null", "2"), chunk("", `"tool_calls"`, "3"), "[DONE]")}})
		is(t, "the arguments", l.joined("delta.partial_json"), `{"a":1}`)
		is(t, "the tokens", l.all("usage.output_tokens")[0].Raw, "3")
	}},
	{number: 410, name: "a document made of blocks, for Google", run: func(t *testing.T) {
		document := `{"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},"title":"T","context":"C","citations":{"enabled":true}}`
		l := take(t, trip{from: A, to: G, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[` + document + `,{"type":"text","text":"what?"}]}]}`})
		l.sends("contents.0.parts.#.text", `["T","C","x","what?"]`)
		l.sends("contents.0.parts.3.inlineData.mimeType", `"image/png"`)
		l.warns("messages[0].content[0]", chat.Approximated)
		l.warns("messages[0].content[0]", chat.Dropped)
		l = take(t, trip{from: A, to: G, ask: `{"model":"m","max_tokens":9,` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[` + document + `]}]}]}`})
		if !strings.Contains(l.got().Raw, `"C"`) || !strings.Contains(l.got().Raw, pixel) {
			t.Error(l.got().Raw)
		}
	}},
	{number: 412, name: "thoughts between tags in the words", run: func(t *testing.T) {
		ask := map[string]string{A: thinksA(""), G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`}
		for from := range ask {
			for said, want := range map[string]string{
				"<think>\nhm\n</think>\n\nso": "hm|so", "<think>hm": "hm|", "so <think>hm</think>": "|so <think>hm</think>", "<thin": "|<thin", "<think></think>so": "|so", " \n<think>a<b</think>c": "a<b|c",
			} {
				text := strings.ReplaceAll(said, `\n`, "\n")
				var pieces []string
				for _, r := range text { // each character by itself
					pieces = append(pieces, delta(0, `"content":`+quoted(string(r)), ""))
				}
				whole := take(t, trip{from: from, to: O, kind: "vllm", ask: ask[from], answers: []string{endO("stop", `"content":`+quoted(text))}})
				stream := take(t, trip{from: from, to: O, kind: "vllm", stream: true, ask: ask[from], answers: []string{sse(append(pieces, delta(0, "", `"stop"`), "[DONE]")...)}})
				thought, words := "", ""
				for _, b := range append(gjson.Get(whole.body, "content").Array(), gjson.Get(whole.body, "candidates.0.content.parts").Array()...) {
					if b.Get("thought").Bool() {
						thought += b.Get("text").Str
					} else {
						thought, words = thought+b.Get("thinking").Str, words+b.Get("text").Str
					}
				}
				is(t, from+" whole "+said, thought+"|"+words, strings.ReplaceAll(want, `\n`, "\n"))
				thought, words = stream.joined("delta.thinking"), stream.joined("delta.text")
				for _, p := range stream.all("candidates.0.content.parts.0") {
					if p.Get("thought").Bool() {
						thought += p.Get("text").Str
					} else {
						words += p.Get("text").Str
					}
				}
				is(t, from+" streamed "+said, thought+"|"+words, strings.ReplaceAll(want, `\n`, "\n"))
			}
		}
		own := take(t, trip{from: A, to: O, ask: ask[A], answers: []string{endO("stop", `"content":"<think>hm</think>so"`)}})
		own.gets("content.0.text", `"<think>hm</think>so"`) // its author's own API means what it says
	}},
	{number: 413, name: "marks of code around JSON that was asked for in words", run: func(t *testing.T) {
		ask := `{"model":"m","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"go"}]}`
		for said, want := range map[string]string{
			"```json\n{\"a\": \"`\"}\n```": "{\"a\": \"`\"}", "```\n[1]\n```\n": "[1]", "{\"a\":1}": "{\"a\":1}", "``": "``", "{\"a\":\"\\n```\"}": "{\"a\":\"\\n```\"}", "Here: ```json\n{}\n```": "Here: ```json\n{}\n```",
		} {
			l := take(t, trip{from: O, to: A, ask: ask, answers: []string{wholeA("end_turn", `{"type":"text","text":`+quoted(said)+`}`)}})
			is(t, "whole", gjson.Get(l.body, "choices.0.message.content").Str, want)
			for _, size := range []int{1, 3, 100} {
				var pieces []string
				for rest := said; rest != ""; rest = rest[min(size, len(rest)):] {
					pieces = append(pieces, rest[:min(size, len(rest))])
				}
				l = take(t, trip{from: O, to: A, stream: true, ask: strings.Replace(ask, `"m"`, `"m","stream":true`, 1), answers: []string{messageA(textA(0, pieces...), "end_turn")}})
				is(t, "streamed", l.joined("choices.0.delta.content"), want)
			}
		}
		l := take(t, trip{from: O, to: A, ask: plain[O], answers: []string{wholeA("end_turn", `{"type":"text","text":"`+"```json\\n{}\\n```"+`"}`)}})
		l.gets("choices.0.message.content", `"`+"```json\\n{}\\n```"+`"`) // who asked for no JSON gets what was said
	}},
	{number: 411, name: "results that are late, doubled or out of order", run: func(t *testing.T) {
		call := func(id string) string {
			return `{"role":"assistant","content":null,"tool_calls":[` + strings.Replace(calling, "c1", id, 1) + `]}`
		}
		result := func(id, words string) string {
			return `{"role":"tool","tool_call_id":"` + id + `","content":"` + words + `"}`
		}
		for name, row := range map[string]struct{ messages, at, want string }{
			"late":             {call("c1") + "," + says("user", "wait") + "," + result("c1", "x"), "messages.2.content.#.type", `["tool_result","text"]`},
			"twice":            {call("c1") + "," + result("c1", "x") + "," + result("c1", "y"), "messages.2.content.#.type", `["tool_result","text","text"]`},
			"of two turns":     {call("c1") + "," + call("c2") + "," + result("c2", "y") + "," + result("c1", "x"), "messages.2.content.#.tool_use_id", `["c1","c2"]`},
			"the same id":      {call("c1") + "," + result("c1", "x") + "," + call("c1") + "," + result("c1", "y"), "messages.4.content.0.content", `"y"`},
			"system among":     {call("c1") + "," + says("system", "s") + "," + result("c1", "x"), "messages.2.content.0.type", `"tool_result"`},
			"a user among two": {strings.Replace(call("c1"), "]}", `,`+strings.Replace(calling, "c1", "c2", 1)+"]}", 1) + "," + result("c1", "x") + "," + says("user", "u") + "," + result("c2", "y"), "messages.2.content.#.type", `["tool_result","tool_result","text"]`},
		} {
			l := take(t, trip{from: O, to: A, ask: `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},` + row.messages + `]}`})
			if got := l.got().Get(row.at).Raw; got != row.want {
				t.Errorf("%s: %s in %s", name, got, l.got().Raw)
			}
			ids := map[string]bool{}
			for _, m := range l.got().Get("messages").Array() {
				for _, b := range m.Get("content").Array() {
					if id := b.Get("id").Str; id != "" && ids[id] {
						t.Errorf("%s: the id %s twice", name, id)
					} else {
						ids[id] = true
					}
				}
			}
			g := take(t, trip{from: O, to: G, ask: `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},` + row.messages + `]}`})
			for _, c := range g.got().Get("contents").Array() {
				kinds := map[bool]int{}
				for _, p := range c.Get("parts").Array() {
					kinds[p.Get("functionResponse").Exists()]++
				}
				if len(kinds) > 1 {
					t.Errorf("%s: results among words: %s", name, c.Raw)
				}
			}
		}
	}},
}}
