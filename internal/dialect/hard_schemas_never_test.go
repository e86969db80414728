package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// What libraries write down of types that JSON Schema has no word for.
var hardNever = section{"BS", "what libraries write into schemas that means nothing", []hard{
	// zod-to-json-schema 3 writes {"not":{}} for what is undefined: AI SDK 4 and LangChain 0.3 with zod 3 and z.number().optional().nullable().
	{number: 1650, name: "a choice that nothing fits", run: func(t *testing.T) {
		const never = `{"type":"object","properties":{"a":{"type":"string"},"b":{"anyOf":[%{"type":"number"},{"type":"null"}]}},"required":["a"],"additionalProperties":false}`
		for _, one := range []string{`{"not":{}},`, `{"not":true},`, `false,`, `{"not":{}},false,`, `{"not":{},"description":"undefined"},`} {
			schema, without := strings.ReplaceAll(never, "%", one), strings.ReplaceAll(never, "%", "")
			l := take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"r","strict":true,"schema":` + schema + `}}`)})
			l.sends("output_config.format.schema", without)
			l.warns("response_format", chat.Ignored)
			take(t, trip{from: O, to: G, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":` + schema + `}}`)}).sends("generationConfig.responseJsonSchema", without)
			take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":` + schema + `}]}`}).
				sends("tools.0.function.parameters", without)
		}
		// In one another, beside what says more, and where it is all that there is.
		nested := strings.ReplaceAll(never, "%", `{"anyOf":[{"not":{}},{"type":"string"}]},`)
		take(t, trip{from: O, to: A, ask: withO(`"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":` + nested + `}}`)}).
			sends("output_config.format.schema.properties.b.anyOf.0", `{"anyOf":[{"type":"string"}]}`)
		const says = `{"anyOf":[{"type":"string","not":{"const":""}},{"not":{"type":"number"}}]}`
		kept := `{"type":"object","properties":{"a":` + says + `,"b":{"anyOf":[{"not":{}}]}}}`
		l := take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":99,"messages":[{"role":"user","content":"go"}],"tools":[{"name":"f","input_schema":` + kept + `}]}`})
		l.sends("tools.0.function.parameters", kept)
		l.quiet()
	}},
	// zod-to-json-schema 3 of z.never().optional(), which is how types say "this or that, not both".
	{number: 1651, name: "a property that nothing fits", run: func(t *testing.T) {
		const forbids = `{"type":"object","properties":{"a":{"type":"string"}%},"required":["a"]!}`
		fill := func(never, closed string) string {
			return strings.NewReplacer("%", never, "!", closed).Replace(forbids)
		}
		ask := func(schema string) string {
			return withO(`"response_format":{"type":"json_schema","json_schema":{"name":"r","schema":` + schema + `}}`)
		}
		const closed = `,"additionalProperties":false`
		for _, never := range []string{`,"b":{"not":{}}`, `,"b":false`, `,"b":{"not":{},"description":"not beside a"},"c":{"not":true}`} {
			l := take(t, trip{from: O, to: A, ask: ask(fill(never, closed))})
			l.sends("output_config.format.schema", fill("", closed))
			l.warns("response_format", chat.Ignored)
			take(t, trip{from: O, to: G, ask: ask(fill(never, closed))}).sends("generationConfig.responseJsonSchema", fill("", closed))
			take(t, trip{from: O, to: G, ask: ask(fill(never, ""))}).warns("response_format", chat.Approximated)
		}
		must := `{"type":"object","properties":{"b":{"not":{}}},"required":["b"]}`
		take(t, trip{from: O, to: G, ask: ask(must)}).sends("generationConfig.responseJsonSchema.properties", `{"b":{"description":"(not: {})"}}`)
	}},
}}
