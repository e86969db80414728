package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// What servers put where it does not belong, and what a dialect cannot close.
var hardTurned = section{"AY", "what stands in another order, and what cannot be closed", []hard{
	// NVIDIA-NeMo/Switchyard#242, zendev-sh/goai#117: vLLM's deltas have the content first.
	{number: 1282, name: "the last thought behind the first word, in one delta", run: func(t *testing.T) {
		for _, field := range []string{`"reasoning_content":"."`, `"reasoning":"."`, `"reasoning":".","reasoning_details":[{"type":"reasoning.text","text":".","index":0}]`} {
			answer := sse(delta(0, strings.ReplaceAll(field, ".\"", "hm\""), "null"), delta(0, `"content":"V",`+field, "null"), delta(0, `"content":"oy"`, "null"), delta(0, "", `"stop"`), "[DONE]")
			for _, from := range []string{A, G} {
				is(t, from+" "+field, tells(t, trip{from: from, to: O, own: true, stream: true, answers: []string{answer}}), "hm.|Voy||stop")
			}
			l := take(t, trip{from: A, to: O, own: true, stream: true, ask: strings.ReplaceAll(thinkingAsks[A], "%s", `,"stream":true`), answers: []string{answer}})
			sameList(t, "the blocks, "+field, blocksOf(l), "thinking hm.", "text Voy")
			l = take(t, trip{from: A, to: O, own: true, stream: true, ask: streamA, answers: []string{answer}})
			sameList(t, "the blocks without thoughts, "+field, blocksOf(l), "text Voy")
		}
	}},
	// OpenRouter tells of a provider that failed inside the choice: nodetool-ai/nodetool#5755.
	{number: 1283, name: "an error inside a choice of a stream", answer: "it has its status, and before the first word the next target is asked", run: func(t *testing.T) {
		failed := strings.Replace(delta(0, `"content":""`, `"error"`), `"finish_reason"`, `"error":{"code":429,"message":"slow down"},"finish_reason"`, 1)
		for _, from := range []string{O, A, G} {
			first := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(failed, "[DONE]")}})
			is(t, from+", its status", first.status, 429)
			later := try(t, trip{from: from, to: O, own: true, stream: true, ask: plainly(from, true), answers: []string{sse(delta(0, `"content":"a"`, "null"), failed, "[DONE]")}})
			is(t, from+", later", later.failure != nil && strings.Contains(later.body, map[string]string{O: "rate_limit_exceeded", A: "rate_limit_error", G: "RESOURCE_EXHAUSTED"}[from]), true)
			is(t, from+", no end", strings.Contains(later.body, "[DONE]") || strings.Contains(later.body, "message_stop"), false)
		}
		whole := try(t, trip{from: A, to: O, own: true, ask: plain[A], answers: []string{strings.Replace(endO("error", `"content":""`), `"finish_reason"`, `"error":{"code":429,"message":"slow down"},"finish_reason"`, 1)}})
		is(t, "whole", whole.status, 429)
	}},
	// LeenHawk/gproxy#91: whatever Claude's API enforces is closed, and a closed map is always empty.
	{number: 1284, name: "a map in what is to be enforced, to Claude", answer: "an answer is asked for in words; a tool is no longer strict; both with a warning", run: func(t *testing.T) {
		const nested = `{"type":"object","properties":{"m":%s},"required":["m"],"additionalProperties":false}`
		maps := []string{`{"type":"object","additionalProperties":{"type":"string"}}`, `{"type":"object"}`, `{"type":"object","properties":{}}`, `{"type":["object","null"]}`}
		for _, schema := range maps {
			schema = fmt.Sprintf(nested, schema)
			l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":` + schema + `}}`)})
			l.sends("output_config", "")
			is(t, schema, strings.Contains(l.got().Get("system.0.text").Str, schema), true)
			l.warns("response_format", chat.Approximated)
			l = take(t, trip{from: O, to: A, ask: withO(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":` + schema + `}}]`)})
			l.sends("tools.0.strict", "")
			l.sends("tools.0.input_schema", schema)
			l.warns("tools[0]", chat.Dropped)
		}
		l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":{"type":"object"}}}`)})
		l.sends("output_config", "")
		l = take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],` + configG(`"responseMimeType":"application/json","responseSchema":{"type":"OBJECT","properties":{"m":{"type":"OBJECT"}}}`) + `}`})
		l.sends("output_config", "")
		for _, closed := range []string{`{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":{"type":"string"}}`, `{"type":"object","properties":{},"additionalProperties":false}`} {
			l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"","schema":` + fmt.Sprintf(nested, closed) + `}}`)})
			l.sends("output_config.format.schema.properties.m.additionalProperties", "false")
		}
		l = take(t, trip{from: O, to: A, ask: withO(`"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{},"additionalProperties":false}}}]`)})
		l.sends("tools.0.strict", "true")
		l.quiet()
	}},
	// Perplexity's and DeepSeek's words for what Mistral's and Google's templates say otherwise.
	{number: 1287, name: "two turns of one speaker, to servers that say in other words that they take one", run: func(t *testing.T) {
		for _, words := range []string{
			"After the (optional) system message(s), user or tool message(s) should alternate with assistant message(s).", "After the (optional) system message(s), user and assistant roles should be alternating.",
			"deepseek-reasoner does not support successive user or assistant messages (messages[1] and messages[2] in your input). You should interleave the user/assistant messages in the message sequence.",
		} {
			for from, ask := range map[string]string{O: talkO(userO, userO), A: turnsA(userO + `,` + userO)} {
				l := take(t, refusesFirst(trip{from: from, to: O, own: true, ask: ask}, 400, words))
				is(t, from+" "+words, l.then().Get("messages.#.role").Raw, `["user"]`)
				l.warns("messages", chat.Approximated)
			}
		}
	}},
}}
