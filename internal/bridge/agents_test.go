package bridge_test

import (
	"net/http"
	"testing"
)

// TestHard1265AgentsHearOfEachOther has what Codex's agents write to each other
// (ollama/ollama#18286, lidge-jun/opencodex#3911, router-for-me/CLIProxyAPI#5207): an agent
// has its task in such a message, and its answer comes in one.
func TestHard1265AgentsHearOfEachOther(t *testing.T) {
	t.Parallel()
	const from = `{"type":"agent_message","id":"amsg_1","author":"/root","recipient":"/root/sub","internal_chat_message_metadata_passthrough":{},"content":`
	const line = `Message from agent /root to agent /root/sub:`
	for name, row := range map[string]struct {
		input, want string
		dropped     bool
	}{
		"words":                    {from + `[{"type":"input_text","text":"Message Type: NEW_TASK\nCount."}]}`, `[{"role":"user","content":"` + line + `\n\nMessage Type: NEW_TASK\nCount."}]`, false},
		"a text":                   {from + `"Count."}`, `[{"role":"user","content":"` + line + `\n\nCount."}]`, false},
		"words that are no secret": {from + `[{"type":"input_text","text":"Payload:"},{"type":"encrypted_content","encrypted_content":"Count."}]}`, `[{"role":"user","content":"` + line + `\n\nPayload:\nCount."}]`, false},
		"words that are one":       {from + `[{"type":"input_text","text":"Payload:"},{"type":"encrypted_content","encrypted_content":"gAAAAABpXo"}]}`, `[{"role":"user","content":"` + line + `\n\nPayload:"}]`, true},
		"a picture":                {from + `[{"type":"input_text","text":"See."},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}`, `[{"role":"user","content":[{"type":"text","text":"` + line + `"},{"type":"text","text":"See."},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]`, false},
		"nothing":                  {from + `null},{"role":"user","content":"x"}`, `[{"role":"user","content":"x"}]`, false},
		"between a call and its result": {
			`{"role":"user","content":"x"},{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},` + from + `"Count."},{"type":"function_call_output","call_id":"c1","output":"y"}`,
			`[{"role":"user","content":"x"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","content":"y","tool_call_id":"c1"},{"role":"user","content":"` + line + `\n\nCount."}]`, false,
		},
	} {
		s := newServer(t, spoken)
		status, head, body := post(t, newBridge(t, s).URL+"/v1/responses", `{"model":"m","input":[`+row.input+`]}`)
		if status != http.StatusOK || (head.Get("X-Stele-Dropped") != "") != row.dropped {
			t.Errorf("%s: %d %s %s", name, status, head, body)
			continue
		}
		if got := messages(t, s.last()); got != row.want {
			t.Errorf("%s: asked\n  %s\nwant\n  %s", name, got, row.want)
		}
	}
}
