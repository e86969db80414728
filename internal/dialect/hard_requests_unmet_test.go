package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// choosing is a request with the tools f and g of which some may be called, for a stream or not.
func choosing(from, choice string, streamed bool) string {
	words := map[string]map[string]string{
		O: {"none": `"none"`, "f": `{"type":"function","function":{"name":"f"}}`, "any": `"required"`, "some": `{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}}]}}`},
		A: {"none": `{"type":"none"}`, "f": `{"type":"tool","name":"f"}`, "any": `{"type":"any"}`, "one": `{"type":"auto","disable_parallel_tool_use":true}`},
		G: {"none": `{"mode":"NONE"}`, "f": `{"mode":"ANY","allowedFunctionNames":["f"]}`, "any": `{"mode":"ANY"}`},
	}
	more := map[string]string{O: `"tool_choice":`, A: `"tool_choice":`, G: `"toolConfig":{"functionCallingConfig":`}[from] + words[from][choice]
	if from == G {
		more += "}"
	}
	second := map[string]string{
		O: `,{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}]`, A: `,{"name":"g","input_schema":{"type":"object","properties":{}}}]`,
		G: `,{"name":"g","parametersJsonSchema":{"type":"object","properties":{}}}]}]`,
	}[from]
	first := map[string]string{O: toolsO, A: toolsA, G: toolsG}[from]
	both := strings.TrimSuffix(first, map[string]string{O: "]", A: "]", G: "]}]"}[from]) + second
	return strings.Replace(strings.Replace(plainly(from, streamed), first, both, 1), "{", "{"+more+",", 1)
}

// chosenAt is what a client calls the choice, and one call at a time.
var chosenAt = map[string]string{O: "tool_choice", A: "tool_choice", G: "toolConfig.functionCallingConfig"}

var hardEdges = section{"AK", "wishes that are passed over", []hard{
	{number: 1129, name: "no tool may be called, at a server that cannot be told", answer: "it is offered none, with a warning", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			l := take(t, trip{from: from, to: O, kind: "ollama", ask: choosing(from, "none", false)})
			l.sends("tools", "")
			l.sends("tool_choice", "")
			l.warns(chosenAt[from], chat.Approximated)
		}
		history := strings.Replace(calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":"x"}`), "{", `{"tool_choice":{"type":"none"},`, 1)
		l := take(t, trip{from: A, to: O, kind: "ollama", ask: history})
		l.sends("tools", "")
		l.sends("messages.1.tool_calls.#", "1")
		own := choosing(O, "none", false)
		l = take(t, trip{from: O, to: O, kind: "ollama", ask: own}) // between the client and its server
		l.sends("tools.#", "2")
		l.sends("tool_choice", `"none"`)
		for _, kind := range []string{"vllm", "llamacpp", "lmstudio"} {
			l = take(t, trip{from: A, to: O, kind: kind, ask: choosing(A, "none", false)})
			l.sends("tools.#", "2")
			l.sends("tool_choice", `"none"`)
		}
	}},
	{number: 1130, name: "a tool's name, at servers that take none", answer: "only that tool is offered, with a warning", run: func(t *testing.T) {
		for _, from := range []string{A, G} {
			for kind, choice := range map[string]string{"llamacpp": `"required"`, "lmstudio": `"required"`, "ollama": ""} {
				l := take(t, trip{from: from, to: O, kind: kind, ask: choosing(from, "f", false), answers: []string{callingOf(O, "f", "").whole}})
				l.sends("tools.#.function.name", `["f"]`)
				l.sends("tool_choice", choice)
				l.warns(chosenAt[from], chat.Approximated)
				is(t, kind+", it need not be", l.warned(chosenAt[from], chat.Dropped), kind == "ollama")
			}
			l := take(t, trip{from: from, to: O, kind: "ollama", ask: choosing(from, "any", false), answers: []string{callingOf(O, "f", "").whole}})
			l.sends("tools.#", "2")
			l.sends("tool_choice", "")
			l.warns(chosenAt[from], chat.Dropped)
		}
	}},
	{number: 1131, name: "another tool is called than was named, or none", answer: "it reaches the client and is reported: the answer is paid for, and the client has the tool", run: func(t *testing.T) {
		pairs(func(from, to string) {
			for _, row := range []struct {
				choice, calls, words string
				told                 bool
			}{{"f", "g", "", true}, {"f", "g", "hm", true}, {"f", "f", "", false}, {"f", "", "hm", true}, {"any", "g", "", false}, {"any", "", "hm", true}} {
				answer := callingOf(to, row.calls, row.words)
				if row.calls == "" {
					answer = map[string]forms{O: {endO("stop", `"content":"hm"`), chunksO("stop", `{"content":"hm"}`)}, A: {wholeA("end_turn", `{"type":"text","text":"hm"}`), messageA(textA(0, "hm"), "end_turn")}, G: {wholeG(`{"text":"hm"}`), sse(wholeG(`{"text":"hm"}`))}}[to]
				}
				for streamed, body := range map[bool]string{false: answer.whole, true: answer.stream} {
					what := fmt.Sprintf("%s from %s, %s is to be called, %q is, streamed %t", from, to, row.choice, row.calls, streamed)
					l := take(t, trip{from: from, to: to, stream: streamed, ask: choosing(from, row.choice, streamed), answers: []string{body}})
					is(t, what, l.warned(chosenAt[from], chat.Dropped), row.told)
					is(t, what+", recorded", strings.Contains(l.record, "the%20model%20called"), row.told)
					n, _ := called(l)
					is(t, what+", calls", n, min(1, len(row.calls)))
				}
			}
		})
		cut := take(t, trip{from: O, to: A, ask: choosing(O, "f", false), answers: []string{wholeA("max_tokens", `{"type":"text","text":"hm"}`)}})
		is(t, "of one that was cut off", cut.warned("tool_choice", chat.Dropped), false)
	}},
	{number: 1132, name: "several calls at once, though one was wanted", run: func(t *testing.T) {
		call := func(id string) string {
			return `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{}"}}`
		}
		two := forms{endO("tool_calls", `"content":null,"tool_calls":[`+call("c")+`,`+call("d")+`]`), chunksO("tool_calls", toolO(0, "c", "f", "{}"), toolO(1, "d", "f", "{}"))}
		for streamed, body := range map[bool]string{false: two.whole, true: two.stream} {
			l := take(t, trip{from: A, to: O, stream: streamed, ask: choosing(A, "one", streamed), answers: []string{body}})
			l.sends("parallel_tool_calls", "false")
			l.warns("tool_choice.disable_parallel_tool_use", chat.Dropped)
			n, _ := called(l)
			is(t, "calls", n, 2)
		}
		l := take(t, trip{from: A, to: O, ask: choosing(A, "one", false), answers: []string{callingOf(O, "f", "").whole}})
		is(t, "of one", l.warned("tool_choice.disable_parallel_tool_use", chat.Dropped), false)
	}},
	{number: 1133, name: "log-probabilities that are asked for and do not come", run: func(t *testing.T) {
		asks := map[string]string{O: withO(`"logprobs":true,"top_logprobs":2`), G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseLogprobs":true,"logprobs":2}}`}
		at := map[string]string{O: "logprobs", G: "generationConfig.responseLogprobs"}
		for from, to := range map[string]string{O: G, G: O} {
			for what, row := range map[string]struct {
				whole string
				told  bool
			}{"none": {hi[to], true}, "some": {ratedHi[to], false}, "a call": {callingOf(to, "f", "").whole, false}} {
				for _, streamed := range []bool{false, true} {
					ask := asks[from]
					if from == O && streamed {
						ask = strings.Replace(ask, "{", `{"stream":true,`, 1)
					}
					body := row.whole
					if streamed && to == G {
						body = sse(body)
					}
					l := take(t, trip{from: from, to: to, stream: streamed, ask: ask, answers: []string{body}})
					is(t, fmt.Sprintf("%s from %s, %s, streamed %t", from, to, what, streamed), l.warned(at[from], chat.Dropped), row.told)
				}
			}
		}
		streamed := take(t, trip{from: G, to: O, kind: "vllm", stream: true, ask: asks[G], answers: []string{chunksO("stop", `{"content":"hi"}`)}})
		streamed.warns(at[G], chat.Dropped)
		is(t, "recorded", strings.Contains(streamed.record, "responseLogprobs"), true)
		older := strings.Replace(endO("stop", `"content":"hi"`), `"finish_reason"`, `"logprobs":{"tokens":["hi"],"token_logprobs":[-0.1]},"finish_reason"`, 1)
		take(t, trip{from: G, to: O, kind: "together", ask: asks[G], answers: []string{older}}).warns(at[G], chat.Dropped)
		known := take(t, trip{from: G, to: O, kind: "groq", ask: asks[G]}) // it is not asked for them, which is told once
		is(t, "told once", strings.Count(known.told(), at[G]), 1)
	}},
}}
