package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheServerListsWhatItsUpstreamsHave(t *testing.T) {
	t.Parallel()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/models" {
			_, _ = io.WriteString(w, `{"data":[{"id":"qwen3:8b","created":1},{"id":"nomic-embed-text"}]}`)
		}
	}))
	t.Cleanup(upstream.Close)
	file := filepath.Join(t.TempDir(), "stele.yaml")
	text := "providers:\n  local: {kind: ollama, base_url: '" + upstream.URL + "/v1', models: ['*']}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--config", file)
	_, key := s.key()
	eventually(t, func() bool {
		_, _, body := s.ask("GET", "/api/v1/models", bearer(key), nil)
		return strings.Contains(string(body), `"local/qwen3:8b"`) && !strings.Contains(string(body), "nomic")
	})
}
