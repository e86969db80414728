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
}}
