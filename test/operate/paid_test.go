package operate

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"stele/test/rig"
)

// painter plays a provider whose calls answer only with the work, and of which nothing can
// be looked up later: whatever is cut off is lost, and paid for.
type painter struct {
	*httptest.Server
	takes time.Duration

	mu   sync.Mutex     // guards paid
	paid map[string]int // by prompt
}

func newPainter(t *testing.T, takes time.Duration) *painter {
	t.Helper()
	p := &painter{takes: takes, paid: make(map[string]int)}
	works := func(answer string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			var asked struct {
				Prompt   string
				Messages []struct{ Content string }
			}
			_ = json.NewDecoder(r.Body).Decode(&asked)
			for _, m := range asked.Messages {
				asked.Prompt += m.Content
			}
			p.mu.Lock()
			p.paid[asked.Prompt]++
			p.mu.Unlock()
			select {
			case <-time.After(p.takes):
			case <-r.Context().Done():
				return
			}
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, answer)
		}
	}
	mux := http.NewServeMux()
	mux.Handle("POST /v1/images/generations", works(`{"data":[{"b64_json":"`+base64.StdEncoding.EncodeToString(rig.PlainPNG(t, 8, false))+`"}]}`))
	mux.Handle("POST /v1/chat/completions", works(`{"id":"c","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"finish_reason":"stop",
		"message":{"role":"assistant","content":"a word"}}],"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2}}`))
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

// times is how often a prompt was paid for.
func (p *painter) times(prompt string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paid[prompt]
}

// config has the painter's pictures, its chat and an app that asks it for words.
func (p *painter) config(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"model.yaml": `model: operate/picture
media_type: image
kind: openai
provider: painter
upstream: picture
call: {operation: openai/images, path_by_mode: {text_to_image: generations}, body: [{copy: {prompt: prompt}}]}
operations:
  - mode: text_to_image
    price: {usd: 0.01, per: image}
    input: {required: [prompt]}
`,
		"app.yaml": `app: words
media_type: image
steps:
  - id: one
    chat: {model: talk, prompt: words}
  - id: two
    generate: {model: stele/sandbox-image, mode: text_to_image, with: {prompt: "${steps.one.text}"}}
result: {images: "${[steps.two.image]}"}
`,
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return fmt.Sprintf(`media_models: [%[1]s/model.yaml]
apps: [%[1]s/app.yaml]
providers:
  painter: {kind: openai, base_url: %[2]s/v1, api_key: none, models: [m]}
models:
  talk: {targets: [painter/m]}
`, folder, p.URL)
}

// outcome is how a generation stands.
func outcome(t *testing.T, h *rig.House, key, path string) (state, why string) {
	t.Helper()
	a := h.Get(t, path+"?wait=30", key)
	seen := rig.Parse(t, a.Body)
	return rig.Text(seen, "data", "status"), rig.Text(seen, "data", "error", "code") + a.Body
}

// order sends an order, and returns the path at which it is seen.
func (p *painter) order(t *testing.T, h *rig.House, key, path, body string) string {
	t.Helper()
	a := h.Post(t, path, key, body)
	id := rig.Text(rig.Parse(t, a.Body), "data", "id")
	if a.Status != http.StatusCreated || id == "" {
		t.Fatalf("%d %s", a.Status, a.Body)
	}
	return path + "/" + id
}

// TestWhatIsPaidForIsHeardToItsEnd stops a server while calls are under way that answer only
// with the work: one that was accepted for long, one that just began, and a chat of an app.
func TestWhatIsPaidForIsHeardToItsEnd(t *testing.T) {
	t.Parallel()
	p := newPainter(t, 4*time.Second)
	h := rig.Start(t, rig.Options{Config: p.config(t)})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	paths := make(map[string]string)
	order := func(prompt string) {
		paths[prompt] = p.order(t, h, key, "/api/v1/generations", fmt.Sprintf(`{"model":"operate/picture","prompt":%q}`, prompt))
	}
	order("early")
	paths["words"] = p.order(t, h, key, "/api/v1/apps/words/generations", `{}`)
	rig.Eventually(t, "both are under way", func() bool { return p.times("early") == 1 && p.times("words") == 1 })
	<-time.After(2500 * time.Millisecond) // longer than an order waits for a refusal
	order("late")
	rig.Eventually(t, "it has begun", func() bool { return p.times("late") == 1 })
	h.Stop(t)
	h.Start(t)
	for prompt, path := range paths {
		if state, why := outcome(t, h, key, path); state != "success" || p.times(prompt) != 1 {
			t.Errorf("%s is %s, paid %d times: %s", prompt, state, p.times(prompt), why)
		}
	}
}

// TestWhatOutlastsTheDrainIsHeld has a call take longer than a stopping server waits: it is
// not sent again, and what it may have cost is held until it is known.
func TestWhatOutlastsTheDrainIsHeld(t *testing.T) {
	t.Parallel()
	p := newPainter(t, time.Minute)
	h := rig.Start(t, rig.Options{Config: p.config(t) + "drain: 500ms\n"})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	path := p.order(t, h, key, "/api/v1/generations", `{"model":"operate/picture","prompt":"long"}`)
	rig.Eventually(t, "it is under way", func() bool { return p.times("long") == 1 })
	begun := time.Now()
	h.Signal(t, syscall.SIGTERM)
	h.Wait(t)
	if took := time.Since(begun); took > 45*time.Second { // the call takes a minute
		t.Errorf("the stop took %s", took)
	}
	h.Start(t)
	if state, why := outcome(t, h, key, path); state != "failed" || !strings.HasPrefix(why, "provider_unavailable") || p.times("long") != 1 {
		t.Errorf("it is %s, paid %d times: %s", state, p.times("long"), why)
	}
	db := h.Books(t, "")
	var held int
	if err := db.QueryRow(`SELECT count(*) FROM generations WHERE unsettled = 1 AND nano > 0`).Scan(&held); err != nil || held != 1 {
		t.Errorf("%d are held, %v", held, err)
	}
}
