package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// stopA is the end of a block of Claude's that says more than that.
func stopA(more string) string { return `{"type":"content_block_stop","index":0` + more + `}` }

// blockA is a streamed block of Claude's, and a text behind it.
func blockA(stop, begin string, rest ...string) string {
	return messageA(named(append([]string{`{"type":"content_block_start","index":0,"content_block":` + begin + `}`}, rest...)...)+textA(1, "!"), stop)
}

// pieceA is a piece of the block.
func pieceA(delta string) string {
	return `{"type":"content_block_delta","index":0,"delta":{` + delta + `}}`
}

// countedA is Claude's answer whose usage has more members, whole and streamed.
func countedA(more string) forms {
	return forms{strings.Replace(hi[A], `"output_tokens":1`, `"output_tokens":1,`+more, 1), strings.Replace(messageA(textA(0, "hi"), "end_turn"), `"output_tokens":9`, `"output_tokens":9,`+more, 1)}
}

// What servers say where the rest of an answer is, and what they count beside its tokens.
var hardRest = section{"BM", "what stands at the end of a block, beside a call, and in a usage", []hard{
	// maximhq/bifrost#1319; Anthropic's own libraries hand their events on in this form, and gateways that are built on them do.
	{number: 1528, name: "the whole of a block at its end, where nothing before it said so", answer: "what was told before stands, what was not is told", run: func(t *testing.T) {
		const thought = `{"type":"thinking","thinking":"","signature":""}`
		hm := pieceA(`"type":"thinking_delta","thinking":"hm"`)
		for name, row := range map[string]struct{ stream, want string }{
			"a signature":         {blockA("end_turn", thought, hm, stopA(`,"content_block":{"type":"thinking","thinking":"hm","signature":"U0lH"}`)), "hm|U0lH|!||"},
			"a signature, bare":   {blockA("end_turn", thought, hm, stopA(`,"signature":"U0lH"`)), "hm|U0lH|!||"},
			"one that was told":   {blockA("end_turn", thought, hm, pieceA(`"type":"signature_delta","signature":"U0lH"`), stopA(`,"content_block":{"type":"thinking","thinking":"hm","signature":"U0lH"}`)), "hm|U0lH|!||"},
			"a thought":           {blockA("end_turn", thought, stopA(`,"content_block":{"type":"thinking","thinking":"hm","signature":"U0lH"}`)), "hm|U0lH|!||"},
			"a text":              {blockA("end_turn", `{"type":"text","text":""}`, stopA(`,"content_block":{"type":"text","text":"hi"}`)), "||hi!||"},
			"a text that was":     {blockA("end_turn", `{"type":"text","text":""}`, pieceA(`"type":"text_delta","text":"hi"`), stopA(`,"content_block":{"type":"text","text":"hi"}`)), "||hi!||"},
			"a text that began":   {blockA("end_turn", `{"type":"text","text":"hi"}`, stopA(`,"content_block":{"type":"text","text":"hi"}`)), "||hi!||"},
			"a source":            {blockA("end_turn", `{"type":"text","text":""}`, pieceA(`"type":"text_delta","text":"hi"`), stopA(`,"content_block":{"type":"text","text":"hi","citations":[{"type":"web_search_result_location","url":"https://a.example/","title":"T","cited_text":"q","encrypted_index":"e"}]}`)), "||hi!||https://a.example/"},
			"a call":              {blockA("tool_use", `{"type":"tool_use","id":"c","name":"f","input":{}}`, stopA(`,"content_block":{"type":"tool_use","id":"c","name":"f","input":{"a": "1"}}`)), `||!|{"a":"1"}|`},
			"a call that was":     {blockA("tool_use", `{"type":"tool_use","id":"c","name":"f","input":{}}`, pieceA(`"type":"input_json_delta","partial_json":"{\"a\":\"1\"}"`), stopA(`,"content_block":{"type":"tool_use","id":"c","name":"f","input":{"a":"1"}}`)), `||!|{"a":"1"}|`},
			"a call of nothing":   {blockA("tool_use", `{"type":"tool_use","id":"c","name":"f","input":{}}`, stopA(`,"content_block":{"type":"tool_use","id":"c","name":"f","input":{}}`)), `||!|{}|`},
			"signed in a piece":   {blockA("end_turn", thought, pieceA(`"type":"thinking_delta","thinking":"hm","signature":"U0lH"`), stopA("")), "hm|U0lH|!||"},
			"signed twice":        {blockA("end_turn", `{"type":"thinking","thinking":"","signature":"U0lH"}`, hm, pieceA(`"type":"signature_delta","signature":"U0lH"`), stopA("")), "hm|U0lH|!||"},
			"signed at its start": {blockA("end_turn", `{"type":"thinking","thinking":"","signature":"U0lH"}`, hm, stopA("")), "hm|U0lH|!||"},
		} {
			l := take(t, trip{from: O, to: A, stream: true, ask: strings.Replace(plainly(O, true), "{", `{"reasoning_effort":"high",`, 1), answers: []string{row.stream}})
			said := []string{l.joined("choices.0.delta.reasoning_content"), opened(l, "choices.0.delta.reasoning_details.0.signature"), l.joined("choices.0.delta.content"), l.joined("choices.0.delta.tool_calls.0.function.arguments"), l.joined("choices.0.delta.annotations.0.url_citation.url")}
			is(t, "OpenAI, "+name, strings.Join(said, "|"), row.want)
			l = take(t, trip{from: G, to: A, stream: true, ask: signing[G](true), answers: []string{row.stream}})
			words, thoughts := "", ""
			for _, p := range l.all("candidates.0.content.parts.0") {
				if p.Get("thought").Bool() {
					thoughts += p.Get("text").Str
				} else {
					words += p.Get("text").Str
				}
			}
			arguments := ""
			for _, args := range l.all("candidates.0.content.parts.0.functionCall.args") {
				arguments += args.Raw
			}
			said = []string{thoughts, opened(l, "candidates.0.content.parts.0.thoughtSignature"), words, arguments, l.joined("candidates.0.groundingMetadata.groundingChunks.0.web.uri")}
			is(t, "Gemini, "+name, strings.Join(said, "|"), row.want)
		}
	}},
	// maximhq/bifrost#7306, coder/aibridge#210: each search is paid for.
	{number: 1529, name: "searches that the provider made", run: func(t *testing.T) {
		const counted = `"server_tool_use":{"web_search_requests":2}`
		usage := `{"prompt_tokens":3,"completion_tokens":1,"total_tokens":4,` + counted + `}`
		byRouter := forms{usedO(usage), chunksO("", `{"content":"hi"}`) + sse(`{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `{"choices":[],"usage":`+usage+`}`, "[DONE]")}
		told := countedA(counted)
		for streamed, answer := range map[bool]string{false: told.whole, true: told.stream} {
			ask := strings.Replace(plainly(O, streamed), `"stream":true,`, `"stream":true,"stream_options":{"include_usage":true},`, 1)
			l := take(t, trip{from: O, to: A, stream: streamed, ask: ask, answers: []string{answer}})
			is(t, "OpenAI's "+l.body, strings.Contains(l.body, counted), true)
		}
		byRouter.each(t, trip{from: A, to: O, own: true}, func(l *landed) { is(t, "Claude's", strings.Contains(l.body, `"web_search_requests":2`), true) })
		for to, answers := range map[string]forms{A: countedA(counted), O: byRouter} {
			answers.each(t, trip{from: G, to: to, own: to == O}, func(l *landed) {
				is(t, "Gemini's "+l.told(), strings.Contains(l.told(), "ignored; 2 searches of the provider's"), true)
			})
		}
		hiA := forms{hi[A], messageA(textA(0, "hi"), "end_turn")}
		hiA.each(t, trip{from: G, to: A}, func(l *landed) { l.quiet() })
		hiA.each(t, trip{from: O, to: A}, func(l *landed) { is(t, "none", strings.Contains(l.body, "server_tool_use"), false) })
	}},
	{number: 1530, name: "how fast and where Claude answered, if not as usual", run: func(t *testing.T) {
		for _, from := range []string{O, G} {
			countedA(`"speed":"fast","inference_geo":"us"`).each(t, trip{from: from, to: A}, func(l *landed) {
				is(t, from+l.told(), strings.Contains(l.told(), "ignored; usage.speed |") && strings.Contains(l.told(), "ignored; usage.inference_geo]"), true)
			})
			for _, usual := range []string{`"speed":"standard","inference_geo":"not_available"`, `"speed":null,"inference_geo":"global"`} {
				countedA(usual).each(t, trip{from: from, to: A}, func(l *landed) { l.quiet() })
			}
		}
	}},
	{number: 1542, name: "what is paid for beside tokens: searches of Gemini's, and a Claude that is served faster or within a country", answer: "booked, passing or not", run: func(t *testing.T) {
		asked := func(queries string) string { return `,"groundingMetadata":{"webSearchQueries":[` + queries + `]}` }
		for _, from := range []string{O, A, G} {
			besideG(asked(`"a","b","","a"`), "").each(t, trip{from: from, to: G}, func(l *landed) { is(t, from, l.booked.Usage().Searches, int64(2)) })
			more := sse(partsG(`{"text":"h"}`, asked(`"a"`)), partsG(`{"text":"i"}`, asked(`"b"`)+`,"finishReason":"STOP"`))
			is(t, from+", told in pieces", take(t, trip{from: from, to: G, stream: true, ask: plainly(from, true), answers: []string{more}}).booked.Usage().Searches, int64(2))
			for how, tier := range map[string]string{
				`"speed":"fast"`: "fast", `"speed":"fast","inference_geo":"us"`: "fast+us", `"inference_geo":"us","service_tier":"standard"`: "us", `"speed":"standard","inference_geo":"eu"`: "",
			} {
				countedA(how).each(t, trip{from: from, to: A}, func(l *landed) { is(t, from+how, l.booked.Usage().Tier, tier) })
			}
		}
	}},
	// maximhq/bifrost#1829, and QwenLM/Qwen-Agent#943 the other way round: arguments of one call became those of another.
	{number: 1531, name: "calls under one number, by turns, each piece with the id of its call", run: func(t *testing.T) {
		piece := func(id, members string) string {
			return `{"tool_calls":[{"index":0,"id":"` + id + `","function":{` + members + `}}]}`
		}
		stream := chunksO("tool_calls", piece("c1", `"name":"f","arguments":"{\"a\":"`), piece("c2", `"name":"g","arguments":"{\"a\":"`), piece("c1", `"arguments":"\"1\"}"`), piece("c2", `"arguments":"\"2\"}"`))
		l := take(t, trip{from: G, to: O, own: true, stream: true, ask: plainly(G, true), answers: []string{stream}})
		is(t, "Gemini's", inLine(raws(l.all("candidates.0.content.parts.0.functionCall.args"))), `[{"a":"1"} {"a":"2"}]`)
		l = take(t, trip{from: A, to: O, own: true, stream: true, ask: plainly(A, true), answers: []string{stream}})
		is(t, "Claude's", l.joined("delta.partial_json"), `{"a":"1"}{"a":"2"}`)
	}},
	{number: 1532, name: "members of a call that no other API has", run: func(t *testing.T) {
		call := `{"id":"c","type":"function","function":{"name":"f","arguments":"{}"},"confidence":0.5,"extra":null}`
		answers := forms{endO("tool_calls", `"content":null,"tool_calls":[`+call+`]`), chunksO("tool_calls", `{"tool_calls":[`+strings.Replace(call, "{", `{"index":0,`, 1)+`]}`)}
		for _, from := range []string{A, G} {
			answers.each(t, trip{from: from, to: O, own: true}, func(l *landed) {
				is(t, from, l.told(), "[answer; dropped; tool_calls.confidence]")
			})
		}
	}},
	{number: 1533, name: "a refusal among the parts of a content", run: func(t *testing.T) {
		const parts = `"content":[{"type":"text","text":"Well."},{"type":"refusal","refusal":"No."}]`
		for from, word := range map[string]string{A: `"stop_reason":"refusal"`, G: `"finishReason":"SAFETY"`} {
			forms{endO("stop", parts), chunksO("stop", `{`+parts+`}`)}.each(t, trip{from: from, to: O, own: true}, func(l *landed) {
				is(t, from+l.body, strings.Contains(l.body, word) && strings.Contains(l.body, "Well.") && strings.Contains(l.body, "No."), true)
			})
		}
	}},
	{number: 1534, name: "signs of life of Claude's in a stream of OpenAI's", run: func(t *testing.T) {
		stream := sse(`{"type":"ping"}`) + chunksO("", `{"content":"h"}`) + sse(`{"type":"ping"}`) + chunksO("stop", `{"content":"i"}`)
		for from, at := range map[string]string{A: "delta.text", G: "candidates.0.content.parts.0.text"} {
			l := take(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{stream}})
			is(t, from, l.joined(at), "hi")
			l.quiet()
		}
	}},
	// caigee-cmd/cli2api#221.
	{number: 1539, name: "what came from a cache, and went there, by yet other names", run: func(t *testing.T) {
		for _, names := range []string{`"cache_read_tokens":60,"cache_write_tokens":20`, `"cache_read_tokens":60,"cache_creation_tokens":20`} {
			for counts, plain := range map[string]string{`"prompt_tokens":100,"completion_tokens":9,"total_tokens":109,`: "20", `"prompt_tokens":20,"completion_tokens":9,"total_tokens":109,`: "20"} {
				l := take(t, trip{from: A, to: O, own: true, ask: plainly(A, false), answers: []string{usedO(`{` + counts + names + `}`)}})
				u := gjson.Get(l.body, "usage")
				is(t, names+counts, inLine(u.Get("input_tokens").Raw, u.Get("cache_read_input_tokens").Raw, u.Get("cache_creation_input_tokens").Raw), plain+" 60 20")
				l.quiet()
			}
		}
	}},
	{number: 1540, name: "words of an answer that are no block of Claude's, or one of another API", run: func(t *testing.T) {
		for _, block := range []string{`"hi"`, `{"type":"output_text","text":"hi"}`, `{"text":"hi"}`} {
			take(t, trip{from: O, to: A, ask: plain[O], answers: []string{wholeA("end_turn", block)}}).gets("choices.0.message.content", `"hi"`)
			take(t, trip{from: G, to: A, ask: plain[G], answers: []string{wholeA("end_turn", block)}}).gets("candidates.0.content.parts.0.text", `"hi"`)
		}
	}},
	{number: 1541, name: "a thought in the place of its mark, and a result among the parts of Gemini's answer", run: func(t *testing.T) {
		forms{partsG(`{"thought":"hm"},{"text":"hi"}`, `,"finishReason":"STOP"`), inChunks("STOP", `{"thought":"hm"}`, `{"text":"hi"}`)}.each(t, trip{from: A, to: G}, func(l *landed) {
			is(t, "not shown", strings.Contains(l.body, `"hm"`), false) // an id may have these letters
		})
		l := take(t, trip{from: O, to: G, ask: withO(`"reasoning_effort":"high"`), answers: []string{partsG(`{"thought":"hm"},{"text":"hi"}`, `,"finishReason":"STOP"`)}})
		l.gets("choices.0.message.reasoning_content", `"hm"`)
		l.gets("choices.0.message.content", `"hi"`)
		for _, from := range []string{O, A} {
			forms{partsG(`{"functionResponse":{"name":"f","response":{"x":1}}},{"text":"hi"}`, `,"finishReason":"STOP"`), inChunks("STOP", `{"functionResponse":{"name":"f","response":{"x":1}}}`, `{"text":"hi"}`)}.each(t, trip{from: from, to: G}, func(l *landed) {
				is(t, from+l.told(), strings.Contains(l.told(), "dropped; functionResponse"), true)
			})
		}
	}},
	{number: 1535, name: "what of an answer the Responses API has no item for", answer: "a sound is its words; the rest is told where the request's losses are, or in a background response itself", elsewhere: "TestHard1535NothingOfAnAnswerIsLostInSilence"},
	{number: 1536, name: "codes of errors in a response", answer: "one of those that OpenAI's types list or Codex reads; the server's own is the reason beside it", elsewhere: "TestHard1536ErrorsHaveCodesOfTheResponsesAPI"},
	// openai/codex#30471, BigPizzaV3/CodexPlusPlus#1224.
	{number: 1537, name: "a limit that Codex would give up at", answer: "of at most a minute it is told in the stream, with the time, for which Codex waits", elsewhere: "TestHard1537CodexWaitsForALimit"},
	{number: 1538, name: "the page of a proxy before the server", elsewhere: "TestHard1538APageOfAProxyIsAnError"},
}}

// opened is what the envelope at a place holds.
func opened(l *landed, path string) string {
	l.t.Helper()
	envelope, _ := chat.Unwrap(l.joined(path))
	return envelope.Raw
}

func raws(list []gjson.Result) (texts []string) {
	for _, v := range list {
		texts = append(texts, v.Raw)
	}
	return texts
}
