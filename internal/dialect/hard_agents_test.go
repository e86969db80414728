package dialect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stele/internal/chat"
)

var hardFresh = section{"AO", "what agents meet", []hard{
	// kekzl/imp#1442, mindcraft-bots/mindcraft#789, NousResearch/hermes-agent#3444: thoughts use up the budget.
	{number: 1142, name: "an answer of nothing but thoughts, which the client did not ask for", answer: "it is empty, as the vendors' own is, and that is reported", run: func(t *testing.T) {
		whole := map[string]string{
			O: `{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":"","reasoning_content":"hm"},"finish_reason":"%s"}],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8}}`,
			A: wholeA("%s", `{"type":"thinking","thinking":"hm","signature":"`+claudes+`"}`),
			G: partsG(`{"text":"hm","thought":true}`, `,"finishReason":"%s"`),
		}
		streams := map[string]string{O: chunksO("%s", `{"reasoning_content":"hm"}`), A: messageA(thoughtA(0, "hm", claudes), "%s"), G: sse(partsG(`{"text":"hm","thought":true}`, `,"finishReason":"%s"`))}
		ends := map[string][2]string{O: {"stop", "length"}, A: {"end_turn", "max_tokens"}, G: {"STOP", "MAX_TOKENS"}}
		pairs(func(from, to string) {
			for which := range 2 {
				for _, streamed := range []bool{false, true} {
					answer := whole[to]
					if streamed {
						answer = streams[to]
					}
					l := take(t, trip{from: from, to: to, kind: map[string]string{O: "vllm"}[to], stream: streamed, ask: plainly(from, streamed), answers: []string{strings.Replace(answer, "%s", ends[to][which], 1)}})
					what := fmt.Sprintf("%s from %s, %s, streamed %t", from, to, ends[to][which], streamed)
					is(t, what, fmt.Sprint(strings.Contains(l.body, quoted(ends[from][which])), strings.Contains(l.body, "hm")), "true false")
					l.warns("answer", chat.Dropped)
				}
			}
		})
	}},
	{number: 1143, name: "tools of one provider, offered to a model of another", answer: "400 that names the tool and says what to do", run: func(t *testing.T) {
		// as Claude Code's search asks for it
		asks := map[string]string{
			A: `{"model":"m","max_tokens":99,"system":"You are an assistant for performing a web search tool use","tool_choice":{"type":"tool","name":"web_search"},"tools":[{"type":"web_search_20250305","name":"web_search","max_uses":8}],"messages":[{"role":"user","content":"Perform a web search for the query: stones"}]}`,
			O: withO(`"tools":[{"type":"web_search"}]`),
			G: `{"tools":[{"googleSearch":{}}],"contents":[{"parts":[{"text":"go"}]}]}`,
		}
		pairs(func(from, to string) {
			refuses(t, trip{from: from, to: to, ask: asks[from]}, "tools[0]")
			l := try(t, trip{from: from, to: to, ask: asks[from]})
			is(t, from+" to "+to, strings.Contains(l.body, "runs at the provider whose API it is part of, and this model is another's: offer a function in its place, or choose a model of that provider."), true)
		})
	}},
	{number: 1144, name: "what an upstream refused once, where its answer is paused and goes on", run: func(t *testing.T) {
		for _, row := range []struct{ to, ask, refusal, at, first, then string }{
			{A, withO(`"max_completion_tokens":20000`), "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens", "max_tokens", "20000", "8192"},
			{G, withO(`"presence_penalty":0.5`), "Penalty is not enabled for models/gemini-3-pro", "generationConfig.presencePenalty", "0.5", ""},
		} {
			whole, streams := pausing(row.to, []string{"so"}, []string{"on"})
			for _, when := range []int{0, 1} { // at once, or only when it goes on
				for _, streamed := range []bool{false, true} {
					answers, ask := whole, row.ask
					if streamed {
						answers, ask = streams, strings.Replace(ask, "{", `{"stream":true,`, 1)
					}
					way := trip{from: O, to: row.to, stream: streamed, ask: ask, statuses: []int{200, 200, 200}}
					way.answers = slices.Insert(slices.Clone(answers), when, said(row.to, row.refusal))
					way.statuses[when] = 400
					l := take(t, way)
					what := fmt.Sprintf("%s, refused at %d, streamed %t", row.to, when, streamed)
					is(t, what, len(l.sent), 3)
					is(t, what+", first", l.sent[0].Get(row.at).Raw, row.first)
					is(t, what+", then", l.sent[2].Get(row.at).Raw, row.then)
					is(t, what+", told", strings.Contains(l.told(), "max_completion_tokens; ") || strings.Contains(l.told(), "presence_penalty; dropped"), true)
				}
			}
		}
	}},
}}
