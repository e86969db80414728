package dialect_test

import (
	"fmt"
	"testing"

	"stele/internal/chat"
)

// What clients demand of every frame, because the vendor's own frames have it, and servers of every turn.
var hardStrict = section{"AX", "what strict parsers want, on both sides", []hard{
	// Rig (Rust) and BAML skip a frame of Google's whose counts are not all there: of an answer nothing was left but its end;
	// gemini-php throws at it.
	// LangChain adds up how the counts grow from frame to frame, so an estimate that is too high would be kept.
	{number: 1300, name: "counts in every frame of a stream of Google's", answer: "zeros until the end, where they are exact", run: func(t *testing.T) {
		for _, to := range []string{O, A} { // answers that come whole are told in frames, too
			l := take(t, trip{from: G, to: to, stream: true, ask: plain[G], answers: []string{hi[to]}})
			frames := l.events()
			is(t, "more than one frame", len(frames) > 1, true)
			for i, e := range frames {
				for _, name := range []string{"promptTokenCount", "candidatesTokenCount", "totalTokenCount"} {
					n := e.data.Get("usageMetadata." + name)
					is(t, name, n.Exists(), true)
					is(t, name+", told at the end", n.Int() > 0, i == len(frames)-1)
				}
			}
		}
	}},
	// lmstudio-ai/lmstudio-bug-tracker#261, mistralai/mistral-common#324, Kilo-Org/kilocode#12330, pydantic/pydantic-ai#5206 (Ollama),
	// langchain-ai/langchain#30803 (Google's): OpenAI's API has null there.
	{number: 1301, name: "turns of nothing but calls, to servers that want a text in each", answer: "asked again with an empty one, with a warning", run: func(t *testing.T) {
		asks := map[string]string{
			O: `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"}]}`,
			A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"f","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"1"}]}]}`,
			G: `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"1"}}}]}]}`,
		}
		for _, words := range []string{
			"Invalid 'content': 'content' field must be a string or an array of objects.", "Invalid value for 'content': expected a string, got null.", "messages.1.content: Invalid input: expected string, received null",
			"messages[1].content must not be null", "messages.1.content: Input should be a valid string", "[{'type': 'string_type', 'loc': ('body', 'messages', 1, 'content'), 'msg': 'Input should be a valid string', 'input': None}]",
			"invalid message content type: <nil>", "Expected string or list of content parts, got: null", "<400> InternalError.Algo.InvalidParameter: The content field is a required field.",
		} {
			for from, ask := range asks {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+", "+words, fmt.Sprint(l.got().Get("messages.1.content").Raw, l.then().Get("messages.1.content").Raw, l.then().Get("messages.1.tool_calls.#").Raw), `null""1`)
				l.warns(map[string]string{O: "messages", A: "messages", G: "contents"}[from], chat.Approximated)
			}
		}
	}},
	// bytedance/trae-agent#231: "tool_result: content cannot be empty if is_error is true".
	{number: 1302, name: "a tool that failed without a word, for Claude", answer: "it is told that there was an error", run: func(t *testing.T) {
		for failed, want := range map[string]string{`""`: `"Error"`, `" \n"`: `"Error"`, `"bad"`: `"bad"`} {
			l := take(t, trip{from: G, to: A, ask: `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":` + failed + `}}}]}]}`})
			l.sends("messages.2.content.0.content", want)
			l.sends("messages.2.content.0.is_error", "true")
		}
	}},
}}
