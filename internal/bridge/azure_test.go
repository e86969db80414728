package bridge_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestAnswersClientsOfAzuresDeployments(t *testing.T) {
	t.Parallel()
	s := newServer(t, "{}")
	b := newBridge(t, s)
	for _, row := range []struct{ path, body, want string }{
		{"/openai/deployments/gpt-5/chat/completions?api-version=2024-10-21", `{"model":"gpt-5","n":1}`, `{"model":"gpt-5","n":1}`},
		{"/openai/deployments/openai/gpt-5/chat/completions?api-version=2024-10-21", `{"n":1}`, `{"n":1,"model":"openai/gpt-5"}`},
		{"/openai/deployments/openai%2Fgpt-5/chat/completions", `{"model":"gpt-3.5-turbo"}`, `{"model":"openai/gpt-5"}`},
		{"/v1/openai/deployments/llama3:8b/chat/completions", `{}`, `{"model":"llama3:8b"}`},
		{"/deployments/m/chat/completions", `{"model":null}`, `{"model":"m"}`},
	} {
		status, _, body := ask(t, "POST", b.URL+row.path, row.body, "Api-Key", "dummy")
		if status != http.StatusOK {
			t.Errorf("%s: %d %s", row.path, status, body)
			continue
		}
		if got := string(s.last()); got != row.want {
			t.Errorf("%s: %s, want %s", row.path, got, row.want)
		}
		if path, head := s.paths[len(s.paths)-1], s.heads[len(s.heads)-1]; !strings.HasPrefix(path, "/api/v1/chat/completions") || head.Get("Authorization") != "Bearer "+key || head.Get("Api-Key") != "" {
			t.Errorf("%s: %s %v", row.path, path, head)
		}
	}
	for path, body := range map[string]string{"/openai/deployments/m/chat/completions": `{"model":`, "/openai/deployments/m/images/generations": `{}`, "/openai/deployments//chat/completions": `{}`} {
		asked := len(s.paths)
		if status, _, _ := ask(t, "POST", b.URL+path, body); status < 400 || len(s.paths) != asked {
			t.Errorf("%s: %d, asked %v", path, status, s.paths[asked:])
		}
	}
}
