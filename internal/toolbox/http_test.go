package toolbox

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"stele/internal/client"
)

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"0.0.0.0:0", ":0", "192.0.2.1:0", "localhost.example.com:0", "[::]:0", "nonsense"} {
		if l, err := Listen(t.Context(), address); err == nil {
			l.Close()
			t.Errorf("%s is listened on", address)
		}
	}
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// reach serves a toolbox over HTTP until the test ends.
func reach(t *testing.T, token string) (address string) {
	t.Helper()
	box, err := New(Options{Server: &client.Server{URL: "http://127.0.0.1:1", HTTP: http.DefaultClient}, Roots: []string{t.TempDir()}, Out: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- box.ServeHTTP(t.Context(), l, token) }()
	t.Cleanup(func() {
		if err := <-ended; err != nil {
			t.Error(err)
		}
		_ = box.Close()
	})
	return l.Addr().String()
}

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

func TestPagesOfOtherOriginsAreKeptOut(t *testing.T) {
	t.Parallel()
	address := reach(t, "")
	_, port, _ := net.SplitHostPort(address)
	for _, c := range []struct {
		host, origin, path string
		status             int
	}{
		{address, "", "/mcp", http.StatusOK},
		{"localhost:" + port, "", "/mcp", http.StatusOK},
		{address, "http://" + address, "/mcp", http.StatusOK},
		{"evil.example.com", "", "/mcp", http.StatusForbidden},
		{"evil.example.com:" + port, "http://evil.example.com:" + port, "/mcp", http.StatusForbidden},
		{address, "https://evil.example.com", "/mcp", http.StatusForbidden},
		{address, "null", "/mcp", http.StatusForbidden},
		{address, "http://localhost:3000", "/mcp", http.StatusForbidden},
		{"127.0.0.1:1", "", "/mcp", http.StatusForbidden},
		{address, "", "/mcp/", http.StatusOK},
		{address, "", "/", http.StatusNotFound},
		{address, "", "/sse", http.StatusNotFound},
	} {
		if got := post(t, address, c.host, c.origin, c.path, ""); got != c.status {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

func TestATokenIsAskedFor(t *testing.T) {
	t.Parallel()
	address := reach(t, "right")
	for token, want := range map[string]int{"": 401, "Bearer wrong": 401, "right": 401, "Basic right": 401, "Bearer right": 200, "bearer right": 200} {
		if got := post(t, address, address, "", "/mcp", token); got != want {
			t.Errorf("%q: %d", token, got)
		}
	}
}

func post(t *testing.T, address, host, origin, path, authorization string) int {
	t.Helper()
	ctx, done := context.WithTimeout(t.Context(), time.Minute)
	defer done()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, strings.NewReader(hello))
	if err != nil {
		t.Fatal(err)
	}
	r.Host = host
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range map[string]string{"Origin": origin, "Authorization": authorization} {
		if value != "" {
			r.Header.Set(name, value)
		}
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode
}

// TestEveryVersionOfTheProtocolIsSpoken has clients with sessions, which begin by saying
// which version they speak, and those of the version that has none, which say it each time.
func TestEveryVersionOfTheProtocolIsSpoken(t *testing.T) {
	t.Parallel()
	address := reach(t, "")
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		if body := say(t, address, "", strings.Replace(hello, "2025-06-18", version, 1)); !strings.Contains(body, `"protocolVersion":"`+version+`"`) {
			t.Errorf("%s: %s", version, body)
		}
	}
	const latest = "2026-07-28"
	const about = `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + latest + `","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`
	for method, want := range map[string]string{"server/discover": latest, "tools/list": `"generate_image"`} {
		body := say(t, address, latest, `{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":{`+about+`}}`, "Mcp-Method", method)
		if !strings.Contains(body, want) {
			t.Errorf("%s: %s", method, body)
		}
	}
	if body := say(t, address, latest, hello); !strings.Contains(body, "error") {
		t.Errorf("a session was begun: %s", body)
	}
}

// TestClientsThatTakeJSONAloneGetIt has those that say so, and those that do not say what they take, which end their
// sessions without a word of it.
func TestClientsThatTakeJSONAloneGetIt(t *testing.T) {
	t.Parallel()
	address := reach(t, "")
	ask := func(method, accept, session, body string) *http.Response {
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+address+"/mcp", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {accept}, "Mcp-Session-Id": {session}}
		if accept == "" {
			r.Header.Del("Accept")
		}
		if session == "" {
			r.Header.Del("Mcp-Session-Id")
		}
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { answer.Body.Close() })
		return answer
	}
	for accept, kind := range map[string]string{
		"application/json": "application/json", "application/json; charset=utf-8": "application/json", "": "text/event-stream",
		"application/json, text/plain, */*": "text/event-stream", "application/json, text/event-stream": "text/event-stream",
	} {
		begun := ask(http.MethodPost, accept, "", hello)
		session := begun.Header.Get("Mcp-Session-Id")
		if got := begun.Header.Get("Content-Type"); begun.StatusCode != http.StatusOK || got != kind {
			t.Errorf("%q begins with %d and %s", accept, begun.StatusCode, got)
		}
		listed := ask(http.MethodPost, accept, session, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		body, err := io.ReadAll(listed.Body)
		if err != nil || !strings.Contains(string(body), `"generate_image"`) || listed.Header.Get("Content-Type") != kind {
			t.Errorf("%q: %d %.200s %v", accept, listed.StatusCode, body, err)
		}
		ending := accept
		if kind == "text/event-stream" {
			ending = ""
		}
		if ended := ask(http.MethodDelete, ending, session, ""); ended.StatusCode != http.StatusNoContent {
			t.Errorf("%q: the session ends with %d", accept, ended.StatusCode)
		}
	}
}

// say sends a message and is what comes back.
func say(t *testing.T, address, version, message string, header ...string) string {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+address+"/mcp", strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if version != "" {
		r.Header.Set("Mcp-Protocol-Version", version)
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}
