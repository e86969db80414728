package upstream

import "fmt"

// What servers that resemble OpenAI's do with the calls of a stream. Each answers
// with two calls, f with {"a":1} and g with {"b":2}.

// InterleavedCalls sends the deltas of both calls by turns.
func InterleavedCalls() Answer {
	return chunks(
		`{"role":"assistant","content":null}`,
		`{"tool_calls":[{"index":0,"id":"call_f","type":"function","function":{"name":"f","arguments":""}}]}`,
		`{"tool_calls":[{"index":1,"id":"call_g","type":"function","function":{"name":"g","arguments":""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\""}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":"{\"b\""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
		`{"tool_calls":[{"index":1,"function":{"arguments":":2}"}}]}`,
	)
}

// CallsAllIndexZero gives both calls the index 0.
func CallsAllIndexZero() Answer {
	return chunks(
		`{"role":"assistant","content":null}`,
		`{"tool_calls":[{"index":0,"id":"call_f","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":":1}"}}]}`,
		`{"tool_calls":[{"index":0,"id":"call_g","type":"function","function":{"name":"g","arguments":"{\"b\""}}]}`,
		`{"tool_calls":[{"index":0,"function":{"arguments":":2}"}}]}`,
	)
}

// CallsWithoutIndex leaves the index out.
func CallsWithoutIndex() Answer {
	return chunks(
		`{"role":"assistant","content":null}`,
		`{"tool_calls":[{"id":"call_f","type":"function","function":{"name":"f","arguments":"{\"a\":1}"}}]}`,
		`{"tool_calls":[{"id":"call_g","type":"function","function":{"name":"g","arguments":"{\"b\":2}"}}]}`,
	)
}

// CallsRepeatingNames has id, type and name in every delta.
func CallsRepeatingNames() Answer {
	return chunks(
		`{"role":"assistant","content":null}`,
		`{"tool_calls":[{"index":0,"id":"call_f","type":"function","function":{"name":"f","arguments":"{\"a\""}}]}`,
		`{"tool_calls":[{"index":0,"id":"call_f","type":"function","function":{"name":"f","arguments":":1}"}}]}`,
		`{"tool_calls":[{"index":1,"id":"call_g","type":"function","function":{"name":"g","arguments":"{\"b\""}}]}`,
		`{"tool_calls":[{"index":1,"id":"call_g","type":"function","function":{"name":"g","arguments":":2}"}}]}`,
	)
}

// chunks is a stream of these deltas that ends with tool_calls.
func chunks(deltas ...string) Answer {
	const head = `{"id":"chatcmpl-odd","object":"chat.completion.chunk","created":1793664000,"model":"odd","choices":[`
	var events []string
	for _, d := range deltas {
		events = append(events, fmt.Sprintf(`%s{"index":0,"delta":%s,"finish_reason":null}]}`, head, d))
	}
	events = append(events,
		head+`{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`,
		head+`],"usage":{"prompt_tokens":10,"completion_tokens":5,"total_tokens":15}}`,
		"[DONE]")
	return Events(events...)
}

// EmptyChoices puts an event with no choice in it before the usual stream, and one
// that does not know the word into it.
func EmptyChoices() Answer {
	return func(x *Exchange, _ Reply) Reply {
		x.Stream = true
		r := x.Render()
		first := Frame{Bytes: openai{}.event(`{"id":"","object":"","created":0,"model":"","prompt_filter_results":[],"choices":[]}`)}
		second := Frame{Bytes: openai{}.event(`{"id":"","object":"moderation.note"}`)}
		r.Frames = append([]Frame{first, r.Frames[0], second}, r.Frames[1:]...)
		return r
	}
}

// NoDone leaves [DONE] out of a stream that is complete otherwise.
func NoDone() Answer { return Dropping("[DONE]") }
