package bridge_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"stele/internal/dialect"
)

// TestHeadersPassTheBridge says something in each header that the server or a client reads,
// with a request that becomes a chat.
func TestHeadersPassTheBridge(t *testing.T) {
	t.Parallel()
	s := newServer(t, strings.Replace(spoken, "\n\ndata: [DONE]", "\n\n"+`data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"cost":0.0012}}`+"\n\ndata: [DONE]", 1))
	down := map[string]string{
		"X-Stele-Served-By": "p/m", "Ratelimit": `"requests";r=5;t=1`, "Ratelimit-Policy": `"requests";q=10;w=60`, "X-Ratelimit-Remaining-Requests": "5", "Retry-After": "3",
		"X-Should-Retry": "false", "Deprecation": "@1", "Sunset": "Thu, 01 Jan 2027 00:00:00 GMT", "Idempotency-Replayed": "true",
	}
	s.say = func(h http.Header) {
		for name, value := range down {
			h.Set(name, value)
		}
	}
	at := newBridge(t, s).URL + "/v1/responses"
	up := map[string]string{"X-Stele-Tags": "team=sea", "X-Stele-Include-Cost": "true", "X-Stele-Strict": "true", "Traceparent": "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "Tracestate": "a=b"}
	var list []string
	for name, value := range up {
		list = append(list, name, value)
	}
	list = append(list, "Idempotency-Key", "turn-1", "Authorization", "Bearer other", "Cookie", "a=b")
	for _, refused := range []bool{false, true} {
		if refused {
			s.status, s.answer = http.StatusTooManyRequests, `{"error":{"message":"Slow down."}}`
		}
		_, head, body := ask(t, "POST", at, `{"model":"m","input":"x"}`, list...)
		asked := s.heads[len(s.heads)-1]
		for name, value := range up {
			if asked.Get(name) != value {
				t.Errorf("the server hears %s: %q", name, asked.Get(name))
			}
		}
		for name, value := range down {
			if head.Get(name) != value {
				t.Errorf("the client hears %s: %q", name, head.Get(name))
			}
		}
		if asked.Get(dialect.Reworded) == "" || asked.Get("Authorization") != "Bearer "+key || asked.Get("Cookie") != "" {
			t.Errorf("the server hears %v", asked)
		}
		if !refused && gjson.Get(body, "usage.cost").Raw != "0.0012" {
			t.Errorf("%s", body)
		}
	}
	// Twins are told by the same key; another request of the same key is none.
	keys := make(map[string]int)
	for _, body := range []string{`{"model":"m","input":"x"}`, `{"input":"x","model":"m"}`, `{"model":"m","input":"y"}`} {
		ask(t, "POST", at, body, "Idempotency-Key", "turn-1")
		keys[s.heads[len(s.heads)-1].Get("Idempotency-Key")]++
	}
	if ask(t, "POST", at, `{"model":"m","input":"x"}`); len(keys) != 2 || keys[""] != 0 || s.heads[len(s.heads)-1].Get("Idempotency-Key") != "" {
		t.Errorf("the server hears the keys %v", keys)
	}
}

// TestStrictLosesNothing refuses what the bridge would have dropped.
func TestStrictLosesNothing(t *testing.T) {
	t.Parallel()
	s := newServer(t, spoken)
	at := newBridge(t, s).URL + "/v1/responses"
	const lossy = `{"model":"m","input":"x","tools":[{"type":"web_search"}]}`
	for _, path := range []string{"", "/compact"} {
		status, _, body := ask(t, "POST", at+path, lossy, "X-Stele-Strict", "true")
		if status != http.StatusBadRequest || !strings.Contains(gjson.Get(body, "error.message").Str, "web_search") {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if len(s.asked) > 0 {
		t.Error("the server was asked")
	}
	if status, _, body := ask(t, "POST", at, lossy, "X-Stele-Strict", "false"); status != http.StatusOK {
		t.Errorf("%d %s", status, body)
	}
}

// TestCodexIsRefusedOnce tells Codex with the one status that it takes for final what no try would change, and others as it is.
func TestCodexIsRefusedOnce(t *testing.T) {
	t.Parallel()
	s := newServer(t, `{"error":{"message":"No."}}`)
	at := newBridge(t, s).URL + "/v1/responses"
	codex, other := []string{"Originator", "codex_exec"}, []string{"User-Agent", "OpenAI/JS 7.55.0"}
	for _, row := range []struct {
		status  int
		lasting string
		client  []string
		want    int
	}{
		{401, "false", codex, 400},
		{401, "false", []string{"User-Agent", "codex_cli_rs/0.169.0 (Debian)"}, 400},
		{401, "false", other, 401},
		{403, "false", codex, 400},
		{404, "false", codex, 400},
		{404, "", codex, 404},
		{402, "false", codex, 400},
		{429, "false", codex, 429},
		{503, "false", codex, 503},
	} {
		s.status = row.status
		s.say = func(h http.Header) { h.Set("X-Should-Retry", row.lasting) }
		status, _, body := ask(t, "POST", at, `{"model":"m","input":"x","stream":true}`, row.client...)
		if status != row.want || gjson.Get(body, "error.message").String() != "No." {
			t.Errorf("%+v: %d %s", row, status, body)
		}
	}
	if status, _, body := ask(t, "GET", newBridge(t, s).URL+"/v1/responses/resp_none", "", codex...); status != 400 {
		t.Errorf("the bridge's own: %d %s", status, body)
	}
}
