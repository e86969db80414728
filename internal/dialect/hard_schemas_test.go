package dialect_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/chat"
)

// schemaO offers a function with this schema of its parameters.
func schemaO(schema string) string {
	return `{"model":"m","tools":[{"type":"function","function":{"name":"f","parameters":` + schema + `}}],"messages":[{"role":"user","content":"go"}]}`
}

// property is an object with one property x.
func property(schema string) string {
	return `{"type":"object","properties":{"x":` + schema + `}}`
}

// lonelyRefs checks that nothing that means anything stands beside a reference.
func lonelyRefs(t *testing.T, schema gjson.Result) {
	t.Helper()
	refers := schema.Get(`\$ref`).Exists()
	schema.ForEach(func(key, v gjson.Result) bool {
		if refers && !strings.HasPrefix(key.Str, "$") {
			t.Errorf("%s beside $ref in %s", key.Str, schema.Raw)
		}
		if v.IsObject() || v.IsArray() {
			lonelyRefs(t, v)
		}
		return true
	})
}

const declaredG = "tools.0.functionDeclarations.0.parametersJsonSchema"

var hardSchemas = section{"F", "schemas and structured output", []hard{
	{number: 127, name: "references with a description beside", answer: "parametersJsonSchema with clean references", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: schemaO(`{"type":"object","properties":{"x":{"$ref":"#/$defs/p","description":"where"}},"$defs":{"p":{"type":"string"}}}`)})
		got := l.got().Get(declaredG)
		lonelyRefs(t, got)
		if strings.Contains(got.Raw, `"$ref"`) != got.Get(`\$defs.p`).Exists() || !strings.Contains(got.Raw, "where") {
			t.Error(got.Raw)
		}
	}},
	{number: 129, name: "exclusiveMinimum of a whole number", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: schemaO(property(`{"type":"integer","exclusiveMinimum":0}`))})
		l.sends(declaredG+".properties.x.minimum", "1")
		l.sends(declaredG+".properties.x.exclusiveMinimum", "")
	}},
	{number: 131, name: "a type or null", answer: "gemini gets the list of types as JSON Schema has it, a strict anthropic tool an anyOf", run: func(t *testing.T) {
		ask := schemaO(property(`{"type":["string","null"]}`))
		take(t, trip{from: O, to: G, ask: ask}).sends(declaredG+".properties.x.type", `["string","null"]`)
		strict := strings.Replace(ask, `"name":"f"`, `"name":"f","strict":true`, 1)
		l := take(t, trip{from: O, to: A, ask: strict})
		l.sends("tools.0.strict", "true")
		l.sends("tools.0.input_schema.properties.x.anyOf.#.type", `["string","null"]`)
	}},
	{number: 132, name: "a constant is an enum of one", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: schemaO(property(`{"const":"a"}`))})
		l.sends(declaredG+".properties.x.enum", `["a"]`)
		l.sends(declaredG+".properties.x.const", "")
	}},
	{number: 134, name: "$schema and definitions", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: schemaO(`{"$schema":"x","type":"object","properties":{"x":{"$ref":"#/definitions/p"}},"definitions":{"p":{"type":"string"}}}`)})
		l.sends(declaredG+`.\$schema`, "")
		l.sends(declaredG+`.definitions`, "")
		l.sends(declaredG+`.\$defs.p.type`, `"string"`)
		l.sends(declaredG+`.properties.x.\$ref`, `"#/$defs/p"`)
	}},
	{number: 136, name: "what the API does not know goes into the description", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: schemaO(`{"type":"object","properties":{"x":{"type":"string","format":"uuid","pattern":"^a"},"y":{"type":"array","items":{"type":"string"},"uniqueItems":true}}}`)})
		got := l.got().Get(declaredG + ".properties")
		for _, path := range []string{"x.pattern", "y.uniqueItems"} {
			if got.Get(path).Exists() {
				t.Errorf("%s in %s", path, got.Raw)
			}
		}
		if !strings.Contains(got.Get("x.description").Str, "^a") || got.Get("y.description").Str == "" {
			t.Error(got.Raw)
		}
		l.warns("tools[0]", chat.Approximated)
	}},
	{number: 137, name: "a strict tool with bounds", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","tools":[{"type":"function","function":{"name":"f","strict":true,"parameters":{"type":"object","properties":` +
			`{"x":{"type":"integer","minimum":3},"y":{"type":"string","maxLength":7}},"required":["x","y"]}}}],"messages":[{"role":"user","content":"go"}]}`})
		l.sends("tools.0.strict", "true")
		l.sends("tools.0.input_schema.additionalProperties", "false")
		got := l.got().Get("tools.0.input_schema.properties")
		if got.Get("x.minimum").Exists() || got.Get("y.maxLength").Exists() || !strings.Contains(got.Get("x.description").Str, "3") || !strings.Contains(got.Get("y.description").Str, "7") {
			t.Error(got.Raw)
		}
	}},
	{number: 139, name: "any JSON", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","response_format":{"type":"json_object"},"messages":[{"role":"user","content":"go"}]}`})
		if !strings.Contains(textsOf(l.got().Get("system")), "JSON") {
			t.Error(l.got().Raw)
		}
		l.sends("tool_choice", "")
		l.warns("response_format", chat.Approximated)
	}},
	{number: 141, name: "a schema with thinking", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: A, ask: `{"model":"m","reasoning_effort":"high","response_format":{"type":"json_schema","json_schema":{"name":"n","schema":` + property(`{"type":"string"}`) + `}},"messages":[{"role":"user","content":"go"}]}`})
		l.sends("output_config.format.type", `"json_schema"`)
		l.sends("output_config.format.schema.properties.x.type", `"string"`)
		l.sends("thinking.type", `"enabled"`)
		l.sends("tool_choice", "")
		l.sends("tools", "")
	}},
	{number: 143, name: "text of an enum", answer: "asked for in the system prompt, with a warning", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"text/x.enum","responseSchema":{"type":"STRING","enum":["a","b"]}}}`})
		if !strings.Contains(l.got().Get("messages.0.content").String(), "a, b") && !l.got().Get("response_format.json_schema").Exists() {
			t.Error(l.got().Raw)
		}
		l.warns("generationConfig.responseMimeType", chat.Approximated)
	}},
	{number: 145, name: "deep and wide schemas", run: func(t *testing.T) {
		schema := `{"type":"string"}`
		for range 12 {
			var all []string
			for i := range 25 {
				all = append(all, fmt.Sprintf(`"p%d":{"type":"string","minLength":%d}`, i, i))
			}
			schema = `{"type":"object","properties":{` + strings.Join(all, ",") + `,"deep":` + schema + `}}`
		}
		l := take(t, trip{from: A, to: G, ask: `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":` + schema + `}],"messages":[{"role":"user","content":"go"}]}`})
		l.sends(declaredG+strings.Repeat(".properties.deep", 12)+".type", `"string"`)
	}},
	{number: 146, name: "two kinds of parameters", run: func(t *testing.T) {
		ask := `{"tools":[{"functionDeclarations":[{"name":"f",%s"parametersJsonSchema":{"$schema":"x","type":"object","properties":{"a":{"type":"string"}}}}]}],"contents":[{"parts":[{"text":"go"}]}]}`
		take(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, "")}).sends("tools.0.input_schema.properties.a.type", `"string"`)
		l := try(t, trip{from: G, to: A, ask: fmt.Sprintf(ask, `"parameters":{"type":"OBJECT"},`)})
		if l.status != 400 || len(l.sent) > 0 {
			t.Errorf("%d %s", l.status, l.body)
		}
	}},
	// Anthropic's page on structured outputs: a beginning of the answer is not taken beside them.
	{number: 1702, name: "the shape of an answer that the client began, to Claude", answer: "the model is asked to go on from there, with a warning", run: func(t *testing.T) {
		shape := `"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}}}`
		ask := `{"model":"m","messages":[{"role":"user","content":"go"},{"role":"assistant","content":"{"}],%s}`
		l := take(t, trip{from: O, to: A, model: "claude-sonnet-4-5", ask: fmt.Sprintf(ask, shape)})
		is(t, "held to it", inLine(l.got().Get("output_config.format.type").Str, l.got().Get("messages.#.role").Raw), `json_schema ["user","assistant","user"]`)
		l.warns("messages", chat.Added)
		for name, other := range map[string]trip{
			"in words":        {model: "claude-opus-4-1", ask: fmt.Sprintf(ask, shape)},
			"any JSON":        {model: "claude-sonnet-4-5", ask: fmt.Sprintf(ask, `"response_format":{"type":"json_object"}`)},
			"without a shape": {model: "claude-sonnet-4-5", ask: fmt.Sprintf(ask, `"n":1`)},
		} {
			other.from, other.to = O, A
			is(t, name, take(t, other).got().Get("messages.#.role").Raw, `["user","assistant"]`)
		}
	}},
	{number: 1704, name: "what may be null by OpenAPI's word, what no property is called, and references by a name, where Claude is held to a schema", answer: "null is a choice, and what nothing can fit is left out; what cannot be resolved is asked for in words", run: func(t *testing.T) {
		for _, row := range []struct{ property, want string }{
			{`{"type":"string","nullable":true}`, `{"anyOf":[{"type":"string"},{"type":"null"}]}`},
			{`{"type":"string","enum":["x"],"nullable":true}`, `{"anyOf":[{"type":"string","enum":["x"]},{"type":"null"}]}`},
			{`{"type":"string","nullable":false}`, `{"type":"string"}`},
			{`{"$ref":"#n","$anchor":"n"}`, ``},
		} {
			schema := `{"type":"object","properties":{"a":` + row.property + `},"required":["a","gone"],"additionalProperties":false}`
			for from, ask := range map[string]string{
				O: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":` + schema + `}}`),
				G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `}}`,
			} {
				l := take(t, trip{from: from, to: A, model: "claude-sonnet-4-5", ask: ask})
				held := l.got().Get("output_config.format.schema")
				is(t, from+" "+row.property, inLine(held.Get("properties.a").Raw, held.Get("required").Raw), strings.TrimSpace(row.want+map[bool]string{true: ` ["a"]`}[row.want != ""]))
				l.warns(map[string]string{O: "response_format", G: "generationConfig.responseJsonSchema"}[from], chat.Approximated)
			}
		}
	}},
}}
