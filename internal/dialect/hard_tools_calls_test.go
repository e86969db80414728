package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// messageA is an Anthropic stream with blocks.
func messageA(blocks, stop string) string {
	return named(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":1}}}`) +
		blocks + named(`{"type":"message_delta","delta":{"stop_reason":"`+stop+`","stop_sequence":null},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`)
}

func quoted(text string) string {
	return string(dialect.AppendText(nil, text))
}

// toolA is a streamed call.
func toolA(index int, id, name string, pieces ...string) string {
	list := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"tool_use","id":"%s","name":"%s","input":{}}}`, index, id, name)}
	for _, piece := range pieces {
		list = append(list, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"input_json_delta","partial_json":%s}}`, index, quoted(piece)))
	}
	return named(append(list, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

// textA is a streamed text.
func textA(index int, pieces ...string) string {
	list := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"text","text":""}}`, index)}
	for _, piece := range pieces {
		list = append(list, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"text_delta","text":%s}}`, index, quoted(piece)))
	}
	return named(append(list, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

// thoughtA is a streamed thought with its signature; "" has no words.
func thoughtA(index int, words, signature string) string {
	list := []string{fmt.Sprintf(`{"type":"content_block_start","index":%d,"content_block":{"type":"thinking","thinking":"","signature":""}}`, index)}
	if words != "" {
		list = append(list, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"thinking_delta","thinking":%s}}`, index, quoted(words)))
	}
	list = append(list, fmt.Sprintf(`{"type":"content_block_delta","index":%d,"delta":{"type":"signature_delta","signature":%s}}`, index, quoted(signature)))
	return named(append(list, fmt.Sprintf(`{"type":"content_block_stop","index":%d}`, index))...)
}

// chunksO is an OpenAI stream of deltas.
func chunksO(finish string, deltas ...string) string {
	list := []string{`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`}
	for _, delta := range deltas {
		list = append(list, `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":`+delta+`,"finish_reason":null}]}`)
	}
	if finish != "" {
		list = append(list, `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"`+finish+`"}]}`,
			`{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":7,"completion_tokens":9,"total_tokens":16}}`, `[DONE]`)
	}
	return sse(list...)
}

func toolO(index int, id, name, arguments string) string {
	call := fmt.Sprintf(`{"index":%d`, index)
	if index < 0 {
		call = `{"type":"function"`
	}
	if id != "" {
		call += `,"id":` + quoted(id)
	}
	call += `,"function":{`
	if name != "" {
		call += `"name":` + quoted(name) + `,`
	}
	return `{"tool_calls":[` + call + `"arguments":` + quoted(arguments) + `}}]}`
}

// blocksOf are the blocks of an Anthropic client's stream as "type name json", and
// a check that one is open at a time and their numbers have no gaps.
func blocksOf(l *landed) []string {
	l.t.Helper()
	var list []string
	open := -1
	for _, e := range l.events() {
		index := int(e.data.Get("index").Int())
		switch e.name {
		case "content_block_start":
			if open >= 0 || index != len(list) {
				l.t.Errorf("block %d begins while %d is open and %d are done", index, open, len(list))
			}
			open = index
			list = append(list, strings.TrimSpace(e.data.Get("content_block.type").Str+" "+e.data.Get("content_block.name").Str)+" ")
		case "content_block_delta":
			if index != open {
				l.t.Errorf("a delta of %d while %d is open", index, open)
			}
			d := e.data.Get("delta")
			list[index] += d.Get("text").Str + d.Get("partial_json").Str + d.Get("thinking").Str
		case "content_block_stop":
			open = -1
		}
	}
	return list
}

func sameList(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s are\n%s\nwant\n%s", what, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// partsOf are the parts that a Gemini client's stream has, as JSON, without empty text.
func partsOf(l *landed) []string {
	l.t.Helper()
	var list []string
	for _, parts := range l.all("candidates.0.content.parts") {
		for _, p := range parts.Array() {
			if p.Raw != `{"text":""}` {
				list = append(list, p.Raw)
			}
		}
	}
	return list
}

var (
	streamO = `{"model":"m","stream":true,` + toolsO + `,"messages":[{"role":"user","content":"go"}]}`
	streamA = `{"model":"m","max_tokens":9999,"stream":true,` + toolsA + `,"messages":[{"role":"user","content":"go"}]}`
	streamG = `{` + toolsG + `,"contents":[{"parts":[{"text":"go"}]}]}`
)

var hardCalls = section{"C", "tool calls in answers and streams", []hard{
	{number: 54, name: "arguments split inside escapes", run: func(t *testing.T) {
		pieces := []string{`{"a":"caf\u00`, `e9 \ud83d`, `\ude00"}`}
		l := take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{messageA(toolA(0, "t", "f", pieces...), "tool_use")}})
		var got []string
		for _, v := range l.all("choices.0.delta.tool_calls.0.function.arguments") {
			if v.Str != "" {
				got = append(got, v.Str)
			}
		}
		sameList(t, "the fragments", got, pieces...)
		is(t, "the text", gjson.Get(strings.Join(got, ""), "a").Str, "café 😀")
	}},
	{number: 56, name: "two calls in turns", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("tool_calls",
			toolO(0, "c1", "f", ""), toolO(1, "c2", "g", ""), toolO(0, "", "", `{"a":`), toolO(1, "", "", `{"b":`), toolO(0, "", "", `1}`), toolO(1, "", "", `2}`))}})
		sameList(t, "the blocks", blocksOf(l), `tool_use f {"a":1}`, `tool_use g {"b":2}`)
	}},
	{number: 58, name: "two calls of one index", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{chunksO("tool_calls",
			toolO(0, "c1", "f", `{"a":1}`), toolO(0, "c2", "g", `{"b":2}`))}})
		sameList(t, "the blocks", blocksOf(l), `tool_use f {"a":1}`, `tool_use g {"b":2}`)
	}},
	{number: 59, name: "id and name in every delta", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, kind: "vllm", stream: true, ask: streamA, answers: []string{chunksO("tool_calls",
			toolO(0, "c1", "f", `{"a"`), toolO(0, "c1", "f", `:1`), toolO(0, "c1", "f", `}`))}})
		sameList(t, "the blocks", blocksOf(l), `tool_use f {"a":1}`)
	}},
	{number: 60, name: "deltas without an index", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, kind: "vllm", stream: true, ask: streamG, answers: []string{chunksO("tool_calls",
			toolO(-1, "c1", "f", `{"a":1}`), toolO(-1, "c2", "g", `{"b":`), toolO(-1, "c2", "", `2}`))}})
		var got []string
		for _, p := range partsOf(l) {
			got = append(got, gjson.Get(p, "functionCall.name").Str+gjson.Get(p, "functionCall.args").Raw)
		}
		sameList(t, "the calls", got, `f{"a":1}`, `g{"b":2}`)
	}},
	{number: 61, name: "text, tool, text, tool", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, stream: true, ask: streamA, answers: []string{chunksO("tool_calls",
			`{"content":"one"}`, toolO(0, "c1", "f", `{}`), `{"content":"two"}`, toolO(1, "c2", "g", `{}`))}})
		sameList(t, "the blocks", blocksOf(l), "text one", `tool_use f {}`, "text two", `tool_use g {}`)
	}},
	{number: 62, name: "tools count from 0", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{messageA(
			thoughtA(0, "hm", "sig")+textA(1, "so")+toolA(2, "t1", "f", `{}`)+toolA(3, "t2", "g", `{}`), "tool_use")}})
		seen := map[int64]bool{}
		for _, v := range l.all("choices.0.delta.tool_calls.0.index") {
			seen[v.Int()] = true
		}
		if len(seen) != 2 || !seen[0] || !seen[1] {
			t.Errorf("indexes %v", seen)
		}
	}},
	{number: 63, name: "the finish comes after the call", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, stream: true, ask: streamO, answers: []string{sse(
			`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},"index":0}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`)}})
		finishes := l.all("choices.0.finish_reason")
		if len(finishes) != 1 || finishes[0].Str != "tool_calls" {
			t.Error(l.body)
		}
		events := l.events()
		is(t, "the last finish", events[len(events)-1].data.Get("choices.0.finish_reason").Str, "tool_calls")
	}},
	{number: 65, name: "three calls in three chunks without ids", run: func(t *testing.T) {
		call := `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"%d"}}}]},"index":0%s}]}`
		l := take(t, trip{from: A, to: G, stream: true, ask: streamA, answers: []string{sse(
			fmt.Sprintf(call, 1, ""), fmt.Sprintf(call, 2, ""), fmt.Sprintf(call, 3, `,"finishReason":"STOP"`))}})
		sameList(t, "the blocks", blocksOf(l), `tool_use f {"a":"1"}`, `tool_use f {"a":"2"}`, `tool_use f {"a":"3"}`)
		ids := map[string]bool{}
		for _, v := range l.all("content_block.id") {
			ids[v.Str] = true
		}
		is(t, "the number of ids", len(ids), 3)
		is(t, "stop_reason", l.joined("delta.stop_reason"), "tool_use")
	}},
	{number: 66, name: "the limit in the middle of arguments", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, stream: true, ask: streamO, answers: []string{messageA(toolA(0, "t", "f", `{"a": tru`), "max_tokens")}})
		is(t, "finish_reason", l.joined("choices.0.finish_reason"), "length")
		is(t, "the arguments", l.joined("choices.0.delta.tool_calls.0.function.arguments"), `{"a": tru`)
	}},
	{number: 68, name: "five megabytes of arguments", run: func(t *testing.T) {
		pieces := []string{`{"a":"`}
		for range 100_000 {
			pieces = append(pieces, strings.Repeat("x", 50))
		}
		answer := messageA(toolA(0, "t", "f", append(pieces, `"}`)...), "tool_use")
		// Whoever copied the arguments at every piece would copy 250 GB: the suite's own time would be over.
		l := take(t, trip{from: G, to: A, stream: true, ask: streamG, answers: []string{answer}})
		parts := partsOf(l)
		if len(parts) != 1 || len(gjson.Get(parts[0], "functionCall.args.a").Str) != 5_000_000 {
			t.Errorf("%d parts", len(parts))
		}
	}},
	{number: 69, name: "a stop with calls", run: func(t *testing.T) {
		answer := `{"id":"x","choices":[{"message":{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}]}`
		take(t, trip{from: A, to: O, kind: "vllm", ask: offerA(""), answers: []string{answer}}).gets("stop_reason", `"tool_use"`)
		l := take(t, trip{from: G, to: O, kind: "vllm", ask: streamG, answers: []string{answer}})
		l.gets("candidates.0.finishReason", `"STOP"`)
		l.gets("candidates.0.content.parts.0.functionCall.name", `"f"`)
	}},
	{number: 70, name: "STOP on every chunk", run: func(t *testing.T) {
		chunk := `{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`
		l := take(t, trip{from: O, to: G, stream: true, ask: streamO, answers: []string{sse(fmt.Sprintf(chunk, "a"), fmt.Sprintf(chunk, "b"), fmt.Sprintf(chunk, "c"))}})
		is(t, "the text", l.joined("choices.0.delta.content"), "abc")
		events := l.events()
		for i, e := range events {
			if finish := e.data.Get("choices.0.finish_reason"); (finish.Type != gjson.Null) != (i == len(events)-1) {
				t.Errorf("chunk %d of %d: finish_reason %s", i, len(events), finish.Raw)
			}
		}
	}},
}}
