package sdk

import (
	"fmt"
	"strings"
	"testing"
)

// minds are models that think in the various ways there are.
var minds = map[string][]string{
	"openai":    {"gpt-5", "o3"},
	"anthropic": {"claude-sonnet-4-5", "claude-sonnet-4-6", "claude-opus-4-7", "claude-opus-5-5"},
	"gemini":    {"gemini-2.5-pro", "gemini-3-pro"},
}

func thinking() []scene {
	quiet := map[string][]string{"anthropic": minds["anthropic"], "gemini": minds["gemini"]}
	hidden := map[string][]string{"anthropic": {"claude-sonnet-4-5", "claude-opus-4-7"}}
	return []scene{
		{name: "thinking", manner: manner{think: true}, models: minds, play: playThinking},
		{name: "thinking with tools", manner: manner{think: true, tools: []tool{weather, clock}}, models: minds, play: playThinkingTools},
		{name: "thinking with a schema", manner: manner{think: true, schema: person}, models: minds, play: playStructured},
		{name: "quiet thinking", manner: manner{think: true, quiet: true}, models: quiet, play: playQuiet},
		{name: "quiet thinking with tools", manner: manner{think: true, quiet: true, tools: []tool{weather, clock}}, models: minds, play: playThinkingTools},
		{name: "hidden thinking", manner: manner{think: true, tools: []tool{weather}}, models: hidden, play: playHidden},
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

// playQuiet thinks without a word of it, and goes on all the same.
func playQuiet(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "ponder"})
	if told(t, a, err)("end", "You said: ponder"); a.thought != "" || a.thinks < 1 {
		t.Errorf("%d tokens of thought: %q", a.thinks, a.thought)
	}
	second, err := k.say(t.Context(), words{text: "and then"})
	return []answer{a, told(t, second, err)("end", "You said: and then")}
}

// playHidden has thoughts that only the upstream can read, and wants back.
func playHidden(t *testing.T, k talk, _ away) []answer {
	a, err := k.say(t.Context(), words{text: "redact that and call:get_weather*2 please"})
	var all []answer
	for range 2 {
		told(t, a, err)("tools", "", "get_weather")
		all = append(all, a)
		a, err = k.give(t.Context(), result{toolCall: a.calls[0], text: "fine"})
	}
	all = append(all, told(t, a, err)("end", "fine"))
	a, err = k.say(t.Context(), words{text: "thanks"})
	return append(all, told(t, a, err)("end", "You said: thanks"))
}

// TestMatrixMoves begins a conversation with one model and goes on with others,
// thoughts, signatures and calls of each included.
func TestMatrixMoves(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	for _, c := range clients() {
		for first, up := range s.away {
			for _, stream := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s/%s/%t", c.name, up.dialect, stream), func(t *testing.T) {
					t.Parallel()
					k := c.open(t, s, manner{model: up.dialect + "/" + up.thinker, stream: stream, think: true, tools: []tool{weather, clock}})
					for i := range 4 {
						up := s.away[(first+i)%len(s.away)]
						k.move(t, up.dialect+"/"+up.thinker)
						playThinkingTools(t, k, up)
						a, err := k.say(t.Context(), words{text: "thanks"})
						told(t, a, err)("end", "You said: thanks")
					}
				})
			}
		}
	}
}
