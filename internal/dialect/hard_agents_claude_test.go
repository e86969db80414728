package dialect_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"stele/internal/chat"
)

// What Claude Code and agents on Anthropic's newer API send, to models of others.
var hardClaude = section{"AT", "agents of Claude's, at other models", []hard{
	// sgl-project/sglang#29169, musistudio/claude-code-router#1343: the line is another one with each request, and no prompt is found in a cache.
	{number: 1249, name: "the line by which Claude Code tells what a request is billed as", run: func(t *testing.T) {
		const line = "x-anthropic-billing-header: cc_version=2.1.175.3d9; cc_entrypoint=cli; cch=74943;"
		for system, want := range map[string]string{
			`[{"type":"text","text":"` + line + `"},{"type":"text","text":"be brief"}]`: "be brief",
			`"` + line + `\nbe brief"`:                       "be brief",
			`"` + line + `"`:                                 "",
			`"What is an x-anthropic-billing-header: line?"`: "What is an x-anthropic-billing-header: line?",
		} {
			ask := `{"model":"m","max_tokens":9,"system":` + system + `,"messages":[{"role":"user","content":"go"}]}`
			for to, at := range map[string]string{O: `messages.#(role=="system").content`, G: "systemInstruction.parts.0.text"} {
				l := take(t, trip{from: A, to: to, ask: ask})
				is(t, to+" is told "+system, l.got().Get(at).Str, want)
				is(t, to+" is told of it", strings.Contains(l.told(), "system"), strings.Contains(system, "cch="))
			}
			is(t, "Anthropic gets it", take(t, trip{from: A, to: A, ask: ask}).got().Get("system").Raw, system)
		}
	}},
	{number: 1250, name: "sets of tools that the client runs itself", run: func(t *testing.T) {
		for kind, row := range map[string]struct{ set, tool, off, on string }{
			"computer_toolset_20260801": {"computer", "left_click", "zoom", "screenshot"},
			"browser_toolset_20260801":  {"browser", "navigate", "javascript_exec", "read_network"},
		} {
			ask := `{"model":"m","max_tokens":9,"tools":[{"type":"` + kind + `","configs":{"zoom":{"enabled":false},"` + row.on + `":{"enabled":true}}},{"name":"f","input_schema":{"type":"object","properties":{}}}],` +
				`"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"` + row.tool + `","toolset_name":"` + row.set + `","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","toolset_name":"` + row.set + `","content":"ok"}]}]}`
			for to, at := range map[string]string{O: "tools.#.function.name", G: "tools.0.functionDeclarations.#.name"} {
				answers := map[string][2]string{
					O: {
						endO("tool_calls", `"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"`+row.tool+`","arguments":"{}"}},{"id":"d","type":"function","function":{"name":"f","arguments":"{}"}}]`),
						chunksO("tool_calls", toolO(0, "c", row.tool, "{}"), toolO(1, "d", "f", "{}")),
					},
					G: {
						wholeG(`{"functionCall":{"name":"`+row.tool+`","args":{}}}`, `{"functionCall":{"name":"f","args":{}}}`),
						sse(wholeG(`{"functionCall":{"name":"`+row.tool+`","args":{}}}`, `{"functionCall":{"name":"f","args":{}}}`)),
					},
				}
				l := take(t, trip{from: A, to: to, ask: ask, answers: []string{answers[to][0]}})
				names := l.got().Get(at).Raw
				for name, want := range map[string]bool{row.tool: true, row.on: true, row.off: false, "f": true, kind: false} {
					is(t, to+" is offered "+name, strings.Contains(names, `"`+name+`"`), want)
				}
				l.warns("tools[0]", chat.Approximated)
				l.gets("content.#.toolset_name", `["`+row.set+`"]`)
				l.gets("content.0.name", `"`+row.tool+`"`)
				streamed := take(t, trip{from: A, to: to, stream: true, ask: strings.Replace(ask, "{", `{"stream":true,`, 1), answers: []string{answers[to][1]}})
				is(t, "in a stream", streamed.joined("content_block.toolset_name"), row.set)
			}
			l := take(t, trip{from: A, to: A, ask: ask})
			l.sends("tools.#", "2")
		}
	}},
	{number: 1251, name: "tools that come and go between turns", run: func(t *testing.T) {
		tool := func(name string) string {
			return `{"name":"` + name + `","input_schema":{"type":"object","properties":{}}}`
		}
		changed := func(kind, tool string) string { return `{"type":"tool_` + kind + `","tool":` + tool + `}` }
		named := func(name string) string { return `{"type":"tool_reference","name":"` + name + `"}` }
		for blocks, want := range map[string]string{
			changed("removal", named("g")):                                                                                      `["f"]`,
			changed("removal", named("g")) + `,` + changed("addition", named("g")):                                              `["f","g"]`,
			changed("addition", `{"type":"tool_definition","definition":`+tool("h")+`}`):                                        `["f","g","h"]`,
			changed("addition", named("f")):                                                                                     `["f","g"]`,
			changed("addition", `{"type":"tool_definition","definition":`+tool("h")+`}`) + `,` + changed("removal", named("h")): `["f","g"]`,
		} {
			ask := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"system","content":[` + blocks + `]},{"role":"user","content":"on"}],"tools":[` + tool("f") + `,` + tool("g") + `]}`
			for to, at := range map[string]string{O: "tools.#.function.name", G: "tools.0.functionDeclarations.#.name"} {
				l := take(t, trip{from: A, to: to, ask: ask})
				l.sends(at, want)
				l.warns("messages[1].content[0]", chat.Approximated)
			}
		}
		refuses(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"tool_choice":{"type":"tool","name":"g"},"tools":[` + tool("f") + `,` + tool("g") + `],"messages":[{"role":"user","content":"go"},{"role":"system","content":[` +
			changed("removal", named("g")) + `]}]}`}, "tool_choice")
	}},
	{number: 1252, name: "advice, tabs of a browser and lines of an editor, in the history", run: func(t *testing.T) {
		said := func(block string) string {
			return `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[` + block + `,{"type":"text","text":"so"}]},{"role":"user","content":"on"}]}`
		}
		for ask, want := range map[string]string{
			said(`{"type":"advisor_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"advisor_result","text":"use a map"}}`):                                                    "use a map",
			said(`{"type":"advisor_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"advisor_tool_result_error","error_code":"overloaded"}}`):                                  "error: overloaded",
			said(`{"type":"text_editor_code_execution_tool_result","tool_use_id":"srvtoolu_1","content":{"type":"text_editor_code_execution_str_replace_result","lines":["-a","+b"]}}`): `-a\n+b`,
			`{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"navigate","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":[` +
				`{"type":"browser_state","tabs":[{"tab_id":"t1","title":"Home","url":"https://x.y/","active":true}]}]}]}]}`: `t1 Home https://x.y/ (active)`,
		} {
			for _, to := range []string{O, G} {
				l := take(t, trip{from: A, to: to, ask: ask})
				is(t, to+" is told "+want, strings.Contains(l.got().Raw, want), true)
			}
		}
	}},
	// openai/openai-agents-python#2331, XSpoonAi/spoon-core#265: histories that were cut and joined, and tools that take their time.
	{number: 1253, name: "results that stand turns behind their calls, or before them", answer: "put behind their calls, with a warning", run: func(t *testing.T) {
		call := func(id string) string {
			return `{"role":"assistant","content":null,"tool_calls":[` + strings.Replace(calling, "c1", id, 1) + `]}`
		}
		result := func(id, words string) string {
			return `{"role":"tool","tool_call_id":"` + id + `","content":"` + words + `"}`
		}
		for name, row := range map[string]struct{ messages, want string }{
			"turns behind": {call("c1") + `,` + says("user", "wait") + `,` + says("assistant", "ok") + `,` + result("c1", "x") + `,` + userO, "x"},
			"before":       {result("c1", "x") + `,` + call("c1") + `,` + says("assistant", "ok") + `,` + userO, "x"},
			"swapped":      {call("c1") + `,` + result("c2", "y") + `,` + call("c2") + `,` + result("c1", "x"), "x y"},
			"one of two":   {call("c1") + `,` + call("c2") + `,` + result("c2", "y") + `,` + says("assistant", "ok") + `,` + result("c1", "x") + `,` + userO, "x y"},
			"one id":       {call("c1") + `,` + says("user", "wait") + `,` + says("assistant", "ok") + `,` + result("c1", "x") + `,` + call("c1") + `,` + result("c1", "y"), "x y"},
		} {
			ask := `{"model":"m",` + toolsO + `,"messages":[` + userO + `,` + row.messages + `]}`
			var told, heard []string
			l := take(t, trip{from: O, to: A, ask: ask})
			for _, m := range l.got().Get("messages").Array() {
				for _, b := range m.Get("content").Array() {
					if b.Get("type").Str == "tool_result" {
						told = append(told, b.Get("content").Str)
					}
				}
			}
			g := take(t, trip{from: O, to: G, ask: ask})
			for _, p := range g.got().Get("contents.#.parts|@flatten").Array() {
				if r := p.Get("functionResponse.response.output"); r.Exists() {
					heard = append(heard, r.Str)
				}
			}
			is(t, name+", Claude is told", strings.Join(told, " "), row.want)
			is(t, name+", Gemini is told", strings.Join(heard, " "), row.want)
			is(t, name+", the client is told", strings.Contains(l.told(), "put behind its call"), true)
		}
	}},
	// Claude's newer models give signatures without words. Vertex: "it has an empty text parameter".
	{number: 1254, name: "thoughts without words that another model signed, to Google", run: func(t *testing.T) {
		silent := `{"type":"thinking","thinking":"","signature":"RXFRQg=="}`
		for name, row := range map[string]struct{ said, want string }{
			"before a call":  {silent + `,{"type":"tool_use","id":"a","name":"f","input":{}}`, "functionCall"},
			"before a text":  {silent + `,{"type":"text","text":"so"}`, "text"},
			"behind a text":  {`{"type":"text","text":"so"},` + silent, "text"},
			"nothing beside": {silent, ""},
		} {
			ask := turnsA(userO + `,{"role":"assistant","content":[` + row.said + `]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":"x"},{"type":"text","text":"on"}]}`)
			for _, model := range []string{"gemini-2.5-flash", "gemini-3-pro-preview"} {
				l := take(t, trip{from: A, to: G, model: model, ask: ask})
				is(t, name+": "+l.got().Raw, strings.Contains(l.got().Raw, `{"text":""`), false)
				is(t, name+", what is said", l.got().Get(`contents.#(role=="model").parts.#`).Int(), int64(min(1, len(row.want))))
				is(t, name+", it is there", l.got().Get(`contents.#(role=="model").parts.0.`+row.want).Exists(), row.want != "")
			}
		}
	}},
	// AstrBotDevs/AstrBot#7200, MoonshotAI/kimi-code#1985: "the message at position 8 with role 'assistant' must not be empty".
	{number: 1255, name: "a turn of the model's of which nothing is left", run: func(t *testing.T) {
		for _, said := range []string{`[]`, `""`, `[{"type":"thinking","thinking":"","signature":"RXFRQg=="}]`, `[{"type":"redacted_thinking","data":"RXFRQg=="}]`, `[{"type":"text","text":""}]`} {
			for _, last := range []string{`,` + userO, ``} {
				for _, own := range []bool{false, true} {
					l := take(t, trip{from: A, to: O, own: own, ask: turnsA(userO + `,{"role":"assistant","content":` + said + `}` + last)})
					is(t, said, strings.Contains(l.got().Raw, "assistant"), false)
					is(t, said+", what is asked for", strings.Contains(l.got().Raw, "ontinue"), false)
					l.warns("messages[1]", chat.Dropped)
				}
			}
		}
		l := take(t, trip{from: A, to: O, own: true, ask: turnsA(userO + `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":""}]},` + userO)})
		l.sends("messages.1.reasoning_content", `"hm"`)
	}},
	// LiteLLM's image parameters for Anthropic: addresses without TLS go along as data.
	{number: 1256, name: "a picture at an address without TLS, to Claude", run: func(t *testing.T) {
		bytes, _ := base64.StdEncoding.DecodeString(pixel)
		see := func(address string) string {
			return `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"` + address + `"}}]}]}`
		}
		for address, want := range map[string]string{"http://x.y/a.png": "base64", "HTTP://x.y/a.png": "base64", "https://x.y/a.png": "url"} {
			l := take(t, trip{from: O, to: A, fetch: map[string]string{"http://x.y/a.png": string(bytes), "HTTP://x.y/a.png": string(bytes)}, ask: see(address)})
			l.sends("messages.0.content.0.source.type", `"`+want+`"`)
		}
		refuses(t, trip{from: O, to: A, fetch: map[string]string{}, ask: see("http://x.y/gone.png")}, "messages[0].content[0]")
		own := turnsA(`{"role":"user","content":[{"type":"image","source":{"type":"url","url":"http://x.y/a.png"}}]}`)
		take(t, trip{from: A, to: A, fetch: map[string]string{}, ask: own}).sends("messages.0.content.0.source.url", `"http://x.y/a.png"`)
	}},
	// Anthropic: "metadata.user_id: user_id appears to contain an email address", which LiteLLM tests for too.
	{number: 1257, name: "an end user by an address or a telephone's number, to Claude", answer: "sent as a hash", run: func(t *testing.T) {
		for id, kept := range map[string]bool{"ada@example.com": false, "Ada <ada@example.com>": false, "+1 (555) 123-4567": false, "5551234567": false, "user-1": true, "42": true, "@ada": true, "c0ffee00-1234-4321-8888-000000000001": true} {
			for _, field := range []string{"user", "safety_identifier"} {
				l := take(t, trip{from: O, to: A, ask: withO(`"` + field + `":"` + id + `"`)})
				sent := l.got().Get("metadata.user_id").Str
				is(t, id, sent == id, kept)
				is(t, id+", something is", sent != "", true)
				is(t, id+", told", l.warned(field, chat.Ignored), !kept)
				is(t, id+", the same each time", take(t, trip{from: O, to: A, ask: withO(`"` + field + `":"` + id + `"`)}).got().Get("metadata.user_id").Str, sent)
			}
			is(t, id+", to OpenAI", take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"metadata":{"user_id":"` + id + `"},"messages":[` + userO + `]}`}).got().Get("safety_identifier").Str, id)
		}
	}},
}}
