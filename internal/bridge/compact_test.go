package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestAConversationIsMadeShorter has a conversation summed up, and goes on from that.
func TestAConversationIsMadeShorter(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	at := newBridge(t, s).URL + "/v1/responses"
	const long = `{"model":"m","instructions":"Be kind.","input":[{"role":"user","content":"Look at a.txt"},` +
		`{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"c1","name":"read","arguments":"{\"path\":\"a.txt\"}"},` +
		`{"type":"function_call_output","call_id":"c1","output":"forty-two"},{"role":"assistant","content":"It says forty-two."},` +
		`{"role":"user","content":[{"type":"input_text","text":"And this?"},{"type":"input_image","image_url":"data:image/png;base64,AAAA"}]}]}`
	status, _, body := post(t, at+"/compact", long)
	short := gjson.Parse(body)
	if status != http.StatusOK || short.Get("object").Str != "response.compaction" || !short.Get("usage").Exists() {
		t.Fatalf("%d %s", status, body)
	}
	asked := gjson.ParseBytes(s.last())
	told := asked.Get("messages.1.content").Str
	for _, want := range []string{"Be kind.", "Look at a.txt", `assistant calls read:` + "\n" + `{"path":"a.txt"}`, "forty-two", "It says forty-two.", "And this?\n(image)"} {
		if !strings.Contains(told, want) {
			t.Errorf("the model is not told %q:\n%s", want, told)
		}
	}
	if asked.Get("messages.#").Int() != 2 || asked.Get("tools").Exists() {
		t.Errorf("asked %s", asked)
	}
	var kinds []string
	for _, item := range short.Get("output").Array() {
		kinds = append(kinds, item.Get("type").Str+item.Get("role").Str)
	}
	if got, want := strings.Join(kinds, " "), "messageuser messageuser compaction"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	input := strings.TrimSuffix(short.Get("output").Raw, "]") + `,{"role":"user","content":"Go on."}]`
	if status, head, body := post(t, at, `{"model":"m","input":`+input+`}`); status != http.StatusOK || head.Get("X-Stele-Dropped") != "" {
		t.Errorf("%d %s %s", status, head, body)
	}
	if got := messages(t, s.last()); !strings.Contains(got, `Summary of the conversation until now:\n\nHello`) || !strings.HasSuffix(got, `{"role":"user","content":"Go on."}]`) {
		t.Errorf("asked %s", got)
	}
	// It can be made shorter again.
	if status, _, body := post(t, at+"/compact", `{"model":"m","input":`+input+`}`); status != http.StatusOK || !strings.Contains(string(s.last()), "summary of what was before") {
		t.Errorf("%d %s", status, body)
	}
}

// TestNothingIsMadeShorter has a model that writes none, servers that refuse, and what
// another service has written.
func TestNothingIsMadeShorter(t *testing.T) {
	t.Parallel()
	s := newServer(t, `data: {"choices":[{"index":0,"delta":{"role":"assistant"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	at := newBridge(t, s).URL + "/v1/responses"
	if status, _, body := post(t, at+"/compact", `{"model":"m","input":"x"}`); status < 500 || gjson.Get(body, "error.message").Str == "" {
		t.Errorf("%d %s", status, body)
	}
	s.status, s.answer = http.StatusNotFound, `{"error":{"message":"There is no model m.","type":"invalid_request_error","param":null,"code":"model_not_found"}}`
	if status, _, body := post(t, at+"/compact", `{"model":"m","input":"x"}`); status != http.StatusNotFound || body != s.answer {
		t.Errorf("%d %s", status, body)
	}
	for _, body := range []string{`{"model":"m"}`, `{"input":"x"}`, `{"model":"m","previous_response_id":"resp_none"}`} {
		if status, _, got := post(t, at+"/compact", body); status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", body, status, got)
		}
	}
	s.status, s.answer = http.StatusOK, spoken
	_, head, _ := post(t, at, `{"model":"m","input":[{"type":"compaction","encrypted_content":"of another"},{"role":"user","content":"x"}]}`)
	if told := head.Get("X-Stele-Dropped"); !strings.Contains(told, "input[0]") {
		t.Errorf("told %q", told)
	}
}
