package dialect_test

import (
	"strings"
	"testing"

	"stele/internal/chat"
)

// pairs are the pairs of dialects in which something is translated.
func pairs(do func(from, to string)) {
	for _, from := range []string{O, A, G} {
		for _, to := range []string{O, A, G} {
			if from != to {
				do(from, to)
			}
		}
	}
}

// strictly is a request with one tool that is to be called strictly by its schema.
func strictly(schema string) string {
	return strings.Replace(offering(O, schema), `"name":"f"`, `"name":"f","strict":true`, 1)
}

var hardAsked = section{"Q", "odd requests, answers and errors", []hard{
	{number: 501, name: "a schema whose root is a reference", run: func(t *testing.T) {
		schema := `{"$ref":"#/$defs/Node","$defs":{"Node":{"type":"object","properties":{"next":{"anyOf":[{"$ref":"#/$defs/Node"},{"type":"null"}]}}}}}`
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: offering(from, schema)})
			l.sends(schemaAt[to]+".type", `"object"`)
			l.sends(schemaAt[to]+".$ref", "")
			if !l.got().Get(schemaAt[to] + ".properties.next").Exists() {
				t.Errorf("%s to %s: %s", from, to, l.got().Raw)
			}
		})
		shaped := withO(`"response_format":{"type":"json_schema","json_schema":{"name":"n","schema":{"$ref":"#/$defs/R","$defs":{"R":{"type":"object","properties":{"a":{"type":"string"}}}}}}}`)
		take(t, trip{from: O, to: A, ask: shaped}).sends("output_config.format.schema.type", `"object"`)
	}},
	{number: 502, name: "references that lead nowhere", run: func(t *testing.T) {
		for _, ref := range []string{"#/$defs/none", "https://a.example/schema.json", "#/properties/b/items", "other"} {
			pairs(func(from, to string) {
				l := take(t, trip{from: from, to: to, ask: offering(from, `{"type":"object","properties":{"a":{"$ref":"`+ref+`","description":"D"},"b":{"type":"string"}}}`)})
				l.sends(schemaAt[to]+".properties.a", `{"description":"D"}`)
				if len(l.losses) == 0 || l.losses[0].Verb != chat.Approximated {
					t.Errorf("%s to %s: told %s", from, to, l.told())
				}
			})
		}
		own := `{"type":"object","properties":{"a":{"$ref":"#here"},"b":{"$anchor":"here","type":"string"},"c":{"$ref":"#/properties/b"}}}`
		take(t, trip{from: O, to: A, ask: offering(O, own)}).sends(schemaAt[A], own)
	}},
	{number: 503, name: "an object or null, which no call is", run: func(t *testing.T) {
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: offering(from, `{"type":["object","null"],"properties":{"a":{"type":"string"}}}`)})
			l.sends(schemaAt[to]+".type", `"object"`)
		})
		l := take(t, trip{from: O, to: A, ask: strictly(`{"type":["object","null"],"properties":{"a":{"type":"string"}}}`)})
		l.sends(schemaAt[A]+".type", `"object"`)
		l.sends("tools.0.strict", "true")
	}},
	{number: 504, name: "a tool that takes no object", answer: "400 naming the tool", run: func(t *testing.T) {
		at := map[string]string{O: "tools[0]", A: "tools[0]", G: "tools[0].functionDeclarations[0]"}
		for _, schema := range []string{`{"type":"string"}`, `{"type":"ARRAY","items":{}}`, `{"type":["string","null"]}`} {
			pairs(func(from, to string) { refuses(t, trip{from: from, to: to, ask: offering(from, schema)}, at[from]) })
		}
	}},
	{number: 505, name: "allOf, as old generators write it", run: func(t *testing.T) {
		schema := `{"type":"object","properties":{"a":{"allOf":[{"$ref":"#/$defs/A"}],"description":"D"}},"required":["a"],"additionalProperties":false,` +
			`"$defs":{"A":{"type":"object","properties":{"b":{"allOf":[{"allOf":[{"type":"string"}]}]}},"required":["b"],"additionalProperties":false}}}`
		l := take(t, trip{from: O, to: A, ask: strictly(schema)})
		l.sends("tools.0.strict", "true")
		if strings.Contains(l.got().Raw, "allOf") {
			t.Error(l.got().Raw)
		}
		l.sends(schemaAt[A]+`.$defs.A.properties.b`, `{"type":"string"}`)
		take(t, trip{from: A, to: O, ask: strings.Replace(offering(A, schema), `"name":"f"`, `"name":"f","strict":true`, 1)}).sends("tools.0.function.strict", "true")
		// Two objects that allow nothing else allow nothing together: that cannot be held to.
		l = take(t, trip{from: O, to: A, ask: strictly(`{"type":"object","properties":{"a":{"allOf":[{"type":"object","properties":{"x":{"type":"string"}}},{"type":"object","properties":{"y":{"type":"string"}}}]}}}`)})
		l.sends("tools.0.strict", "")
		l.warns("tools[0]", chat.Dropped)
	}},
	{number: 506, name: "an enum with an empty word", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: G, ask: offering(O, `{"type":"object","properties":{"a":{"type":"string","enum":["","x"]},"b":{"type":"string","enum":[""]}}}`)})
		l.sends(schemaAt[G]+".properties.a", `{"type":"string","enum":["x"],"description":"(enum: [\"\",\"x\"])"}`)
		l.sends(schemaAt[G]+".properties.b.enum", "")
		l.warns("tools[0]", chat.Approximated)
	}},
	{number: 507, name: "a shape that OpenAI can hold answers to", run: func(t *testing.T) {
		closed := `{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false}`
		open := `{"type":"object","properties":{"a":{"type":"string"}}}`
		for schema, want := range map[string]string{closed: "true", open: ""} {
			for from, ask := range map[string]string{
				A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"output_config":{"format":{"type":"json_schema","schema":` + schema + `}}}`,
				G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"responseMimeType":"application/json","responseJsonSchema":` + schema + `}}`,
			} {
				l := take(t, trip{from: from, to: O, ask: ask})
				l.sends("response_format.json_schema.schema", schema)
				l.sends("response_format.json_schema.strict", want)
				if want == "true" {
					l.quiet()
					continue
				}
				l.warns(map[string]string{A: "output_config.format", G: "generationConfig.responseJsonSchema"}[from], chat.Approximated) // OpenAI only looks at it
			}
		}
	}},
	{number: 508, name: "stops that are empty or there twice", run: func(t *testing.T) {
		asks := map[string]string{
			O: withO(`"stop":["","a","a","b"]`), A: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"stop_sequences":["","a","a","b"]}`,
			G: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"stopSequences":["","a","a","b"]}}`,
		}
		at := map[string]string{O: "stop", A: "stop_sequences", G: "generationConfig.stopSequences"}
		pairs(func(from, to string) {
			l := take(t, trip{from: from, to: to, ask: asks[from]})
			l.sends(at[to], `["a","b"]`)
			l.warns(at[from], chat.Ignored)
		})
		take(t, trip{from: O, to: A, ask: withO(`"stop":""`)}).sends("stop_sequences", "")
		l := take(t, trip{from: A, to: O, answers: []string{endO("stop", `"content":"hello"`)}, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"go"}],"stop_sequences":["1","2","3","4",""]}`})
		l.gets("content.0.text", `"hello"`)
	}},
	{number: 509, name: "how many answers", run: func(t *testing.T) {
		for _, n := range []string{"-1", "129", "1e9"} {
			for _, to := range []string{O, A} {
				refuses(t, trip{from: G, to: to, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":` + n + `}}`}, "generationConfig.candidateCount")
			}
		}
		take(t, trip{from: G, to: O, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"candidateCount":0}}`}).sends("n", "")
		refuses(t, trip{from: O, to: A, ask: withO(`"n":9`)}, "n")
	}},
	{number: 510, name: "limits are refused by the name that the client has for them", run: func(t *testing.T) {
		for _, field := range []string{"max_tokens", "max_completion_tokens"} {
			for _, to := range []string{A, G} {
				refuses(t, trip{from: O, to: to, ask: withO(`"` + field + `":0`)}, field)
			}
		}
	}},
	{number: 511, name: "fields that ask for nothing", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			take(t, trip{from: O, to: to, ask: withO(`"logit_bias":{},"metadata":{},"parallel_tool_calls":false,"tool_choice":"none"`)}).quiet()
		}
		take(t, trip{from: A, to: O, ask: `{"model":"m","max_tokens":9,"system":[{"type":"text","text":" "}],"messages":[{"role":"user","content":"go"}]}`}).sends("messages.#", "1")
	}},
	{number: 512, name: "as many thoughts as the model likes, in a budget", run: func(t *testing.T) {
		l := take(t, trip{from: G, to: A, ask: `{"contents":[{"parts":[{"text":"go"}]}],"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`})
		l.sends("thinking.budget_tokens", "8192")
		l.warns("generationConfig.thinkingConfig", chat.Approximated)
	}},
	{number: 513, name: "Anthropic's blocks in OpenAI's messages, as Cursor sends them", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"name":"f","description":"D","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}],"tool_choice":{"type":"auto"},"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},` +
			`{"role":"assistant","content":[{"type":"text","text":"so"},{"type":"tool_use","id":"t1","name":"f","input":{"a":"x"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + pixel + `"}}]},{"type":"text","text":"and?"}]}]}`
		l := take(t, trip{from: O, to: A, ask: ask})
		l.sends("tools.0.input_schema.properties.a.type", `"string"`)
		l.sends("messages.1.content.1", `{"type":"tool_use","id":"t1","name":"f","input":{"a":"x"}}`)
		l.sends("messages.2.content.0.tool_use_id", `"t1"`)
		l.sends("messages.2.content.0.is_error", "true")
		l.sends("messages.2.content.1.source.media_type", `"image/png"`) // an error has only words
		l.sends("messages.2.content.2.text", `"and?"`)
		l = take(t, trip{from: O, to: G, ask: ask})
		l.sends("contents.2.parts.0.functionResponse.name", `"f"`)
		l.sends("contents.2.parts.0.functionResponse.response", `{"error":"no"}`)
		refuses(t, trip{from: O, to: A, ask: talkO(says("user", "go"), `{"role":"tool","tool_call_id":"x","content":[{"type":"tool_use","id":"t","name":"f","input":{}}]}`)}, "messages[1].content[0]")
		refuses(t, trip{from: O, to: A, ask: talkO(`{"role":"user","content":[{"type":"image","source":{"type":"file","file_id":"file_1"}}]}`)}, "messages[0].content[0]")
	}},
	{number: 514, name: "a user's block that no upstream has", answer: "400 naming the part", run: func(t *testing.T) {
		for _, to := range []string{O, G} {
			refuses(t, trip{from: A, to: to, ask: `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"https://a.example/a.png"}}]}]}`}, "messages[0].content[1]")
		}
	}},
	{number: 515, name: "Anthropic's blocks in OpenAI's messages, for OpenAI", run: func(t *testing.T) {
		ask := `{"model":"m","tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}}],"tool_choice":{"type":"auto"},"messages":[{"role":"user","content":[{"type":"text","text":"go"}]},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":{"a":"x"}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"no"}]}]}`
		for _, own := range []bool{false, true} {
			l := take(t, trip{from: O, to: O, own: own, ask: ask})
			l.sends("tools.0.function.name", `"f"`)
			l.sends("tool_choice", `"auto"`)
			l.sends("messages.1.tool_calls.0.function", `{"name":"f","arguments":"{\"a\":\"x\"}"}`)
			l.sends("messages.2.role", `"tool"`)
			l.sends("messages.2.tool_call_id", `"t1"`)
		}
	}},
	{number: 516, name: "tools as the Responses API has them, among OpenAI's own", run: func(t *testing.T) {
		grammar := `"format":{"type":"grammar","syntax":"lark","definition":"start: \"ok\""}`
		ask := withO(`"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}},{"type":"custom","name":"ApplyPatch","description":"D",` + grammar + `}]`)
		l := take(t, trip{from: O, to: O, ask: ask})
		l.sends("tools.0.function.name", `"f"`)
		l.sends("tools.1", `{"type":"custom","custom":{"name":"ApplyPatch","description":"D","format":{"type":"grammar","grammar":{"syntax":"lark","definition":"start: \"ok\""}}}}`)
		l = take(t, trip{from: O, to: O, ask: withO(`"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{}},"strict":true}],"tool_choice":{"type":"function","name":"f"}`)})
		l.sends("tools.0.function.strict", "true")
		l.sends("tool_choice", `{"type":"function","function":{"name":"f"}}`)
	}},
	{number: 517, name: "a body of the Responses API on Chat Completions, as Cursor's agent sends it", run: func(t *testing.T) {
		ask := `{"model":"m","user":"u","messages":[],"instructions":"Be brief.","input":[{"role":"system","content":"S"},{"role":"user","content":[{"type":"input_text","text":"go"},{"type":"input_image","image_url":"data:image/png;base64,` + pixel + `"}]},` +
			`{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"x"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"so"}]},` +
			`{"type":"function_call","call_id":"c1","name":"f","arguments":"{\"a\":1}"},{"type":"custom_tool_call","call_id":"c2","name":"ApplyPatch","input":"*** Begin Patch"},` +
			`{"type":"function_call_output","call_id":"c1","output":"one"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"two"}]}],` +
			`"tools":[{"type":"function","name":"f","parameters":{"type":"object","properties":{"a":{"type":"integer"}}},"strict":false},{"type":"custom","name":"ApplyPatch","format":{"type":"text"}}],` +
			`"tool_choice":"auto","parallel_tool_calls":true,"max_output_tokens":77,"reasoning":{"effort":"high","summary":"auto"},"text":{"format":{"type":"text"},"verbosity":"low"},` +
			`"store":false,"include":["reasoning.encrypted_content"],"truncation":"disabled","prompt_cache_key":"k","stream_options":{"include_usage":true}}`
		l := take(t, trip{from: O, to: A, ask: ask})
		l.sends("system.#.text", `["Be brief.","S"]`)
		l.sends("max_tokens", "77")
		l.sends("messages.#.role", `["user","assistant","user"]`)
		l.sends("messages.0.content.#.type", `["text","image"]`)
		l.sends("messages.1.content.#.type", `["text","tool_use","tool_use"]`)
		l.sends("messages.1.content.1.input", `{"a":1}`)
		l.sends("messages.1.content.2.input", `{"input":"*** Begin Patch"}`)
		l.sends("messages.2.content.#.tool_use_id", `["c1","c2"]`)
		l.sends("tools.#.name", `["f","ApplyPatch"]`)
		l.gets("object", `"chat.completion"`)
		l = take(t, trip{from: O, to: O, ask: ask})
		l.sends("messages.#.role", `["system","user","assistant","tool","tool"]`)
		l.sends("messages.2.tool_calls.#.type", `["function","custom"]`)
		l.sends("max_completion_tokens", "77")
		l.sends("verbosity", `"low"`)
		l.sends("input", "")
		l = take(t, trip{from: O, to: G, ask: `{"model":"m","input":"go","max_output_tokens":5}`})
		l.sends("contents.0.parts.0.text", `"go"`)
		l.sends("generationConfig.maxOutputTokens", "5")
		refuses(t, trip{from: O, to: A, ask: `{"model":"m","input":"go","previous_response_id":"resp_1"}`}, "previous_response_id")
		refuses(t, trip{from: O, to: A, ask: `{"model":"m","input":[]}`}, "input")
		refuses(t, trip{from: O, to: A, ask: `{"model":"m","input":[{"type":"function_call","call_id":"c"}]}`}, "input[0].name")
		refuses(t, trip{from: O, to: A, ask: `{"model":"m","input":5}`}, "messages")
	}},
	{number: 518, name: "what has messages is a chat, whatever else it has", run: func(t *testing.T) {
		l := take(t, trip{from: O, to: O, ask: withO(`"input":"else","max_output_tokens":3,"text":{"verbosity":"low"}`)})
		l.sends("input", `"else"`)
		l.sends("messages.#", "1")
	}},
	{number: 519, name: "words for what the model does by itself", run: func(t *testing.T) {
		for _, to := range []string{A, G} {
			for _, field := range []string{"max_tokens", "max_completion_tokens"} {
				take(t, trip{from: O, to: to, ask: withO(`"` + field + `":-1`)})
				refuses(t, trip{from: O, to: to, ask: withO(`"` + field + `":-2`)}, field)
			}
			for _, word := range []string{"default", "auto", "Default", ""} {
				take(t, trip{from: O, to: to, ask: withO(`"reasoning_effort":"` + word + `"`)})
			}
			refuses(t, trip{from: O, to: to, ask: withO(`"reasoning_effort":"lots"`)}, "reasoning_effort")
		}
	}},
}}
