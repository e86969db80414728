package dialect_test

import (
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// talkO is an OpenAI request of these messages.
func talkO(messages ...string) string {
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
}

// says is a message of OpenAI's or Anthropic's.
func says(role, text string) string { return `{"role":"` + role + `","content":` + quoted(text) + `}` }

// textsOf are all the texts of a turn, in order.
func textsOf(content gjson.Result) string {
	if content.Type == gjson.String {
		return content.Str
	}
	var b strings.Builder
	for _, p := range content.Array() {
		b.WriteString(p.Get("text").Str)
	}
	return b.String()
}

var hardTurns = section{"D", "messages, roles and system prompts", []hard{
	{number: 72, name: "two messages of the user stay two", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("user", "a"), says("user", "b"))})
		l.sends("messages.#.role", `["user","user"]`)
		is(t, "the first", textsOf(l.got().Get("messages.0.content")), "a")
		is(t, "the second", textsOf(l.got().Get("messages.1.content")), "b")
	}},
	{number: 73, name: "two messages of the user keep their order", answer: "one Content with two parts", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: talkO(says("user", "a"), says("user", "b"))})
		l.sends("contents", `[{"role":"user","parts":[{"text":"a"},{"text":"b"}]}]`)
	}},
	{number: 74, name: "a turn that came in pieces is one", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: `{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"Hel"}]},{"role":"model","parts":[{"text":"lo"},{"text":""}]},` +
			`{"role":"model","parts":[{"text":""}]},{"role":"user","parts":[{"text":"go"}]}]}`})
		l.sends("messages.#.role", `["user","assistant","user"]`)
		is(t, "the turn", textsOf(l.got().Get("messages.1.content")), "Hello")
		if strings.Contains(l.got().Raw, `"text":""`) {
			t.Error(l.got().Raw)
		}
	}},
	{number: 76, name: "an empty text beside calls", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: strings.Replace(calledO(`,"arguments":"{}"`, `"x"`), `"content":null`, `"content":""`, 1)})
		l.sends("messages.1.content.#.type", `["tool_use"]`)
	}},
	{number: 77, name: "an empty message of the user", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("user", "a"), says("assistant", "b"), says("user", ""), says("user", "c"))})
		l.sends("messages.#.role", `["user","assistant","user"]`)
		l.warns("messages[2]", chat.Dropped)
		refuses(t, trip{from: O, to: A, ask: talkO(says("user", ""))}, "messages[0]")
	}},
	{number: 78, name: "system text of nothing", run: func(t *testing.T) {
		take(t, trip{from: O, to: A, ask: talkO(says("system", "  \n "), says("user", "a"))}).sends("system", "")
		l := take(t, trip{from: O, to: A, ask: talkO(`{"role":"system","content":[{"type":"text","text":""},{"type":"text","text":"x"}]}`, says("user", "a"))})
		is(t, "the system text", textsOf(l.got().Get("system")), "x")
		if strings.Contains(l.got().Raw, `"text":""`) {
			t.Error(l.got().Raw)
		}
	}},
	{number: 79, name: "a turn of nothing in the middle", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("user", "a"), `{"role":"assistant","content":null}`, says("user", "b"))})
		for _, role := range l.got().Get("messages.#.role").Array() {
			is(t, "the role", role.Str, "user")
		}
		l.warns("messages[1]", chat.Dropped)
	}},
	{number: 80, name: "only system messages", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("system", "a"), says("system", "b"))})
		is(t, "the turn", textsOf(l.got().Get("messages.0.content")), "b")
		is(t, "the system text", textsOf(l.got().Get("system")), "a")
		l.sends("messages.#.role", `["user"]`)
		l.warns("messages", chat.Approximated)
	}},
	{number: 81, name: "only a developer message", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: talkO(says("developer", "a"))})
		l.sends("contents", `[{"role":"user","parts":[{"text":"a"}]}]`)
		l.warns("messages", chat.Approximated)
	}},
	{number: 82, name: "system text after turns stays there", run: func(t *testing.T) {
		turns := []string{says("system", "s"), says("user", "a"), says("assistant", "b"), says("user", "c")}
		before := take(t, trip{from: O, to: A, ask: talkO(turns...)})
		l := take(t, trip{from: O, to: A, ask: talkO(append(turns, says("assistant", "d"), says("system", "new rule"), says("user", "e"))...)})
		is(t, "the system text", l.got().Get("system").Raw, before.got().Get("system").Raw)
		if text := textsOf(l.got().Get("messages.4.content")); !strings.Contains(text, "new rule") || !strings.Contains(text, "<system") {
			t.Error(l.got().Raw)
		}
		l.warns("messages[5]", chat.Approximated)
	}},
	{number: 83, name: "system text after turns where the model takes it", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, model: "claude-opus-4-8", ask: talkO(says("user", "a"), says("assistant", "b"), says("system", "new rule"), says("user", "c"))})
		l.sends("messages.#.role", `["user","assistant","user","system"]`)
		is(t, "the rule", textsOf(l.got().Get("messages.3.content")), "new rule")
	}},
	{number: 85, name: "developer and system", run: func(t *testing.T) {
		ask := talkO(says("developer", "one"), says("system", "two"), says("user", "a"))
		take(t, trip{from: O, to: A, ask: ask}).sends("system.#.text", `["one","two"]`)
		take(t, trip{from: O, to: G, ask: ask}).sends("systemInstruction.parts.#.text", `["one","two"]`)
	}},
	{number: 87, name: "an answer that the client began", answer: "the model is asked to go on from there, with a warning", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"messages":[` + says("user", "a") + `,` + says("assistant", "{") + `]}`})
		l.sends("messages.#.role", `["user","assistant","user"]`)
		l.warns("messages[1]", chat.Approximated)
	}},
	{number: 89, name: "the assistant begins", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(says("assistant", "a"), says("user", "b"))})
		l.sends("messages.#.role", `["user","assistant","user"]`)
		l.warns("messages", chat.Added)
	}},
	{number: 91, name: "names of participants", answer: "dropped, with a warning", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: talkO(`{"role":"user","name":"ada","content":"a"}`)})
		l.sends("messages.0.name", "")
		l.warns("messages[0].name", chat.Dropped)
	}},
	{number: 92, name: "a Content without a role", run: func(t *testing.T) {
		take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"a"}]}]}`}).sends("messages.#.role", `["user"]`)
	}},
	{number: 93, name: "roles function and tool", run: func(t *testing.T) {
		for _, role := range []string{"function", "tool"} {
			l := take(t, trip{from: G, to: A, ask: `{` + toolsG + `,"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}}]},` +
				`{"role":"` + role + `","parts":[{"functionResponse":{"name":"f","response":{"output":"x"}}}]}]}`})
			l.sends("messages.2.role", `"user"`)
			l.sends("messages.2.content.0.type", `"tool_result"`)
		}
	}},
	{number: 94, name: "snake_case all over", run: func(t *testing.T) {
		snake := `{"system_instruction":{"parts":[{"text":"s"}]},"generation_config":{"max_output_tokens":99,"thinking_config":{"include_thoughts":true,"thinking_budget":2048}},` +
			`"tools":[{"function_declarations":[{"name":"f"},{"name":"g"}]}],"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["f"]}},` +
			`"contents":[{"role":"user","parts":[{"text":"a"},{"inline_data":{"mime_type":"image/png","data":"` + pixel + `"}}]}]}`
		camel := strings.NewReplacer("system_instruction", "systemInstruction", "generation_config", "generationConfig", "max_output_tokens", "maxOutputTokens",
			"thinking_config", "thinkingConfig", "include_thoughts", "includeThoughts", "thinking_budget", "thinkingBudget", "function_declarations", "functionDeclarations",
			"tool_config", "toolConfig", "function_calling_config", "functionCallingConfig", "allowed_function_names", "allowedFunctionNames",
			"inline_data", "inlineData", "mime_type", "mimeType").Replace(snake)
		for _, to := range []string{O, A} {
			is(t, "the request to "+to, take(t, trip{from: G, to: to, ask: snake}).got().Raw, take(t, trip{from: G, to: to, ask: camel}).got().Raw)
		}
		l := take(t, trip{from: G, to: O, ask: snake})
		l.sends("messages.0.content", `"s"`)
		l.sends("max_completion_tokens", "99")
		l.sends("messages.1.content.1.image_url.url", `"data:image/png;base64,`+pixel+`"`)
	}},
	{number: 97, name: "text around a result", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, ask: calledA(`{"type":"text","text":"one"},{"type":"tool_result","tool_use_id":"toolu_1","content":"x"},{"type":"text","text":"two"}`)})
		l.sends("messages.#.role", `["user","assistant","tool","user"]`)
		l.sends("messages.3.content.#.text", `["one","two"]`)
	}},
	{number: 98, name: "what passes through is not touched", run: func(t *testing.T) {
		const ask = `{ "messages" : [ {"role":"user","content":[{"type":"beta_thing","x":1.0}]} ],  "zzz":{"b":1,"a":2},` + "\n" + `"model":"m","max_tokens":9 }`
		l := take(t, trip{from: A, to: A, version: "2026-10-21", ask: ask})
		is(t, "the body", l.got().Raw, strings.Replace(ask, `"m"`, `"claude-sonnet-4-5"`, 1))
		is(t, "anthropic-version", l.calls[0].Header.Get("Anthropic-Version"), "2026-10-21")
	}},
	{number: 100, name: "events that nobody knows pass", run: func(t *testing.T) {
		answer := strings.Replace(messageA(textA(0, "a")+named(`{"type":"thing_of_tomorrow","x":[1, 2]}`), "end_turn"), "event: thing", ": comment\nevent:  thing", 1)
		l := take(t, trip{from: A, to: A, stream: true, ask: streamA, answers: []string{answer}})
		is(t, "the stream", l.body, answer)
	}},
}}
