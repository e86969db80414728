package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

var asks = map[string]struct{ whole, stream, body string }{
	"openai":    {"/v1/chat/completions", "/v1/chat/completions", `{"stream":true,"stream_options":{"include_usage":true}}`},
	"anthropic": {"/v1/messages", "/v1/messages", `{"stream": true}`},
	"gemini":    {"/v1beta/models/m:generateContent", "/v1beta/models/m:streamGenerateContent?alt=sse", `{}`},
}

func TestTheSameAnswerEveryTime(t *testing.T) {
	t.Parallel()
	for dialect, ask := range asks {
		for _, perWrite := range []int{0, 1, 7} {
			url := serve(t, dialect, perWrite)
			for range 2 { // on one connection
				if body := post(t, url+ask.whole, `{}`); !json.Valid([]byte(body)) || !strings.Contains(body, "word0 word1 ") {
					t.Errorf("%s: %s", dialect, body)
				}
				body := post(t, url+ask.stream, ask.body)
				if n := strings.Count(body, `"word`); n != 100 {
					t.Errorf("%s: %d deltas in %s", dialect, n, body)
				}
				for line := range strings.Lines(body) {
					data, found := strings.CutPrefix(strings.TrimSpace(line), "data: ")
					if found && data != "[DONE]" && !json.Valid([]byte(data)) {
						t.Errorf("%s: %s", dialect, data)
					}
				}
				if dialect == "openai" && !strings.Contains(body, `"prompt_tokens":100,`) {
					t.Errorf("no usage in %s", body)
				}
			}
		}
	}
}

func TestALargeBodyAndAnUnknownDialect(t *testing.T) {
	t.Parallel()
	url := serve(t, "openai", 1)
	if body := post(t, url+"/v1/chat/completions", `{"x":"`+strings.Repeat("y", 1<<20)+`"}`); !strings.Contains(body, "chat.completion") {
		t.Error(body)
	}
	r, err := http.Get(url)
	if err != nil || r.StatusCode != http.StatusNotFound {
		t.Error(r, err)
	}
	r.Body.Close()
	if _, err := prepare("morse", 1, 1); err == nil {
		t.Error("morse is spoken")
	}
}

// TestDelay has the pauses of a stream take their time.
func TestDelay(t *testing.T) {
	t.Parallel()
	c, err := prepare("anthropic", 3, 1)
	if err != nil {
		t.Fatal(err)
	}
	c.delay = 5 * time.Millisecond
	near, far := net.Pipe()
	go c.serve(far)
	start := time.Now()
	go io.WriteString(near, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n{\"stream\":true}")
	var all bytes.Buffer
	for !strings.HasSuffix(all.String(), "0\r\n\r\n") {
		if _, err := io.CopyN(&all, near, 1); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(start); took < time.Duration(len(c.stream)-1)*c.delay {
		t.Errorf("%d writes in %s", len(c.stream), took)
	}
	near.Close()
}

func serve(t *testing.T, dialect string, perWrite int) string {
	t.Helper()
	c, err := prepare(dialect, 100, perWrite)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go c.serve(conn)
		}
	}()
	t.Cleanup(func() { listener.Close() })
	return "http://" + listener.Addr().String()
}

func post(t *testing.T, url, body string) string {
	t.Helper()
	r, err := http.Post(url, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	b, err := io.ReadAll(r.Body)
	if err != nil || r.StatusCode != http.StatusOK {
		t.Fatal(r.Status, err)
	}
	return string(b)
}
