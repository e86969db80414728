package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
	"stele/internal/relay"
)

// thinksA is an Anthropic request with thinking.
func thinksA(more string) string {
	return `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":10000},"messages":[{"role":"user","content":"go"}]` + more + `}`
}

// signed is a thought's signature as anthropic sends it: no envelope.
const claudes = "EqQBCgIYAhIkclaude=="

// wholeA is a whole Anthropic answer of these blocks.
func wholeA(stop string, blocks ...string) string {
	return `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[` + strings.Join(blocks, ",") + `],"stop_reason":"` + stop + `","stop_sequence":null,"usage":{"input_tokens":5,"output_tokens":9}}`
}

// wholeG is a whole Gemini answer of these parts.
func wholeG(parts ...string) string {
	return `{"candidates":[{"content":{"role":"model","parts":[` + strings.Join(parts, ",") + `]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`
}

// googles are signatures as Google sends them.
const (
	googles1 = "Z29vZ2xlIG9uZQ=="
	googles2 = "Z29vZ2xlIHR3bw=="
)

var hardThinking = section{"E", "thinking, signatures and effort", []hard{
	{number: 101, name: "a thought comes back first and signed", run: func(t *testing.T) {
		ask := `{"model":"m","reasoning_effort":"high",` + toolsO + `,"messages":[{"role":"user","content":"go"}%s]}`
		l := take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, ""), answers: []string{wholeA("tool_use",
			`{"type":"thinking","thinking":"hm","signature":"`+claudes+`"}`, `{"type":"tool_use","id":"toolu_1","name":"f","input":{}}`)}})
		message := gjson.Get(l.body, "choices.0.message").Raw
		back := take(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, `,`+message+`,{"role":"tool","tool_call_id":"toolu_1","content":"x"}`)})
		back.sends("messages.1.content.0", `{"type":"thinking","thinking":"hm","signature":"`+claudes+`"}`)
		back.sends("messages.1.content.#.type", `["thinking","tool_use"]`)
	}},
	{number: 103, name: "a call's signature travels in an empty thought", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9999,` + toolsA + `,"messages":[{"role":"user","content":"go"}%s]}`
		l := take(t, trip{from: A, to: G, ask: fmt.Sprintf(ask, ""), answers: []string{wholeG(`{"functionCall":{"id":"x1","name":"f","args":{}},"thoughtSignature":"` + googles1 + `"}`)}})
		l.gets("content.#.type", `["thinking","tool_use"]`)
		if sig := gjson.Get(l.body, "content.0.signature").Str; sig == "" || sig == googles1 {
			t.Errorf("signature %q", sig)
		}
		back := take(t, trip{from: A, to: G, ask: fmt.Sprintf(ask, `,{"role":"assistant","content":`+gjson.Get(l.body, "content").Raw+`},`+
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"`+gjson.Get(l.body, "content.1.id").Str+`","content":"x"}]}`)})
		back.sends("contents.1.parts.#", "1")
		back.sends("contents.1.parts.0.thoughtSignature", `"`+googles1+`"`)
	}},
	{number: 105, name: "thoughts of others do not reach Claude", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":2000},` + toolsA + `,"messages":[{"role":"user","content":"go"},{"role":"assistant","content":%s},` +
			`{"role":"user","content":"more"}]}`
		plain := `{"model":"m","max_tokens":9999,"thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"go"}]}`
		for _, far := range []trip{
			{from: A, to: G, ask: plain, answers: []string{wholeG(`{"text":"hm","thought":true,"thoughtSignature":"`+googles1+`"}`, `{"text":"so"}`)}},
			{from: A, to: O, kind: "vllm", ask: plain, answers: []string{`{"id":"x","choices":[{"message":{"role":"assistant","content":"so","reasoning_content":"hm"},"finish_reason":"stop"}]}`}},
		} {
			l := take(t, far)
			l.gets("content.#.type", `["thinking","text"]`)
			back := take(t, trip{from: A, to: A, ask: fmt.Sprintf(ask, gjson.Get(l.body, "content").Raw)})
			back.sends("messages.1.content.#.type", `["text"]`)
			back.sends("messages.1.content.0.text", `"so"`)
		}
	}},
	{number: 107, name: "two calls, one signature", run: func(t *testing.T) {
		ask := `{"model":"m",` + toolsO + `,"messages":[{"role":"user","content":"go"}%s]}`
		l := take(t, trip{from: O, to: G, ask: fmt.Sprintf(ask, ""), answers: []string{wholeG(
			`{"functionCall":{"id":"x1","name":"f","args":{}},"thoughtSignature":"`+googles1+`"}`, `{"functionCall":{"id":"x2","name":"f","args":{}}}`)}})
		message := gjson.Get(l.body, "choices.0.message")
		back := take(t, trip{from: O, to: G, ask: fmt.Sprintf(ask, `,`+message.Raw+`,{"role":"tool","tool_call_id":"`+message.Get("tool_calls.0.id").Str+`","content":"x"},`+
			`{"role":"tool","tool_call_id":"`+message.Get("tool_calls.1.id").Str+`","content":"y"}`)})
		back.sends("contents.1.parts.0.thoughtSignature", `"`+googles1+`"`)
		back.sends("contents.1.parts.1.thoughtSignature", "")
	}},
	{number: 109, name: "a signature on the last empty text", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9999,"thinking":{"type":"adaptive"},"messages":[{"role":"user","content":"go"}%s]}`
		vault := relay.NewVault()
		l := take(t, trip{from: A, to: G, stream: true, vault: vault, ask: fmt.Sprintf(ask, ""), answers: []string{sse(
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"so"}]},"index":0}]}`,
			`{"candidates":[{"content":{"role":"model","parts":[{"text":"","thoughtSignature":"`+googles2+`"}]},"finishReason":"STOP","index":0}]}`)}})
		is(t, "the number of signatures", len(l.all("delta.signature")), 1)
		is(t, "the text", l.joined("delta.text"), "so")
		blocksOf(l)
		// It goes before the text, and the same words twice are no matter.
		is(t, "the first block", l.all("content_block.type")[0].Str, "thinking")
		turn := `,{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"` + l.joined("delta.signature") + `"},{"type":"text","text":"so"}]},{"role":"user","content":"on"}`
		plain := `,{"role":"assistant","content":"so"},{"role":"user","content":"on"}`
		back := take(t, trip{from: A, to: G, vault: vault, ask: fmt.Sprintf(ask, turn+plain)})
		back.sends("contents.1.parts", `[{"text":"so","thoughtSignature":"`+googles2+`"}]`)
		back.sends("contents.3.parts", `[{"text":"so"}]`)
		for _, to := range []string{O, A} { // who else gets it knows nothing of it
			l = take(t, trip{from: A, to: to, vault: vault, ask: fmt.Sprintf(ask, turn)})
			if strings.Contains(l.got().Raw, chat.EnvelopePrefix) || !strings.Contains(l.told(), "another") {
				t.Errorf("%s told %s", l.got().Raw, l.told())
			}
		}
	}},
	{number: 111, name: "a thought without words", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, stream: true, ask: strings.Replace(streamO, `"stream"`, `"reasoning_effort":"high","stream"`, 1),
			answers: []string{messageA(thoughtA(0, "", claudes)+textA(1, "so"), "end_turn")}})
		for _, v := range l.all("choices.0.delta.reasoning_content") {
			t.Errorf("a chunk of reasoning %q", v.Str)
		}
		found := false
		for _, v := range l.all("choices.0.delta.reasoning_details.0.signature") {
			envelope, _ := chat.Unwrap(v.Str)
			found = found || envelope.Raw == claudes
		}
		if !found {
			t.Errorf("the signature is lost: %s", l.body)
		}
	}},
	{number: 112, name: "a thought without a signature", run: func(t *testing.T) {
		take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"messages":[` + says("user", "a") + `,{"role":"assistant","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"so"}]},` + says("user", "b") + `]}`}).
			sends("messages.1.content", `"so"`)
	}},
	{number: 114, name: "minimal effort", run: func(t *testing.T) {
		ask := `{"model":"m","reasoning_effort":"minimal","max_completion_tokens":1000,"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: ask})
		l.sends("thinking.type", `"adaptive"`)
		l.sends("output_config.effort", `"low"`)
		l = take(t, trip{from: O, to: A, model: "claude-sonnet-4-5", ask: ask})
		l.sends("thinking.budget_tokens", "1024")
		if limit := l.got().Get("max_tokens").Int(); limit <= 1024 {
			t.Errorf("max_tokens %d", limit)
		}
		l.warns("max_completion_tokens", chat.Approximated)
	}},
	{number: 116, name: "a budget elsewhere", run: func(t *testing.T) {
		take(t, trip{from: A, to: O, model: "gpt-5", ask: thinksA("")}).sends("reasoning_effort", `"medium"`)
		take(t, trip{from: A, to: G, model: "gemini-3-flash", ask: thinksA("")}).sends("generationConfig.thinkingConfig.thinkingLevel", `"MEDIUM"`)
		take(t, trip{from: A, to: G, model: "gemini-2.5-flash", ask: thinksA("")}).sends("generationConfig.thinkingConfig.thinkingBudget", "10000")
	}},
	{number: 118, name: "a level and a budget", run: func(t *testing.T) {
		for _, to := range []string{O, A} {
			l := try(t, trip{from: G, to: to, ask: `{"contents":[{"parts":[{"text":"a"}]}],"generationConfig":{"thinkingConfig":{"thinkingLevel":"LOW","thinkingBudget":99}}}`})
			is(t, "the status", l.status, 400)
			is(t, "the state", gjson.Get(l.body, "error.status").Str, "INVALID_ARGUMENT")
			is(t, "the calls", len(l.sent), 0)
		}
	}},
	{number: 119, name: "switches for thinking", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"}],%s}`
		for _, on := range []string{`"thinking":true`, `"reasoning":true`} {
			l := take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: fmt.Sprintf(ask, on)})
			l.sends("thinking.type", `"adaptive"`)
			if effort := l.got().Get("output_config.effort").Str; effort != "medium" && effort != "" {
				t.Error(l.got().Raw)
			}
			l.sends("reasoning", "")
		}
		for _, off := range []string{`"reasoning":{"enabled":false}`, `"enable_thinking":false`} {
			l := take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: fmt.Sprintf(ask, off)})
			l.sends("thinking", `{"type":"disabled"}`)
			l.sends("enable_thinking", "")
		}
		take(t, trip{from: O, to: O, model: "gpt-5.1", ask: fmt.Sprintf(ask, `"reasoning":true`)}).sends("reasoning", "")
	}},
	{number: 121, name: "words for effort", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"}],"reasoning_effort":"%s"}`
		take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: fmt.Sprintf(ask, "HIGH")}).sends("output_config.effort", `"high"`)
		refuses(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, "ultra")}, "reasoning_effort")
		if l := try(t, trip{from: O, to: A, ask: fmt.Sprintf(ask, "ultra")}); !strings.Contains(l.body, "xhigh") {
			t.Error(l.body)
		}
	}},
	{number: 122, name: "tools and thinking on gpt-5.6", answer: "reasoning_effort none, with a warning", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, model: "gpt-5.6", ask: thinksA(`,` + toolsA)})
		l.sends("reasoning_effort", `"none"`)
		l.warns("thinking", chat.Dropped)
	}},
	{number: 123, name: "tools and thinking on gpt-5.4", run: func(t *testing.T) {
		l := take(t, trip{from: A, to: O, model: "gpt-5.4", ask: thinksA(`,` + toolsA)})
		l.sends("reasoning_effort", "")
		l.warns("thinking", chat.Dropped)
	}},
	{number: 124, name: "thoughts between texts", run: func(t *testing.T) {
		answer := wholeA("end_turn", `{"type":"thinking","thinking":"one ","signature":"`+claudes+`"}`, `{"type":"text","text":"a "}`,
			`{"type":"thinking","thinking":"two","signature":"`+claudes+`"}`, `{"type":"text","text":"b"}`)
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","reasoning_effort":"high","messages":[{"role":"user","content":"go"}]}`, answers: []string{answer}})
		l.gets("choices.0.message.reasoning_content", `"one two"`)
		l.gets("choices.0.message.content", `"a b"`)
		passed := take(t, trip{from: A, to: A, ask: thinksA(""), answers: []string{answer}})
		is(t, "the answer", passed.body, answer)
	}},
	{number: 125, name: "a temperature of either version", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":99,"temperature":0.3,"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: A, to: O, ask: ask})
		l.sends("temperature", "0.3")
		l.quiet()
		l = take(t, trip{from: A, to: O, version: "2026-10-21", ask: ask})
		l.sends("temperature", "0.3")
		if len(l.losses) == 0 {
			t.Error("no warning that this version of the API has no temperature")
		}
		l = take(t, trip{from: A, to: A, version: "2026-10-21", ask: ask})
		l.sends("temperature", "0.3")
		l.quiet()
	}},
	{number: 126, name: "an effort and a budget", run: func(t *testing.T) {
		ask := `{"model":"m","reasoning_effort":"high","reasoning":{"max_tokens":2000},"messages":[{"role":"user","content":"go"}]}`
		l := take(t, trip{from: O, to: A, model: "claude-sonnet-4-5", ask: ask})
		l.sends("thinking.budget_tokens", "2000")
		l.warns("reasoning_effort", chat.Approximated)
		take(t, trip{from: O, to: A, model: "claude-opus-4-7", ask: ask}).sends("output_config.effort", `"high"`)
	}},
	{number: 1703, name: "an effort that a Claude does not have, whose name tells nothing, in yet other words", answer: "asked again in the model's own way, with a warning", run: func(t *testing.T) {
		const refusal = "output_config.effort: effort level '%s' is not supported on this model."
		for effort, want := range map[string]string{"low": "", "high": "", "max": "high", "xhigh": "high"} {
			l := take(t, refusesFirst(trip{from: O, to: A, model: "prod-claude", ask: withO(`"reasoning_effort":"` + effort + `"`)}, 400, fmt.Sprintf(refusal, effort)))
			is(t, effort, inLine(l.got().Get("output_config.effort").Str, l.then().Get("output_config.effort").Str), strings.TrimSpace(effort+" "+want))
			l.warns("reasoning_effort", chat.Approximated)
		}
	}},
	// What another Claude thought in this loop, this one cannot read (anomalyco/opencode#6418).
	{number: 1708, name: "a loop that another model began, to a Claude that wants thoughts in it", answer: "asked again with thinking off for this turn, or between tools alone; one that always thinks is told the last calls in words", run: func(t *testing.T) {
		const words = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and `tool_result` blocks)."
		loop := talkO(says("user", "go"), callsO("c1"), resultO("c1", "x"))
		asks := map[string]string{
			"O, effort": strings.Replace(loop, `"model"`, `"reasoning_effort":"high",`+toolsO+`,"model"`, 1), "O": strings.Replace(loop, `"model"`, toolsO+`,"model"`, 1),
			"G": `{"generationConfig":{"thinkingConfig":{"includeThoughts":true}},"contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]},{"parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"x"}}}]}]}`,
		}
		for _, model := range []string{"claude-opus-5-5", "claude-fable-5-1"} {
			l := take(t, refusesFirst(trip{from: O, to: A, model: model, ask: asks["O, effort"]}, 400, words))
			is(t, model, l.then().Get("messages.#.content.#.text").Raw, `[["go"],["[called f {\"a\":\"0\"}]"],["[result of f]","x"]]`)
			l.warns("messages", chat.Approximated)
		}
		for from, ask := range asks {
			for model, want := range map[string]string{"claude-opus-4-8": "disabled", "claude-opus-5": "disabled", "claude-sonnet-5-5": "between_tools"} {
				for _, streamed := range []bool{false, true} {
					l := take(t, refusesFirst(trip{from: map[byte]string{'O': O, 'G': G}[from[0]], to: A, model: model, stream: streamed, ask: ask}, 400, words))
					is(t, from+" "+model, l.then().Get("thinking").Raw, `{"type":"`+want+`"}`)
					is(t, from+" "+model+", told", strings.Contains(l.told(), "off for this turn"), true)
				}
			}
		}
	}},
}}
