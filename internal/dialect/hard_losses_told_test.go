package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// piecesG is a call as Vertex streams its arguments where that is asked for.
var piecesG = []string{
	`{"functionCall":{"name":"f","willContinue":true},"thoughtSignature":"` + googles1 + `"}`,
	`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"New ","willContinue":true}],"willContinue":true}}`,
	`{"functionCall":{"partialArgs":[{"jsonPath":"$.a","stringValue":"Yörk \"x\""}],"willContinue":true}}`,
	`{"functionCall":{"partialArgs":[{"jsonPath":"$.b.c[0]","numberValue":5.0},{"jsonPath":"$.b.c[1].d","boolValue":true}],"willContinue":true}}`,
	`{"functionCall":{"partialArgs":[{"jsonPath":"$['e f']","nullValue":"NULL_VALUE"}],"willContinue":true}}`,
	`{"functionCall":{}}`,
}

const wholePieces = `{"a":"New Yörk \"x\"","b":{"c":[5.0,{"d":true}]},"e f":null}`

// inChunks is a stream of Google's with a part in each chunk.
func inChunks(finish string, parts ...string) string {
	var chunks []string
	for _, p := range parts {
		chunks = append(chunks, partsG(p, ""))
	}
	return sse(append(chunks, partsG("", `,"finishReason":"`+finish+`"`))...)
}

// argued is what a client understands of the arguments of the first call of an answer.
func argued(l *landed) string {
	switch {
	case !l.trip.stream && l.trip.from == O:
		return gjson.Get(l.body, "choices.0.message.tool_calls.0.function.arguments").Str
	case !l.trip.stream && l.trip.from == A:
		return gjson.Get(l.body, `content.#(type=="tool_use").input`).Raw
	case l.trip.from == O:
		return l.joined("choices.0.delta.tool_calls.0.function.arguments")
	case l.trip.from == A:
		return l.joined("delta.partial_json")
	}
	for _, call := range append(l.frames(), gjson.Parse(l.body)) {
		if args := call.Get("candidates.0.content.parts.#.functionCall.args").Array(); len(args) > 0 {
			return args[0].Raw
		}
	}
	return ""
}

// either makes a trip for a stream and one for a whole answer.
func either(t *testing.T, way trip, check func(l *landed)) {
	t.Helper()
	for _, streamed := range []bool{false, true} {
		way.stream, way.ask = streamed, plainly(way.from, streamed)
		check(take(t, way))
	}
}

// plainly is a request with a tool, for a stream or not.
func plainly(from string, streamed bool) string {
	if streamed || from == G {
		return streaming(from)
	}
	return strings.Replace(streaming(from), `"stream":true,`, "", 1)
}

var hardKept = section{"Z", "what was lost in silence", []hard{
	{number: 967, name: "a call whose arguments Google streams in pieces", run: func(t *testing.T) {
		for _, from := range []string{O, A} {
			either(t, trip{from: from, to: G, answers: []string{inChunks("STOP", piecesG...)}}, func(l *landed) {
				is(t, from, argued(l), wholePieces)
				if strings.Contains(l.told(), "partialArgs") {
					t.Error(l.told())
				}
			})
			l := take(t, trip{from: from, to: G, ask: plainly(from, false), answers: []string{wholeG(piecesG...)}})
			is(t, from+" whole", argued(l), wholePieces)
		}
		two := inChunks("STOP", piecesG[0], piecesG[1], piecesG[0], piecesG[2], piecesG[5])
		l := take(t, trip{from: O, to: G, stream: true, ask: streamO, answers: []string{two}})
		is(t, "two calls", len(l.all("choices.0.delta.tool_calls.0.id")), 2)
	}},
	{number: 968, name: "the limit in the middle of arguments that Google streams", run: func(t *testing.T) {
		cut := inChunks("MAX_TOKENS", piecesG[:3]...)
		l := take(t, trip{from: O, to: G, stream: true, ask: streamO, answers: []string{cut}})
		is(t, "the arguments", argued(l), `{"a":"New Yörk \"x\"`)
		is(t, "the end", l.joined("choices.0.finish_reason"), "length")
	}},
	{number: 969, name: "a call in pieces comes back in pieces", run: func(t *testing.T) {
		var turns []string
		for _, p := range piecesG {
			turns = append(turns, `{"role":"model","parts":[`+p+`]}`)
		}
		ask := `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},` + strings.Join(turns, ",") + `,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`
		l := take(t, trip{from: G, to: O, ask: ask})
		is(t, "the arguments", l.got().Get("messages.1.tool_calls.0.function.arguments").Str, wholePieces)
		is(t, "the result", l.got().Get("messages.2.tool_call_id").Str, l.got().Get("messages.1.tool_calls.0.id").Str)
		l = take(t, trip{from: G, to: A, ask: strings.Replace(ask, `,{"role":"model","parts":[`+piecesG[5]+`]}`, "", 1)})
		l.sends("messages.1.content.0.input", wholePieces)
		l.sends("messages.2.content.0.content", `"x"`)
	}},
	{number: 970, name: "sources that are files", run: func(t *testing.T) {
		for _, note := range []string{
			`{"type":"file_citation","text":"[1]","start_index":0,"end_index":2,"file_citation":{"file_id":"file-1","filename":"a.pdf","quote":"q"}}`,
			`{"type":"file_citation","file_id":"file-1","filename":"a.pdf","index":1}`,
			`{"type":"container_file_citation","container_id":"c","file_id":"file-1","filename":"a.pdf","start_index":0,"end_index":2}`,
			`{"type":"file_path","index":1,"file_id":"a.pdf"}`, `{"type":"file","file":{"name":"a.pdf","hash":"h","content":[]}}`,
		} {
			whole, stream := endO("stop", `"content":"hi","annotations":[`+note+`]`), chunksO("stop", `{"content":"hi"}`, `{"annotations":[`+note+`]}`)
			for _, answer := range []string{whole, stream} {
				l := take(t, trip{from: A, to: O, stream: answer == stream, ask: plainly(A, answer == stream), answers: []string{answer}})
				l.warns("answer", chat.Dropped)
				l = take(t, trip{from: G, to: O, stream: answer == stream, ask: streamG, answers: []string{answer}})
				if !strings.Contains(l.body, `"retrievedContext":{"title":"a.pdf"}`) {
					t.Error(l.body)
				}
			}
		}
		odd := chunksO("stop", `{"content":"hi"}`, `{"annotations":[{"type":"zzz"}]}`)
		take(t, trip{from: G, to: O, stream: true, ask: streamG, answers: []string{odd}}).warns("answer", chat.Dropped)
		alone := endO("tool_calls", `"content":null,"annotations":[{"type":"file_path","file_id":"f"}],"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]`)
		take(t, trip{from: A, to: O, ask: plainly(A, false), answers: []string{alone}}).warns("answer", chat.Dropped)
	}},
	{number: 971, name: "sources of servers that search by themselves", run: func(t *testing.T) {
		const results = `"search_results":[{"title":"T","url":"https://a.example/","date":"2026-01-01"},{"title":"U","url":"https://b.example/"}],`
		const only = `"citations":["https://a.example/","https://b.example/"],`
		for _, beside := range []string{results, only, only + results} {
			whole := strings.Replace(endO("stop", `"content":"hi"`), "{", "{"+beside, 1)
			stream := strings.ReplaceAll(chunksO("stop", `{"content":"h"}`, `{"content":"i"}`), "data: {", "data: {"+beside)
			for _, answer := range []string{whole, stream} {
				l := take(t, trip{from: G, to: O, kind: "perplexity", stream: answer == stream, ask: plain[G], answers: []string{answer}})
				if strings.Count(l.body, `"uri":"https://a.example/"`) != 1 || strings.Count(l.body, `"uri":"https://b.example/"`) != 1 {
					t.Error(l.body)
				}
				l = take(t, trip{from: A, to: O, kind: "perplexity", stream: answer == stream, ask: strings.Replace(plain[A], "{", fmt.Sprintf(`{"stream":%t,`, answer == stream), 1), answers: []string{answer}})
				l.warns("answer", chat.Dropped)
				if !strings.Contains(l.told(), "2 sources") {
					t.Error(l.told())
				}
			}
		}
	}},
	{number: 972, name: "members and parts of an answer that nobody knows", run: func(t *testing.T) {
		for said, name := range map[string]string{
			`"content":"hi","executed_tools":[{"type":"search"}]`:                              "executed_tools",
			`"content":[{"type":"text","text":"hi"},{"type":"reference","reference_ids":[1]}]`: "reference",
		} {
			for _, from := range []string{A, G} {
				for _, answer := range []string{endO("stop", said), chunksO("stop", "{"+said+"}", "{"+said+"}")} {
					streamed := strings.HasPrefix(answer, "data")
					l := take(t, trip{from: from, to: O, kind: "groq", stream: streamed, ask: plainly(from, streamed), answers: []string{answer}})
					if strings.Count(l.told(), name) != 1 || !strings.Contains(l.body, "hi") || strings.Contains(l.body, name) {
						t.Errorf("%s: %s told %s", from, l.body, l.told())
					}
				}
			}
		}
		empty := endO("stop", `"content":"hi","name":"x","zzz":"","yyy":[],"xxx":{},"www":null,"vvv":false`)
		take(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], answers: []string{empty}}).quiet()
		other := endO("stop", `"content":"hi","tool_calls":[{"id":"c","type":"zzz","zzz":{}}]`)
		take(t, trip{from: A, to: O, kind: "vllm", ask: plain[A], answers: []string{other}}).warns("answer", chat.Dropped)
	}},
	{number: 973, name: "arguments that are no JSON, streamed and whole", run: func(t *testing.T) {
		for said, want := range map[string]string{
			`{"a": tru`: `{"_raw":"{\"a\": tru"}`, `[1]`: `{"_raw":"[1]"}`, `{"a":1}}`: `{"a":1}`, `"{\"a\":1}"`: `{"a":1}`, `null`: `{}`,
			`{"a":"x`: `{"a":"x","_raw":"{\"a\":\"x"}`, `{"a":["x",{"b":`: `{"a":["x",{}],"_raw":"{\"a\":[\"x\",{\"b\":"}`, `{"a":1,}`: `{"a":1}`,
			`{'a':1}`: `{"_raw":"{'a':1}"}`, "{\"a\":\"x\ny\"}": `{"a":"x\ny"}`, `{"a":"x\`: `{"a":"x","_raw":"{\"a\":\"x\\"}`,
			`{"a":01}`: `{"_raw":"{\"a\":01}"}`, `{"a":1.50,"b":[],"c":{},"d":"\u00e9"}`: `{"a":1.50,"b":[],"c":{},"d":"\u00e9"}`,
		} {
			whole := take(t, trip{from: A, to: O, ask: plainly(A, false), answers: []string{calls([3]string{"f", "c", said})}})
			deltas := []string{toolO(0, "c", "f", "")}
			for _, r := range said {
				deltas = append(deltas, toolO(0, "", "", string(r)))
			}
			streamed := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("tool_calls", deltas...)}})
			is(t, said, argued(streamed), argued(whole))
			same(t, gjson.Parse(`{"x":`+argued(whole)+`}`), "x", want)
			if odd := strings.Contains(want, "_raw"); odd != whole.warned("answer", chat.Approximated) {
				t.Errorf("%s told %s", said, whole.told())
			}
		}
	}},
	{number: 974, name: "how Google's models think, as its own server of OpenAI's dialect is told", run: func(t *testing.T) {
		for asked, want := range map[string]string{
			`{"thinking_config":{"thinking_budget":800,"include_thoughts":true}}`: `{"thinkingBudget":800,"includeThoughts":true}`,
			`{"thinkingConfig":{"thinkingBudget":0}}`:                             `{"thinkingBudget":0}`,
		} {
			l := take(t, trip{from: O, to: G, model: "gemini-2.5-flash", ask: withO(`"extra_body":{"google":` + asked + `}`)})
			l.sends("generationConfig.thinkingConfig", want)
			l.quiet()
		}
		l := take(t, trip{from: O, to: G, ask: withO(`"extra_body":{"google":{"thinking_config":{"thinking_level":"low","zzz":1},"thought_tag_marker":"t","safety_settings":[{"category":"C","threshold":"T"}]}}`)})
		l.sends("generationConfig.thinkingConfig.thinkingLevel", `"LOW"`)
		l.sends("safetySettings", `[{"category":"C","threshold":"T"}]`)
		l.warns("extra_body.google.thinking_config.zzz", chat.Dropped)
		l.warns("extra_body.google.thought_tag_marker", chat.Dropped)
		cached := withO(`"extra_body":{"google":{"cached_content":"cachedContents/x"}}`)
		take(t, trip{from: O, to: G, ask: cached}).sends("cachedContent", `"cachedContents/x"`)
		refuses(t, trip{from: O, to: A, ask: cached}, "extra_body.google.cached_content")
		take(t, trip{from: O, to: A, ask: withO(`"extra_body":{"google":{"safety_settings":[{}]}}`)}).warns("extra_body.google.safety_settings", chat.Dropped)
		l = take(t, trip{from: O, to: G, model: "gemini-2.0-flash", ask: withO(`"extra_body":{"google":{"thinking_config":{"thinking_budget":800}}}`)})
		l.warns("extra_body.google.thinking_config", chat.Dropped)
		l = take(t, trip{from: O, to: O, own: true, ask: withO(`"extra_body":{"google":{"cached_content":"c"},"top_k":2}`)})
		l.sends("extra_body", `{"google":{"cached_content":"c"}}`)
		l.sends("top_k", "2")
	}},
	{number: 975, name: "losses have the name of the field that was sent", run: func(t *testing.T) {
		take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"logprobs":3}}`}).warns("generationConfig.logprobs", chat.Ignored)
		schema := `{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}`
		for _, field := range []string{"output_format", "output_config.format"} {
			value := `{"type":"json_schema","schema":` + schema + `}`
			if outer, inner, nested := strings.Cut(field, "."); nested {
				value = `{"` + inner + `":` + value + `}`
				take(t, trip{from: A, to: G, ask: strings.Replace(plain[A], "{", `{"`+outer+`":`+value+`,`, 1)}).warns(field, chat.Approximated)
			} else {
				take(t, trip{from: A, to: G, ask: strings.Replace(plain[A], "{", `{"`+field+`":`+value+`,`, 1)}).warns(field, chat.Approximated)
			}
		}
		take(t, trip{from: A, to: O, ask: strings.Replace(plain[A], "{", `{"output_config":{"effort":"high"},`, 1)}).warns("output_config.effort", chat.Dropped)
		take(t, trip{from: G, to: O, ask: `{"reasoning":"high","contents":[{"parts":[{"text":"go"}]}]}`}).warns("reasoning", chat.Dropped)
		old := `{"model":"m","functions":[{"name":"f","parameters":{"type":"object","properties":{"a":{"type":"string","pattern":"x"}}}}],"function_call":{"name":"%s"},"messages":[{"role":"user","content":"go"}]}`
		take(t, trip{from: O, to: G, ask: fmt.Sprintf(old, "f")}).warns("functions[0]", chat.Approximated)
		refuses(t, trip{from: O, to: G, ask: fmt.Sprintf(old, "g")}, "function_call")
	}},
}}
