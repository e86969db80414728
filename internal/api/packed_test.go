package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func gzipped(t *testing.T, text string) io.Reader {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := io.WriteString(w, text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return &b
}

// TestHard1451PackedBodies has bodies packed, as Anthropic's, OpenAI's and Google's services take
// them: anthropics/claude-code#90457, agentgateway/agentgateway#2402. They are bound as plain ones
// are, packed and unpacked.
func TestHard1451PackedBodies(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for _, route := range Routes() {
		if route.Method != http.MethodPost {
			continue
		}
		path := strings.NewReplacer("{model}", "m", "{app}", "a").Replace(route.Path)
		const text = `{"model":"no/such","max_tokens":9,"messages":[{"role":"user","content":"a"}],"contents":[{"parts":[{"text":"a"}]}]}`
		want, plainly, _ := b.do(t, route.Method, path, strings.NewReader(text), "Content-Type", "application/json")
		got, packedly, _ := b.do(t, route.Method, path, gzipped(t, text), "Content-Type", "application/json", "Content-Encoding", "gzip")
		if got != want || strings.Contains(packedly, "Encoding") {
			t.Errorf("%s: %d %s, and plainly %d %s", path, got, packedly, want, plainly)
		}
		if strings.HasSuffix(path, "/files") {
			continue // says what it wants before it reads anything
		}
		if status, told, _ := b.do(t, route.Method, path, gzipped(t, strings.Repeat(" ", 2<<20)), "Content-Encoding", "GZIP"); status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s, two megabytes: %d %s", path, status, told)
		}
		if status, told, _ := b.do(t, route.Method, path, strings.NewReader(text), "Content-Encoding", "gzip"); status != http.StatusBadRequest || !strings.Contains(told, "is not packed as its Content-Encoding says") {
			t.Errorf("%s, not packed: %d %s", path, status, told)
		}
	}
}

// TestHard1452AByteOrderMark has one before a body, as editors of Windows and encoders of .NET
// write it: a parser of JSON may pass over it.
func TestHard1452AByteOrderMark(t *testing.T) {
	t.Parallel()
	b := newBench(t, roomy)
	for path, text := range map[string]string{
		"/api/v1/chat/completions":             `{"model":"no/such","messages":[{"role":"user","content":"a"}]}`,
		"/api/v1/messages":                     `{"model":"no/such","max_tokens":9,"messages":[{"role":"user","content":"a"}]}`,
		"/api/v1beta/models/m:generateContent": `{"contents":[{"parts":[{"text":"a"}]}]}`,
		"/api/v1/generations":                  `{"model":"no/such"}`,
	} {
		want, plainly, _ := b.do(t, "POST", path, strings.NewReader(text))
		for _, headers := range [][]string{nil, {"Idempotency-Key", "mark"}} {
			if got, told, _ := b.do(t, "POST", path, strings.NewReader("\ufeff"+text), headers...); got != want || strings.Contains(told, "valid JSON") {
				t.Errorf("%s %v: %d %s, and plainly %d %s", path, headers, got, told, want, plainly)
			}
		}
	}
}

func TestHard1453EventsByEitherName(t *testing.T) {
	t.Parallel()
	for query, framed := range map[string]bool{"alt=sse": true, "$alt=sse": true, "%24alt=sse&alt=json": true, "alt=json": false, "$alt=json;enum-encoding=int": false, "": false} {
		c := call{Request: httptest.NewRequest(http.MethodPost, "/x?"+query, nil)}
		if isFramed(c) != framed {
			t.Errorf("%q: framed is %t", query, !framed)
		}
	}
}
