package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// TestAConversationGoesOn puts items into a conversation, has two responses go on with it,
// and looks at what the server was asked and what is listed afterwards.
func TestAConversationGoesOn(t *testing.T) {
	t.Parallel()
	s := newServer(t, called)
	b := newBridge(t, s)
	at := b.URL + "/v1/conversations"
	do := func(method, url, body string) gjson.Result {
		t.Helper()
		status, _, answer := ask(t, method, url, body)
		if status != http.StatusOK {
			t.Fatalf("%s %s: %d %s", method, url, status, answer)
		}
		return gjson.Parse(answer)
	}
	made := do("POST", at, `{"metadata":{"topic":"sea"},"items":[{"role":"system","content":"Be brief."}]}`)
	id := made.Get("id").Str
	if made.Get("object").Str != "conversation" || made.Get("metadata.topic").Str != "sea" || made.Get("created_at").Int() == 0 {
		t.Fatalf("%s", made)
	}
	items := at + "/" + id + "/items"
	added := do("POST", items, `{"items":[{"role":"user","content":"One"},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Two"}]}]}`)
	if added.Get("data.#").Int() != 2 || added.Get("data.0.content.0.type").Str != "input_text" || added.Get("data.0.status").Str != "completed" {
		t.Errorf("%s", added)
	}
	first := do("POST", b.URL+"/v1/responses", `{"model":"m","input":"Three","conversation":"`+id+`","tools":[{"type":"function","name":"f"}]}`)
	if first.Get("conversation.id").Str != id {
		t.Errorf("%s", first)
	}
	s.mu.Lock()
	s.answer = spoken
	s.mu.Unlock()
	second := do("POST", b.URL+"/v1/responses", `{"model":"m","store":false,"conversation":{"id":"`+id+`"},"input":[{"type":"function_call_output","call_id":"call_1","output":"done"}]}`)
	if got, want := roles(t, s.last()), "system user assistant user assistant tool"; got != want {
		t.Errorf("asked with %q, want %q", got, want)
	}
	listed := do("GET", items+"?order=asc&limit=100", "")
	var kinds []string
	for _, item := range listed.Get("data").Array() {
		kinds = append(kinds, item.Get("type").Str+item.Get("role").Str)
		if one := do("GET", items+"/"+item.Get("id").Str, ""); one.Raw != item.Raw {
			t.Errorf("%s is shown as %s", item, one)
		}
	}
	const want = "messagesystem messageuser messageassistant messageuser reasoning function_call function_call_output messageassistant"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("it has %q, want %q", got, want)
	}
	// What goes on from a response of the conversation has all that was before it.
	do("POST", b.URL+"/v1/responses", `{"model":"m","previous_response_id":"`+first.Get("id").Str+`","input":[{"type":"function_call_output","call_id":"call_1","output":"done"}]}`)
	if got, want := roles(t, s.last()), "system user assistant user assistant tool"; got != want {
		t.Errorf("asked with %q, want %q", got, want)
	}
	last := second.Get("output.0.id").Str
	do("DELETE", items+"/"+last, "")
	if page := do("GET", items+"?limit=1", ""); page.Get("data.0.type").Str != "function_call_output" || !page.Get("has_more").Bool() {
		t.Errorf("%s", page)
	}
	if changed := do("POST", at+"/"+id, `{"metadata":{"topic":"sky"}}`); changed.Get("metadata.topic").Str != "sky" || do("GET", at+"/"+id, "").Raw != changed.Raw {
		t.Errorf("%s", changed)
	}
	if gone := do("DELETE", at+"/"+id, ""); gone.Get("object").Str != "conversation.deleted" || !gone.Get("deleted").Bool() {
		t.Errorf("%s", gone)
	}
}

// roles are those of a chat's messages.
func roles(t *testing.T, body []byte) string {
	t.Helper()
	var list []string
	for _, message := range gjson.Parse(messages(t, body)).Array() {
		list = append(list, message.Get("role").Str)
	}
	return strings.Join(list, " ")
}

// TestConversationsThatAreNot asks for what is not there and sends what is none.
func TestConversationsThatAreNot(t *testing.T) {
	t.Parallel()
	b := newBridge(t, newServer(t, spoken))
	_, _, made := ask(t, "POST", b.URL+"/v1/conversations", "")
	id := gjson.Get(made, "id").Str
	here := "/v1/conversations/" + id
	for _, row := range []struct {
		method, path, body string
		status             int
	}{
		{"GET", "/v1/conversations/conv_none", "", http.StatusNotFound},
		{"GET", "/v1/conversations", "", http.StatusNotFound},
		{"GET", here + "/items/msg_none", "", http.StatusNotFound},
		{"DELETE", here + "/items/msg_none", "", http.StatusNotFound},
		{"GET", here + "/items?after=msg_none", "", http.StatusBadRequest},
		{"POST", here + "/items", `{"items":[]}`, http.StatusBadRequest},
		{"POST", here + "/items", `{"items":[{"role":"stranger","content":"x"}]}`, http.StatusBadRequest},
		{"POST", here + "/items", `{"items":[{"type":"item_reference","id":"msg_none"}]}`, http.StatusNotFound},
		{"POST", "/v1/conversations", `{"items":"x"}`, http.StatusBadRequest},
		{"POST", "/v1/conversations", `[]`, http.StatusBadRequest},
		{"GET", "/v1/responses/" + id, "", http.StatusNotFound},
		{"DELETE", "/v1/responses/" + id, "", http.StatusNotFound},
		{"POST", "/v1/responses", `{"model":"m","input":"x","conversation":"conv_none"}`, http.StatusNotFound},
		{"POST", "/v1/responses", `{"model":"m","input":"x","conversation":5}`, http.StatusBadRequest},
		{"POST", "/v1/responses", `{"model":"m","input":"x","previous_response_id":"` + id + `"}`, http.StatusBadRequest},
		{"POST", "/v1/responses", `{"model":"m","input":"x","conversation":"` + id + `","previous_response_id":"resp_1"}`, http.StatusBadRequest},
	} {
		status, _, body := ask(t, row.method, b.URL+row.path, row.body)
		if status != row.status || gjson.Get(body, "error.message").Str == "" || gjson.Get(body, "error.type").Str != "invalid_request_error" {
			t.Errorf("%s %s %s: %d %s", row.method, row.path, row.body, status, body)
		}
	}
	if _, _, body := ask(t, "GET", b.URL+here+"/items", ""); gjson.Get(body, "data.#").Int() != 0 {
		t.Errorf("what was refused is kept: %s", body)
	}
}
