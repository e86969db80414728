package upstream

import "testing"

func TestGeminiTakesWhatIsRight(t *testing.T) {
	t.Parallel()
	rows(t, NewGemini(t), []row{
		{name: "a word", body: `{"contents":[{"parts":[{"text":"hi"}]}]}`},
		{name: "snake case", body: `{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"` + tinyPNG + `"}}]}],"system_instruction":{"parts":[{"text":"a"}]},"generation_config":{"max_output_tokens":"100","top_k":40.0,"thinking_config":{"include_thoughts":true}},"tools":[{"function_declarations":[{"name":"f"}]}],"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["f"]}}}`},
		{name: "nulls", body: `{"contents":[{"parts":[{"text":"hi","thought":null}]}],"tools":null,"generationConfig":{"temperature":null}}`},
		{name: "older calls", body: chatGemini(callsGemini(``)+`,`+answersGemini("f", "g"), ``)},
		{name: "placeholder", model: "gemini-3-flash", body: chatGemini(callsGemini(`,"thoughtSignature":"`+skipSignature+`"`)+`,`+answersGemini("f", "g"), ``)},
		{name: "a content for every chunk", model: "gemini-3-flash", body: chatGemini(userGemini+`,{"role":"model","parts":[{"text":"hm","thought":true}]},{"role":"model","parts":[{"functionCall":{"name":"f"},"thoughtSignature":"`+skipEncoded+`"}]},{"role":"model","parts":[{"functionCall":{"name":"g"}}]},`+answersGemini("f", "g"), ``)},
		{name: "calls of an earlier turn", model: "gemini-3-flash", body: chatGemini(callsGemini(``)+`,`+answersGemini("f", "g")+`,{"role":"model","parts":[{"text":"so"}]},{"role":"user","parts":[{"text":"and?"}]}`, ``)},
		{name: "real schema", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f.g:h-1","parametersJsonSchema":{"$schema":"x","type":"object","properties":{"a":{"$ref":"#/$defs/a"}},"additionalProperties":false,"$defs":{"a":{"type":["string","null"]}}}}]}]`)},
		{name: "older schema", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f","parameters":{"type":"OBJECT","properties":{"content":{"type":"STRING","enum":["a"],"nullable":true},"l":{"type":"ARRAY","items":{"type":"INTEGER","minimum":1},"minItems":"1"}},"required":["l"]}}]}]`)},
		{name: "slashes and colons", path: "/v1beta/models/vendor/m:free:generateContent", body: `{"contents":[{"parts":[{"text":"hi"}]}]}`},
	})
}

func TestGeminiRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	config := func(fields string) string { return chatGemini(userGemini, `"generationConfig":{`+fields+`}`) }
	declare := func(fields string) string {
		return chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f",`+fields+`}]}]`)
	}
	part := func(p string) string { return chatGemini(`{"parts":[`+p+`]}`, ``) }
	signed := callsGemini(`,"thoughtSignature":"AAAA"`) + `,` + answersGemini("f", "g")
	rows(t, NewGemini(t), []row{
		{name: "no key", body: `{}`, header: map[string]string{"X-Goog-Api-Key": ""}, status: 403, want: "Method doesn't allow unregistered callers"},
		{name: "wrong key", body: `{}`, header: map[string]string{"X-Goog-Api-Key": "x"}, want: `"reason":"API_KEY_INVALID"`},
		{name: "wrong path", path: "/v1beta/models/gemini-2.5-flash:countTokens", body: `{}`, status: 404, want: "Error 404"},
		{name: "not json", body: `{`, want: "Invalid JSON payload received"},
		{name: "unknown field", body: chatGemini(userGemini, `"max_tokens":1`), want: `Invalid JSON payload received. Unknown name "max_tokens": Cannot find field.`},
		{name: "unknown field inside", body: part(`{"text":"a","cache_control":{}}`), want: `Unknown name "cache_control" at 'contents[0].parts[0]': Cannot find field.`},
		{name: "wrong type", body: config(`"temperature":"hot"`), want: `Invalid value at 'generation_config.temperature' (TYPE_FLOAT), "hot"`},
		{name: "wrong word", body: config(`"responseMimeType":"text/html"`), want: "(TYPE_ENUM)"},
		{name: "too hot", body: config(`"temperature":2.5`), want: "generation_config.temperature: must be less than or equal to 2"},
		{name: "six stops", body: config(`"stopSequences":["a","b","c","d","e","f"]`), want: "stop_sequences: must contain at most 5 items"},
		{name: "large seed", body: config(`"seed":1099511627776`), want: "generation_config.seed"},
		{name: "nothing", body: `{"contents":[]}`, want: "contents is not specified"},
		{name: "no parts", body: `{"contents":[{"role":"user","parts":[]}]}`, want: "contents.parts must not be empty"},
		{name: "empty part", body: part(`{}`), want: "required oneof field 'data' must have one initialized field"},
		{name: "two in one", body: part(`{"text":"a","inlineData":{"mimeType":"image/png","data":"` + tinyPNG + `"}}`), want: "oneof field 'data' is already set"},
		{name: "role", body: `{"contents":[{"role":"assistant","parts":[{"text":"a"}]}]}`, want: "Please use a valid role: user, model."},
		{name: "ends with the model", body: chatGemini(userGemini+`,{"role":"model","parts":[{"text":"a"}]}`, ``), want: "end with a user role"},
		{name: "call first", body: chatGemini(callsGemini(``)[len(userGemini)+1:]+`,`+answersGemini("f", "g"), ``), want: "function call turn comes immediately after a user turn"},
		{name: "too few answers", body: chatGemini(callsGemini(``)+`,`+answersGemini("f"), ``), want: "the number of function response parts is equal"},
		{name: "no answers", body: chatGemini(callsGemini(``)+`,`+userGemini, ``), want: "the number of function response parts is equal"},
		{name: "other names", body: chatGemini(callsGemini(``)+`,`+answersGemini("g", "f"), ``), want: "names and ids match"},
		{name: "answers and text", body: chatGemini(callsGemini(``)+`,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}},{"functionResponse":{"name":"g","response":{}}},{"text":"a"}]}`, ``), want: "only function response parts"},
		{name: "answer to nothing", body: chatGemini(userGemini+`,`+answersGemini("f"), ``), want: "function response turn comes immediately after a function call turn"},
		{name: "answer that is no object", body: chatGemini(callsGemini(``)+`,{"role":"user","parts":[{"functionResponse":{"name":"f","response":"a"}}]}`, ``), want: "function_response.response'"},
		{name: "answer with a reference", body: chatGemini(callsGemini(``)+`,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"$ref":"a"}}},{"functionResponse":{"name":"g","response":{}}}]}`, ``), want: "'$ref' is not allowed"},
		{name: "answer with a PDF", body: chatGemini(callsGemini(``)+`,{"role":"user","parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"mimeType":"application/pdf","data":"`+tinyPDF+`"}}]}},{"functionResponse":{"name":"g","response":{}}}]}`, ``), want: "Unsupported MIME type: application/pdf"},
		{name: "unsigned call", model: "gemini-3-flash", body: chatGemini(callsGemini(``)+`,`+answersGemini("f", "g"), ``), want: "Function call is missing a thought_signature"},
		{name: "forged signature", model: "gemini-3-flash", body: chatGemini(signed, ``), want: "Corrupted thought signature"},
		{name: "forged on an older model", body: chatGemini(signed, ``), want: "Corrupted thought signature"},
		{name: "URL-safe base64", body: part(`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo-_w=="}}`), want: "Base64 decoding failed"},
		{name: "unpadded base64", body: part(`{"inlineData":{"mimeType":"text/plain","data":"aGk"}}`), want: "Base64 decoding failed"},
		{name: "MIME type", body: part(`{"inlineData":{"mimeType":"application/msword","data":"aGk="}}`), want: "Unsupported MIME type: application/msword"},
		{name: "not an image", body: part(`{"inlineData":{"mimeType":"image/png","data":"aGk="}}`), want: "Unable to process input image"},
		{name: "additionalProperties", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"additionalProperties":false}`), want: `Unknown name "additionalProperties" at 'tools[0].function_declarations[0].parameters'`},
		{name: "$ref", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"$ref":"#"}}}`), want: `Unknown name "$ref"`},
		{name: "enum of numbers", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"INTEGER","enum":[1]}}}`), want: "(TYPE_STRING), 1"},
		{name: "no properties", body: declare(`"parameters":{"type":"OBJECT","properties":{}}`), want: "should be non-empty for OBJECT type"},
		{name: "list of what", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"ARRAY"}}}`), want: "items: missing field"},
		{name: "format", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING","format":"uuid"}}}`), want: "only 'enum' and 'date-time' are supported"},
		{name: "required but not there", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING"}},"required":["b"]}`), want: "property is not defined"},
		{name: "both spellings", body: declare(`"parameters":{"type":"OBJECT","properties":{"a":{"type":"STRING"}}},"parametersJsonSchema":{}`), want: "mutually exclusive"},
		{name: "const", body: declare(`"parametersJsonSchema":{"type":"object","properties":{"a":{"const":"x"}}}`), want: "unsupported JSON Schema keyword 'const'"},
		{name: "words beside $ref", body: declare(`"parametersJsonSchema":{"type":"object","properties":{"a":{"$ref":"#/$defs/a","title":"x"}},"$defs":{"a":{}}}`), want: "may not have 'title' beside it"},
		{name: "needs itself", body: declare(`"parametersJsonSchema":{"type":"object","properties":{"a":{"$ref":"#"}},"required":["a"]}`), want: "cyclic references"},
		{name: "function's name", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"3d"}]}]`), want: "Invalid function name"},
		{name: "two of a name", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"},{"name":"f"}]}]`), want: "Duplicate function declaration found: f"},
		{name: "two lists", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"}]},{"functionDeclarations":[{"name":"g"}]}]`), want: "Multiple tools are supported only when they are all search tools"},
		{name: "two kinds in one tool", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"}],"googleSearch":{}}]`), want: "exactly one kind"},
		{name: "choice without tools", body: chatGemini(userGemini, `"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}`), want: "set without function_declarations"},
		{name: "choice of nothing", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["g"]}}`), want: "contains 'g'"},
		{name: "names without force", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"AUTO","allowedFunctionNames":["f"]}}`), want: "only when function calling mode is ANY"},
		{name: "both kinds of thinking", model: "gemini-3-flash", body: config(`"thinkingConfig":{"thinkingLevel":"LOW","thinkingBudget":1024}`), want: "only one of thinking budget and thinking level"},
		{name: "level of an older model", body: config(`"thinkingConfig":{"thinkingLevel":"LOW"}`), want: "Thinking level is not supported"},
		{name: "minimal pro", model: "gemini-3.1-pro", body: config(`"thinkingConfig":{"thinkingLevel":"MINIMAL"}`), want: "MINIMAL is not supported"},
		{name: "no thinking on pro", model: "gemini-2.5-pro", body: config(`"thinkingConfig":{"thinkingBudget":0}`), want: "Budget 0 is invalid"},
		{name: "large budget", body: config(`"thinkingConfig":{"thinkingBudget":32768}`), want: "The thinking budget 32768 is invalid"},
		{name: "schema without its type", body: config(`"responseSchema":{"type":"STRING"}`), want: "only allowed when response_mime_type"},
		{name: "tools and JSON", body: chatGemini(userGemini, `"tools":[{"functionDeclarations":[{"name":"f"}]}],"generationConfig":{"responseMimeType":"application/json"}`), want: "Function calling with a response mime type: 'application/json' is unsupported"},
	})
}

const userGemini = `{"role":"user","parts":[{"text":"hi"}]}`

func chatGemini(contents, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return `{"contents":[` + contents + `]` + fields + `}`
}

// callsGemini is a user and two calls, f and g; the first has more fields.
func callsGemini(more string) string {
	return userGemini + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}}` + more + `},{"functionCall":{"name":"g","args":{}}}]}`
}

func answersGemini(names ...string) string {
	parts := ""
	for _, n := range names {
		parts += `,{"functionResponse":{"name":"` + n + `","response":{"output":"x"}}}`
	}
	return `{"role":"user","parts":[` + parts[1:] + `]}`
}
