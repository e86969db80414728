package passing

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"stele/test/rig"
)

// TestALargeBodyTakesNoNewMemory counts what the server allocates for requests of a
// megabyte: what one was read into the next is read into, and nothing of it is copied.
func TestALargeBodyTakesNoNewMemory(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"id":"c","object":"chat.completion","model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`)
	}))
	t.Cleanup(upstream.Close)
	metrics := rig.FreePort(t)
	h := rig.Start(t, rig.Options{Config: fmt.Sprintf(
		"metrics: {listen: %s}\nproviders:\n  local: {kind: openai, base_url: %s/v1, api_key: none, models: ['*']}\n", metrics, upstream.URL)})
	key := h.CreateKey(t, "--name", "large").Key
	h.Await(t, key, http.StatusOK)

	const size, requests = 1 << 20, 20
	body := `{"model":"local/m","messages":[{"role":"user","content":"` + strings.Repeat("a text that is long. ", size/21) + `"}]}`
	send := func() {
		if a := h.Post(t, "/api/v1/chat/completions", key, body); a.Status != http.StatusOK {
			t.Fatalf("status %d: %s", a.Status, a.Body)
		}
	}
	send() // what is made once
	before := allocated(t, metrics)
	for range requests {
		send()
	}
	copies := float64(allocated(t, metrics)-before) / requests / float64(len(body))
	t.Logf("%.2f times the body was allocated", copies)
	if copies > 0.5 { // what any request needs, and the metrics
		t.Errorf("%.2f times the body was allocated for each request", copies)
	}
}

var allocatedLine = regexp.MustCompile(`(?m)^go_memstats_alloc_bytes_total (\S+)$`)

// allocated is how many bytes the server has allocated since it began.
func allocated(t *testing.T, metrics string) int64 {
	t.Helper()
	answer, err := http.Get("http://" + metrics + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	found := allocatedLine.FindSubmatch(text)
	if found == nil {
		t.Fatalf("no line of what was allocated in %d bytes", len(text))
	}
	n, err := strconv.ParseFloat(string(found[1]), 64)
	if err != nil {
		t.Fatal(err)
	}
	return int64(n)
}
