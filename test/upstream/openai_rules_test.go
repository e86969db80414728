package upstream

import (
	"fmt"
	"strings"
	"testing"
)

func TestOpenAITakesWhatIsRight(t *testing.T) {
	t.Parallel()
	const weather = `{"type":"function","function":{"name":"weather","parameters":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}}`
	rows(t, NewOpenAI(t), []row{
		{name: "a word", body: chatOpenAI(`{"role":"user","content":"hi"}`, ``)},
		{name: "empty text", body: chatOpenAI(`{"role":"user","content":""}`, ``)},
		{name: "nulls", body: chatOpenAI(`{"role":"user","content":"hi"}`, `"temperature":null,"stop":null,"tools":null,"stream_options":null`)},
		{name: "everywhere a system", body: chatOpenAI(`{"role":"developer","content":"a"},{"role":"user","content":"b"},{"role":"system","content":[{"type":"text","text":"c"}]}`, ``)},
		{name: "all media", body: chatOpenAI(`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,`+tinyPNG+`","detail":"low"}},{"type":"image_url","image_url":{"url":"https://example.com/a.png"}},{"type":"file","file":{"file_data":"data:application/pdf;base64,`+tinyPDF+`","filename":"a.pdf"}},{"type":"input_audio","input_audio":{"data":"aGk=","format":"wav"}}]}`, ``)},
		{name: "calls and answers", body: chatOpenAI(`{"role":"user","content":"b"},{"role":"assistant","content":null,"tool_calls":[`+callOpenAI("call_1")+`,`+callOpenAI("call_2")+`]},{"role":"tool","tool_call_id":"call_2","content":"2"},{"role":"tool","tool_call_id":"call_1","content":[{"type":"text","text":"1"}]},{"role":"user","content":"go on"}`, ``)},
		{name: "a tool of its own", body: chatOpenAI(`{"role":"user","content":"b"}`, `"tools":[`+weather+`],"tool_choice":{"type":"function","function":{"name":"weather"}},"parallel_tool_calls":false`)},
		{name: "strict", body: chatOpenAI(`{"role":"user","content":"b"}`, `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":{"type":"object","properties":{"a":{"type":["string","null"]},"b":{"$ref":"#/$defs/b"}},"required":["a","b"],"additionalProperties":false,"$defs":{"b":{"type":"object","properties":{},"required":[],"additionalProperties":false}}}}}`)},
		{name: "reasoning", body: `{"model":"gpt-5","messages":[{"role":"user","content":"b"}],"reasoning_effort":"high","max_completion_tokens":100,"temperature":1}`},
		{name: "newest with tools", body: `{"model":"gpt-5.6","messages":[{"role":"user","content":"b"}],"reasoning_effort":"none","tools":[` + weather + `],"temperature":0.3}`},
		{name: "usage in a stream", body: chatOpenAI(`{"role":"user","content":"b"}`, `"stream":true,"stream_options":{"include_usage":true}`)},
	})
}

func TestOpenAIRefusesWhatIsWrong(t *testing.T) {
	t.Parallel()
	user := `{"role":"user","content":"hi"}`
	tool := func(f string) string { return chatOpenAI(user, `"tools":[{"type":"function","function":`+f+`}]`) }
	strict := func(schema string) string {
		return chatOpenAI(user, `"response_format":{"type":"json_schema","json_schema":{"name":"x","strict":true,"schema":`+schema+`}}`)
	}
	part := func(p string) string { return chatOpenAI(`{"role":"user","content":[`+p+`]}`, ``) }
	reason := func(model, field string) string {
		return fmt.Sprintf(`{"model":%q,"messages":[%s],%s}`, model, user, field)
	}
	rows(t, NewOpenAI(t), []row{
		{name: "no key", body: chatOpenAI(user, ``), header: map[string]string{"Authorization": ""}, status: 401, want: "You didn't provide an API key"},
		{name: "wrong key", body: chatOpenAI(user, ``), header: map[string]string{"Authorization": "Bearer x"}, status: 401, want: `"code":"invalid_api_key"`},
		{name: "wrong path", path: "/v1/responses", body: `{}`, status: 404, want: "Invalid URL (POST /v1/responses)"},
		{name: "not json", body: `{"model":`, want: "could not parse the JSON body"},
		{name: "not UTF-8", body: "{\"model\":\"a\xff\"}", want: "could not parse the JSON body"},
		{name: "unknown field", body: chatOpenAI(user, `"top_k":1`), want: `Unknown parameter: 'top_k'.`},
		{name: "unknown field inside", body: chatOpenAI(`{"role":"assistant","content":"a","reasoning_content":"b"}`, ``), want: `Unknown parameter: 'messages[0].reasoning_content'.`},
		{name: "names are exact", body: `{"Model":"gpt-4.1","messages":[` + user + `]}`, want: `Unknown parameter: 'Model'.`},
		{name: "no model", body: `{"messages":[` + user + `]}`, want: "you must provide a model parameter"},
		{name: "no messages", body: `{"model":"gpt-4.1","messages":[]}`, want: "empty_array"},
		{name: "a string for a number", body: chatOpenAI(user, `"temperature":"0.5"`), want: "Invalid type for 'temperature': expected a decimal, but got a string instead."},
		{name: "too hot", body: chatOpenAI(user, `"temperature":3`), want: "Expected a value <= 2, but got 3 instead."},
		{name: "unknown role", body: chatOpenAI(`{"role":"model","content":"a"}`, ``), want: "Invalid value: 'model'. Supported values are: 'system'"},
		{name: "five stops", body: chatOpenAI(user, `"stop":["a","b","c","d","e"]`), want: "array_above_max_length"},
		{name: "options without a stream", body: chatOpenAI(user, `"stream_options":{"include_usage":true}`), want: "only allowed when 'stream' is enabled"},
		{name: "unknown part", body: part(`{"type":"image","source":{}}`), want: "Invalid value: 'image'."},
		{name: "bare string part", body: part(`"hi"`), want: "Invalid type for 'messages[0].content[0]'"},
		{name: "unanswered call", body: chatOpenAI(`{"role":"assistant","content":null,"tool_calls":[`+callOpenAI("call_1")+`]},`+user, ``), want: "did not have response messages: call_1"},
		{name: "late answer", body: chatOpenAI(`{"role":"assistant","content":null,"tool_calls":[`+callOpenAI("call_1")+`]},`+user+`,{"role":"tool","tool_call_id":"call_1","content":"a"}`, ``), want: "did not have response messages"},
		{name: "orphan answer", body: chatOpenAI(user+`,{"role":"tool","tool_call_id":"call_1","content":"a"}`, ``), want: "must be a response to a"},
		{name: "answer to another", body: chatOpenAI(`{"role":"assistant","tool_calls":[`+callOpenAI("call_1")+`]},{"role":"tool","tool_call_id":"call_1","content":"a"},{"role":"tool","tool_call_id":"call_9","content":"a"}`, ``), want: "'tool_call_id' of 'call_9' not found"},
		{name: "long id", body: chatOpenAI(`{"role":"assistant","tool_calls":[`+callOpenAI("call_"+strings.Repeat("x", 60))+`]}`, ``), want: "Expected a string with maximum length 40, but got a string with length 65"},
		{name: "no calls", body: chatOpenAI(`{"role":"assistant","content":null,"tool_calls":[]}`, ``), want: "empty_array"},
		{name: "nothing said", body: chatOpenAI(user+`,{"role":"assistant","content":null}`, ``), want: "expected a string, got null"},
		{name: "image in a tool's answer", body: chatOpenAI(`{"role":"assistant","tool_calls":[`+callOpenAI("call_1")+`]},{"role":"tool","tool_call_id":"call_1","content":[{"type":"image_url","image_url":{"url":"https://a"}}]}`, ``), want: "Invalid value: 'image_url'. Supported values are: 'text'."},
		{name: "tool's name", body: tool(`{"name":"a.b"}`), want: "does not match pattern"},
		{name: "long tool's name", body: tool(`{"name":"` + strings.Repeat("x", 65) + `"}`), want: "maximum length 64"},
		{name: "tool's schema", body: tool(`{"name":"a","parameters":{"type":"string"}}`), want: "schema must be a JSON Schema of 'type: \"object\"'"},
		{name: "strict tool", body: tool(`{"name":"a","strict":true,"parameters":{"type":"object","properties":{"a":{"type":"string"}},"additionalProperties":false}}`), want: "including every key in properties. Missing 'a'."},
		{name: "choice without tools", body: chatOpenAI(user, `"tool_choice":"auto"`), want: "'tool_choice' is only allowed when 'tools' are specified"},
		{name: "parallel without tools", body: chatOpenAI(user, `"parallel_tool_calls":true`), want: "'parallel_tool_calls' is only allowed when 'tools' are specified"},
		{name: "no tools", body: chatOpenAI(user, `"tools":[]`), want: "empty_array"},
		{name: "choice of nothing", body: chatOpenAI(user, `"tools":[{"type":"function","function":{"name":"a"}}],"tool_choice":{"type":"function","function":{"name":"b"}}`), want: "not found in 'tools'"},
		{name: "strict without additionalProperties", body: strict(`{"type":"object","properties":{}}`), want: "'additionalProperties' is required to be supplied and to be false"},
		{name: "strict with oneOf", body: strict(`{"type":"object","properties":{"a":{"oneOf":[]}},"required":["a"],"additionalProperties":false}`), want: "'oneOf' is not permitted"},
		{name: "strict list at the root", body: strict(`{"type":"array","items":{"type":"string"}}`), want: "got 'type: \"array\"'"},
		{name: "json unheard of", body: chatOpenAI(user, `"response_format":{"type":"json_object"}`), want: "must contain the word 'json'"},
		{name: "reasoning and max_tokens", body: reason("gpt-5", `"max_tokens":5`), want: "Use 'max_completion_tokens' instead."},
		{name: "reasoning and temperature", body: reason("o3", `"temperature":0.2`), want: "Only the default (1) value is supported."},
		{name: "reasoning and logprobs", body: reason("gpt-5.1", `"logprobs":true`), want: "'logprobs' is not supported with this model"},
		{name: "o3 and stop", body: reason("o3", `"stop":"a"`), want: "'stop' is not supported with this model"},
		{name: "effort of a plain model", body: chatOpenAI(user, `"reasoning_effort":"low"`), want: "'reasoning_effort' is not supported with this model"},
		{name: "gpt-5.4 with tools and effort", body: reason("gpt-5.4", `"reasoning_effort":"low","tools":[{"type":"function","function":{"name":"a"}}]`), want: "Please use /v1/responses instead"},
		{name: "gpt-5.6 with tools", body: reason("gpt-5.6", `"tools":[{"type":"function","function":{"name":"a"}}]`), want: "unless 'reasoning_effort' is 'none'"},
		{name: "unknown effort", body: reason("gpt-5", `"reasoning_effort":"ultra"`), want: "Supported values are: 'none', 'minimal'"},
		{name: "image of another type", body: part(`{"type":"image_url","image_url":{"url":"data:image/heic;base64,` + tinyPNG + `"}}`), want: "unsupported image"},
		{name: "image with newlines", body: part(`{"type":"image_url","image_url":{"url":"data:image/png;base64,` + tinyPNG[:8] + `\n` + tinyPNG[8:] + `"}}`), want: "Invalid base64"},
		{name: "file without a name", body: part(`{"type":"file","file":{"file_data":"data:application/pdf;base64,` + tinyPDF + `"}}`), want: "filename"},
		{name: "file that is no PDF", body: part(`{"type":"file","file":{"filename":"a","file_data":"data:text/plain;base64,aGk="}}`), want: "application/pdf MIME type, but got 'text/plain'"},
	})
}

func chatOpenAI(messages, fields string) string {
	if fields != "" {
		fields = "," + fields
	}
	return `{"model":"gpt-4.1","messages":[` + messages + `]` + fields + `}`
}

func callOpenAI(id string) string {
	return `{"id":"` + id + `","type":"function","function":{"name":"f","arguments":"{}"}}`
}
