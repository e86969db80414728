package dialect_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// withBadElement is a request for each of its lists in which that list has one more element, a
// number, by the place of that element.
func withBadElement(t *testing.T, ask string) map[string]string {
	t.Helper()
	var doc any
	if err := json.Unmarshal([]byte(ask), &doc); err != nil {
		t.Fatal(err)
	}
	all := make(map[string]string)
	var walk func(v any, at string, put func(any))
	walk = func(v any, at string, put func(any)) {
		switch v := v.(type) {
		case map[string]any:
			for key, inner := range v {
				walk(inner, strings.TrimPrefix(at+"."+key, "."), func(with any) { v[key] = with })
			}
		case []any:
			put(append(v[:len(v):len(v)], 3))
			body, err := json.Marshal(doc)
			if err != nil {
				t.Fatal(err)
			}
			all[fmt.Sprintf("%s[%d]", at, len(v))] = string(body)
			put(v)
			for i, inner := range v {
				walk(inner, fmt.Sprintf("%s[%d]", at, i), func(with any) { v[i] = with })
			}
		}
	}
	walk(doc, "", nil)
	return all
}

// lists are requests with lists that requestsWithAll has not.
var lists = map[string]string{
	O: `{"model":"m","messages":[{"role":"user","content":"go"}],"stop":["a","b"],"modalities":["text"],"functions":[{"name":"g"}],"tools":[{"type":"function","function":{"name":"f"}}],"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"f"}}]}}}`,
	A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"x"}]}}]}],"stop_sequences":["a","b"]}`,
	G: `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},"generationConfig":{"stopSequences":["a"]}}`,
}

// unused are fields of features that the client does not use, as generated clients and proxies send them.
var unused = map[string][]string{
	O: {
		`"reasoning":{}`, `"reasoning":{"effort":null}`, `"reasoning":{"effort":"","max_tokens":null}`, `"thinking":{}`, `"thinking":{"type":null}`, `"reasoning_effort":""`, `"verbosity":""`, `"route":""`, `"prediction":{"type":null}`, `"plugins":[{}]`,
		`"extra_body":{"google":{"cached_content":""}}`, `"extra_body":{"google":{"cached_content":null}}`, `"modalities":[]`, `"functions":[]`, `"logit_bias":{}`, `"web_search_options":null`, `"moderation":{}`, `"stream_options":{}`,
	},
	A: {
		`"container":{"skills":[]}`, `"container":{"id":null,"skills":[]}`, `"container":{"id":null}`, `"container":{}`, `"container":""`, `"mcp_servers":[]`, `"mcp_servers":null`, `"speed":""`, `"reasoning":{}`, `"reasoning":{"effort":null}`, `"reasoning_effort":""`,
		`"context_management":{"edits":[]}`, `"output_config":{"effort":null,"format":null}`, `"system":[]`, `"stop_sequences":[]`, `"compaction":null`, `"thread":null`,
	},
	G: {
		`"cachedContent":""`, `"continuationToken":""`, `"cachedContent":null`, `"tools":[{"mcpServers":[]}]`, `"tools":[{"googleSearch":null}]`, `"tools":[{"functionDeclarations":[]}]`, `"reasoning":{}`, `"safetySettings":[]`, `"generationConfig":{"speechConfig":{"voiceConfig":{}}}`,
		`"generationConfig":{"responseMimeType":"","responseModalities":[],"stopSequences":[]}`, `"toolConfig":{"retrievalConfig":{"latLng":{}}}`, `"systemInstruction":{"parts":[]}`,
	},
}

func callA(id string) string { return `{"type":"tool_use","id":"` + id + `","name":"f","input":{}}` }

func resultA(id string) string {
	return `{"type":"tool_result","tool_use_id":"` + id + `","content":"got ` + id + `"}`
}

// blocksA is a conversation whose turns have these blocks: the user's, the model's, and so on.
func blocksA(turns ...string) string {
	var list []string
	for i, blocks := range turns {
		list = append(list, fmt.Sprintf(`{"role":"%s","content":[%s]}`, []string{"user", "assistant"}[i%2], blocks))
	}
	return `{"model":"m","max_tokens":9,` + toolsA + `,"messages":[` + strings.Join(list, ",") + `]}`
}

// outline is who says what of a request, in a few letters.
func outline(l *landed) string {
	var all []string
	for _, m := range l.got().Get("messages").Array() {
		say := m.Get("role").Str[:1] + ":"
		for _, c := range m.Get("tool_calls").Array() {
			say += "(" + c.Get("id").Str + ")"
		}
		say += m.Get("content").Str
		for _, p := range m.Get("content").Array() {
			say += p.Get("text").Str + "|"
		}
		all = append(all, strings.TrimSuffix(say, "|"))
	}
	for _, m := range l.got().Get("contents").Array() {
		say := m.Get("role").Str[:1] + ":"
		for _, p := range m.Get("parts").Array() {
			if id := p.Get("functionCall.id"); id.Exists() {
				say += "(" + id.Str + ")"
			}
			say += p.Get("text").Str + p.Get("functionResponse.response.output").Str + "|"
		}
		all = append(all, strings.TrimSuffix(say, "|"))
	}
	return strings.Join(all, " ")
}

var hardFitted = section{"AQ", "what stands where no API has it, and what asks for nothing", []hard{
	{number: 1198, name: "a result whose call is not there keeps its place among the words", run: func(t *testing.T) {
		for blocks, want := range map[string]string{
			resultA("x") + `,{"type":"text","text":"on"}`:                                  `u:[Result of x] got x|on`,
			`{"type":"text","text":"so"},` + resultA("x") + `,{"type":"text","text":"on"}`: `u:so|[Result of x] got x|on`,
			`{"type":"text","text":"so"},` + resultA("x"):                                  `u:so|[Result of x] got x`,
		} {
			for _, to := range []string{O, G} {
				l := take(t, trip{from: A, to: to, ask: blocksA(blocks)})
				is(t, to, outline(l), want)
			}
		}
	}},
	{number: 1199, name: "a result in the model's own turn, behind its call", answer: "it is the result of that call, in a turn of the user's, with a warning", run: func(t *testing.T) {
		say := func(text string) string { return `{"type":"text","text":"` + text + `"}` }
		for what, row := range map[string]struct {
			ask     string
			want    map[string]string
			strayed string
		}{
			"and words behind it": {blocksA(say("go"), callA("a")+","+resultA("a")+","+say("so"), say("on")),
				map[string]string{O: "u:go a:(a) t:got a a:so u:on", G: "u:go m:(a) u:got a m:so u:on"}, "messages[1].content[1]"},
			"one of two": {blocksA(say("go"), callA("a")+","+callA("b")+","+resultA("a"), resultA("b")+","+say("on")),
				map[string]string{O: "u:go a:(a)(b) t:got a t:got b u:on", G: "u:go m:(a)|(b) u:got a|got b u:on"}, "messages[1].content[2]"},
			"one of two, and words": {blocksA(say("go"), callA("a")+","+callA("b")+","+resultA("b")+","+say("so"), resultA("a")),
				map[string]string{O: "u:go a:(a)(b)so t:got b t:got a", G: "u:go m:(a)|(b)|so u:got a|got b"}, "messages[1].content[2]"},
			"one call after the other": {blocksA(say("go"), callA("a")+","+resultA("a")+","+callA("b")+","+resultA("b")),
				map[string]string{O: "u:go a:(a) t:got a a:(b) t:got b", G: "u:go m:(a) u:got a m:(b) u:got b"}, "messages[1].content[3]"},
			"in a turn of its own": {strings.Replace(blocksA(say("go"), callA("a"), resultA("a")), `{"role":"user","content":[{"type":"tool_result"`, `{"role":"assistant","content":[{"type":"tool_result"`, 1),
				map[string]string{O: "u:go a:(a) t:got a", G: "u:go m:(a) u:got a"}, "messages[2].content[0]"},
			"of another call": {blocksA(say("go"), callA("a")+","+resultA("z"), say("on")),
				map[string]string{O: "u:go a:(a)[Result of z] got z t:[no result] u:on", G: "u:go m:(a)|[Result of z] got z u:[no result] u:on"}, "messages[1].content[1]"},
		} {
			for to, want := range row.want {
				l := take(t, trip{from: A, to: to, ask: row.ask})
				is(t, to+", "+what, outline(l), want)
				l.warns(row.strayed, chat.Approximated)
			}
		}
	}},
	{number: 1200, name: "calls, results and thoughts in a result", run: func(t *testing.T) {
		for inside, want := range map[string]string{resultA("a"): "got a", callA("z"): "[f {}]", `{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"x"}`: "x"} {
			ask := blocksA(`{"type":"text","text":"go"}`, callA("a"), `{"type":"tool_result","tool_use_id":"a","content":[`+inside+`]}`)
			l := take(t, trip{from: A, to: O, ask: ask})
			l.sends("messages.2.content", quoted(want))
			is(t, inside, l.told() != "[]", true)
			take(t, trip{from: A, to: G, ask: ask}).sends("contents.2.parts.0.functionResponse.response.output", quoted(want))
		}
	}},
	{number: 1201, name: "fields of features that are not used", run: func(t *testing.T) {
		asks := map[string]string{O: `{"model":"m","messages":[{"role":"user","content":"go"}]`, A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}]`, G: `{"contents":[{"parts":[{"text":"go"}]}]`}
		pairs(func(from, to string) {
			plain := take(t, trip{from: from, to: to, ask: asks[from] + "}"}).got().Raw
			for _, field := range unused[from] {
				l := take(t, trip{from: from, to: to, ask: asks[from] + "," + field + "}"})
				is(t, from+" to "+to+", "+field, l.got().Raw, plain)
				for _, loss := range l.losses {
					is(t, from+" to "+to+", "+field, loss.Verb, chat.Ignored)
				}
			}
		})
		for field, body := range map[string]string{"container": `"container":{"skills":[{"type":"anthropic","skill_id":"pptx"}]}`, "mcp_servers": `"mcp_servers":[{"type":"url","name":"x","url":"https://a.example/"}]`, "compaction": `"compaction":{}`} {
			refuses(t, trip{from: A, to: O, ask: asks[A] + "," + body + "}"}, field)
		}
		refuses(t, trip{from: O, to: A, ask: asks[O] + `,"web_search_options":{}}`}, "web_search_options")
		refuses(t, trip{from: G, to: O, ask: asks[G] + `,"tools":[{"googleSearch":{}}]}`}, "tools[0]")
	}},
	{number: 1202, name: "an element of a list that cannot be is named by its number", run: func(t *testing.T) {
		for from, templates := range requestsWithAll {
			for _, template := range append(slices.Clone(templates), lists[from]) {
				for at, ask := range withBadElement(t, strings.ReplaceAll(template, position, "")) {
					if at != "safetySettings[1]" { // which is carried as it is
						refuses(t, trip{from: from, to: others(from)[0], ask: ask}, at)
					}
				}
			}
		}
	}},
	// Also of servers that speak Anthropic's dialect, and in OpenAI's older member for calls.
	{number: 1203, name: "arguments that are told from the beginning with every piece, in other dialects", run: func(t *testing.T) {
		for what, row := range retold {
			pieces := make([]string, 0, len(row.pieces))
			var older []string
			for i, piece := range row.pieces {
				pieces = append(pieces, piece)
				older = append(older, fmt.Sprintf(`{"function_call":{%s"arguments":%s}}`, []string{"", `"name":"f",`}[1-min(i, 1)], quoted(piece)))
			}
			for _, from := range []string{O, G} {
				either(t, trip{from: from, to: A, own: true, answers: []string{messageA(toolA(0, "c", "f", pieces...), "tool_use")}}, func(l *landed) { is(t, from+", "+what, argued(l), row.want) })
			}
			for _, from := range []string{A, G} {
				either(t, trip{from: from, to: O, own: true, answers: []string{chunksO("function_call", older...)}}, func(l *landed) { is(t, from+", older, "+what, argued(l), row.want) })
			}
		}
	}},
	// Go writes a list of none as null, others as []; APIs want at least one of these, or no list.
	{number: 1204, name: "lists of schemas that are empty, and types that none has", run: func(t *testing.T) {
		for of, want := range map[string]string{
			`{"type":"string","enum":null}`: `{"type":"string"}`, `{"type":"string","enum":[]}`: `{"type":"string"}`, `{"type":"string","enum":["x","x"]}`: `{"type":"string","enum":["x"]}`, `{"type":"string","enum":"x"}`: `{"type":"string","enum":["x"]}`,
			`{"anyOf":[]}`: `{}`, `{"oneOf":[],"type":"string"}`: `{"type":"string"}`, `{"allOf":[]}`: `{}`, `{"type":[]}`: `{}`, `{"type":""}`: `{}`, `null`: `{}`, `"string"`: `{"type":"string"}`,
			`{"type":"datetime"}`: `{"type":"string"}`, `{"type":"int64"}`: `{"type":"integer"}`, `{"type":["STRING","NULL"]}`: `{"type":["string","null"]}`, `{"type":["string","str"]}`: `{"type":["string"]}`, `{"type":"quux"}`: `{}`,
		} {
			schema := `{"type":"object","properties":{"p":` + of + `}}`
			pairs(func(from, to string) {
				if from == G {
					return // whose own schemas have other rules
				}
				l := take(t, trip{from: from, to: to, ask: offering(from, schema)})
				l.sends(schemaAt[to]+".properties.p", want)
				is(t, of, l.told() != "[]", true)
			})
		}
		for of, want := range map[string]string{`{"type":"array","items":[]}`: `{"type":"array","items":{}}`, `{"type":"array","prefixItems":[]}`: `{"type":"array","items":{}}`} {
			take(t, trip{from: A, to: O, ask: offering(A, `{"type":"object","properties":{"p":`+of+`}}`)}).sends(schemaAt[O]+".properties.p", want)
		}
	}},
	// PHP and Lua know no other way to write an object without members.
	{number: 1205, name: "objects of nothing, written as a list", run: func(t *testing.T) {
		asks := map[string]string{O: `{"model":"m","messages":[{"role":"user","content":"go"}]`, A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}]`, G: `{"contents":[{"parts":[{"text":"go"}]}]`}
		objects := map[string][]string{
			O: {"metadata", "logit_bias", "reasoning", "thinking", "response_format", "extra_body", "chat_template_kwargs", "usage", "prediction", "audio"},
			A: {"metadata", "thinking", "output_config", "container", "context_management", "reasoning", "cache_control"},
			G: {"generationConfig", "toolConfig", "labels", "systemInstruction", "thinkingConfig", "reasoning"},
		}
		pairs(func(from, to string) {
			plain := take(t, trip{from: from, to: to, ask: asks[from] + "}"}).got().Raw
			for _, field := range objects[from] {
				l := take(t, trip{from: from, to: to, ask: asks[from] + `,"` + field + `":[]}`})
				is(t, from+" to "+to+", "+field, l.got().Raw, plain)
			}
			none := calledWith(from, "{}", `{"output":"x"}`)
			l := take(t, trip{from: from, to: to, ask: strings.NewReplacer(`"input":{}`, `"input":[]`, `"arguments":"{}"`, `"arguments":"[]"`, `"args":{}`, `"args":[]`).Replace(none)})
			is(t, from+" to "+to, l.got().Raw, take(t, trip{from: from, to: to, ask: none}).got().Raw)
			without := map[string]string{O: `{"type":"function","function":{"name":"f","parameters":[]}}`, A: `{"name":"f","input_schema":[]}`, G: `{"functionDeclarations":[{"name":"f","parameters":[]}]}`}
			l = take(t, trip{from: from, to: to, ask: asks[from] + `,"tools":[` + without[from] + `]}`})
			is(t, from+" to "+to+", a tool", l.got().Get("tools.#").Int(), 1)
		})
		for to, answer := range map[string]string{
			A: wholeA("tool_use", `{"type":"tool_use","id":"a","name":"f","input":[]}`), G: wholeG(`{"functionCall":{"name":"f","args":[]}}`),
			O: endO("tool_calls", `"content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"[]"}}]`),
		} {
			for _, from := range others(to) {
				either(t, trip{from: from, to: to, answers: []string{answer}}, func(l *landed) { is(t, from+" from "+to, argued(l), "{}") })
			}
		}
	}},
	{number: 1206, name: "a choice of a tool that names none", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: strings.Replace(plain[A], "{", `{`+toolsA+`,"tool_choice":{"type":"tool"},`, 1)}, "tool_choice.name")
		}
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: strings.Replace(plain[O], "{", `{`+toolsO+`,"tool_choice":{"type":"function"},`, 1)}, "tool_choice.function.name")
		}
	}},
	// Local models write line ends into texts as they are: of a file that is to be written the rest was lost.
	{number: 1207, name: "arguments that are careless, and clear", run: func(t *testing.T) {
		for said, want := range map[string]string{
			"{\"a\":\"x\ny\tz\"}": `{"a":"x\ny\tz"}`, "{\"a\":\"\\u00e9\n\",\"b\":[1,2,],}": `{"a":"\u00e9\n","b":[1,2]}`, `{"a":1 , }`: `{"a":1 }`, `{"a":1}}`: `{"a":1}`, `{"a":{"b":1},}]}`: `{"a":{"b":1}}`,
			"```json\n{\"a\":1}\n```": `{"a":1}`, "```\n{\"a\":1,}```": `{"a":1}`, `{"a":"}, ]"}`: `{"a":"}, ]"}`,
		} {
			for _, size := range []int{1, 3, len(said)} {
				deltas := []string{toolO(0, "c", "f", "")}
				for rest := said; rest != ""; {
					n := min(size, len(rest))
					deltas = append(deltas, toolO(0, "", "", rest[:n]))
					rest = rest[n:]
				}
				for _, from := range []string{A, G} {
					l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{chunksO("tool_calls", deltas...)}})
					same(t, gjson.Parse(`{"x":`+argued(l)+`}`), "x", want)
				}
			}
			for _, from := range []string{A, G} {
				l := take(t, trip{from: from, to: O, own: true, ask: plainly(from, false), answers: []string{calls([3]string{"f", "c", said})}})
				same(t, gjson.Parse(`{"x":`+argued(l)+`}`), "x", want)
				is(t, said, l.warned("answer", chat.Approximated), false)
			}
			for _, to := range []string{A, G} {
				l := take(t, trip{from: O, to: to, ask: calledWith(O, said, "x")})
				same(t, l.got(), map[string]string{A: "messages.1.content.0.input", G: "contents.1.parts.0.functionCall.args"}[to], want)
			}
		}
	}},
	{number: 1208, name: "whatever clients send, what is sent upstream is legal there", elsewhere: "TestHard1208WhatIsSentUpstreamIsLegalWhateverClientsSend"},
	{number: 1209, name: "two calls of one id, to Google", run: func(t *testing.T) {
		call := `{"id":"c","type":"function","function":{"name":"%s","arguments":"{}"}}`
		result := `{"role":"tool","tool_call_id":"c","content":"%s"}`
		l := take(t, trip{from: O, to: G, ask: `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + fmt.Sprintf(call, "f") + `,` + fmt.Sprintf(call, "g") + `,` + fmt.Sprintf(call, "f") + `]},` +
			fmt.Sprintf(result, "x") + `,` + fmt.Sprintf(result, "y") + `,` + fmt.Sprintf(result, "z") + `]}`})
		l.sends("contents.1.parts.#.functionCall.id", `["c","c_2","c_3"]`)
		l.sends("contents.2.parts.#.functionResponse.id", `["c","c_2","c_3"]`)
		l.sends("contents.2.parts.#.functionResponse.response.output", `["x","y","z"]`)
	}},
	// Google's clients send an answer back in the pieces that it came in.
	{number: 1210, name: "an answer that was begun, in pieces, and a blank one is the last", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"so "},{"text":" "},{"text":"\n"}]}]}`})
		l.sends("messages.1.content", `[{"type":"text","text":"so"}]`)
		l.warns("contents", chat.Approximated)
	}},
	{number: 1211, name: "words in a block of thoughts, and the reverse", run: func(t *testing.T) {
		piece := func(kind, text string) string {
			return `{"type":"content_block_delta","index":0,"delta":{"type":"` + kind + `_delta","` + kind + `":"` + text + `"}}`
		}
		for _, block := range []string{`{"type":"text","text":""}`, `{"type":"thinking","thinking":"","signature":""}`} {
			answer := messageA(named(`{"type":"content_block_start","index":0,"content_block":`+block+`}`, piece("thinking", "hm"), piece("text", "hi"), `{"type":"content_block_stop","index":0}`), "end_turn")
			for _, from := range []string{O, G} {
				for _, streamed := range []bool{false, true} {
					is(t, from+", "+block, tells(t, trip{from: from, to: A, own: true, stream: streamed, answers: []string{answer}}), `hm|hi||stop`)
				}
			}
		}
	}},
}}
