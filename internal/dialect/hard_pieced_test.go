package dialect_test

import (
	"testing"

	"stele/internal/chat"
)

// What clients that put a stream together themselves send back.
var hardPieced = section{"BK", "what clients that put a stream together send back", []hard{
	// cloudwego/eino's component for OpenAI; labring/FastGPT#1253, songquanpeng/one-api#1319, RageAgainstThePixel/OpenAI-DotNet#278: OpenAI's models have refused it, and did not later.
	{number: 1570, name: "a call of a stream that comes back with the place that it had in it", answer: "left out, also where the client's own bytes pass through", run: func(t *testing.T) {
		const ask = `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` +
			`{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"index\":1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"},"index":1}]},` +
			`{"role":"tool","tool_call_id":"c1","content":"1"},{"role":"tool","tool_call_id":"c2","content":"2"}],` +
			`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"index":{"type":"integer"}}}}}]}`
		const calls = `[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\"index\":1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{}"}}]`
		for _, streamed := range []bool{false, true} {
			l := take(t, trip{from: O, to: O, stream: streamed, ask: ask})
			l.sends("messages.1.tool_calls", calls)
			l.sends("tools.0.function.parameters.properties", `{"index":{"type":"integer"}}`)
			is(t, "losses", l.warned("messages[1]", chat.Dropped), false)
		}
		take(t, trip{from: O, to: A, ask: ask}).sends("messages.1.content.0.input", `{"index":1}`)
		take(t, trip{from: O, to: G, ask: ask}).sends("contents.1.parts.1.functionCall.name", `"f"`)
	}},
}}
