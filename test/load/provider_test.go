package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/test/rig"
)

// The calls of a provider that it may leave unanswered.
const (
	toOrder = "orders"
	toLook  = "looks"
	toFetch = "outputs"
)

// provider plays one that makes pictures: what it is asked, how long it works, and
// how long its links are good. It speaks as Black Forest Labs do.
type provider struct {
	*httptest.Server

	picture []byte
	mute    string        // what it never answers; "" is nothing
	work    time.Duration // how long work takes
	links   time.Duration // how long a link is good; 0 for ever

	free   chan struct{} // closed when nothing is left unanswered any more
	held   atomic.Int64  // calls that wait for that
	works  sync.Map      // from an id to the end of its work
	orders atomic.Int64
	dead   atomic.Int64 // links that were tried too late
}

// newProvider starts a provider. It must be closed before the house that uses it.
func newProvider(tb testing.TB, mute string, work, links time.Duration) *provider {
	tb.Helper()
	p := &provider{picture: rig.PlainPNG(tb, 32, false), mute: mute, work: work, links: links, free: make(chan struct{})}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/{model}", p.quiet(toOrder, p.order))
	mux.HandleFunc("GET /v1/get_result", p.quiet(toLook, p.look))
	mux.HandleFunc("GET /out/{until}/{name}", p.quiet(toFetch, p.fetch))
	p.Server = httptest.NewServer(mux)
	return p
}

// end lets go of everything and ends the provider.
func (p *provider) end() {
	close(p.free)
	p.Server.Close()
}

// quiet leaves a kind of call unanswered.
func (p *provider) quiet(kind string, answer http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p.mute != kind {
			answer(w, r)
			return
		}
		p.held.Add(1)
		defer p.held.Add(-1)
		select {
		case <-p.free:
		case <-r.Context().Done():
		}
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

func (p *provider) order(w http.ResponseWriter, _ *http.Request) {
	id := strconv.FormatInt(p.orders.Add(1), 10)
	p.works.Store(id, time.Now().Add(p.work))
	rig.WriteJSON(w, map[string]any{"id": id, "polling_url": p.URL + "/v1/get_result?id=" + id})
}

func (p *provider) look(w http.ResponseWriter, r *http.Request) {
	id := r.URL.Query().Get("id")
	end, ok := p.works.Load(id)
	switch {
	case !ok:
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Task not found"})
	case time.Now().Before(end.(time.Time)): //nolint:forcetypeassert // nothing else is stored
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Pending", "progress": nil})
	default:
		until := time.Now().Add(p.links).UnixMilli()
		rig.WriteJSON(w, map[string]any{"id": id, "status": "Ready", "result": map[string]any{"sample": fmt.Sprintf("%s/out/%d/%s.png", p.URL, until, id)}})
	}
}

func (p *provider) fetch(w http.ResponseWriter, r *http.Request) {
	if until, err := strconv.ParseInt(r.PathValue("until"), 10, 64); err != nil || p.links > 0 && time.Now().UnixMilli() > until {
		p.dead.Add(1)
		w.WriteHeader(http.StatusForbidden)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(p.picture)
}

// accounts is a configuration with these providers and a model named after each.
func accounts(tb testing.TB, providers map[string]*provider) string {
	tb.Helper()
	at := make(map[string]string)
	for name, p := range providers {
		at[name] = p.URL
	}
	models, lines := rig.Painters(tb, at)
	return models + "providers:\n" + lines
}

// of is the body of an order for the model of a provider.
func of(name string) string {
	return fmt.Sprintf(`{"model":"%s/picture","mode":"text_to_image","prompt":"a test"}`, name)
}
