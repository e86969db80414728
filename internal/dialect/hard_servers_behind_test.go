package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// amazons is a trip to Claude at Amazon's cloud that is refused first.
func amazons(way trip, status int, words string) trip {
	way = refusesFirst(way, status, words)
	if way.kind == "bedrock" {
		way.own, way.answers[0] = true, `{"message":`+quoted(words)+`}`
	}
	return way
}

// changedA is a conversation of Claude Code's in which the system brings a tool, loads one and takes one back, between turns.
const changedA = `{"model":"m","max_tokens":99,"tools":[{"name":"read","input_schema":{"type":"object"}},{"name":"old","input_schema":{"type":"object"}},{"name":"late","defer_loading":true,"input_schema":{"type":"object"}}],` +
	`"messages":[{"role":"user","content":"go"},{"role":"system","content":[{"type":"text","text":"mind"},{"type":"tool_addition","tool":{"type":"tool_definition","definition":{"name":"new","input_schema":{"type":"object"}}}},` +
	`{"type":"tool_addition","tool":{"type":"tool_reference","name":"late"}},{"type":"tool_removal","tool":{"type":"tool_reference","name":"old"}}]}]}`

// onceCalledO is a call and its result.
const onceCalledO = `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c","content":"1"}]}`

// shapelessA offers a tool with an argument of any type.
const shapelessA = `{"model":"m","max_tokens":99,"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"description":"arguments"},"b":{"type":"string"}}}}],"messages":[{"role":"user","content":"go"}]}`

// What the three APIs have learned in the autumn of 2026 and servers in their place have not, and the reverse.
var hardLearned = section{"BR", "what APIs have learned, and servers in their place have not", []hard{
	// BerriAI/litellm#34603 and anomalyco/opencode#50504: Gemini 3 at Google's cloud gives ids, and without them answers nothing behind a result.
	{number: 1575, name: "ids of calls, at Google's cloud", answer: "sent to Gemini 3 and newer, and left out where a region refuses them; older models have none", run: func(t *testing.T) {
		own := `{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"functionCall":{"id":"c","name":"f","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"id":"c","name":"f","response":{"output":"1"}}}]}]}`
		const words = `Invalid JSON payload received. Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`
		for from, ask := range map[string]string{G: own, A: blocksA(`{"type":"text","text":"go"}`, callA("c"), resultA("c")), O: onceCalledO} {
			for model, want := range map[string]int{"gemini-2.5-flash": 0, "gemini-3-pro": 2, "gemini-3.5-flash": 2, "gemini-4-argon": 2} {
				l := take(t, trip{from: from, to: G, kind: "vertex", own: true, model: model, ask: ask})
				is(t, from+" to "+model, strings.Count(l.got().Raw, `"id":"c"`), want)
			}
			l := take(t, refusesFirst(trip{from: from, to: G, kind: "vertex", own: true, model: "gemini-3-pro", ask: ask}, 400, words))
			is(t, from+", refused", inLine(strings.Count(l.got().Raw, `"id"`), strings.Count(l.then().Raw, `"id"`)), "2 0")
			l.warns(map[string]string{G: "contents", A: "messages", O: "messages"}[from], chat.Ignored)
		}
	}},
	// Google's own samples for its cloud.
	{number: 1576, name: "who speaks, in capitals", run: func(t *testing.T) {
		for to, want := range map[string]string{O: "user assistant user", A: "user assistant user"} {
			l := take(t, trip{from: G, to: to, ask: `{"contents":[{"role":"USER","parts":[{"text":"a"}]},{"role":"MODEL","parts":{"text":"b"}},{"role":"User","parts":{"text":"c"}}]}`})
			var roles []string
			for _, m := range l.got().Get("messages").Array() {
				roles = append(roles, m.Get("role").Str)
			}
			is(t, to, strings.Join(roles, " "), want)
		}
		take(t, trip{from: G, to: O, ask: `{"contents":{"role":"USER","parts":{"text":"a"}}}`}).sends("messages.0.content", `"a"`)
		refuses(t, trip{from: G, to: O, ask: `{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}`}, "contents[0].role")
	}},
	// google-gemini-php/client#94: protobuf's JSON has what is no number in a string. OpenAI says -9999 of what cannot be.
	{number: 1577, name: "log-probabilities that are no numbers", run: func(t *testing.T) {
		for number, want := range map[string]string{`"-Infinity"`: "-9999", `"NaN"`: "-9999", `-20000`: "-9999", `-0.5`: "-0.5", `"Infinity"`: "0"} {
			answer := `{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"finishReason":"STOP","avgLogprobs":"Infinity","logprobsResult":{"chosenCandidates":[{"token":"a","logProbability":-0.5}],"topCandidates":[{"candidates":[{"token":"b","logProbability":` + number + `}]}]}}],"usageMetadata":{"promptTokenCount":1}}`
			for _, streamed := range []bool{false, true} {
				body := answer
				if streamed {
					body = sse(answer)
				}
				l := take(t, trip{from: O, to: G, stream: streamed, ask: withO(`"logprobs":true,"top_logprobs":1`), answers: []string{body}})
				is(t, number, strings.Contains(l.body, `"top_logprobs":[{"token":"b","logprob":`+want+`,`), true)
			}
		}
	}},
	// BerriAI/litellm#39210 in Amazon's words; langchain-ai/deepagents#339 for libraries that mark what they send to any server.
	{number: 1578, name: "marks of what is to be kept, to a model that is offered no cache, and to servers that do not know them", answer: "asked again without them, and reported; no key is blamed", run: func(t *testing.T) {
		const uncached = "You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information."
		ask := map[string]string{
			A: `{"model":"m","max_tokens":99,"tools":[{"name":"f","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}`,
			O: `{"model":"m","tools":[{"type":"function","function":{"name":"f"},"cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}]}`,
		}
		for _, row := range []struct {
			from, to, kind string
			status         int
			words          string
		}{
			{A, A, "bedrock", 403, uncached}, {A, A, "", 403, uncached}, {A, O, "openrouter", 403, uncached}, {O, O, "openrouter", 403, uncached},
			{O, O, "", 400, "'messages.0' : for 'role:user' the following must be satisfied[('messages.0.content.0.cache_control' : property 'cache_control' is unsupported)]"},
			{O, O, "", 400, "tools[0]: unknown field `cache_control`, expected one of `type`, `function`"},
			{O, O, "", 422, "body.messages.0.user.content.0.text.cache_control: Extra inputs are not permitted"},
		} {
			l := take(t, amazons(trip{from: row.from, to: row.to, kind: row.kind, own: row.kind == "", ask: ask[row.from]}, row.status, row.words))
			name := fmt.Sprint(row)
			is(t, name, fmt.Sprint(strings.Contains(l.got().Raw, "cache_control"), strings.Contains(l.then().Raw, "cache_control"), strings.Contains(l.then().Raw, "go")), "true false true")
			is(t, name+", told", len(l.losses) > 0, true)
		}
		is(t, "a key that is refused", try(t, amazons(trip{from: A, to: A, kind: "bedrock", ask: ask[A]}, 403, "The security token included in the request is invalid.")).status, 500)
	}},
	// anthropics/claude-code#20734: a session that was interrupted while the model thought.
	{number: 1579, name: "thoughts that do not begin their turn, in Claude's own dialect", answer: "asked again without thoughts, and without thinking for this turn, with a warning", run: func(t *testing.T) {
		ask := strings.Replace(blocksA(`{"type":"text","text":"go"}`, `{"type":"text","text":"so"},{"type":"thinking","thinking":"hm","signature":"c2ln"},`+callA("c"), resultA("c")), `"max_tokens":9`, `"max_tokens":2000,"thinking":{"type":"enabled","budget_tokens":1024}`, 1)
		for _, own := range []bool{false, true} {
			l := take(t, refusesFirst(trip{from: A, to: A, own: own, ask: ask}, 400, "messages.1.content.0: If an assistant message contains any thinking blocks, the first block must be `thinking` or `redacted_thinking`. Found `text`."))
			is(t, fmt.Sprint(own), inLine(strings.Contains(l.then().Get("messages").Raw, "hm"), l.then().Get("thinking.type").Str), "false disabled")
			l.warns("thinking", chat.Dropped)
		}
	}},
	// browseros-ai/BrowserOS#255.
	{number: 1580, name: "a schema without a type, to llama.cpp", answer: "asked again with types where they are wanted, with a warning", run: func(t *testing.T) {
		for _, words := range []string{
			"JSON schema conversion failed:\nUnrecognized schema: {\"description\":\"arguments\"}",
			"Unable to generate parser for this template. Automatic parser generation failed: JSON schema conversion failed:\nUnrecognized schema: {\"description\":\"arguments\"}",
		} {
			l := take(t, refusesFirst(trip{from: A, to: O, kind: "llamacpp", ask: shapelessA}, 400, words))
			at := "tools.0.function.parameters.properties"
			is(t, words, inLine(l.got().Get(at+".a.anyOf").Exists(), len(l.then().Get(at+".a.anyOf").Array()) > 1, l.then().Get(at+".b").Raw), `false true {"type":"string"}`)
			l.warns("tools[0]", chat.Approximated)
		}
	}},
	// Wei-Shaw/sub2api#6454 and NousResearch/hermes-agent#106426: agents send them to every server, and clouds know neither.
	{number: 1581, name: "what becomes of thoughts that fit no more, and who answers in another's place, to servers that do not know it", answer: "asked again without it, with a warning; at Anthropic's own API the client hears the refusal", run: func(t *testing.T) {
		for member, words := range map[string]string{
			`"thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}}`: "thinking.adaptive.block_binding: Extra inputs are not permitted",
			`"fallbacks":"default"`: "fallbacks: Extra inputs are not permitted", `"fallbacks":[{"model":"claude-opus-4-8"}]`: "unknown field `fallbacks`",
			`"fallback_credit_token":"t"`: "fallback_credit_token: Extra inputs are not permitted",
		} {
			ask := strings.Replace(plain[A], `"messages"`, member+`,"messages"`, 1)
			for _, way := range []trip{{from: A, to: A, own: true, ask: ask}, {from: A, to: A, kind: "bedrock", ask: ask}} {
				l := take(t, amazons(way, 400, words))
				is(t, member, inLine(strings.Contains(l.got().Raw, "fallback") || strings.Contains(l.got().Raw, "block_binding"), strings.Contains(l.then().Raw, "fallback") || strings.Contains(l.then().Raw, "block_binding"), l.then().Get("thinking.type").Str == "adaptive"), inLine(true, false, strings.Contains(member, "adaptive")))
				is(t, member+", told", l.warned("thinking", chat.Dropped) || l.warned("fallbacks", chat.Dropped) || l.warned("fallback_credit_token", chat.Dropped), true)
			}
			is(t, member+", at home", len(try(t, refusesFirst(trip{from: A, to: A, ask: ask}, 400, words)).sent), 1)
		}
	}},
	// KarpelesLab/teamclaude#451, fuergaosi233/claude-code-proxy#83: Claude Code tells so of tools that are there late. One server of Moonshot's says no more than that it is wrong.
	{number: 1582, name: "tools that come and go between turns, to servers and models of Claude's dialect that do not know that", answer: "asked again with the tools as they are at the end, with a warning", run: func(t *testing.T) {
		for _, row := range []struct {
			kind   string
			own    bool
			status int
			words  string
		}{
			{"", true, 400, "messages.1.content.1: Input tag 'tool_addition' found using 'type' does not match any of the expected tags: 'text', 'image'"}, {"", true, 422, "unknown variant `tool_addition`, expected one of `text`, `image`"},
			{"", true, 400, "Invalid request Error"}, {"", true, 400, "messages.1.role: Input should be 'user' or 'assistant'"}, {"", false, 400, "messages.1.role: role 'system' is not supported on this model."},
			{"vertex-claude", true, 400, "messages.1.content.1: Input tag 'tool_addition' found using 'type' does not match any of the expected tags"}, {"vertex-claude", true, 400, "messages.1.role: role 'system' is not supported on this model."},
		} {
			l := take(t, refusesFirst(trip{from: A, to: A, kind: row.kind, own: row.own, model: "claude-sonnet-4-6", ask: changedA}, row.status, row.words))
			var names []string
			for _, tool := range l.then().Get("tools").Array() {
				names = append(names, tool.Get("name").Str)
			}
			is(t, row.words, inLine(strings.Join(names, " "), strings.Contains(l.then().Raw, "tool_addition"), strings.Contains(l.then().Raw, "defer_loading"), strings.Contains(l.then().Get("messages").Raw, "mind")), "read late new false false true")
			l.warns("messages[1].content[1]", chat.Approximated)
		}
		is(t, "where they are known", take(t, trip{from: A, to: A, ask: changedA}).got().Raw, strings.Replace(changedA, `"m"`, `"`+models[A]+`"`, 1))
	}},
	// fuergaosi233/claude-code-proxy#83: FastAPI has the place of what is wrong beside the words.
	{number: 1583, name: "a refusal of Claude's dialect that has its place beside its words", run: func(t *testing.T) {
		detail := `{"detail":[{"type":"literal_error","loc":["body","messages",1,"role"],"msg":"Input should be 'user' or 'assistant'","input":"system"}]}`
		l := take(t, trip{from: A, to: A, own: true, ask: reminded[A], statuses: []int{422, 200}, answers: []string{detail, hi[A]}})
		is(t, "asked again", strings.Contains(l.then().Raw, `"role":"system"`), false)
		l.warns("messages[1]", chat.Approximated)
	}},
}}
