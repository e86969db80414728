package dialect_test

import (
	"strings"
	"testing"
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
}}
