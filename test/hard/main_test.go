// Package hard holds the hard cases of translation that need the whole program:
// its door, its keys, its connections. The others are beside the codecs, in
// internal/dialect.
package hard

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"stele/test/house"
	"stele/test/upstream"
)

func TestMain(m *testing.M) { os.Exit(house.Main(m)) } //nolint:forbidigo // tests have no other main

// scene is a house before three upstreams.
type scene struct {
	*house.House

	key                       string
	openai, anthropic, gemini *upstream.Server
}

func open(t *testing.T) *scene {
	t.Helper()
	s := &scene{openai: upstream.NewOpenAI(t), anthropic: upstream.NewAnthropic(t), gemini: upstream.NewGemini(t)}
	var config strings.Builder
	config.WriteString("egress: {allow_private: [127.0.0.0/8]}\nproviders:\n")
	for name, base := range map[string]string{"openai": s.openai.URL + "/v1", "anthropic": s.anthropic.URL, "gemini": s.gemini.URL} {
		fmt.Fprintf(&config, "  %s: {kind: %s, base_url: %s, api_key: %s}\n", name, name, base, upstream.Key)
	}
	config.WriteString("models:\n")
	for _, m := range []struct{ id, target string }{
		{"o", "openai/gpt-4.1"}, {"a", "anthropic/claude-sonnet-4-5"}, {"g", "gemini/gemini-2.5-flash"}, {"vendor/m:free", "gemini/gemini-2.5-flash"},
	} {
		fmt.Fprintf(&config, "  %q: {targets: [%s], retries: 0}\n", m.id, m.target)
	}
	s.House = house.Start(t, house.Options{Config: config.String()})
	s.key = s.CreateKey(t).Key
	s.Await(t, s.key, http.StatusOK)
	return s
}

// send posts a body with headers of the test's own choice.
func (s *scene) send(t *testing.T, path, body string, headers map[string]string) house.Answer {
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
