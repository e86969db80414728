package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"stele/internal/access"
	"stele/internal/api"
	"stele/internal/seal"
	"stele/internal/store/template"
)

// mute is an upstream that says one word and then nothing until its caller has gone.
func mute(t *testing.T, asked chan<- struct{}) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			_, _ = io.WriteString(w, `{"data":[]}`)
			return
		}
		body, _ := io.ReadAll(r.Body)
		asked <- struct{}{}
		if bytes.Contains(body, []byte(`"stream":true`)) {
			w.Header().Set("Content-Type", "text/event-stream")
			fmt.Fprint(w, `data: {"id":"1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"hello"}}]}`+"\n\n")
			_ = http.NewResponseController(w).Flush()
		}
		<-r.Context().Done()
	}))
	t.Cleanup(s.Close)
	return s
}

// asking is a request that would be answered for ever.
type asking struct{ name, method, path, body string }

// forever are requests on every route that can take long: every dialect, streamed and
// whole, answered by the sandbox, translated, and passed through.
func forever(gen string) []asking {
	var list []asking
	for _, model := range []string{"stele/sandbox", "up/m"} {
		ask := "hi [[sandbox: silence_after=1]]"
		for _, stream := range []bool{true, false} {
			verb := map[bool]string{true: "streamGenerateContent?alt=sse", false: "generateContent"}[stream]
			list = append(list,
				asking{"openai", "POST", "/api/v1/chat/completions", fmt.Sprintf(`{"model":%q,"stream":%t,"messages":[{"role":"user","content":%q}]}`, model, stream, ask)},
				asking{"anthropic", "POST", "/api/v1/messages", fmt.Sprintf(`{"model":%q,"stream":%t,"max_tokens":99,"messages":[{"role":"user","content":%q}]}`, model, stream, ask)},
				asking{"gemini", "POST", "/api/v1beta/models/" + model + ":" + verb, fmt.Sprintf(`{"contents":[{"parts":[{"text":%q}]}]}`, ask)})
		}
	}
	return append(list,
		asking{"wait", "GET", "/api/v1/generations/" + gen + "?wait=60", ""},
		asking{"events", "GET", "/api/v1/generations/" + gen, ""})
}

// TestAnswersEndWithTheirKey revokes a key while every long route answers it. The
// routes of the chat dialects that the table knows must all be among them.
func TestAnswersEndWithTheirKey(t *testing.T) {
	t.Parallel()
	asked := make(chan struct{}, 100)
	upstream := mute(t, asked)
	file := filepath.Join(t.TempDir(), "stele.yaml")
	text := "providers:\n  up: {kind: ollama, base_url: '" + upstream.URL + "/v1', models: ['*']}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s := startServer(t, "--config", file)
	id, key := s.key()
	_, survivor := s.key()
	status, _, body := s.ask("POST", "/api/v1/generations", bearer(survivor), strings.NewReader(`{"model":"stele/sandbox-image","prompt":"x [[sandbox: work=5m]]"}`))
	if status != http.StatusCreated {
		t.Fatalf("%d %s", status, body)
	}
	var made struct {
		Data struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := json.Unmarshal(body, &made); err != nil {
		t.Fatal(err)
	}
	asks := forever(made.Data.ID)
	for _, route := range api.Routes() {
		if route.Group == access.GroupChat && !containsPath(asks, route.Path) {
			t.Errorf("%s is not tried", route.Path)
		}
	}
	type result struct {
		asking
		status int
		body   string
	}
	begun, results := make(chan struct{}, len(asks)), make(chan result, len(asks))
	for _, a := range asks {
		go func() {
			r, err := http.NewRequestWithContext(t.Context(), a.method, s.url+a.path, strings.NewReader(a.body))
			if err != nil {
				t.Error(err)
			}
			r.Header = bearer(key)
			if a.name == "events" {
				r.Header.Set("Accept", "text/event-stream")
			}
			whole := !strings.Contains(a.body, `"stream":true`) && !strings.Contains(a.path, "stream") && a.name != "events"
			if whole {
				begun <- struct{}{}
			}
			answer, err := s.client.Do(r)
			if err != nil {
				t.Errorf("%s: %v", a.name, err)
				results <- result{asking: a}
				return
			}
			defer answer.Body.Close()
			if !whole {
				begun <- struct{}{}
			}
			said, _ := io.ReadAll(answer.Body) // a stream is broken off
			results <- result{a, answer.StatusCode, string(said)}
		}()
	}
	for range asks {
		<-begun
	}
	for range 6 { // three dialects, streamed and whole: not one of them is refused at the door
		<-asked
	}
	s.cli("keys", "revoke", id)
	for range asks {
		r := <-results
		switch {
		case r.status == http.StatusOK && strings.Contains(r.body, "was revoked or has expired while"): // its dialect's own event
		case r.status == http.StatusUnauthorized: // before anything was said
		default:
			t.Errorf("%s %s: %d %s", r.name, r.path, r.status, r.body)
		}
	}
}

func containsPath(asks []asking, path string) bool {
	suffix := path[strings.LastIndexAny(path, "/:")+1:]
	for _, a := range asks {
		if strings.Contains(a.path, suffix) {
			return true
		}
	}
	return false
}

func writeMaster(t *testing.T, path string) {
	t.Helper()
	if _, err := seal.LoadOrMake(path); err != nil {
		t.Fatal(err)
	}
}

// TestAKeyWorksAtOnce makes keys on the command line and uses each in the very next
// request, on each of the servers of a store.
func TestAKeyWorksAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			var args []string
			servers, keys := 1, 100
			if engine == "postgres" {
				databaseURL, _ := template.Place(t, engine)
				args, servers, keys = []string{"--database-url", databaseURL}, 2, 30
				master := filepath.Join(t.TempDir(), "master.key")
				args = append(args, "--master-key-file", master)
				writeMaster(t, master)
			}
			var all []*served
			for range servers {
				all = append(all, startServer(t, args...))
			}
			cli := func(words ...string) wireKey {
				var k wireKey
				if err := json.Unmarshal([]byte(all[0].cli(append(append(words, "--json"), args...)...)), &k); err != nil {
					t.Fatal(err)
				}
				return k
			}
			refused := 0
			use := func(key string, want int) {
				for _, s := range all {
					if status, _, _ := s.ask("GET", "/api/v1/models", bearer(key), nil); status != want {
						refused++
					}
				}
			}
			for i := range keys {
				k := cli("keys", "create", "--name", "k")
				use(k.Key, http.StatusOK)
				if i%10 != 0 {
					continue
				}
				next := cli("keys", "rotate", k.ID)
				use(next.Key, http.StatusOK)
				cli("keys", "edit", k.ID, "--scope", "chat")
				use(next.Key, http.StatusForbidden)
				cli("keys", "revoke", k.ID)
				use(next.Key, http.StatusUnauthorized)
			}
			if refused != 0 {
				t.Errorf("%d uses were answered as if the change was not known yet", refused)
			}
		})
	}
}

// TestTheCommandLineReachesServersElsewhere changes a key from a folder that no
// server runs on: those on the database are waited for.
func TestTheCommandLineReachesServersElsewhere(t *testing.T) {
	t.Parallel()
	databaseURL, _ := template.Place(t, "postgres")
	master := filepath.Join(t.TempDir(), "master.key")
	writeMaster(t, master)
	args := []string{"--database-url", databaseURL, "--master-key-file", master}
	s := startServer(t, args...)
	elsewhere := t.TempDir()
	for range 20 {
		var out bytes.Buffer
		w := s.world()
		w.stdout, w.stderr = &out, &out
		words := append([]string{"keys", "create", "--name", "k", "--json", "--data", elsewhere}, args...)
		if err := run(context.WithoutCancel(t.Context()), words, w); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		var k wireKey
		if err := json.Unmarshal(out.Bytes(), &k); err != nil {
			t.Fatal(err)
		}
		if status, _, _ := s.ask("GET", "/api/v1/models", bearer(k.Key), nil); status != http.StatusOK {
			t.Fatalf("status %d", status)
		}
	}
}
