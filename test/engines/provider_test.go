package engines

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// provider plays one that makes pictures and remembers nothing of what it was asked
// before: whatever is sent to it twice is paid twice. It speaks as Black Forest Labs do.
type provider struct {
	*httptest.Server

	mu    sync.Mutex // guards what follows
	paid  map[string]int
	ready map[string]time.Time // by ticket
	work  time.Duration
}

func newProvider(t *testing.T, work time.Duration) *provider {
	t.Helper()
	p := &provider{paid: make(map[string]int), ready: make(map[string]time.Time), work: work}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/{model}", p.order)
	mux.HandleFunc("GET /v1/get_result", p.look)
	mux.HandleFunc("GET /out/{name}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture())
	})
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *provider) order(w http.ResponseWriter, r *http.Request) {
	var asked struct{ Prompt string }
	_ = json.NewDecoder(r.Body).Decode(&asked)
	p.mu.Lock()
	p.paid[asked.Prompt]++
	id := strconv.Itoa(len(p.ready) + 1)
	p.ready[id] = time.Now().Add(p.work)
	p.mu.Unlock()
	say(w, map[string]any{"id": id, "polling_url": p.URL + "/v1/get_result?id=" + id})
}

func (p *provider) look(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	p.mu.Lock()
	at, ok := p.ready[id]
	p.mu.Unlock()
	switch {
	case !ok:
		say(w, map[string]any{"id": id, "status": "Task not found"})
	case time.Now().Before(at):
		say(w, map[string]any{"id": id, "status": "Pending"})
	default:
		say(w, map[string]any{"id": id, "status": "Ready", "result": map[string]any{"sample": p.URL + "/out/" + id + ".png"}})
	}
}

// times is how often a prompt was paid for.
func (p *provider) times(prompt string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.paid[prompt]
}

// started counts what was paid for.
func (p *provider) started() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.ready)
}

func say(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v)
}

var picture = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewRGBA(image.Rect(0, 0, 32, 32))); err != nil {
		panic(err) // into memory
	}
	return b.Bytes()
})

// account is a configuration with the provider and its model, which has a price.
func (p *provider) account(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "model.yaml")
	const model = `model: engines/picture
media_type: image
kind: bfl
provider: painter
upstream: flux
call: {operation: bfl/task, body: [{copy: {prompt: prompt}}]}
operations:
  - mode: text_to_image
    price: {usd: 0.01, per: image}
    input: {required: [prompt]}
`
	if err := os.WriteFile(file, []byte(model), 0o600); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("media_models: [%q]\nproviders:\n  painter: {kind: bfl, base_url: %s/v1, api_key: none}\n", file, p.URL)
}
