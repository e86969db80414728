// Package hard holds the hard cases of translation that need the whole program:
// its door, its keys, its connections. The others are beside the codecs, in
// internal/dialect.
package hard

import (
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"stele/test/rig"
	"stele/test/upstream"
)

func TestMain(m *testing.M) { os.Exit(rig.Main(m)) } //nolint:forbidigo // tests have no other main

// scene is a house before three upstreams, with a model of each.
type scene struct {
	*rig.Front

	openai, anthropic, gemini *upstream.Server
}

// open starts it. The upstreams are not asked what models they have: every request is the test's own.
func open(t *testing.T) *scene {
	t.Helper()
	s := &scene{&rig.Front{}, upstream.NewOpenAI(t), upstream.NewAnthropic(t), upstream.NewGemini(t)}
	s.Open(t, fmt.Sprintf(`
egress: {allow_private: [127.0.0.0/8]}
providers:
  openai: {kind: openai, base_url: %[1]s/v1, api_key: %[4]s, options: {genuine: 'true'}}
  anthropic: {kind: anthropic, base_url: %[2]s, api_key: %[4]s, options: {genuine: 'true'}}
  gemini: {kind: gemini, base_url: %[3]s, api_key: %[4]s, options: {genuine: 'true'}}
models:
  "o": {targets: [openai/gpt-4.1], retries: 0}
  "a": {targets: [anthropic/claude-sonnet-4-5], retries: 0}
  "g": {targets: [gemini/gemini-2.5-flash], retries: 0}
  "vendor/m:free": {targets: [gemini/gemini-2.5-flash], retries: 0}
`, s.openai.URL, s.anthropic.URL, s.gemini.URL, upstream.Key))
	return s
}

// send posts a body with headers of the test's own choice.
func (s *scene) send(t *testing.T, path, body string, headers map[string]string) rig.Answer {
	t.Helper()
	r := s.Request(t, "POST", path)
	r.Body, r.ContentLength = io.NopCloser(strings.NewReader(body)), int64(len(body))
	for name, value := range headers {
		r.Header.Set(name, value)
	}
	a, err := s.Send(r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// The routes, and the plainest request of each for a model.
const (
	chatPath     = "/api/v1/chat/completions"
	messagesPath = "/api/v1/messages"
	geminiPath   = "/api/v1beta/models/"
)

func plainO(model, more string) string {
	return `{"model":"` + model + `","messages":[{"role":"user","content":"hi"}]` + more + `}`
}

func plainA(model, more string) string {
	return `{"model":"` + model + `","max_tokens":99,"messages":[{"role":"user","content":"hi"}]` + more + `}`
}

const plainG = `{"contents":[{"parts":[{"text":"hi"}]}]}`
