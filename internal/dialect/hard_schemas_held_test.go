package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/chat"
)

// boundO is a tool of OpenAI's dialect whose arguments have bounds, and shapedO an answer that has.
const (
	boundO  = `"tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"array","maxItems":500,"items":{"type":"string"}}},"required":["a"],"additionalProperties":false}}}]`
	shapedO = `"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object","properties":{"a":{"type":"array","maxItems":9,"items":{"type":"string"}}},"required":["a"],"additionalProperties":false}}}`
)

// saysO is a plain request of OpenAI's dialect with more members.
func saysO(more string) string {
	return `{"model":"m",` + more + `,"messages":[{"role":"user","content":"go"}]}`
}

// What an API holds its models to, what it takes of it, and what stands beside a document.
var hardHeld = section{"BF", "what an API holds to a schema, and what stands beside a document", []hard{
	// cline/cline#7897, bethington/ghidra-mcp#440, flutter/genui#428; googleapis/js-genai#882, Portkey-AI/gateway#1546.
	{number: 1460, name: "a schema that is too much for Google, or too deep for OpenAI, to hold an answer to", answer: "asked again for it in words, and for calls where the model is free, with a warning", run: func(t *testing.T) {
		const states = "The specified schema produces a constraint that has too many states for serving. Typical causes of this error are schemas with lots of text."
		for _, words := range []string{states, "A schema in GenerationConfig in the request exceeds the maximum allowed nesting depth."} {
			for _, streamed := range []bool{false, true} {
				l := take(t, refusesFirst(trip{from: O, to: G, stream: streamed, ask: saysO(shapedO)}, 400, words))
				is(t, words, inLine(l.then().Get("generationConfig").Exists(), strings.Contains(l.then().Get("systemInstruction").Raw, `It must fit this JSON Schema`)), "false true")
				l.warns("response_format", chat.Approximated)
			}
			is(t, "own: "+words, len(try(t, refusesFirst(trip{from: G, to: G, ask: `{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object"}},"contents":[{"parts":[{"text":"go"}]}]}`}, 400, words)).sent), 1)
			is(t, "nothing to change: "+words, len(try(t, refusesFirst(trip{from: O, to: G, ask: plain[O]}, 400, words)).sent), 1)
		}
		l := take(t, refusesFirst(trip{from: O, to: G, ask: saysO(boundO)}, 400, states))
		deep := trip{from: G, to: O, ask: `{"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"a":{"type":"string"}}}},"contents":[{"parts":[{"text":"go"}]}]}`}
		far := take(t, refusesFirst(deep, 400, "Invalid schema for response_format 'answer': 11 levels of nesting exceeds limit of 10.")) // tidyverse/ellmer#671
		is(t, "OpenAI", inLine(far.sent[0].Get("response_format").Exists(), far.then().Get("response_format").Exists(), strings.Contains(far.then().Get("messages.0.content").Raw, "JSON Schema")), "true false true")
		is(t, "free", inLine(l.sent[0].Get("toolConfig.functionCallingConfig.mode").Str, l.then().Get("toolConfig.functionCallingConfig").Raw), `VALIDATED {"mode":"AUTO"}`)
		l.warns("tools[0]", chat.Approximated)
		l.warns("tools", chat.Approximated)
	}},
	// googleapis/python-genai#2133, #2170 and #2293, vercel/ai#21192: Google says no more than that.
	{number: 1461, name: "bounds and forced calls that Google refuses without a reason", answer: "asked again with the bounds in descriptions and the call in words, with a warning", run: func(t *testing.T) {
		const words = "Request contains an invalid argument."
		array := `{"type":"array","items":{"type":"string"},"description":"(maxItems: %d)"}`
		for choice, line := range map[string]string{`"required"`: "at least one of the tools", `{"type":"function","function":{"name":"f"}}`: "the tool f"} {
			l := take(t, refusesFirst(trip{from: O, to: G, ask: saysO(boundO + `,"tool_choice":` + choice)}, 400, words))
			is(t, choice, inLine(l.sent[0].Get("toolConfig.functionCallingConfig.mode").Str, l.then().Get("toolConfig.functionCallingConfig").Raw), `ANY {"mode":"AUTO"}`)
			is(t, choice, l.then().Get("systemInstruction.parts.0.text").Str, "You must call "+line+" in your next turn.")
			is(t, "bounds", l.then().Get("tools.0.functionDeclarations.0.parametersJsonSchema.properties.a").Raw, fmt.Sprintf(array, 500))
			l.warns("tool_choice", chat.Approximated)
			l.warns("tools[0]", chat.Approximated)
		}
		some := `,"tool_choice":{"type":"allowed_tools","allowed_tools":{"mode":"required","tools":[{"type":"function","function":{"name":"f"}}]}}`
		l := take(t, refusesFirst(trip{from: O, to: G, ask: saysO(boundO + some)}, 400, words))
		is(t, "some", l.then().Get("toolConfig.functionCallingConfig").Raw, `{"mode":"ANY","allowedFunctionNames":["f"]}`)
		l = take(t, refusesFirst(trip{from: O, to: G, ask: saysO(shapedO)}, 400, words))
		is(t, "an answer", l.then().Get("generationConfig.responseJsonSchema.properties.a").Raw, fmt.Sprintf(array, 9))
		l.warns("response_format", chat.Approximated)
		is(t, "nothing to change", len(try(t, refusesFirst(trip{from: O, to: G, ask: plain[O]}, 400, words)).sent), 1)
	}},
	// anomalyco/opencode#11888: servers of the Model Context Protocol write such; JSON Schema passes them over, Google does not.
	{number: 1462, name: "fields of a schema that say nothing about its type", run: func(t *testing.T) {
		schema := `{"type":"object","items":{},"properties":{"s":{"type":"string","properties":{"x":{"type":"string"}},"required":["x"],"additionalProperties":false,"minItems":1,"minimum":2},` +
			`"n":{"type":["number","null"],"minimum":2},"o":{"type":["string","object"],"properties":{"x":{"type":"string"}},"required":["x"]},"properties":{"type":"string"}}}`
		want := `{"type":"object","properties":{"s":{"type":"string"},"n":{"type":["number","null"],"minimum":2},"o":{"type":["string","object"],"properties":{"x":{"type":"string"}},"required":["x"]},"properties":{"type":"string"}}}`
		l := take(t, trip{from: O, to: G, ask: saysO(`"tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}]`)})
		l.sends("tools.0.functionDeclarations.0.parametersJsonSchema", want)
		l.warns("tools[0]", chat.Ignored)
		l = take(t, trip{from: O, to: G, ask: saysO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + schema + `}}`)})
		l.sends("generationConfig.responseJsonSchema", want)
	}},
	{number: 1463, name: "what the wanted answer is for", run: func(t *testing.T) {
		for own, want := range map[string]string{"": `"for the invoice"`, `"description":"an object",`: `"for the invoice\nan object"`, `"description":"for the invoice",`: `"for the invoice"`} {
			ask := saysO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","description":"for the invoice","schema":{` + own + `"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}`)
			take(t, trip{from: O, to: A, ask: ask}).sends("output_config.format.schema.description", want)
			take(t, trip{from: O, to: G, ask: ask}).sends("generationConfig.responseJsonSchema.description", want)
			words := take(t, trip{from: O, to: A, model: "claude-3-5-haiku-latest", ask: ask}).got().Raw
			is(t, "in words", strings.Contains(words, "for the invoice"), true)
		}
	}},
	{number: 1464, name: "an answer's shape by both of Anthropic's names", answer: "the newer counts, and the older is reported", run: func(t *testing.T) {
		format := func(name string) string {
			return `{"type":"json_schema","schema":{"type":"object","properties":{"` + name + `":{"type":"string"}},"required":["` + name + `"],"additionalProperties":false}}`
		}
		newer, older := `"output_config":{"format":`+format("a")+`}`, `"output_format":`+format("b")
		for _, both := range []string{newer + "," + older, older + "," + newer} {
			ask := `{"model":"m","max_tokens":99,` + both + `,"messages":[{"role":"user","content":"go"}]}`
			for to, at := range map[string]string{O: "response_format.json_schema.schema.required", G: "generationConfig.responseJsonSchema.required"} {
				l := take(t, trip{from: A, to: to, ask: ask})
				l.sends(at, `["a"]`)
				l.warns("output_format", chat.Dropped)
			}
		}
	}},
	{number: 1465, name: "what a client says about a document, where it wants citations, and that it is moved", run: func(t *testing.T) {
		paper := `{"type":"document","title":"T","context":"of last year","citations":{"enabled":true},"source":{"type":"base64","media_type":"application/pdf","data":"` + pdf + `"}}`
		l := take(t, trip{from: A, to: G, ask: sayA(paper)})
		is(t, "context", textsOf(l.got().Get("contents.0.parts")), "seeof last year")
		l.warns("messages[0].content[1]", chat.Dropped)
		words := `{"type":"document","citations":{"enabled":true},"source":{"type":"text","media_type":"text/plain","data":"words"}}`
		for _, held := range []string{paper, words} {
			for _, to := range []string{O, G} {
				l = take(t, trip{from: A, to: to, ask: calledA(`{"type":"tool_result","tool_use_id":"toolu_1","content":[{"type":"text","text":"r"},` + held + `]}`)})
				l.warns("messages[2].content[0]", chat.Approximated)
				l.warns("messages[2].content[0]", chat.Dropped)
			}
		}
	}},
	{number: 1466, name: "thoughts that are to be shown where none are wanted", run: func(t *testing.T) {
		ask := `{"model":"m","max_tokens":9999,"thinking":{"type":"between_tools"},"messages":[{"role":"user","content":"go"}]}`
		take(t, trip{from: A, to: G, model: "gemini-2.5-flash", ask: ask}).sends("generationConfig.thinkingConfig", `{"thinkingBudget":0}`)
		take(t, trip{from: A, to: G, model: "gemini-2.5-pro", ask: ask}).sends("generationConfig.thinkingConfig", `{"thinkingBudget":128,"includeThoughts":true}`)
	}},
	{number: 1467, name: "thoughts in the user's turn", run: func(t *testing.T) {
		ask := sayA(`{"type":"thinking","thinking":"hm","signature":"x"}`)
		for _, to := range []string{O, G} {
			l := take(t, trip{from: A, to: to, ask: ask})
			is(t, to, strings.Contains(l.got().Raw, "hm"), false)
			l.warns("messages[0].content[1]", chat.Dropped)
		}
	}},
	// Servers of the Model Context Protocol that are written by hand, or by a model, have them.
	{number: 1468, name: "values of a schema's keywords that are of another kind", run: func(t *testing.T) {
		for value, want := range map[string]string{
			`"type":"integer","minimum":"1"`:                 `"type":"integer","minimum":1`,
			`"type":"array","items":"str"`:                   `"type":"array","items":{"type":"string"}`,
			`"anyOf":["string",{"type":"null"},5]`:           `"anyOf":[{"type":"string"},{"type":"null"},{}]`,
			`"type":"object","additionalProperties":[]`:      `"type":"object","additionalProperties":{}`,
			`"type":"object","additionalProperties":"False"`: `"type":"object","additionalProperties":false`,
			`"type":"string","title":5`:                      `"type":"string"`,
			`"type":"string","description":["a","b"]`:        `"type":"string","description":"a\nb"`,
			`"anyOf":{"type":"string"}`:                      `"anyOf":[{"type":"string"}]`,
			`"type":"array","items":{},"minItems":-1`:        `"type":"array","items":{}`,
			`"type":"array","items":{},"maxItems":"2"`:       `"type":"array","items":{},"maxItems":2`,
			`"enum":{"x":1}`:                                 ``,
			`"$ref":5`:                                       ``,
		} {
			ask := saysO(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{"minimum":{"type":"string"},"a":{` + value + `}}}}}]`)
			for to, at := range map[string]string{A: "tools.0.input_schema.properties.a", G: "tools.0.functionDeclarations.0.parametersJsonSchema.properties.a"} {
				l := take(t, trip{from: O, to: to, ask: ask})
				l.sends(at, "{"+want+"}")
				is(t, value, l.warned("tools[0]", chat.Ignored) || l.warned("tools[0]", chat.Approximated), true)
			}
		}
	}},
}}
