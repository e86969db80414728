package rig

import (
	"fmt"
	"strings"

	"stele/test/upstream"
)

// Lone are models with one target and no second try, one for each pair and purpose.
func Lone(purposes ...string) string {
	var models strings.Builder
	for _, client := range Dialects {
		for _, away := range Dialects {
			for _, purpose := range purposes {
				name := purpose + "-" + client + "-" + away
				fmt.Fprintf(&models, "  %s: {targets: [%s/%s-%[1]s], retries: 0}\n", name, away, UsualModel[away])
			}
		}
	}
	return models.String()
}

// Twofold are models with two targets, a and b, one for each pair and purpose.
func Twofold(purposes ...string) string {
	var models strings.Builder
	for _, client := range Dialects {
		for _, away := range Dialects {
			for _, purpose := range purposes {
				name := purpose + "-" + client + "-" + away
				fmt.Fprintf(&models, "  %s: {targets: [%s/%s-%[1]s-a, %[2]s/%[3]s-%[1]s-b], retries: 0}\n", name, away, UsualModel[away])
			}
		}
	}
	return models.String()
}

// Much is an answer with something of everything.
func Much() upstream.Answer {
	return upstream.Say(upstream.Text("One, two, three \u2603. "), upstream.Call("f", `{"a":[1,2,3],"b":"\u00e9"}`), upstream.Call("g", `{}`))
}

// Thinkers are models that think, sign what they thought and want it back, each in
// another way: the text of it, the text and all before it, calls, or nothing at all.
var Thinkers = map[string][]string{
	"openai": {"gpt-5"}, "anthropic": {"claude-sonnet-4-5", "claude-opus-4-7", "claude-sonnet-5-5"}, "gemini": {"gemini-3-pro", "gemini-2.5-flash"},
}
