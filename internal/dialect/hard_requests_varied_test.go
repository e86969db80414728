package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// allowing is a request with three tools of which b alone may be called, in each dialect that can say so.
var allowing = map[string]string{
	O: `{"model":"m","tools":[{"type":"function","function":{"name":"a"}},{"type":"function","function":{"name":"b"}},{"type":"function","function":{"name":"c"}}],` +
		`"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[{"type":"function","function":{"name":"b"}}]}},"messages":[{"role":"user","content":"go"}]}`,
	G: `{"tools":[{"functionDeclarations":[{"name":"a"},{"name":"b"},{"name":"c"}]}],"toolConfig":{"functionCallingConfig":{"mode":"VALIDATED","allowedFunctionNames":["b"]}},` +
		`"contents":[{"parts":[{"text":"go"}]}]}`,
}

// saysAndCalls are answers with words, a call of b where it is wanted, and one of a tool that is not allowed.
func saysAndCalls(to string, alone bool) (whole, stream string) {
	switch to {
	case O:
		list, chunks := `{"id":"1","type":"function","function":{"name":"a","arguments":"{}"}}`, []string{`{"content":"hm"}`, toolO(0, "1", "a", "{}")}
		if !alone {
			list += `,{"id":"2","type":"function","function":{"name":"b","arguments":"{}"}}`
			chunks = append(chunks, toolO(1, "2", "b", "{}"))
		}
		return endO("tool_calls", `"content":"hm","tool_calls":[`+list+`]`), chunksO("tool_calls", chunks...)
	case A:
		blocks, events := []string{`{"type":"text","text":"hm"}`, `{"type":"tool_use","id":"1","name":"a","input":{}}`}, textA(0, "hm")+toolA(1, "1", "a", "{}")
		if !alone {
			blocks, events = append(blocks, `{"type":"tool_use","id":"2","name":"b","input":{}}`), events+toolA(2, "2", "b", "{}")
		}
		return wholeA("tool_use", blocks...), messageA(events, "tool_use")
	}
	parts := []string{`{"text":"hm"}`, `{"functionCall":{"id":"1","name":"a","args":{}}}`}
	if !alone {
		parts = append(parts, `{"functionCall":{"id":"2","name":"b","args":{}}}`)
	}
	return wholeG(parts...), sse(wholeG(parts...))
}

var hardVaried = section{"U", "the same in other words", []hard{
	{number: 901, name: "one tool twice, with other spaces", run: func(t *testing.T) {
		for _, from := range []string{O, A, G} {
			once := offering(from, `{"type":"object","properties":{"a":{"type":"string"}}}`)
			tools := gjson.Get(once, "tools")
			for _, to := range []string{O, A, G} {
				if from == to {
					continue
				}
				for spaced, twice := range map[string]bool{`{ "type":"object", "properties": {"a": {"type":"string"}}}`: true, `{"type":"object","properties":{"b":{"type":"string"}}}`: false} {
					twin := strings.Replace(tools.Array()[0].Raw, `{"type":"object","properties":{"a":{"type":"string"}}}`, spaced, 1)
					l := try(t, trip{from: from, to: to, ask: strings.Replace(once, tools.Raw, `[`+tools.Array()[0].Raw+`,`+twin+`]`, 1)})
					if twice && (l.failure != nil || strings.Count(l.got().Raw, `"f"`) != 1) || !twice && l.status != 400 {
						t.Errorf("%s to %s: %d %s", from, to, l.status, l.body)
					}
				}
			}
		}
	}},
	{number: 902, name: "free text, otherwise written", run: func(t *testing.T) {
		flat := `{"model":"m","tools":[{"type":"custom","name":"patch","description":"D","format":{"type":"grammar","syntax":"lark","definition":"start: x"}}],"messages":[{"role":"user","content":"go"}]}`
		take(t, trip{from: O, to: G, ask: flat}).sends("tools.0.functionDeclarations.0.name", `"patch"`)
		for input, want := range map[string]string{`{"input":"x"}`: "x", `{"patch":"x"}`: "x", `{}`: "", `{"a":"x","b":"y"}`: `{"a":"x","b":"y"}`} {
			l := take(t, trip{from: O, to: A, ask: flat, answers: []string{wholeA("tool_use", `{"type":"tool_use","id":"t","name":"patch","input":`+input+`}`)}})
			if !strings.Contains(l.got().Get("tools.0.description").Str, "start: x") {
				t.Error(l.got().Raw)
			}
			is(t, input, gjson.Get(l.body, "choices.0.message.tool_calls.0.custom.input").Str, want)
		}
	}},
	{number: 903, name: "marks of whole messages and of functions", run: func(t *testing.T) {
		asked := strings.NewReplacer(`"content":null`, `"content":null`+mark, `"tool_call_id":"c1"`, `"tool_call_id":"c1"`+mark, `"name":"f","parameters"`, `"name":"f"`+mark+`,"parameters"`)
		l := take(t, trip{from: O, to: A, ask: asked.Replace(calledO(`,"arguments":"{}"`, `""`))})
		for _, at := range []string{"tools.0", "messages.1.content.0", "messages.2.content.0"} {
			l.sends(at+".cache_control", `{"type":"ephemeral"}`)
		}
		l = take(t, trip{from: O, to: A, ask: talkO(`{"role":"system","content":[{"type":"text","text":""`+mark+`},{"type":"text","text":"x"}]}`, says("user", "a"))})
		l.warns("messages[0]", chat.Ignored)
		l = take(t, trip{from: O, to: A, ask: talkO(`{"role":"user","content":""`+mark+`}`, says("user", "a"))})
		l.warns("messages[0].cache_control", chat.Ignored)
		take(t, trip{from: A, to: G, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"x"` + mark + `}]}`)}).warns("cache_control", chat.Ignored)
	}},
	{number: 904, name: "words and pictures that look like others", run: func(t *testing.T) {
		for _, words := range []string{"BMW is a maker of cars and of motorcycles.", "ID3 is how music says who made it."} {
			for _, to := range []string{A, G} {
				l := take(t, trip{from: O, to: to, ask: partO(`{"type":"file","file":{"filename":"a.txt","file_data":"data:text/plain;base64,` + b64(words) + `"}}`)})
				if got := l.got().Raw; !strings.Contains(got, words) && !strings.Contains(got, b64(words)) || strings.Contains(got, "image/") {
					t.Errorf("to %s: %s", to, got)
				}
			}
		}
		for kind, bytes := range map[string]string{
			"image/heif": "\x00\x00\x00\x18ftypmif1\x00\x00\x00\x00", "image/heic": "\x00\x00\x00\x18ftypheix\x00\x00\x00\x00", "image/svg+xml": "<svg xmlns=\"http://www.w3.org/2000/svg\"/>",
			"image/bmp": "BM\x10\x00\x00\x00\x00\x00\x00\x00xxxxxx", "image/gif": "GIF89a xxxxxxxxxx",
		} {
			far, odd := A, kind == "image/gif" || kind == "image/svg+xml" || kind == "image/bmp"
			if kind == "image/gif" {
				far = G
			}
			for _, label := range []string{kind, "image/png"} {
				part := `{"inlineData":{"mimeType":"` + label + `","data":"` + b64(bytes) + `"}}`
				if far == A {
					refuses(t, trip{from: G, to: A, ask: partG(part)}, "contents[0].parts[1]")
				}
				picture := trip{from: O, to: G, ask: partO(`{"type":"image_url","image_url":{"url":"data:` + label + `;base64,` + b64(bytes) + `"}}`)}
				if odd {
					refuses(t, picture, "messages[0].content[1]")
					if l := try(t, picture); !strings.Contains(l.body, kind) {
						t.Error(l.body)
					}
				} else {
					take(t, picture).sends("contents.0.parts.1.inlineData.mimeType", `"`+kind+`"`)
				}
			}
		}
		gif := `{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"image","source":{"type":"base64","media_type":"image/gif","data":"` + b64("GIF89a xxxxxxxxxx") + `"}}]}`
		refuses(t, trip{from: A, to: G, ask: calledA(gif)}, "messages[2].content[0]")
		take(t, trip{from: A, to: G, own: true, ask: calledA(gif)}) // others may see it
		l := take(t, trip{from: G, to: A, ask: partG(`{"inlineData":{"mimeType":"application/octet-stream","data":"` + pixel + `"}}`)})
		l.sends("messages.0.content.1.source.media_type", `"image/png"`)
		for kind, bytes := range map[string]string{"audio/mp4": "\x00\x00\x00\x18ftypisom\x00\x00\x00\x00", "audio/webm": "\x1aE\xdf\xa3xxxxxxxxxxxx"} {
			l = take(t, trip{from: O, to: G, ask: partO(`{"type":"input_audio","input_audio":{"data":"` + b64(bytes) + `","format":"` + strings.TrimPrefix(kind, "audio/") + `"}}`)})
			l.sends("contents.0.parts.1.inlineData.mimeType", `"`+kind+`"`)
		}
	}},
	{number: 905, name: "a long file of words under applications", run: func(t *testing.T) {
		words := `{"a":"` + strings.Repeat("stone ", 15_000) + `END"}`
		for _, kind := range []string{"application/json", "application/x-yaml", "text/csv"} {
			asks := map[string]string{
				O: partO(`{"type":"file","file":{"filename":"a","file_data":"data:` + kind + `;base64,` + b64(words) + `"}}`),
				A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"document","source":{"type":"base64","media_type":"` + kind + `","data":"` + b64(words) + `"}}]}]}`,
				G: partG(`{"inlineData":{"mimeType":"` + kind + `","data":"` + b64(words) + `"}}`),
			}
			pairs(func(from, to string) {
				if got := take(t, trip{from: from, to: to, ask: asks[from]}).got().Raw; !strings.Contains(got, "stone END") && !strings.Contains(got, b64(words)) {
					t.Errorf("%s, %s to %s: %.200s", kind, from, to, got)
				}
			})
		}
	}},
	{number: 906, name: "Google's null among values and choices", run: func(t *testing.T) {
		schema := `{"type":"OBJECT","properties":{"a":{"type":"STRING","nullable":true,"enum":["x","y"]},"b":{"any_of":[{"type":"STRING"},{"type":"INTEGER"}],"nullable":true},"nullable":{"type":"BOOLEAN"}}}`
		l := take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` + schema + `}]}]}`})
		l.sends(schemaAt[O]+".properties", `{"a":{"enum":["x","y",null],"type":["string","null"]},"b":{"anyOf":[{"type":"string"},{"type":"integer"},{"type":"null"}]},"nullable":{"type":"boolean"}}`)
	}},
	{number: 907, name: "Google's order of properties, for Claude", run: func(t *testing.T) {
		schema := `{"type":"OBJECT","properties":{"a":{"type":"STRING"},"b":{"type":"STRING"}},"propertyOrdering":["b","a"]}`
		for at, ask := range map[string]string{
			"output_config.format.schema": `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json","responseSchema":` + schema + `}}`,
			schemaAt[A]:                   `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` + schema + `}]}]}`,
		} {
			l := take(t, trip{from: G, to: A, ask: ask})
			l.sends(at+".properties", `{"b":{"type":"string"},"a":{"type":"string"}}`)
			if strings.Contains(l.got().Raw, "rdering") || !strings.Contains(l.told(), "ignored; propertyOrdering") {
				t.Errorf("%s told %s", l.got().Raw, l.told())
			}
		}
	}},
	{number: 908, name: "an id that the client saw in other letters", run: func(t *testing.T) {
		const odd = "functions.f:0"
		first := take(t, trip{from: A, to: O, kind: "vllm", ask: offerA(""), answers: []string{calls([3]string{"f", odd, "{}"})}})
		id := gjson.Get(first.body, "content.0.id").Str
		ask := strings.ReplaceAll(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), "toolu_1", id)
		again := take(t, trip{from: A, to: O, kind: "vllm", ask: ask, answers: []string{calls([3]string{"f", odd, "{}"})}})
		streamed := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: ask, answers: []string{chunksO("tool_calls", toolO(0, odd, "f", `{"a":`), toolO(0, odd, "f", `1}`))}})
		for _, got := range []string{gjson.Get(again.body, "content.0.id").Str, streamed.joined("content_block.id")} {
			if got == id || !plainID.MatchString(got) {
				t.Errorf("%q after %q", got, id)
			}
		}
	}},
	{number: 909, name: "a call of a tool that is not allowed", answer: "it is left out and reported", run: func(t *testing.T) {
		for from, ask := range allowing {
			for _, to := range []string{O, A, G} {
				for _, alone := range []bool{false, true} {
					if from == to {
						continue
					}
					whole, stream := saysAndCalls(to, alone)
					end, called := map[string]string{O: "stop", G: "STOP"}[from], "hm|"
					if !alone {
						end, called = map[string]string{O: "tool_calls", G: "STOP"}[from], "hm|b"
					}
					streaming := strings.Replace(ask, `{"model"`, `{"stream":true,"model"`, 1)
					for _, l := range []*landed{take(t, trip{from: from, to: to, ask: ask, answers: []string{whole}}), take(t, trip{from: from, to: to, stream: true, ask: streaming, answers: []string{stream}})} {
						said, names, ends := "", "", ""
						for _, v := range append(l.frames(), gjson.Parse(l.body)) {
							for _, m := range []string{"choices.0.message", "choices.0.delta"} {
								said += v.Get(m + ".content").Str
								for _, c := range v.Get(m + ".tool_calls").Array() {
									names += c.Get("function.name").Str
								}
							}
							for _, p := range v.Get("candidates.0.content.parts").Array() {
								said, names = said+p.Get("text").Str, names+p.Get("functionCall.name").Str
							}
							ends += v.Get("choices.0.finish_reason").Str + v.Get("candidates.0.finishReason").Str
						}
						if said+"|"+names != called || ends != end {
							t.Errorf("%s from %s (alone %t): %s|%s %s\n%s", from, to, alone, said, names, ends, l.body)
						}
						l.warns("answer", chat.Dropped)
					}
				}
			}
		}
		take(t, trip{from: G, to: O, kind: "vllm", ask: allowing[G]}).sends("tools.#.function.name", `["b"]`)
	}},
	{number: 910, name: "nothing said beside a system prompt", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			refuses(t, trip{from: O, to: to, ask: talkO(says("system", "s"), says("user", ""))}, "messages[1]")
		}
	}},
	{number: 911, name: "parts that no other API has", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			refuses(t, trip{from: G, to: to, ask: `{"contents":[{"parts":[{"text":"see"},{"hologram":{"x":1}}],"role":"user"}]}`}, "contents[0].parts[1]")
			take(t, trip{from: G, to: to, ask: `{"contents":[{"parts":[{"text":"a"}]},{"parts":[{"text":"see"},{"hologram":{"x":1}}],"role":"model"},{"parts":[{"text":"b"}]}]}`})
		}
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"container_upload","file_id":"file_011CNha8iCJcU1wXNR6q4V8w"},{"type":"text","text":"see"}]}]}`}, "messages[0].content[0]")
		}
	}},
	{number: 912, name: "reports name the field that was sent", run: func(t *testing.T) {
		take(t, trip{from: O, to: A, ask: withO(`"max_tokens":9999999`)}).warns("max_tokens", chat.Approximated)
		take(t, trip{from: O, to: A, ask: withO(`"max_completion_tokens":9999999`)}).warns("max_completion_tokens", chat.Approximated)
		take(t, trip{from: O, to: G, ask: withO(`"user":"u"`)}).warns("user", chat.Ignored)
		take(t, trip{from: O, to: G, model: "gemini-2.0-flash", ask: withO(`"reasoning":{"effort":"high"}`)}).warns("reasoning", chat.Dropped)
	}},
	{number: 913, name: "switches of other servers' clients", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, model: "gemini-2.5-flash", ask: withO(`"chat_template_kwargs":{"enable_thinking":false,"add_vision_id":true}`)})
		l.sends("generationConfig.thinkingConfig.thinkingBudget", "0")
		l.warns("chat_template_kwargs.add_vision_id", chat.Dropped)
		for asked, want := range map[string]string{`{"enabled":false}`: `"disabled"`, `{"effort":"high"}`: `"adaptive"`} {
			take(t, trip{from: G, to: A, model: "claude-opus-4-7", ask: `{"contents":[{"parts":[{"text":"go"}]}],"reasoning":` + asked + `}`}).sends("thinking.type", want)
		}
	}},
	{number: 915, name: "sampling as usual, where the model takes none", run: func(t *testing.T) {
		for _, model := range []string{"claude-opus-5-5", "claude-sonnet-5-5"} {
			l := take(t, trip{from: O, to: A, model: model, ask: withO(`"temperature":1,"top_p":1`)})
			l.sends("temperature", "")
			l.sends("top_p", "")
			l.quiet()
			l = take(t, trip{from: O, to: A, model: model, ask: withO(`"top_p":0.995`)})
			l.sends("top_p", "")
			l.warns("top_p", chat.Dropped)
		}
		take(t, trip{from: O, to: A, model: "claude-opus-4-8", ask: withO(`"top_p":0.995`)}).sends("top_p", "0.995")
	}},
	{number: 916, name: "a server like this one before another", run: func(t *testing.T) {
		far := chat.Envelope{Dialect: G, Provider: "g", Model: "gemini-3-pro", Raw: googles1}.Wrap()
		ask := `{"model":"m","reasoning_effort":"high",` + toolsO + `,"messages":[{"role":"user","content":"go"}%s]}`
		for _, words := range []string{"", "hm"} {
			blocks := []string{`{"type":"thinking","thinking":"` + words + `","signature":"` + far + `"}`, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`}
			l := take(t, trip{from: O, to: A, own: true, ask: fmt.Sprintf(ask, ""), answers: []string{wholeA("tool_use", blocks...)}})
			back := take(t, trip{from: O, to: A, own: true, ask: fmt.Sprintf(ask, `,`+gjson.Get(l.body, "choices.0.message").Raw+`,{"role":"tool","tool_call_id":"toolu_1","content":"x"}`)})
			back.sends("messages.1.content", `[`+strings.Join(blocks, ",")+`]`)
			back.sends("thinking.type", `"enabled"`)
		}
	}},
	{number: 917, name: "an answer that does not say why it ended", run: func(t *testing.T) {
		for _, way := range []trip{
			{from: A, to: O, answers: []string{strings.Replace(endO("stop", `"content":"hi"`), `"stop"`, `null`, 1)}},
			{from: G, to: O, answers: []string{strings.Replace(endO("stop", `"content":"hi"`), `,"finish_reason":"stop"`, ``, 1)}},
			{from: O, to: A, answers: []string{strings.Replace(hi[A], `"end_turn"`, `null`, 1)}},
			{from: A, to: G, answers: []string{strings.Replace(hi[G], `"finishReason":"STOP",`, ``, 1)}},
		} {
			way.ask = plain[way.from]
			l := take(t, way)
			is(t, "the end", gjson.Get(l.body, "stop_reason").Str+gjson.Get(l.body, "candidates.0.finishReason").Str+gjson.Get(l.body, "choices.0.finish_reason").Str, map[string]string{O: "stop", A: "end_turn", G: "STOP"}[way.from])
			l.warns("answer", chat.Approximated)
		}
	}},
	{number: 914, name: "names that are longer than OpenAI's", run: func(t *testing.T) {
		long := "mcp__plugin_playwright_playwright__browser_take_screenshot_and_save_it_to_disk"
		ask := fmt.Sprintf(`{"model":"m","max_tokens":99,"tools":[{"name":"%s","input_schema":{"type":"object"}},{"name":"%[1]s2","input_schema":{"type":"object"}}],"tool_choice":{"type":"tool","name":"%[1]s"},"messages":[{"role":"user","content":"go"},`+
			`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"%[1]s2","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"x"}]}]}`, long)
		l := take(t, trip{from: A, to: O, ask: ask})
		one, two := l.got().Get("tools.0.function.name").Str, l.got().Get("tools.1.function.name").Str
		if len(one) > 64 || len(two) > 64 || one == two {
			t.Error(l.got().Raw)
		}
		l.sends("tool_choice.function.name", `"`+one+`"`)
		l.sends("messages.1.tool_calls.0.function.name", `"`+two+`"`)
		take(t, trip{from: A, to: O, ask: ask, answers: []string{calls([3]string{two, "k", "{}"})}}).gets("content.0.name", `"`+long+`2"`)
		l = take(t, trip{from: A, to: O, stream: true, ask: ask, answers: []string{chunksO("tool_calls", toolO(0, "k", one[:9], ""), toolO(0, "", one[9:], ""), toolO(0, "", "", `{}`))}})
		is(t, "the streamed name", l.joined("content_block.name"), long)
	}},
}}

// frames are the events of a stream, or none of a whole answer.
func (l *landed) frames() (list []gjson.Result) {
	l.t.Helper()
	if strings.HasPrefix(l.body, "{") {
		return nil
	}
	for _, e := range l.events() {
		list = append(list, e.data)
	}
	return list
}
