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

// modelServer lists one model, and answers where a request has a text in it.
func modelServer(t *testing.T, answers string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "application/json")
		switch {
		case r.Header.Get("Authorization") != "Bearer sk_dev_good":
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"error":{"message":"The API key is not valid.","code":"invalid_api_key"}}`)
		case r.URL.Path == "/api/v1/models":
			_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"stele/sandbox"},{"id":"fast","context_length":1000,"max_completion_tokens":100}]}`)
		case r.URL.Path == "/api/v1/messages" && strings.Contains(string(body), answers):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"fast\",\"content\":[],\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\n"+
				"event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"Hi\"}}\n\n"+
				"event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"+
				"event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n"+
				"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n")
		case r.URL.Path == "/api/v1/chat/completions" && strings.Contains(string(body), answers):
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
		default:
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"not_found_error","message":"The model does not exist.","code":"model_not_found"}}`)
		}
	}))
	t.Cleanup(server.Close)
	return server
}

func TestAClientIsConnected(t *testing.T) {
	t.Parallel()
	server, named, home := modelServer(t, `"fast"`), modelServer(t, `"model"`), t.TempDir()
	settings := filepath.Join(home, ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(settings), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte(`{"theme": "dark"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	call := func(args ...string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), append([]string{"connect", "--home", home, "--data", t.TempDir()}, args...),
			world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: &out, stderr: &out})
		return out.String(), err
	}
	for _, test := range []struct {
		args []string
		fine bool
		says []string
	}{
		{[]string{"claude-code", "--url", server.URL + "/api/v1/", "--key", "sk_dev_good"}, true, []string{
			`"ANTHROPIC_BASE_URL": "` + server.URL + `/api"`, "fast answers in the dialect of Claude Code", "claude-*haiku*: fast", "claude-*opus*: fast",
			`"ANTHROPIC_MODEL": "fast"`, `"CLAUDE_CODE_MAX_CONTEXT_TOKENS": "1000"`, "so its settings name fast for all of them",
		}},
		{[]string{"claude-code", "--url", named.URL, "--key", "sk_dev_good"}, true, []string{"\"ANTHROPIC_AUTH_TOKEN\": \"sk_dev_good\"\n"}},
		{[]string{"claude-code", "--url", server.URL, "--key", "sk_dev_good", "--model", "fast", "--write"}, true, []string{"Wrote " + settings, "before-stele"}},
		{[]string{"claude-code", "--url", server.URL, "--key", "sk_dev_good", "--model", "fast", "--write"}, true, []string{"has it already"}},
		{[]string{"opencode", "--url", server.URL, "--key", "sk_dev_good", "--json"}, true, []string{`"file":".config/opencode/opencode.json"`, `\"context\": 1000, \"output\": 100`}},
		{[]string{"claude-code", "--url", server.URL, "--key", "sk_dev_good", "--model", "gone"}, false, []string{`has no model "gone" for this key; it has stele/sandbox, fast`}},
		{[]string{"claude-code", "--url", server.URL, "--key", "sk_dev_bad"}, false, []string{"The API key is not valid."}},
		{[]string{"claude-code", "--url", server.URL, "--write"}, false, []string{"--write puts a key into the settings"}},
		{[]string{"claud-code"}, false, []string{`did you mean "claude-code"?`}},
		{nil, false, []string{"which client?"}},
	} {
		said, err := call(test.args...)
		if (err == nil) != test.fine {
			t.Errorf("%v: %v, %s", test.args, err, said)
		}
		for _, part := range test.says {
			if !strings.Contains(said, part) {
				t.Errorf("%v does not say %q: %s", test.args, part, said)
			}
		}
	}
	text, err := os.ReadFile(settings)
	if err != nil || !strings.HasPrefix(string(text), `{"theme": "dark"`) || !strings.Contains(string(text), "sk_dev_good") || !strings.Contains(string(text), "ANTHROPIC_DEFAULT_HAIKU_MODEL") {
		t.Errorf("%s, %v", text, err)
	}
}

// TestSettingsThatAreChangedByHand has one of a client's files be one that cannot be added to: the
// other is written all the same.
func TestSettingsThatAreChangedByHand(t *testing.T) {
	t.Parallel()
	server, home := modelServer(t, `"fast"`), t.TempDir()
	models := filepath.Join(home, ".pi", "agent", "models.json")
	if err := os.MkdirAll(filepath.Dir(models), 0o700); err != nil {
		t.Fatal(err)
	}
	const own = "// mine\n{}\n"
	if err := os.WriteFile(models, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	err := run(t.Context(), []string{"connect", "pi", "--home", home, "--data", t.TempDir(), "--url", server.URL, "--key", "sk_dev_good", "--model", "fast", "--write"},
		world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: &out, stderr: &out})
	left, also := os.ReadFile(models)
	wrote, third := os.ReadFile(filepath.Join(home, ".pi", "agent", "settings.json"))
	if err == nil || also != nil || string(left) != own || third != nil || !strings.Contains(string(wrote), "fast") || !strings.Contains(out.String(), `"providers"`) {
		t.Errorf("%v %v %v: %s, %s, %s", err, also, third, left, wrote, out.String())
	}
}

// TestNoInstallationIsMadeForAKey has commands that ask a server be without a key where no server
// was ever started: they say so, and leave nothing behind.
func TestNoInstallationIsMadeForAKey(t *testing.T) {
	t.Parallel()
	server := modelServer(t, `"fast"`)
	for _, args := range [][]string{{"connect", "claude-code"}, {"chat", "hello"}, {"bridge", "--address", "127.0.0.1:0"}} {
		data := filepath.Join(t.TempDir(), "data")
		var out strings.Builder
		err := run(t.Context(), append(args, "--data", data, "--url", server.URL),
			world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: &out, stderr: &out})
		if _, made := os.Stat(data); err == nil || !strings.Contains(out.String(), "there is no API key") || made == nil {
			t.Errorf("%v: %v, %v, %s", args, err, made, out.String())
		}
	}
}

// TestAnAddressMayHaveTooMuchBehindIt gives commands the address that clients of the API take.
func TestAnAddressMayHaveTooMuchBehindIt(t *testing.T) {
	t.Parallel()
	server := modelServer(t, `"fast"`)
	ask := func(address string) (string, error) {
		var out strings.Builder
		err := run(t.Context(), []string{"chat", "hello", "--model", "fast", "--data", t.TempDir(), "--url", address, "--key", "sk_dev_good"},
			world{getenv: func(string) string { return "" }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: &out, stderr: &out})
		return out.String(), err
	}
	for _, behind := range []string{"", "/", "/api", "/api/", "/api/v1", "/v1"} {
		if said, err := ask(server.URL + behind); err != nil || !strings.Contains(said, "Hi") {
			t.Errorf("%s: %v, %s", behind, err, said)
		}
	}
	for _, address := range []string{strings.TrimPrefix(server.URL, "http://"), "localhost", "ftp://h", "http://"} {
		if said, err := ask(address); err == nil || !strings.Contains(said, "must begin with https://") {
			t.Errorf("%s: %v, %s", address, err, said)
		}
	}
}

// TestSettingsAreWrittenWhereTheClientLooks has a person whose variables say where a client's settings
// are, and which key it goes by. What is another person's home has nothing to do with them.
func TestSettingsAreWrittenWhereTheClientLooks(t *testing.T) {
	t.Parallel()
	server, place, home := modelServer(t, `"fast"`), t.TempDir(), t.TempDir()
	call := func(args ...string) string {
		var out strings.Builder
		set := map[string]string{"QWEN_HOME": place, "OPENAI_API_KEY": "sk-others"}
		err := run(t.Context(), append([]string{"connect", "qwen-code", "--data", t.TempDir(), "--url", server.URL, "--key", "sk_dev_good", "--model", "fast"}, args...),
			world{getenv: func(name string) string { return set[name] }, dir: t.TempDir(), stdin: strings.NewReader(""), stdout: &out, stderr: &out})
		if err != nil {
			t.Errorf("%v: %v", args, err)
		}
		return out.String()
	}
	const outdone = "OPENAI_API_KEY is set in this environment, and Qwen Code goes by that rather than by these settings"
	for _, args := range [][]string{nil, {"--write"}} {
		if said := call(args...); !strings.Contains(said, filepath.Join(place, ".env")) || !strings.Contains(said, outdone) {
			t.Errorf("%v: %s", args, said)
		}
	}
	if said := call("--json"); !strings.Contains(said, `"place":"`+filepath.Join(place, "settings.json")) {
		t.Error(said)
	}
	if said := call("--write", "--home", home); strings.Contains(said, outdone) || !strings.Contains(said, filepath.Join(home, ".qwen", ".env")) {
		t.Error(said)
	}
	for _, file := range []string{filepath.Join(place, ".env"), filepath.Join(home, ".qwen", ".env")} {
		if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "OPENAI_API_KEY=sk_dev_good") {
			t.Errorf("%s: %s, %v", file, text, err)
		}
	}
}
