package bridge_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// chunks are a stream of the server's: each a delta, or a whole frame where it does not
// begin with a member, and a finish reason unless that is "".
func chunks(finish string, deltas ...string) string {
	var s strings.Builder
	for _, d := range deltas {
		if !strings.HasPrefix(d, "{") {
			d = `{"id":"c","choices":[{"index":0,"delta":{` + d + `},"finish_reason":null}]}`
		}
		s.WriteString("data: " + d + "\n\n")
	}
	if finish != "" {
		s.WriteString(`data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"` + finish + `"}]}` + "\n\n")
	}
	return s.String() + "data: [DONE]\n\n"
}

// callOf is a delta with one call.
func callOf(members string) string { return `"tool_calls":[{` + members + `}]` }

const (
	argsBegin = `"function":{"name":"f","arguments":"{\"a\""}`
	argsEnd   = `"function":{"arguments":":1}"}`
)

// TestHardStreams has what servers do to a stream that passes through, each told to a
// client as lawful events whose last response is as wanted.
func TestHardStreams(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		stream string
		want   map[string]string // of the last response, by paths
	}{
		"calls without numbers": {
			chunks("tool_calls", callOf(`"id":"a",`+argsBegin), callOf(argsEnd), callOf(`"id":"b",`+argsBegin), callOf(argsEnd)),
			map[string]string{"output.#.call_id": `["a","b"]`, "output.#.arguments": `["{\"a\":1}","{\"a\":1}"]`},
		},
		"calls of one number": {
			chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), callOf(`"index":0,"id":"b","function":{"name":"g","arguments":"{}"}`)),
			map[string]string{"output.#.name": `["f","g"]`, "output.#.arguments": `["{}","{}"]`},
		},
		"calls by turns": {
			chunks("tool_calls", callOf(`"index":0,"id":"a",`+argsBegin), callOf(`"index":1,"id":"b",`+argsBegin), callOf(`"index":0,`+argsEnd), callOf(`"index":1,`+argsEnd)),
			map[string]string{"output.#.call_id": `["a","b"]`, "output.#.arguments": `["{\"a\":1}","{\"a\":1}"]`, "output.#.status": `["completed","completed"]`},
		},
		"two calls in one frame": {
			chunks("tool_calls", `"tool_calls":[{"index":0,"id":"a",`+argsBegin+`},{"index":1,"id":"b",`+argsBegin+`}]`, `"tool_calls":[{"index":0,`+argsEnd+`},{"index":1,`+argsEnd+`}]`),
			map[string]string{"output.#.arguments": `["{\"a\":1}","{\"a\":1}"]`},
		},
		"a name told again and again": {
			chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{"}`), callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"}"}`)),
			map[string]string{"output.#.name": `["f"]`, "output.0.arguments": `"{}"`},
		},
		"an id that comes late": {
			chunks("tool_calls", callOf(`"index":0,"function":{"name":"f","arguments":"{"}`), callOf(`"index":0,"id":"a","function":{"arguments":"}"}`)),
			map[string]string{"output.#": "1", "output.0.arguments": `"{}"`},
		},
		"arguments that are no text": {
			chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":{"a":1}}`)),
			map[string]string{"output.0.arguments": `"{\"a\":1}"`},
		},
		"no arguments":      {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"f"}`)), map[string]string{"output.0.arguments": `"{}"`}},
		"a function's call": {chunks("function_call", `"function_call":{"name":"f","arguments":"{"}`, `"function_call":{"arguments":"}"}`), map[string]string{"output.#.name": `["f"]`, "output.0.arguments": `"{}"`}},
		"words inside a call": {
			chunks("tool_calls", callOf(`"index":0,"id":"a",`+argsBegin), `"content":"well"`, callOf(`"index":0,`+argsEnd)),
			map[string]string{"output.#.type": `["function_call","message"]`, "output.0.arguments": `"{\"a\":1}"`, "output.1.content.0.text": `"well"`},
		},
		"words behind a call": {
			chunks("stop", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), `"content":"done"`),
			map[string]string{"output.#.type": `["function_call","message"]`, "status": `"completed"`},
		},
		"a thought inside a call": {
			chunks("tool_calls", callOf(`"index":0,"id":"a",`+argsBegin), `"reasoning_details":[{"type":"reasoning.text","text":"hm","signature":"s","index":0}]`, callOf(`"index":0,`+argsEnd)),
			map[string]string{"output.#.type": `["function_call","reasoning"]`, "output.0.arguments": `"{\"a\":1}"`},
		},
		"thoughts between tags": {
			chunks("stop", `"content":"<thi"`, `"content":"nk>\nhm"`, `"content":"</think>\n\nhi"`),
			map[string]string{"output.#.type": `["reasoning","message"]`, "output.0.summary.0.text": `"hm"`, "output.1.content.0.text": `"hi"`},
		},
		"words in a list": {
			chunks("stop", `"content":[{"type":"thinking","thinking":[{"type":"text","text":"hm"}]},{"type":"text","text":"hi"}]`),
			map[string]string{"output.#.type": `["reasoning","message"]`, "output.0.summary.0.text": `"hm"`, "output.1.content.0.text": `"hi"`},
		},
		"thoughts by two names": {chunks("stop", `"reasoning":"hm","reasoning_content":"hm"`, `"content":"hi"`), map[string]string{"output.0.summary.#.text": `["hm"]`}},
		"thoughts by details alone": {
			chunks("stop", `"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]`, `"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","index":0}]`, `"content":"hi"`),
			map[string]string{"output.0.summary.#.text": `["hm"]`, "output.#": "2"},
		},
		"a thought that only its server reads": {
			chunks("stop", `"reasoning_details":[{"type":"reasoning.encrypted","data":"xyz","index":0,"format":"f","id":"r"}]`, `"content":"hi"`),
			map[string]string{"output.#.type": `["reasoning","message"]`, "output.0.summary": "[]"},
		},
		"an end that is told twice": {
			chunks("stop", `"content":"a"`, `{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`),
			map[string]string{"output.#": "1", "usage.total_tokens": "2"},
		},
		"usage in every chunk": {
			chunks("stop", `{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":0,"total_tokens":3}}`, `{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":3,"completion_tokens":5,"total_tokens":8,"completion_tokens_details":{"reasoning_tokens":4}}}`),
			map[string]string{"usage.input_tokens": "3", "usage.output_tokens": "5", "usage.output_tokens_details.reasoning_tokens": "4", "usage.total_tokens": "8"},
		},
		"only the last word":     {chunks("", `"content":"a"`), map[string]string{"status": `"completed"`}},
		"frames of every sort":   {strings.ReplaceAll("\xef\xbb\xbf: comment\n\nretry: 3\nid: 7\n\n"+strings.ReplaceAll(chunks("stop", `"content":"a"`, `{"choices":null}`, `"content":""`), "data: ", "data:"), "\n", "\r\n"), map[string]string{"output.0.content.0.text": `"a"`}},
		"a character cut in two": {chunks("stop", `"content":"a\ud83d"`, `"content":"\ude00b"`), map[string]string{"output.0.content.0.text": `"a😀b"`}},
		"a refusal":              {chunks("stop", `"refusal":"No"`, `"refusal":"."`), map[string]string{"status": `"completed"`, "output.0.content": `[{"type":"refusal","refusal":"No."}]`}},
		"words and a refusal":    {chunks("stop", `"content":"Well"`, `"refusal":"No."`), map[string]string{"output.#": "1", "output.0.content.#.type": `["output_text","refusal"]`}},
		"a filter":               {chunks("content_filter", `"content":"We"`), map[string]string{"status": `"incomplete"`, "incomplete_details.reason": `"content_filter"`, "output.0.status": `"incomplete"`}},
		"cut off by the limit":   {chunks("length", `"content":"We"`), map[string]string{"status": `"incomplete"`, "incomplete_details.reason": `"max_output_tokens"`}},
		"a call cut off by the limit": {
			chunks("length", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), callOf(`"index":1,"id":"b",`+argsBegin)),
			map[string]string{"status": `"incomplete"`, "output.#.status": `["completed","incomplete"]`},
		},
		"an error in words":        {chunks("", `"content":"We"`, `{"error":"out of memory"}`), map[string]string{"status": `"failed"`, "error.code": `"server_error"`, "error.message": `"out of memory"`, "output.0.status": `"incomplete"`, "output.0.content.0.text": `"We"`}},
		"an error with a number":   {chunks("", `{"error":{"code":502,"message":"Bad gateway"}}`), map[string]string{"error.code": `"server_error"`, "error.message": `"Bad gateway"`, "output": "[]"}},
		"an error inside thoughts": {chunks("", `"reasoning_content":"hm"`, `{"error":{"code":"server_is_overloaded","message":"Busy"}}`), map[string]string{"error.code": `"server_is_overloaded"`, "output.0.summary.0.text": `"hm"`}},
		"nothing at all":           {"", map[string]string{"status": `"failed"`}},
		"what is no JSON":          {"data: <html>\n\n", map[string]string{"status": `"failed"`, "error.code": `"server_error"`}},
		"how likely words are": {
			chunks("stop", `{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":[97],"top_logprobs":[]}]}}]}`),
			map[string]string{"output.0.content.0.logprobs.#.token": `["a"]`},
		},
		"how likely words are, in few words": {
			chunks("stop", `{"choices":[{"index":0,"delta":{"content":"a"},"logprobs":{"content":[{"token":"a","logprob":-1,"bytes":null}]}}]}`),
			map[string]string{"output.0.content.0.logprobs.#.bytes": `[[]]`, "output.0.content.0.logprobs.#.top_logprobs": `[[]]`},
		},
		"a source in a second message": {
			chunks("stop", `"content":"éa"`, callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), `"content":"bcd"`, `"annotations":[{"type":"url_citation","url_citation":{"start_index":3,"end_index":5,"url":"https://a.example","title":"A"}}]`),
			map[string]string{"output.2.content.0.annotations": `[{"type":"url_citation","start_index":1,"end_index":3,"url":"https://a.example","title":"A"}]`},
		},
		"a tool in free text":                  {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"patch","arguments":"{\"input\":\"x\\ny\"}"}`)), map[string]string{"output.0.type": `"custom_tool_call"`, "output.0.input": `"x\ny"`}},
		"a tool in free text, otherwise named": {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"patch","arguments":"{\"patch\":\"x\"}"}`)), map[string]string{"output.0.input": `"x"`}},
		"a tool in mere text":                  {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"patch","arguments":"\"x\""}`)), map[string]string{"output.0.input": `"x"`}},
		"a tool in free text as a command":     {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"patch","arguments":"{\"command\":[\"patch\",\"x\"]}"}`)), map[string]string{"output.0.input": `"x"`}},
		"a namespace with a dot":               {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"mcp__node.js","arguments":"{}"}`)), map[string]string{"output.0.namespace": `"mcp__node__"`, "output.0.name": `"js"`}},
		"a namespace that is left out":         {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"js","arguments":"{}"}`)), map[string]string{"output.0.namespace": `"mcp__node__"`, "output.0.name": `"js"`}},
		"words of a template behind a name":    {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"mcp__node__js<|channel|>commentary","arguments":"{}"}`)), map[string]string{"output.0.namespace": `"mcp__node__"`, "output.0.name": `"js"`}},
		"a namespace that none has":            {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"functions.f","arguments":"{}"}`)), map[string]string{"output.0.namespace": "", "output.0.name": `"f"`}},
		"a tool that nobody offered":           {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"ghost","arguments":"{}"}`)), map[string]string{"output.0.type": `"function_call"`, "output.0.name": `"ghost"`}},
		"an id that was used before":           {chunks("tool_calls", callOf(`"index":0,"id":"old","function":{"name":"f","arguments":"{}"}`)), map[string]string{`output.#(call_id=="old")#|#`: "0", "output.#": "1"}},
		"one id for two calls":                 {chunks("tool_calls", callOf(`"index":0,"id":"a","function":{"name":"f","arguments":"{}"}`), callOf(`"index":1,"id":"a","function":{"name":"f","arguments":"{}"}`)), map[string]string{"output.#": "2", `output.#(call_id=="a")#|#`: "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBridge(t, newServer(t, c.stream))
			body := `"model":"m","store":false,"tools":[{"type":"custom","name":"patch"},{"type":"function","name":"f"},{"type":"namespace","name":"mcp__node__","tools":[{"type":"function","name":"js"}]}],"input":[{"role":"user","content":"go"},` +
				`{"type":"function_call","call_id":"old","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"old","output":"ok"}]}`
			status, _, events := post(t, b.URL+"/v1/responses", `{"stream":true,`+body)
			last := lawful(t, events)
			for path, want := range c.want {
				if got := last.Get(path).Raw; status != http.StatusOK || got != want {
					t.Errorf("%s is %s, want %s\n%s", path, got, want, last.Get("output").Raw)
				}
			}
			if strings.Contains(events, "\uFFFD") {
				t.Error(events)
			}
			// The same answer whole has the same items, or says that there is none.
			status, _, whole := post(t, b.URL+"/v1/responses", `{`+body)
			if failed := last.Get("status").Str == "failed"; failed != (status >= http.StatusInternalServerError) || failed != gjson.Get(whole, "error.message").Exists() {
				t.Errorf("whole: %d %s", status, whole)
			} else if !failed && gjson.Get(whole, "output.#.type").Raw != last.Get("output.#.type").Raw {
				t.Errorf("whole: %s", whole)
			}
		})
	}
}

// TestHardHistories has items as clients send them, and the messages that the server gets.
func TestHardHistories(t *testing.T) {
	t.Parallel()
	user := func(text string) string { return `{"role":"user","content":"` + text + `"}` }
	called := func(ids ...string) string {
		var list []string
		for _, id := range ids {
			list = append(list, `{"id":"`+id+`","type":"function","function":{"name":"f","arguments":"{}"}}`)
		}
		return `{"role":"assistant","content":null,"tool_calls":[` + strings.Join(list, ",") + `]}`
	}
	result := func(id string) string { return `{"role":"tool","content":"ok","tool_call_id":"` + id + `"}` }
	call := func(id string) string {
		return `{"type":"function_call","call_id":"` + id + `","name":"f","arguments":"{}"}`
	}
	output := func(id string) string { return `{"type":"function_call_output","call_id":"` + id + `","output":"ok"}` }
	nameless := func(tool string) string {
		return `{"type":"function_call_output","id":"fco_1","name":"` + tool + `","output":"ok"}`
	}
	list := func(items ...string) string { return strings.Join(items, ",") }
	for name, c := range map[string]struct{ input, want, dropped string }{
		"a message between a call and its result": {list(user("go"), call("a"), user("wait"), output("a")), list(user("go"), called("a"), result("a"), user("wait")), ""},
		"a developer between them":                {list(user("go"), call("a"), `{"role":"developer","content":"Mind."}`, output("a")), list(user("go"), called("a"), result("a"), `{"role":"system","content":"Mind."}`), ""},
		"a message between two results":           {list(user("go"), call("a"), call("b"), output("a"), user("wait"), output("b")), list(user("go"), called("a", "b"), result("a"), result("b"), user("wait")), ""},
		"a call between two results":              {list(user("go"), call("a"), call("b"), output("a"), call("c"), output("b"), output("c")), list(user("go"), called("a", "b"), result("a"), result("b"), called("c"), result("c")), ""},
		"words between two calls":                 {list(user("go"), call("a"), `{"type":"message","role":"assistant","content":[{"type":"output_text","text":"hm"}]}`, call("b"), output("b"), output("a")), list(user("go"), strings.Replace(called("a", "b"), "null", `"hm"`, 1), result("b"), result("a")), ""},
		"calls one after another":                 {list(user("go"), call("a"), output("a"), call("b"), output("b")), list(user("go"), called("a"), result("a"), called("b"), result("b")), ""},
		"one id for ever":                         {list(user("go"), call("a"), output("a"), call("a"), user("wait"), output("a")), list(user("go"), called("a"), result("a"), called("a"), result("a"), user("wait")), ""},
		"a call that was cut off":                 {list(user("go"), `{"type":"function_call","call_id":"a","name":"f","arguments":"{\"x","status":"incomplete"}`, user("on")), list(user("go"), user("on")), "input[1]; dropped"},
		"arguments that are no text":              {list(user("go"), `{"type":"function_call","call_id":"a","name":"f","arguments":{"x": 1}}`, output("a")), list(user("go"), strings.Replace(called("a"), `"{}"`, `"{\"x\":1}"`, 1), result("a")), ""},
		"a result without a call":                 {list(user("go"), output("a")), list(user("go"), result("a")), ""},
		"results that name no call":               {list(user("go"), call("a"), call("b"), nameless(""), user("wait"), nameless("")), list(user("go"), called("a", "b"), result("a"), result("b"), user("wait")), ""},
		"results that name their tools":           {list(user("go"), call("a"), strings.Replace(call("b"), `"f"`, `"g"`, 1), nameless("g"), nameless("f")), list(user("go"), strings.Replace(called("a", "b"), `"b","type":"function","function":{"name":"f"`, `"b","type":"function","function":{"name":"g"`, 1), result("b"), result("a")), ""},
		"one of two results names its call":       {list(user("go"), call("a"), call("b"), nameless("f"), output("a")), list(user("go"), called("a", "b"), result("b"), result("a")), ""},
		"a result that no model has asked for":    {list(user("go"), call("a"), user("stop"), `{"type":"function_call_output","id":"fco_1","name":"automation_update","namespace":"codex_app","output":"It is time."}`), list(user("go"), called("a"), user("stop"), user("It is time.")), ""},
		"a result that is all there is":           {`{"type":"function_call_output","id":"fco_1","name":"create_thread","output":[{"type":"input_text","text":"Count."},{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`, `{"role":"user","content":[{"type":"text","text":"Count."},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}`, ""},
		"one between calls and their results":     {list(user("go"), call("a"), call("b"), output("a"), `{"type":"function_call_output","id":"fco_1","name":"automation_update","output":"It is time."}`, output("b")), list(user("go"), called("a", "b"), result("a"), result("b"), user("It is time.")), ""},
		"a picture of the model's":                {list(user("draw"), `{"type":"image_generation_call","id":"ig_1","status":"completed","result":"AAAA","output_format":"webp"}`, user("on")), list(user("draw"), `{"role":"assistant","content":null,"images":[{"type":"image_url","image_url":{"url":"data:image/webp;base64,AAAA"}}]}`, user("on")), ""},
		"a picture that is not there":             {list(user("draw"), `{"type":"image_generation_call","id":"ig_1","result":null}`), user("draw"), "input[1]; dropped"},
		"what the server's tools did":             {list(user("go"), `{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"x"}}`, user("on")), list(user("go"), user("on")), "input[1]; dropped"},
		"a thought of another's":                  {list(user("go"), `{"type":"reasoning","summary":[],"encrypted_content":"gAAAA"}`, call("a"), output("a")), list(user("go"), called("a"), result("a")), "input[1].encrypted_content; dropped"},
		"a thought alone":                         {list(user("go"), `{"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]}`, user("on")), list(user("go"), user("on")), ""},
		"a thought in its content":                {list(user("go"), `{"type":"reasoning","summary":[],"content":[{"type":"reasoning_text","text":"hm"}]}`, call("a"), output("a")), list(user("go"), strings.Replace(called("a"), `null`, `null,"reasoning_content":"hm"`, 1), result("a")), ""},
		"a result in parts":                       {list(user("go"), call("a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"ok"},{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`, user("on")), list(user("go"), called("a"), `{"role":"tool","content":"ok\n(attached below)","tool_call_id":"a"}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}`, user("on")), ""},
		"a sound as Codex has it":                 {`{"role":"user","content":[{"type":"input_audio","audio_url":"data:audio/mpeg;base64,AAAA"}]}`, `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"mp3"}}]}`, ""},
		"a sound at an address":                   {`{"role":"user","content":[{"type":"input_audio","audio_url":"https://a.example/a.wav"}]}`, `{"role":"user","content":[{"type":"file","file":{"file_data":"https://a.example/a.wav"}}]}`, ""},
		"a sound that a tool found":               {list(user("go"), call("a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_audio","audio_url":"data:audio/x-wav;base64,AAAA"}]}`), list(user("go"), called("a"), `{"role":"tool","content":"(attached below)","tool_call_id":"a"}`, `{"role":"user","content":[{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}]}`), ""},
		"a result that another has encrypted":     {list(user("go"), call("a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"ok"},{"type":"encrypted_content","encrypted_content":"gAAAAABpXo"}]}`), list(user("go"), called("a"), result("a")), "input[2].output[1]; dropped"},
		"a result that is called encrypted":       {list(user("go"), call("a"), `{"type":"function_call_output","call_id":"a","output":[{"type":"encrypted_content","encrypted_content":"ok"}]}`), list(user("go"), called("a"), result("a")), ""},
		"words that another has encrypted":        {`{"role":"user","content":[{"type":"input_text","text":"go"},{"type":"encrypted_content","encrypted_content":"gAAAAABpXo"}]}`, user("go"), "input[0].content[1]; dropped"},
		"phases":                                  {list(user("go"), `{"role":"assistant","phase":"commentary","content":"a"}`, user("on"), `{"role":"assistant","phase":"final_answer","content":"b"}`, user("on")), list(user("go"), `{"role":"assistant","content":"a"}`, user("on"), `{"role":"assistant","content":"b"}`, user("on")), "input[].phase; dropped"},
		"phases that are none":                    {list(user("go"), `{"role":"assistant","phase":null,"content":"a"}`, user("on")), list(user("go"), `{"role":"assistant","content":"a"}`, user("on")), ""},
		"details that are not carried":            {`{"role":"user","content":[{"type":"input_file","file_url":"https://a.example/a.pdf","detail":"low"}]}`, `{"role":"user","content":[{"type":"file","file":{"file_data":"https://a.example/a.pdf"}}]}`, "input[0].content[0].detail; dropped"},
		"a search of tools that another ran":      {list(user("go"), `{"type":"tool_search_call","id":"tsc_1","call_id":null,"execution":"server","arguments":{"paths":["a"]}}`, `{"type":"tool_search_output","id":"tso_1","call_id":null,"execution":"server","tools":[]}`), list(user("go"), `{"role":"assistant","content":null,"tool_calls":[{"id":"tsc_1","type":"function","function":{"name":"tool_search","arguments":"{\"paths\":[\"a\"]}"}}]}`, `{"role":"tool","content":"[]","tool_call_id":"tsc_1"}`), ""},
		"where caches end": {
			list(`{"role":"developer","content":[{"type":"input_text","text":"Rules.","prompt_cache_breakpoint":{"mode":"explicit"}}]}`, `{"role":"developer","content":"More."}`, `{"role":"user","content":[{"type":"input_text","text":"go","cache_control":{"type":"ephemeral"}}]}`, call("a"),
				`{"type":"function_call_output","call_id":"a","output":[{"type":"input_text","text":"ok","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`, `{"role":"developer","content":[{"type":"input_text","text":"Now.","prompt_cache_breakpoint":{"mode":"explicit"}}]}`),
			list(`{"role":"system","content":[{"type":"text","text":"Rules.","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":"More."}]}`, `{"role":"user","content":[{"type":"text","text":"go","cache_control":{"type":"ephemeral"}}]}`, called("a"),
				`{"role":"tool","content":[{"type":"text","text":"ok","prompt_cache_breakpoint":{"mode":"explicit"}},{"type":"text","text":"(attached below)"}],"tool_call_id":"a"}`, `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}`,
				`{"role":"system","content":[{"type":"text","text":"Now.","prompt_cache_breakpoint":{"mode":"explicit"}}]}`), "",
		},
		"files":                   {list(`{"role":"user","content":[{"type":"input_file","file_url":"https://a.example/a.pdf","filename":"a.pdf"},{"type":"input_file","file_id":"f"}]}`), list(`{"role":"user","content":[{"type":"file","file":{"filename":"a.pdf","file_data":"https://a.example/a.pdf"}},{"type":"file","file":{"file_id":"f"}}]}`), ""},
		"pictures of two results": {list(user("go"), call("a"), call("b"), `{"type":"function_call_output","call_id":"a","output":[{"type":"input_image","image_url":"data:image/png;base64,AA"}]}`, output("b")), list(user("go"), called("a", "b"), `{"role":"tool","content":"(attached below)","tool_call_id":"a"}`, result("b"), `{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,AA"}}]}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, spoken)
			status, header, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","store":false,"input":[`+c.input+`]}`)
			if status != http.StatusOK {
				t.Fatal(status, body)
			}
			if got, want := messages(t, s.last()), "["+c.want+"]"; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if told := header.Get("X-Stele-Dropped"); !strings.HasPrefix(told, c.dropped) || c.dropped == "" && told != "" {
				t.Errorf("told %q", told)
			}
		})
	}
}

// TestAConversationThatIsTooLong is told in the stream, as OpenAI's own service does: Codex
// makes a conversation shorter on that word alone.
func TestAConversationThatIsTooLong(t *testing.T) {
	t.Parallel()
	s := newServer(t, `{"error":{"message":"This model's maximum context length is 8 tokens.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}`)
	s.status = http.StatusBadRequest
	b := newBridge(t, s)
	status, _, events := post(t, b.URL+"/v1/responses", `{"model":"m","stream":true,"input":"x"}`)
	if last := lawful(t, events); status != http.StatusOK || last.Get("error.code").Str != "context_length_exceeded" || last.Get("status").Str != "failed" {
		t.Errorf("%d %s", status, events)
	}
	if status, _, body := post(t, b.URL+"/v1/responses", `{"model":"m","input":"x"}`); status != http.StatusBadRequest || body != strings.Replace(s.answer, `"messages"`, `"input"`, 1) {
		t.Errorf("%d %s", status, body)
	}
}

// TestInputItemsComeInPages lists what a response was asked with.
func TestInputItemsComeInPages(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, spoken))
	url := b.URL + "/v1/responses"
	id := member(t, url, `{"model":"m","input":[{"role":"user","content":"a"},{"type":"message","role":"assistant","content":"b","id":"msg_b"},{"role":"user","content":[{"type":"input_text","text":"c"}]}]}`)
	var page struct {
		Object string
		Data   []struct {
			ID, Type, Role string
			Content        []struct{ Type, Text string }
		}
		FirstID string `json:"first_id"`
		LastID  string `json:"last_id"`
		HasMore bool   `json:"has_more"`
	}
	var seen []string
	for query := "?limit=2"; ; query = "?limit=2&after=" + page.LastID {
		status, _, body := ask(t, "GET", url+"/"+id+"/input_items"+query, "")
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK || page.Object != "list" || page.FirstID != page.Data[0].ID {
			t.Fatal(status, body, err)
		}
		for _, item := range page.Data {
			seen = append(seen, item.Type+" "+item.Role+" "+item.Content[0].Type+" "+item.Content[0].Text)
		}
		if !page.HasMore {
			break
		}
	}
	if got, want := strings.Join(seen, ", "), "message user input_text c, message assistant output_text b, message user input_text a"; got != want {
		t.Errorf("got %s", got)
	}
	if _, _, body := ask(t, "GET", url+"/"+id+"/input_items?order=asc&after=msg_b", ""); gjson.Get(body, "data.#.content.0.text").Raw != `["c"]` {
		t.Error(body)
	}
	for path, want := range map[string]string{"/input_items?limit=0": "limit", "/input_items?after=none": "after", "?stream=true": "background", "/cancel": ""} {
		if status, _, body := ask(t, "GET", url+"/"+id+path, ""); status < 400 || !strings.Contains(body, want) {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

// TestHardChoices has choices of tools of which some are not offered, and wishes beside them.
func TestHardChoices(t *testing.T) {
	t.Parallel()
	const tools = `"tools":[{"type":"function","name":"f"},{"type":"custom","name":"p"},{"type":"web_search"}]`
	for name, c := range map[string]struct{ more, path, want string }{
		"some of them":       {`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"function","name":"f"},{"type":"web_search"}]}`, "tool_choice.allowed_tools.tools.#.function.name", `["f"]`},
		"none of them":       {`"tool_choice":{"type":"allowed_tools","mode":"auto","tools":[{"type":"web_search"}]}`, "tool_choice", `"none"`},
		"one in free text":   {`"tool_choice":{"type":"custom","name":"p"}`, "tool_choice", `{"type":"function","function":{"name":"p"}}`},
		"how likely":         {`"include":["message.output_text.logprobs","reasoning.encrypted_content"]`, "logprobs", "true"},
		"how likely, others": {`"top_logprobs":3`, "top_logprobs", "3"},
		"a form": {
			`"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true},"verbosity":"low"}`, "response_format",
			`{"type":"json_schema","json_schema":{"name":"n","schema":{"type":"object"},"strict":true}}`,
		},
	} {
		s := newServer(t, spoken)
		status, _, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":"x",`+tools+`,`+c.more+`}`)
		if got := gjson.GetBytes(s.last(), c.path).Raw; status != http.StatusOK || got != c.want {
			t.Errorf("%s: %d %s %s", name, status, got, body)
		}
	}
	b := newBridge(t, newServer(t, spoken))
	for more, want := range map[string]string{
		`"tool_choice":{"type":"allowed_tools","mode":"required","tools":[{"type":"web_search"}]}`: "tool_choice",
		`"tool_choice":{"type":"mcp","server_label":"x"}`:                                          "tool_choice",
		`"instructions":["x"]`: "instructions",
		`"input":["x"]`:        "input[0]",
		`"input":[{"type":"message","role":"user","content":[{"type":"computer_screenshot"}]}]`: "computer_screenshot",
	} {
		body := `{"model":"m",` + tools + `,` + more
		if !strings.Contains(more, `"input"`) {
			body += `,"input":"x"`
		}
		if status, _, got := post(t, b.URL+"/v1/responses", body+"}"); status != http.StatusBadRequest || !strings.Contains(got, want) {
			t.Errorf("%s: %d %s", more, status, got)
		}
	}
}

// TestMarksOfCodeAroundJSON has a model that was only asked for it write JSON as code.
func TestMarksOfCodeAroundJSON(t *testing.T) {
	t.Parallel()
	at := newBridge(t, newServer(t, chunks("stop", "\"content\":\"```json\\n{\\\"a\\\":1}\"", "\"content\":\"\\n```\""))).URL + "/v1/responses"
	for format, want := range map[string]string{`{"type":"json_schema","name":"n","schema":{"type":"object"}}`: `{"a":1}`, `{"type":"text"}`: "```json\n{\"a\":1}\n```"} {
		_, _, body := post(t, at, `{"model":"m","input":"x","text":{"format":`+format+`}}`)
		if got := gjson.Get(body, "output.0.content.0.text").Str; got != want {
			t.Errorf("%s: %q", format, got)
		}
	}
}
