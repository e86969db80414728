package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// grounded is what rests on a source: the second text, counted in bytes of all text, or of its own part.
const (
	groundedAll  = `,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a.example/","title":"T"}}],"groundingSupports":[{"segment":{"startIndex":5,"endIndex":9,"text":"zwei"},"groundingChunkIndices":[0]}]}`
	groundedPart = `,"groundingMetadata":{"groundingChunks":[{"web":{"uri":"https://a.example/","title":"T"}}],"groundingSupports":[{"segment":{"partIndex":3,"startIndex":1,"endIndex":5,"text":"zwei"},"groundingChunkIndices":[0]}]}`
)

// thoughtfulG is an answer of Google's with thoughts between its texts, whole and streamed.
func thoughtfulG(more string) (whole, stream string) {
	parts := []string{`{"text":"hm","thought":true}`, `{"text":"Wör"}`, `{"text":"mm","thought":true}`, `{"text":" zwei"}`}
	chunks := make([]string, len(parts))
	for i, p := range parts {
		chunks[i] = partsG(p, "")
	}
	return partsG(strings.Join(parts, ","), `,"finishReason":"STOP"`+more), sse(append(chunks, partsG(`{"text":""}`, `,"finishReason":"STOP"`+more))...)
}

// signedG is a conversation whose model's turn has one part.
func signedG(part string) string {
	return `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[` + part + `]},` +
		`{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"x"}}},{"text":"on"}]}]}`
}

var hardPlaced = section{"X", "places, signatures and what is new", []hard{
	{number: 941, name: "sources of texts between which there are thoughts", run: func(t *testing.T) {
		want := `[{"type":"url_citation","url_citation":{"start_index":4,"end_index":8,"title":"T","url":"https://a.example/"}}]`
		for _, more := range []string{groundedAll, groundedPart} {
			whole, stream := thoughtfulG(more)
			take(t, trip{from: O, to: G, ask: wishes[O], answers: []string{whole}}).gets("choices.0.message.annotations", want)
			l := take(t, trip{from: O, to: G, stream: true, ask: withO(`"reasoning_effort":"high","stream":true`), answers: []string{stream}})
			is(t, "the text", l.joined("choices.0.delta.content"), "Wör zwei")
			if got := l.all("choices.0.delta.annotations"); len(got) != 1 || got[0].Raw != want {
				t.Errorf("%v", got)
			}
		}
	}},
	{number: 942, name: "sources of texts between which there is a call", run: func(t *testing.T) {
		cited := `{"annotations":[{"type":"url_citation","url_citation":{"start_index":4,"end_index":8,"title":"T","url":"https://a.example/"}}]}`
		l := take(t, trip{from: G, to: O, stream: true, ask: streamG, answers: []string{chunksO("tool_calls", `{"content":"Wör"}`, toolO(0, "c", "f", "{}"), `{"content":" zwei"}`, cited)}})
		support := l.all("candidates.0.groundingMetadata.groundingSupports.0.segment")
		if len(support) != 1 || support[0].Get("startIndex").Int() != 5 || support[0].Get("endIndex").Int() != 9 {
			t.Errorf("%v", support)
		}
	}},
	{number: 943, name: "sources of an answer that was paused", run: func(t *testing.T) {
		first := partsG(`{"text":"Wör"}`, `,"finishReason":"CONTINUATION","continuationToken":"t"`)
		rest := partsG(`{"text":" zwei"}`, `,"finishReason":"STOP"`+strings.NewReplacer(`"startIndex":5,"endIndex":9`, `"startIndex":1,"endIndex":5`).Replace(groundedAll))
		for _, streamed := range []bool{false, true} {
			answers := []string{first, rest}
			if streamed {
				answers = []string{sse(first), sse(rest)}
			}
			l := take(t, trip{from: O, to: G, stream: streamed, ask: withO(fmt.Sprintf(`"stream":%t`, streamed)), answers: answers})
			got := gjson.Get(l.body, "choices.0.message.annotations.0.url_citation")
			if streamed {
				got = l.all("choices.0.delta.annotations.0.url_citation")[0]
			}
			if got.Get("start_index").Int() != 4 || got.Get("end_index").Int() != 8 {
				t.Errorf("streamed %t: %s", streamed, got.Raw)
			}
		}
	}},
	{number: 944, name: "signatures that say nothing to another upstream are told", run: func(t *testing.T) {
		for _, part := range []string{`{"functionCall":{"id":"c1","name":"f","args":{}},"thoughtSignature":"` + googles1 + `"}`, `{"text":"so","thoughtSignature":"` + googles1 + `"}`} {
			for _, to := range []string{O, A} {
				l := take(t, trip{from: G, to: to, ask: signedG(part)})
				l.warns("contents[1].parts[0]", chat.Ignored)
				if strings.Contains(l.got().Raw, googles1) {
					t.Errorf("%s: %s", to, l.got().Raw)
				}
			}
		}
	}},
	{number: 945, name: "very many calls, whichever of them goes on", run: func(t *testing.T) {
		const calls = 400
		var deltas []string
		for i := range calls {
			deltas = append(deltas, toolO(i, fmt.Sprintf("c%d", i), "f", `{"a":`))
		}
		for i := range calls {
			deltas = append(deltas, fmt.Sprintf(`{"tool_calls":[{"index":%d,"function":{"arguments":"\"%d\"}"}}]}`, i, i))
		}
		l := take(t, trip{from: G, to: O, stream: true, ask: streamG, answers: []string{chunksO("tool_calls", deltas...)}})
		for i, call := range l.all("candidates.0.content.parts.0.functionCall.args.a") {
			is(t, "an argument", call.Str, fmt.Sprint(i))
		}
		is(t, "the number of calls", len(l.all("candidates.0.content.parts.0.functionCall.args.a")), calls)
	}},
	{number: 946, name: "a part of Google's that nobody knows yet", run: func(t *testing.T) {
		for _, from := range []string{O, A} {
			for _, streamed := range []bool{false, true} {
				answer := wholeG(`{"hologram":{"a":1}}`, `{"text":"hi"}`)
				ask := plain[from]
				if streamed {
					answer, ask = sse(answer), strings.TrimSuffix(ask, "}")+`,"stream":true}`
				}
				l := take(t, trip{from: from, to: G, stream: streamed, ask: ask, answers: []string{answer}})
				if !strings.Contains(l.told(), "hologram") || !strings.Contains(l.body, "hi") || strings.Contains(l.body, "hologram") {
					t.Errorf("%s, streamed %t: %s told %s", from, streamed, l.body, l.told())
				}
			}
		}
	}},
	{number: 947, name: "opaque thoughts before others, and back", run: func(t *testing.T) {
		ask := `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]}%s]}`
		blocks := []string{`{"type":"redacted_thinking","data":"b25l"}`, `{"type":"thinking","thinking":"","signature":"dHdv"}`, `{"type":"thinking","thinking":"hm","signature":"dHJp"}`, `{"type":"tool_use","id":"t","name":"f","input":{}}`}
		l := take(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, ""), answers: []string{wholeA("tool_use", blocks...)}})
		turn := `,` + gjson.Get(l.body, "candidates.0.content").Raw + `,{"role":"user","parts":[{"functionResponse":{"id":"t","name":"f","response":{"output":"x"}}}]}`
		back := take(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, turn)})
		for i, block := range blocks {
			back.sends(fmt.Sprintf("messages.1.content.%d", i), block)
		}
	}},
	{number: 948, name: "why a model would not, for a client of Google's", run: func(t *testing.T) {
		refused := []string{`{"refusal":"I can"}`, `{"refusal":"not"}`}
		l := take(t, trip{from: G, to: O, ask: plain[G], answers: []string{endO("stop", `"content":null,"refusal":"I cannot"`)}})
		l.gets("candidates.0.finishReason", `"SAFETY"`)
		l.gets("candidates.0.finishMessage", `"I cannot"`)
		l.gets("candidates.0.content.parts.0.text", `"I cannot"`)
		l = take(t, trip{from: G, to: O, stream: true, ask: plain[G], answers: []string{chunksO("stop", refused...)}})
		is(t, "the message", l.joined("candidates.0.finishMessage"), "I cannot")
	}},
	{number: 949, name: "an answer that ends with a compaction", run: func(t *testing.T) {
		for from, want := range map[string]string{O: "stop", G: "STOP"} {
			l := take(t, trip{from: from, to: A, ask: plain[from], answers: []string{endA("compaction")}})
			is(t, from, gjson.Get(l.body, finishAt[from]).Str, want)
			l.warns("answer", chat.Approximated)
		}
	}},
	{number: 950, name: "documents that are to be cited", run: func(t *testing.T) {
		cited := `{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"},"title":"T","citations":{"enabled":true}}`
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[` + cited + `,{"type":"text","text":"?"}]}]}`})
			l.warns("messages[0].content[0]", chat.Dropped)
			l.warns("messages[0].content[0]", chat.Approximated)
			l = take(t, trip{from: A, to: to, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"document","source":{"type":"text","media_type":"text/plain","data":"words"}}]}`)})
			l.warns("messages[2].content[0]", chat.Approximated)
		}
	}},
	{number: 951, name: "numbers of a schema that are strings", run: func(t *testing.T) {
		schema := `{"type":"OBJECT","properties":{"a":{"type":"INTEGER","minimum":"1","maximum":"9.5"},"b":{"type":"STRING","maxLength":"5"}}}`
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"tools":[{"functionDeclarations":[{"name":"f","parameters":` + schema + `}]}]}`
		for to, at := range map[string]string{O: "tools.0.function.parameters.properties.", A: "tools.0.input_schema.properties."} {
			l := take(t, trip{from: G, to: to, ask: ask})
			l.sends(at+"a.minimum", "1")
			l.sends(at+"a.maximum", "9.5")
			l.sends(at+"b.maxLength", "5")
		}
	}},
}}
