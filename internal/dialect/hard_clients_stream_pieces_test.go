package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// What clients send that means nothing: where a piece of a stream was, and numbers for what is not set.
var hardPieced = section{"BK", "what clients send back of a stream, and for what is not set", []hard{
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
	// langchain-ai/langgraphjs#1712: @langchain/anthropic 0.3 sends them to every model whose name it does not know, such as a name of the operator's.
	{number: 1571, name: "numbers of -1 where no sampling is set, in Anthropic's dialect", answer: "left out, also where the client's own bytes pass through", run: func(t *testing.T) {
		const ask = `{"model":"m","temperature":1,"top_k":-1,"top_p":-1.0,"max_tokens":9,"messages":[{"role":"user","content":"go"}]}`
		for _, to := range []string{A, O, G} {
			l := take(t, trip{from: A, to: to, ask: ask})
			is(t, to, strings.Contains(l.got().Raw, "-1"), false)
			l.quiet()
		}
		take(t, trip{from: A, to: A, ask: strings.Replace(ask, "-1.0", "0.5", 1)}).sends("top_p", "0.5")
	}},
}}
