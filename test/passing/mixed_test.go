package passing

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"stele/test/rig"
)

// mirrors are the dialects, each with a request of a text and with an answer that says
// what was heard.
var mirrors = []struct{ path, body, answer string }{
	{
		"/api/v1/chat/completions", `{"model":"o/m","user":"%[1]s","messages":[{"role":"user","content":"%[2]s"}],"stop":["%[1]s"]}`,
		`{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"%s"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`,
	},
	{
		"/api/v1/messages", `{"model":"a/m","max_tokens":10,"metadata":{"user_id":"%[1]s"},"messages":[{"role":"user","content":"%[2]s"}],"stop_sequences":["%[1]s"]}`,
		`{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}],"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}`,
	},
	{
		"/api/v1beta/models/g/m:generateContent", `{"labels":{"user":"%[1]s"},"contents":[{"role":"user","parts":[{"text":"%[2]s"}]}],"generationConfig":{"stopSequences":["%[1]s"]}}`,
		`{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":1,"totalTokenCount":2}}`,
	},
}

// TestBodiesThatShareTheirMemoryDoNotMix has many clients say one letter each, very often and
// all at once. What one was read into another is read into, but not before its upstream
// has it; some upstreams answer before that.
func TestBodiesThatShareTheirMemoryDoNotMix(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mirror := mirrors[0]
		for _, m := range mirrors[1:] {
			if strings.HasSuffix(r.URL.Path, m.path[strings.LastIndexAny(m.path, "/"):]) {
				mirror = m
			}
		}
		begin := make([]byte, 1000)
		n, _ := io.ReadFull(r.Body, begin)
		said := "early"
		if !bytes.Contains(begin[:n], []byte("hasty")) {
			rest, err := io.ReadAll(r.Body)
			said = heard(string(begin[:n])+string(rest), err)
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = fmt.Fprintf(w, mirror.answer, said)
	}))
	t.Cleanup(upstream.Close)
	h := rig.Start(t, rig.Options{Config: fmt.Sprintf(`providers:
  o: {kind: openai, base_url: %[1]s/v1, api_key: none, models: ['*']}
  a: {kind: anthropic, base_url: %[1]s, api_key: none, models: ['*']}
  g: {kind: gemini, base_url: %[1]s, api_key: none, models: ['*']}
`, upstream.URL)})
	key := h.CreateKey(t, "--name", "mixed").Key
	h.Await(t, key, http.StatusOK)
	var clients sync.WaitGroup
	for i := range 24 {
		clients.Go(func() {
			mirror, letter := mirrors[i%len(mirrors)], string('A'+rune(i))
			for turn := range 12 {
				who, want := letter, fmt.Sprintf("%d %s", 150_000+1000*(turn%3), letter)
				if i < 6 && turn%2 == 1 {
					who, want = "hasty", "early"
				}
				body := fmt.Sprintf(mirror.body, who, strings.Repeat(letter, 150_000+1000*(turn%3)))
				if a := h.Post(t, mirror.path, key, body); want != "early" && (a.Status != http.StatusOK || !strings.Contains(a.Body, `"`+want+`"`)) {
					t.Errorf("%s was heard as %d %.300s, want %s", letter, a.Status, a.Body, want)
				}
			}
		})
	}
	clients.Wait()
}

// heard is how often which letter was said.
func heard(body string, err error) string {
	from := strings.IndexAny(body, "ABCDEFGHIJKLMNOPQRSTUVWX")
	if err != nil || from < 0 {
		return "nothing"
	}
	letter := body[from : from+1]
	longest := strings.Repeat(letter, 150_000)
	at := strings.Index(body, longest)
	if at < 0 {
		return "a mixture"
	}
	end := at + len(longest)
	for end < len(body) && body[end] == letter[0] {
		end++
	}
	return fmt.Sprintf("%d %s", end-at, letter)
}
