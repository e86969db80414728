package api

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
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
