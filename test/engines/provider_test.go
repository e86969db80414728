package engines

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
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
	picture := rig.PlainPNG(t, 32, false)
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/{model}", p.order)
	mux.HandleFunc("GET /v1/get_result", p.look)
	mux.HandleFunc("GET /out/{name}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "image/png")
		_, _ = w.Write(picture)
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
	rig.WriteJSON(w, map[string]any{"id": id, "polling_url": p.URL + "/v1/get_result?id=" + id})
}

func (p *provider) look(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	p.mu.Lock()
	at, ok := p.ready[id]
	p.mu.Unlock()
	switch {
	case !ok:
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Task not found"})
	case time.Now().Before(at):
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Pending"})
	default:
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Ready", "result": map[string]any{"sample": p.URL + "/out/" + id + ".png"}})
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

// account is a configuration with the provider and its model, which has a price.
func (p *provider) account(t *testing.T) string {
	t.Helper()
	models, accounts := rig.Painters(t, map[string]string{"painter": p.URL})
	return models + "providers:\n" + accounts
}
