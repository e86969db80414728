package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

var hardSilent = section{"W", "what is asked for in passing", []hard{
	{number: 931, name: "thoughts that are not to be shown are no wish for any", run: func(t *testing.T) {
		for _, way := range []trip{
			{from: O, to: A, ask: withO(`"include_reasoning":false`)},
			{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":false}}}`},
			{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"THINKING_LEVEL_UNSPECIFIED"}}}`},
			{from: G, to: O, model: "gpt-5.2", ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":false}}}`},
		} {
			l := take(t, way)
			l.sends("thinking", "")
			l.sends("reasoning_effort", "")
			l.quiet()
		}
		shown := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"includeThoughts":true}}}`
		take(t, trip{from: G, to: A, ask: shown}).sends("thinking.type", `"enabled"`)
	}},
	{number: 932, name: "members that change no answer", run: func(t *testing.T) {
		eager := `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{}},"eager_input_streaming":true,"allowed_callers":["direct"]}]}`
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: eager})
			l.warns("tools[0].eager_input_streaming", chat.Ignored)
			l.warns("tools[0].allowed_callers", chat.Ignored)
			take(t, trip{from: G, to: map[string]string{O: O, G: A}[to], ask: `{"contents":[{"parts":[{"text":"go"}]}],"safetySettings":[],"labels":{}}`}).quiet()
			l = take(t, trip{from: G, to: map[string]string{O: O, G: A}[to], ask: `{"contents":[{"parts":[{"text":"go","part_metadata":{"a":1}}]}]}`})
			l.warns("contents[0].parts[0].part_metadata", chat.Ignored)
		}
		take(t, trip{from: O, to: G, ask: withO(`"reasoning":{"effort":"high","summary":"auto"}`)}).warns("reasoning.summary", chat.Ignored)
	}},
	{number: 933, name: "a block of a result that says nothing elsewhere", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"so"},{"type":"browser_state","tabs":[]}]}`)})
			l.warns("messages[2].content[0]", chat.Dropped)
		}
	}},
	{number: 934, name: "a grammar is told in words", run: func(t *testing.T) {
		ask := withO(`"tools":[{"type":"custom","custom":{"name":"p","description":"D","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: x"}}}}]`)
		for _, way := range []struct {
			trip
			at string
		}{
			{trip{from: O, to: A, ask: ask}, "tools.0.description"},
			{trip{from: O, to: G, ask: ask}, "tools.0.functionDeclarations.0.description"},
		} {
			take(t, way.trip).sends(way.at, `"D\nThe input must match this lark grammar:\nstart: x"`)
		}
	}},
	{number: 935, name: "more answers than were asked for, and fewer", run: func(t *testing.T) {
		two := strings.Replace(wholeG(`{"text":"a"}`), `"candidates":[`, `"candidates":[{"content":{"parts":[{"text":"b"}]},"finishReason":"STOP"},`, 1)
		l := take(t, trip{from: O, to: G, ask: plain[O], answers: []string{two}})
		l.gets("choices.#", "1")
		l.warns("answer", chat.Dropped)
		for _, stream := range []bool{false, true} {
			answer := endO("stop", `"content":"a"`)
			if stream {
				answer = chunksO("stop", `{"content":"a"}`)
			}
			l = take(t, trip{from: G, to: O, stream: stream, answers: []string{answer}, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":2}}`})
			l.warns("generationConfig.candidateCount", chat.Dropped)
			if !strings.Contains(l.record, "candidateCount") {
				t.Errorf("the record says %q", l.record)
			}
		}
	}},
	{number: 936, name: "a stop sequence over two texts, and in each of several answers", run: func(t *testing.T) {
		for _, stream := range []bool{false, true} {
			answer := wholeA("end_turn", `{"type":"text","text":"one\n"}`, `{"type":"text","text":"\ntwo"}`)
			if stream {
				answer = messageA(textA(0, "one\n")+textA(1, "\ntwo"), "end_turn")
			}
			for from, ask := range map[string]string{O: withO(`"stop":["\n\n"]`), G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"stopSequences":["\n\n"]}}`} {
				l := take(t, trip{from: from, to: A, stream: stream, ask: ask, answers: []string{answer}})
				if strings.Contains(l.body, "two") || strings.Contains(l.body, `\n`) || !strings.Contains(l.body, "one") {
					t.Errorf("%s: %s", from, l.body)
				}
			}
		}
		both := sse(
			`{"id":"c","choices":[{"index":0,"delta":{"content":"a END b"},"finish_reason":"stop"},{"index":1,"delta":{"content":"c EN"}}]}`,
			`{"id":"c","choices":[{"index":1,"delta":{"content":"D d"},"finish_reason":"stop"}]}`, "[DONE]")
		ask := `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":2,"stopSequences":["1","2","3","4","END"]}}`
		l := take(t, trip{from: G, to: O, stream: true, ask: ask, answers: []string{both}})
		said := map[int64]string{}
		for _, frame := range l.frames() {
			for _, c := range frame.Get("candidates").Array() {
				said[c.Get("index").Int()] += c.Get("content.parts.0.text").Str
			}
		}
		if said[0] != "a " || said[1] != "c " {
			t.Errorf("%v: %s", said, l.body)
		}
	}},
	{number: 937, name: "sources of several texts, in the bytes of all of them", run: func(t *testing.T) {
		web := `{"type":"web_search_result_location","cited_text":"c","url":"https://a.example/","title":"T","encrypted_index":"E"}`
		whole := wholeA("end_turn", `{"type":"text","text":"é "}`, `{"type":"text","text":"so","citations":[`+web+`]}`)
		stream := messageA(textA(0, "é ")+named(`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"","citations":[]}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"citations_delta","citation":`+web+`}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"so"}}`, `{"type":"content_block_stop","index":1}`), "end_turn")
		for _, answer := range []string{whole, stream} {
			l := take(t, trip{from: G, to: A, stream: answer == stream, ask: plain[G], answers: []string{answer}})
			last := gjson.Parse(l.body)
			if answer == stream {
				frames := l.frames()
				last = frames[len(frames)-1]
			}
			same(t, last, "candidates.0.groundingMetadata.groundingSupports.0.segment", `{"startIndex":3,"endIndex":5,"text":"so"}`)
		}
	}},
}}
