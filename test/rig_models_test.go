package test

import (
	"fmt"
	"strings"

	"stele/test/upstream"
)

// lone are models with one target and no second try, one for each pair and purpose.
func lone(purposes ...string) string {
	var models strings.Builder
	for _, client := range tongues {
		for _, away := range tongues {
			for _, purpose := range purposes {
				name := purpose + "-" + client + "-" + away
				fmt.Fprintf(&models, "  %s: {targets: [%s/%s-%[1]s], retries: 0}\n", name, away, usualModel[away])
			}
		}
	}
	return models.String()
}

// twofold are models with two targets, a and b, one for each pair and purpose.
func twofold(purposes ...string) string {
	var models strings.Builder
	for _, client := range tongues {
		for _, away := range tongues {
			for _, purpose := range purposes {
				name := purpose + "-" + client + "-" + away
				fmt.Fprintf(&models, "  %s: {targets: [%s/%s-%[1]s-a, %[2]s/%[3]s-%[1]s-b], retries: 0}\n", name, away, usualModel[away])
			}
		}
	}
	return models.String()
}

// much is an answer with something of everything.
func much() upstream.Answer {
	return upstream.Say(upstream.Text("One, two, three \u2603. "), upstream.Call("f", `{"a":[1,2,3],"b":"\u00e9"}`), upstream.Call("g", `{}`))
}

// thinkers are models that think, sign what they thought and want it back, each in
// another way: the text of it, the text and all before it, calls, or nothing at all.
var thinkers = map[string][]string{
	"openai": {"gpt-5"}, "anthropic": {"claude-sonnet-4-5", "claude-opus-4-7", "claude-sonnet-5-5"}, "gemini": {"gemini-3-pro", "gemini-2.5-flash"},
}
