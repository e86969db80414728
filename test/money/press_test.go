package money

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// press makes pictures and keeps its own books. It speaks as four sorts of providers do:
//   - bfl tells its price when it takes an order, cannot stop, and cannot look an order up;
//   - fal can stop, tells no price, and cannot look up;
//   - comfyui is told the name of the work, so that it can be looked up, and can stop;
//   - openai answers with the picture, and forgets it.
type press struct {
	*httptest.Server
	picture []byte

	mu    sync.Mutex // guards all below
	works map[string]*work
	named map[string][]*work // by the names of their pieces
	asked map[string]int     // how often each piece was ordered
}

// work is an order that was taken.
type work struct {
	piece
	id       string
	taken    time.Time
	answered time.Time // when its order was; zero where it was not
	looks    int
	canceled time.Time
}

func newPress(t *testing.T) *press {
	t.Helper()
	p := &press{picture: rig.PlainPNG(t, 8, false), works: make(map[string]*work), named: make(map[string][]*work), asked: make(map[string]int)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /bfl/{owner}/{model}", p.bflTakes)
	mux.HandleFunc("GET /bfl/look/{id}", p.bflLooks)
	mux.HandleFunc("POST /fal/{owner}/{model}", p.falTakes)
	mux.HandleFunc("GET /fal/requests/{id}/status", p.falLooks)
	mux.HandleFunc("GET /fal/requests/{id}", p.falGives)
	mux.HandleFunc("PUT /fal/requests/{id}/cancel", p.falStops)
	mux.HandleFunc("POST /comfyui/prompt", p.comfyTakes)
	mux.HandleFunc("GET /comfyui/history/{id}", p.comfyLooks)
	mux.HandleFunc("GET /comfyui/queue", p.comfyLists)
	mux.HandleFunc("POST /comfyui/interrupt", p.comfyStops)
	mux.HandleFunc("GET /comfyui/view", p.gives)
	mux.HandleFunc("GET /pictures/{id}", p.gives)
	mux.HandleFunc("POST /openai/images/generations", p.openAITakes)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(func() {
		p.CloseClientConnections() // a server that was killed may have left some
		p.Close()
	})
	return p
}

// bill is what is charged for the orders of each name, in billionths of a USD: for what
// was made, whichever client has seen it, and for nothing else.
func (p *press) bill() map[string]int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	charged := make(map[string]int64)
	for _, w := range p.works {
		if w.state() == "done" {
			charged[w.name()] += w.price()
		}
	}
	return charged
}

// unfinished counts the works that may still be charged for.
func (p *press) unfinished() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.works {
		if w.state() == "working" {
			n++
		}
	}
	return n
}

// unanswered reports whether the orders of a name had no answer at a moment, none of them
// was ever looked at, and whether any was taken at all.
func (p *press) unanswered(name string, at time.Time) (open, taken bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	open, taken = true, len(p.named[name]) > 0
	for _, w := range p.named[name] {
		open = open && w.looks == 0 && (w.answered.IsZero() || w.answered.After(at))
	}
	return open, taken
}

// answers are the times at which the orders of a name were answered.
func (p *press) answers(name string) (at []time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, w := range p.named[name] {
		at = append(at, w.answered)
	}
	return at
}

// state is how a work is now, whichever client asks.
func (w *work) state() string {
	done := w.taken.Add(w.takes())
	switch {
	case !w.canceled.IsZero() && w.canceled.Before(done):
		return "canceled"
	case time.Now().Before(done):
		return "working"
	case w.fate == "failed":
		return "failed"
	}
	return "done"
}

var pieceName = regexp.MustCompile(`piece-(\d+)\.`)

// take takes an order, unless that is to go wrong: then no answer is owed.
func (p *press) take(w http.ResponseWriter, r *http.Request) *work {
	body, err := io.ReadAll(r.Body)
	found := pieceName.FindSubmatch(body)
	if err != nil || found == nil {
		w.WriteHeader(http.StatusBadRequest)
		return nil
	}
	n, _ := strconv.Atoi(string(found[1]))
	o := work{piece: pieceOf(n), id: fmt.Sprintf("job-%x", rand.Uint64()), taken: time.Now()}
	if o.kind == "comfyui" {
		var named struct {
			ID string `json:"prompt_id"`
		}
		_ = json.Unmarshal(body, &named) // "" is no work
		o.id = named.ID
	}
	p.mu.Lock()
	p.asked[o.name()]++
	first := p.asked[o.name()] == 1
	if refused := first && (o.fate == "busy" || o.fate == "broken"); !refused {
		p.works[o.id], p.named[o.name()] = &o, append(p.named[o.name()], &o)
	}
	p.mu.Unlock()
	switch {
	case o.fate == "busy" && first:
		answer(w, http.StatusTooManyRequests, `{"error":{"message":"busy","code":"rate_limit_exceeded"},"detail":"busy"}`)
		return nil
	case o.fate == "broken" && first:
		w.WriteHeader(http.StatusInternalServerError) // says nothing of the order, which was not taken
		return nil
	case o.fate == "unsure" && first:
		if o.kind == "openai" && o.n%2 == 0 {
			hold(r, 2500*time.Millisecond) // longer than an answer is waited for at once
		}
		hangUp(w)
		return nil
	}
	return &o
}

// look finds a work that is asked for, unless that goes wrong.
func (p *press) look(w http.ResponseWriter, r *http.Request) (found work, ok bool) {
	p.mu.Lock()
	known := p.works[r.PathValue("id")]
	if known != nil {
		known.looks++
		found = *known
	}
	p.mu.Unlock()
	switch {
	case known == nil || found.fate == "gone":
		answer(w, http.StatusNotFound, `{"status":"Task not found","detail":"not found"}`)
		return found, false
	case found.fate != "blind" || found.looks > 3:
		return found, true
	case found.looks == 1:
		hangUp(w)
	case found.looks == 2:
		w.WriteHeader(http.StatusBadGateway)
	default:
		answer(w, http.StatusOK, "<html>Please wait</html>")
	}
	return found, false
}

// stop stops a work, unless it is past that or does not hear.
func (p *press) stop(id string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	w := p.works[id]
	if w == nil || w.state() != "working" || w.fate == "deaf" || w.fate == "late" {
		return false
	}
	w.canceled = time.Now()
	return true
}

// gives gives a picture out.
func (p *press) gives(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if id == "" {
		id = r.URL.Query().Get("filename")
	}
	p.mu.Lock()
	known := p.works[strings.TrimSuffix(id, ".png")]
	p.mu.Unlock()
	if known == nil || known.fate == "unfetched" {
		w.WriteHeader(http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	_, _ = w.Write(p.picture)
}

// accept answers an order that was taken.
func (p *press) accept(w http.ResponseWriter, o *work, status int, body string) {
	answer(w, status, body)
	p.mu.Lock()
	defer p.mu.Unlock()
	o.answered = time.Now()
}

func answer(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
}

// hangUp ends the connection without an answer.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := w.(http.Hijacker).Hijack(); err == nil {
		_ = conn.Close()
	}
}

// hold waits, or until the caller has gone.
func hold(r *http.Request, d time.Duration) {
	select {
	case <-r.Context().Done():
	case <-time.After(d):
	}
}
