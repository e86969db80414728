package test

import (
	"strings"
	"testing"
)

// thinkers are models that think in the various ways there are.
var thinkers = map[string][]string{
	"openai":    {"gpt-5", "o3"},
	"anthropic": {"claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-5-5"},
	"gemini":    {"gemini-2.5-pro", "gemini-3-pro"},
}

func thinking() []scene {
	return []scene{
		{name: "thinking", manner: manner{think: true}, models: thinkers, play: playThinking},
		{name: "thinking with tools", manner: manner{think: true, tools: []tool{weather, clock}}, models: thinkers, play: playThinkingTools},
		{name: "thinking with a schema", manner: manner{think: true, schema: person}, models: thinkers, play: playStructured},
	}
}

func playThinking(t *testing.T, k talk, up away) []answer {
	a, err := k.say(t.Context(), words{text: "ponder"})
	told(t, a, err)("end", "You said: ponder")
	if shown := up.dialect != "openai"; strings.Contains(a.thought, "Thinking about") != shown {
		t.Errorf("the thought is %q", a.thought)
	}
	if strings.Contains(a.text, "Thinking") {
		t.Errorf("the text has the thought in it: %q", a.text)
	}
	if a.thinks < 1 || a.thinks >= a.out {
		t.Errorf("%d of %d tokens were thinking", a.thinks, a.out)
	}
	second, err := k.say(t.Context(), words{text: "and then"})
	return []answer{a, told(t, second, err)("end", "You said: and then")}
}

// playThinkingTools is a loop with an upstream that wants its signatures back,
// then another one after it.
func playThinkingTools(t *testing.T, k talk, _ away) []answer {
	var all []answer
	for _, order := range []string{"call:get_weather*3 please", "call:get_weather,get_time*2 please"} {
		a, err := k.say(t.Context(), words{text: order})
		for err == nil && len(a.calls) > 0 {
			all = append(all, a)
			var results []result
			for _, c := range a.calls {
				results = append(results, result{toolCall: c, text: "it is " + c.name})
			}
			a, err = k.give(t.Context(), results...)
		}
		all = append(all, told(t, a, err)("end", "it is get_weather"))
	}
	if len(all) != 3+1+2+1 {
		t.Errorf("%d answers", len(all))
	}
	return all
}
