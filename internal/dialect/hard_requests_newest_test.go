package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// directedA is a request of Anthropic's dialect in which the system speaks between turns, with more members there.
func directedA(system, more string) string {
	return `{"model":"m","max_tokens":9000` + more + `,"messages":[{"role":"user","content":"go"},{"role":"system",` + system + `},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`
}

// What stands in requests as their authors' newest types have it, and as files of another format are read.
var hardGiven = section{"BH", "what the newest types have, and what other formats make of schemas", []hard{
	// diegosouzapw/OmniRoute#10457: Claude Code sends turns of the system's that say nothing but how much is to be thought.
	{number: 1490, name: "how much is to be thought from some turn on, as Claude Code says it", answer: "the last of them counts", run: func(t *testing.T) {
		for _, ask := range []string{
			directedA(`"content":[],"output_config":{"effort":"low"}`, ""),
			directedA(`"output_config":{"effort":"low"}`, `,"output_config":{"effort":"high"}`),
			`{"model":"m","max_tokens":9000,"messages":[{"role":"system","content":[],"output_config":{"effort":"high"}},{"role":"user","content":"go"},{"role":"system","content":[],"output_config":{"effort":"low"}},{"role":"assistant","content":"so"},{"role":"user","content":"on"}],"output_config":{"effort":"max"}}`,
		} {
			l := take(t, trip{from: A, to: O, model: "gpt-5.1", ask: ask})
			l.sends("reasoning_effort", `"low"`)
			l.sends("messages", `[{"role":"user","content":"go"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]`)
			l.quiet()
			l = take(t, trip{from: A, to: G, ask: ask})
			l.sends("generationConfig.thinkingConfig.thinkingLevel", `"LOW"`)
			is(t, "turns", len(l.got().Get("contents").Array()), 3)
			l.quiet()
		}
		ask := directedA(`"content":"be brief","output_config":{"effort":"low","task_budget":{"total":9}}`, "")
		l := take(t, trip{from: A, to: O, model: "gpt-5.1", ask: ask})
		l.sends("messages.1", `{"role":"system","content":"be brief"}`)
		l.warns("messages[1]", chat.Dropped)
		is(t, "its own bytes", take(t, trip{from: A, to: A, ask: ask}).got().Raw, strings.Replace(ask, `"m"`, `"`+models[A]+`"`, 1))
		refuses(t, trip{from: A, to: O, ask: directedA(`"content":[],"output_config":{"effort":"much"}`, "")}, "output_config.effort")
	}},
	// BetaSystemMessageParam of @anthropic-ai/sdk 1.10: such text is the model's to see in one turn only, and stays in the list.
	{number: 1491, name: "text of the system's whose time is over", run: func(t *testing.T) {
		for to, at := range map[string]string{O: "messages", G: "contents"} {
			l := take(t, trip{from: A, to: to, ask: directedA(`"content":"be brief","clear_at":"next_user_message"`, "")})
			is(t, to, strings.Contains(l.got().Get(at).Raw, "brief"), false)
			l.warns("messages[1]", chat.Ignored)
			l = take(t, trip{from: A, to: to, ask: directedA(`"content":"be brief","clear_at":"never"`, "")})
			is(t, "never: "+to, strings.Contains(l.got().Get(at).Raw, "brief"), true)
			is(t, "never: "+to, l.warned("messages[1]", chat.Ignored) || l.warned("messages[1]", chat.Dropped), false)
			last := `{"model":"m","max_tokens":9000,"messages":[{"role":"user","content":"go"},{"role":"system","content":"be brief","clear_at":"next_user_message"}]}`
			is(t, "last: "+to, strings.Contains(take(t, trip{from: A, to: to, ask: last}).got().Get(at).Raw, "brief"), true)
		}
	}},
	// letta-ai/letta-code#3989, and the profiles of @langchain/anthropic 1.5.13: of the models before 4.8 none takes it.
	{number: 1492, name: "system text between turns, to Claudes other than Opus", run: func(t *testing.T) {
		ask := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"system","content":"x"},{"role":"assistant","content":"so"},{"role":"user","content":"on"}]}`
		for model, want := range map[string]string{"claude-sonnet-5": "system", "claude-sonnet-5-5": "system", "claude-fable-5": "system", "claude-mythos-preview": "user", "claude-opus-4-7": "user", "claude-sonnet-4-6": "user"} {
			is(t, model, take(t, trip{from: O, to: A, model: model, ask: ask}).got().Get("messages.1.role").Str, want)
		}
		l := take(t, refusesFirst(trip{from: O, to: A, model: "claude-sonnet-5", ask: ask}, 400, "messages.1.role: role 'system' is not supported on this model."))
		is(t, "refused", l.then().Get("messages.1.role").Str, "user")
		l.warns("messages[1]", chat.Approximated)
	}},
	// decolua/9router#1603 and anthropics/claude-code#61412: a name that leads to an older model, or a target that is asked in a newer one's place.
	{number: 1494, name: "system text between turns, to a Claude that takes none, by a name that told the client nothing", answer: "asked again with it as marked text of the user, with a warning; all other bytes stay", run: func(t *testing.T) {
		const words = "messages.1.role: role 'system' is not supported on this model."
		for system, want := range map[string]string{
			`"content":"be brief"`: `{"role":"user","content":"<system-reminder>\nbe brief\n</system-reminder>"},`,
			`"content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":" "}],"output_config":{"effort":"low"},"clear_at":"never"`: `{"role":"user","content":[{"type":"text","text":"<system-reminder>\na\n</system-reminder>","cache_control":{"type":"ephemeral"}}]},`,
			`"content":[],"output_config":{"effort":"low"}`:       ``,
			`"content":"be brief","clear_at":"next_user_message"`: ``,
		} {
			ask := directedA(system, `,"context_management":{"edits":[]}`)
			l := take(t, refusesFirst(trip{from: A, to: A, model: "claude-sonnet-4-6", ask: ask}, 400, words))
			is(t, system, l.then().Raw, strings.NewReplacer(`{"role":"system",`+system+`},`, want, `"model":"m"`, `"model":"claude-sonnet-4-6"`).Replace(ask))
			is(t, "told: "+system, l.warned("messages[1]", chat.Approximated) || l.warned("messages[1]", chat.Dropped) || l.warned("messages[1]", chat.Ignored), true)
		}
		is(t, "by its own name", len(try(t, refusesFirst(trip{from: A, to: A, model: "m", ask: directedA(`"content":"be brief"`, "")}, 400, words)).sent), 1)
		is(t, "nothing to change", len(try(t, refusesFirst(trip{from: A, to: A, ask: plain[A]}, 400, words)).sent), 1)
	}},
	{number: 1495, name: "turns of which nothing is left", run: func(t *testing.T) {
		for to, turn := range map[string]string{O: `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"}]}`, G: `{"role":"assistant","content":[]}`} {
			l := try(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":99,"messages":[` + turn + `,` + turn + `]}`})
			is(t, to, inLine(l.status, len(l.sent)), "400 0")
		}
	}},
	{number: 1496, name: "a shape whose root does not say that it is an object", run: func(t *testing.T) {
		shape := func(schema string) string {
			return `{"model":"m","max_tokens":99,"output_config":{"format":{"type":"json_schema","schema":` + schema + `}},"messages":[{"role":"user","content":"go"}]}`
		}
		const own = `"properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		l := take(t, trip{from: A, to: O, ask: shape("{" + own)})
		l.sends("response_format.json_schema", `{"name":"answer","schema":{"type":"object",`+own+`,"strict":true}`)
		l.warns("output_config.format", chat.Added)
		for _, any := range []string{`{}`, `{"description":"d"}`, `{"enum":["a","b"]}`} {
			l = take(t, trip{from: A, to: O, ask: shape(any)})
			is(t, any, l.got().Get("response_format").Exists(), false)
			l.warns("output_config.format", chat.Approximated)
		}
		l = take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"tools":[{"name":"f","strict":true,"input_schema":{"title":"T"}}],"messages":[{"role":"user","content":"go"}]}`})
		l.sends("tools.0.function", `{"name":"f","parameters":{"type":"object","title":"T","additionalProperties":false,"properties":{}},"strict":true}`)
	}},
	// YAML reads type: [string, null] as a text and a null; servers of the Model Context Protocol that are made of OpenAPI have examples that are no list.
	{number: 1493, name: "a null among the types of a schema, and examples that are no list", run: func(t *testing.T) {
		for value, want := range map[string]string{
			`"type":["string",null]`:          `"type":["string","null"]`,
			`"type":[null,"Integer"]`:         `"type":["null","integer"]`,
			`"type":"string","examples":"x"`:  `"type":"string","examples":["x"]`,
			`"type":"string","examples":null`: `"type":"string"`,
		} {
			ask := saysO(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"a":{` + value + `}}}}}]`)
			l := take(t, trip{from: O, to: A, ask: ask})
			l.sends("tools.0.input_schema.properties.a", "{"+want+"}")
			l.warns("tools[0]", chat.Ignored)
		}
		l := take(t, trip{from: O, to: G, ask: saysO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":["string",null]}}}}}`)})
		l.sends("generationConfig.responseJsonSchema.properties.a", `{"type":["string","null"]}`)
	}},
}}
