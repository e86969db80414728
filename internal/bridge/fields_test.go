package bridge_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestHard1281FieldsOfAnotherKind has what a client wrote wrongly refused, by its name: passed over,
// a previous_response_id would be a conversation that is silently lost.
func TestHard1281FieldsOfAnotherKind(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	b := newBridge(t, s)
	for more, field := range map[string]string{
		`"previous_response_id":5`:                "previous_response_id",
		`"previous_response_id":["resp_1"]`:       "previous_response_id",
		`"text":"json"`:                           "text",
		`"text":{"format":"json_object"}`:         "text.format",
		`"reasoning":"high"`:                      "reasoning",
		`"reasoning":{"effort":3}`:                "reasoning.effort",
		`"include":"reasoning.encrypted_content"`: "include",
		`"metadata":"a"`:                          "metadata",
		`"metadata":{"a":1}`:                      "metadata.a",
		`"metadata":` + pairs(17, 1, 1):           "metadata",
		`"metadata":` + pairs(1, 65, 1):           "metadata",
		`"metadata":` + pairs(1, 1, 513):          "metadata.a",
		`"truncation":"middle"`:                   "truncation",
		`"tool_choice":5`:                         "tool_choice",
		`"parallel_tool_calls":"no"`:              "parallel_tool_calls",
		`"tools":{}`:                              "tools",
		`"instructions":5`:                        "instructions",
		`"reasoning":{"summary":true}`:            "reasoning.summary",
		`"stream_options":true`:                   "stream_options",
		`"max_output_tokens":"9"`:                 "max_output_tokens",
		`"max_tool_calls":"9"`:                    "max_tool_calls",
		`"temperature":"hot"`:                     "temperature",
		`"top_p":true`:                            "top_p",
		`"top_logprobs":"3"`:                      "top_logprobs",
		`"presence_penalty":[]`:                   "presence_penalty",
		`"frequency_penalty":{}`:                  "frequency_penalty",
		`"text":{"verbosity":1}`:                  "text.verbosity",
		`"user":5`:                                "user",
		`"safety_identifier":5`:                   "safety_identifier",
		`"prompt_cache_key":5`:                    "prompt_cache_key",
		`"service_tier":true`:                     "service_tier",
		`"text":{"format":{"type":"json_schema","json_schema":{"name":"n","schema":{}}}}`:                 "text.format.name",
		`"text":{"format":{"type":"json_schema","name":"n"}}`:                                             "text.format.schema",
		`"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"allowed_tools"}`:                 "tool_choice.tools",
		`"input":[{"role":"user","content":[{"type":"input_audio"}]}]`:                                    "input[0].content[0]",
		`"input":[{"role":"user","content":"x"},{"type":"function_call","call_id":"c","arguments":"{}"}]`: "input[1].name",
		`"input":[{"role":"user","content":[{"type":"input_text","text":5}]}]`:                            "input[0].content[0].text",
		`"input":[{"role":"user","content":[{"type":"input_image","image_url":{"url":"https://x"}}]}]`:    "input[0].content[0].image_url",
		`"input":[{"role":"user","content":["x"]}]`:                                                       "input[0].content[0].type",
		`"input":[{"type":"function_call","call_id":5,"name":"f","arguments":"{}"}]`:                      "input[0].call_id",
		`"input":[{"type":"function_call","call_id":"c","name":"f","arguments":5}]`:                       "input[0].arguments",
		`"input":[{"type":"custom_tool_call","call_id":"c","name":"f","input":{"a":1}}]`:                  "input[0].input",
		`"input":[{"content":"x"}]`:     "input[0].type",
		`"input":[{"type":"nonsense"}]`: "input[0]",
		`"tools":[{"name":"f"}]`:        "tools[0].type",
		`"tool_choice":"sometimes"`:     "tool_choice",
	} {
		body := `{"model":"m",` + more
		if !strings.Contains(more, `"input"`) {
			body += `,"input":"x"`
		}
		if status, _, got := post(t, b.URL+"/v1/responses", body+"}"); status != http.StatusBadRequest || gjson.Get(got, "error.param").Str != field {
			t.Errorf("%s: %d %s", more, status, got)
		}
	}
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
	for _, more := range []string{`"text":null`, `"reasoning":{"effort":null}`, `"metadata":{}`, `"metadata":{"a":"1"}`, `"metadata":` + pairs(16, 64, 512), `"truncation":"disabled"`, `"previous_response_id":null`, `"include":[]`,
		`"temperature":null`, `"temperature":0`, `"max_output_tokens":16`, `"user":null`, `"service_tier":"auto"`, `"stream_options":{"include_obfuscation":false}`} {
		if status, _, got := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x",`+more+`}`); status != http.StatusOK {
			t.Errorf("%s: %d %s", more, status, got)
		}
	}
	if status, _, got := post(t, b.URL+"/v1/conversations", `{"metadata":{"a":1}}`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, got)
	}
}

// pairs are so many members, whose keys and values have so many characters. The last sign
// of each key is another one, and values are of two bytes a character.
func pairs(n, key, value int) string {
	var list []string
	for i := range n {
		list = append(list, `"`+strings.Repeat("k", key-1)+string(rune('a'+i))+`":"`+strings.Repeat("é", value)+`"`)
	}
	return "{" + strings.Join(list, ",") + "}"
}

// TestWhatIsRepeatedIsWhole asks with as little as the API allows inside of what a response
// repeats.
func TestWhatIsRepeatedIsWhole(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, called))
	for _, more := range []string{
		`"reasoning":{}`, `"reasoning":{"effort":"low"}`, `"reasoning":{"summary":"auto"}`, `"text":{}`, `"text":{"verbosity":"low"}`, `"text":{"format":{"type":"json_object"}}`,
		`"text":{"format":{"type":"json_schema","name":"n","schema":{}}}`, `"tools":[{"type":"function","name":"f"},{"type":"custom","name":"p"},{"type":"local_shell"}]`,
	} {
		_, _, events := post(t, b.URL+"/v1/responses", `{"model":"m","stream":true,"input":"x",`+more+`}`)
		last := lawful(t, events)
		if sent := gjson.Get("{"+more+"}", "text.verbosity"); last.Get("text.verbosity").Raw != sent.Raw {
			t.Errorf("%s: %s", more, last.Get("text").Raw)
		}
	}
}

// TestRefusalsNameTheFieldsOfTheClient has the server refuse a field that it calls otherwise.
func TestRefusalsNameTheFieldsOfTheClient(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ refusal, param, message string }{
		"another name": {`{"error":{"message":"max_completion_tokens must be a whole number.","param":"max_completion_tokens"}}`, "max_output_tokens", "max_output_tokens must be a whole number."},
		"nested":       {`{"error":{"message":"response_format.json_schema.name is missing.","param":"response_format.json_schema.name"}}`, "text.format.name", "text.format.json_schema.name is missing."},
		"the same":     {`{"error":{"message":"temperature must be less.","param":"temperature"}}`, "temperature", "temperature must be less."},
		"of no item":   {`{"error":{"message":"messages[0].content is odd.","param":"messages[0].content"}}`, "input", "messages[0].content is odd."},
		"of an item":   {`{"error":{"message":"messages[1].content[2].image_url: odd.","param":"messages[1].content[2]"}}`, "input[0]", "input[0].content[2].image_url: odd."},
		"of messages":  {`{"error":{"message":"messages is odd.","param":"messages"}}`, "input", "messages is odd."},
		"of a tool":    {`{"error":{"message":"Odd.","param":"tools[1].function.name"}}`, "tools", "Odd."},
		"none":         {`{"error":{"message":"max_completion_tokens is odd.","param":null}}`, "", "max_completion_tokens is odd."},
		"no object":    {`{"error":"max_completion_tokens"}`, "", "What stands before the Stele server answered with status 400: max_completion_tokens."},
	} {
		s := newServer(t, c.refusal)
		s.status = http.StatusBadRequest
		status, _, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","instructions":"s","input":"x"}`)
		if status != http.StatusBadRequest || gjson.Get(body, "error.param").Str != c.param || gjson.Get(body, "error.message").Str != c.message {
			t.Errorf("%s: %d %s", name, status, body)
		}
	}
}

// TestWholeAnswersFailAsStreamsDo has the server fail in its stream where a client waits for
// the whole: what is wrong with the request is not told as a server's fault, which clients
// would pay for once more.
func TestWholeAnswersFailAsStreamsDo(t *testing.T) {
	t.Parallel()
	for code, want := range map[string]struct {
		status int
		retry  string
	}{
		"invalid_parameter": {http.StatusBadRequest, "false"}, "invalid_api_key": {http.StatusUnauthorized, "false"}, "permission_denied": {http.StatusForbidden, "false"},
		"model_not_found": {http.StatusNotFound, "false"}, "content_policy_violation": {http.StatusBadRequest, "false"}, "context_length_exceeded": {http.StatusBadRequest, "false"},
		"rate_limit_exceeded": {http.StatusTooManyRequests, ""}, "insufficient_quota": {http.StatusTooManyRequests, ""}, "unavailable": {http.StatusServiceUnavailable, ""},
		"upstream_error": {http.StatusBadGateway, ""}, "upstream_timeout": {http.StatusGatewayTimeout, ""}, "of_another_server": {http.StatusBadGateway, ""},
	} {
		b := newBridge(t, newServer(t, `data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}`+"\n\n"+`data: {"error":{"message":"No.","code":"`+code+`"}}`+"\n\n"))
		status, header, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x"}`)
		if status != want.status || header.Get("X-Should-Retry") != want.retry || gjson.Get(body, "error.code").Str != code {
			t.Errorf("%s: %d %s", code, status, body)
		}
	}
}

// TestACutCallIsTold has a call of a tool that OpenAI has defined break off: the last event
// has no item that no event told of.
func TestACutCallIsTold(t *testing.T) {
	t.Parallel()
	for _, arguments := range []string{`{\"type\":\"delete_file\",\"path\":\"a\"}`, `{\"type\":\"del`, ``} {
		b := newBridge(t, newServer(t, `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"apply_patch","arguments":"`+
			arguments+`"}}]},"finish_reason":"length"}]}`+"\n\ndata: [DONE]\n\n"))
		_, _, events := post(t, b.URL+"/v1/responses", `{"model":"m","stream":true,"input":"x","tools":[{"type":"apply_patch"}]}`)
		if last := lawful(t, events); last.Get("output.0.status").Str != "incomplete" || strings.Contains(events, "output_item.done") {
			t.Error(events)
		}
	}
}

// TestItemsAreListedWhole lists items as OpenAI's libraries expect them, with the same ids in
// a conversation as with the response that was asked with them.
func TestItemsAreListedWhole(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, spoken))
	thread := made(t, b.URL+"/v1/conversations", `{}`)
	id := member(t, b.URL+"/v1/responses", `{"model":"m","conversation":"`+thread+`","input":[{"role":"user","content":"a"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},`+
		`{"type":"function_call_output","call_id":"c","output":"x"},{"role":"assistant","content":"b"}]}`)
	_, _, asked := ask(t, "GET", b.URL+"/v1/responses/"+id+"/input_items?order=asc", "")
	_, _, kept := ask(t, "GET", b.URL+"/v1/conversations/"+thread+"/items?order=asc", "")
	for i, prefix := range []string{"msg_", "fc_", "item_", "msg_"} {
		item := gjson.Get(asked, "data").Array()[i]
		if !strings.HasPrefix(item.Get("id").Str, prefix) || item.Get("status").Str != "completed" || item.Raw != gjson.Get(kept, "data").Array()[i].Raw {
			t.Errorf("%s %s", item.Raw, kept)
		}
	}
	if !gjson.Get(asked, "data.3.content.0.annotations").IsArray() {
		t.Error(asked)
	}
}

// TestOddResultsAreCarried has results of tools that are neither texts nor lists reach the model,
// and instructions that are all there is.
func TestOddResultsAreCarried(t *testing.T) {
	t.Parallel()
	const call = `{"role":"user","content":"x"},{"type":"function_call","call_id":"c","name":"f","arguments":"{}"},`
	for input, want := range map[string]string{
		call + `{"type":"function_call_output","call_id":"c","output":5}`:         `"5"`,
		call + `{"type":"function_call_output","call_id":"c","output":true}`:      `"true"`,
		call + `{"type":"function_call_output","call_id":"c","output":{"a": 1}}`:  `"{\"a\":1}"`,
		call + `{"type":"function_call_output","call_id":"c","output":null}`:      `""`,
		`{"role":"developer","content":"Say hello."}`:                             `"Say hello."`,
		`{"role":"system","content":[{"type":"input_text","text":"Say hello."}]}`: `"Say hello."`,
	} {
		s := newServer(t, spoken)
		status, _, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":[`+input+`]}`)
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", input, status, body)
		} else if got := gjson.GetBytes(s.last(), "messages|@reverse|0.content").Raw; got != want {
			t.Errorf("%s: %s", input, got)
		}
	}
	if status, _, body := post(t, newBridge(t, newServer(t, spoken)).URL+"/v1/responses", `{"model":"m","instructions":"x"}`); status != http.StatusBadRequest {
		t.Errorf("%d %s", status, body)
	}
}

// TestCallsAreAsOpenAIHasDefinedThem has models leave out what they may think empty, or write another
// form than the tool's: @openai/agents refuses a whole response for one item that is not as defined.
func TestCallsAreAsOpenAIHasDefinedThem(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ kind, arguments, path, want string }{
		{"apply_patch", `{"type":"create_file","path":"a"}`, "operation", `{"type":"create_file","path":"a","diff":""}`},
		{"apply_patch", `{"type":"delete_file","path":"a"}`, "operation", `{"type":"delete_file","path":"a"}`},
		{"apply_patch", `{"type":"move_file","path":"a"}`, "type", `"function_call"`},
		{"apply_patch", `{"type":"update_file","path":"a","diff":["x"]}`, "type", `"function_call"`},
		{"apply_patch", `{"type":"delete_file","path":"a","diff":null}`, "operation", `{"type":"delete_file","path":"a"}`},
		{"apply_patch", `{"type":"update_file","path":"a","diff":"@@\n+x"}`, "operation.diff", `"@@\n+x"`},
		{"shell", `{"commands":["ls"],"timeout_ms":"9"}`, "action", `{"commands":["ls"],"timeout_ms":null,"max_output_length":null}`},
		{"shell", `{"commands":"ls"}`, "action.commands", `["ls"]`},
		{"shell", `{"commands":[1]}`, "type", `"function_call"`},
		{"local_shell", `{"command":["ls",5]}`, "type", `"function_call"`},
		{"local_shell", `{}`, "type", `"function_call"`},
	} {
		quoted, err := json.Marshal(c.arguments)
		if err != nil {
			t.Fatal(err)
		}
		b := newBridge(t, newServer(t, chunks("tool_calls", callOf(`"id":"c","function":{"name":"`+c.kind+`","arguments":`+string(quoted)+`}`))))
		_, _, events := post(t, b.URL+"/v1/responses", `{"model":"m","stream":true,"input":"x","tools":[{"type":"`+c.kind+`"}]}`)
		if got := lawful(t, events).Get("output.0." + c.path).Raw; got != c.want {
			t.Errorf("%s %s: %s", c.kind, c.arguments, got)
		}
	}
}
