package console_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/console"
	"stele/internal/file"
	"stele/internal/meter"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	"stele/internal/route"
)

// shelf keeps what was metered.
type shelf struct {
	mu      sync.Mutex // guards records
	records []meter.Record
	kept    chan struct{} // one for each
	files   *file.Service // of the room above
	breath  time.Duration // between signs of life; 0: as usual
}

func (s *shelf) Keep(r *meter.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
	s.kept <- struct{}{}
	return nil
}

func (s *shelf) last(t *testing.T) meter.Record {
	t.Helper()
	select {
	case <-s.kept:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was metered")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[len(s.records)-1]
}

// withPlayground opens the room over the real relay and the sandbox.
func withPlayground(kept *shelf) func(*house, *console.Options) {
	return func(h *house, o *console.Options) {
		h.t.Helper()
		offered := catalog.New()
		price := 2.0
		target := []catalog.Target{{Provider: sandbox.Provider, Model: sandbox.Model, Weight: 1}}
		if err := offered.Replace(catalog.Contents{Models: []catalog.Model{
			{ID: "stele/sandbox", Name: "Sandbox", Owner: "stele", Targets: target},
			{ID: "team/priced", Owner: "team", Targets: target, Price: catalog.Price{Input: &price, Output: &price}},
		}}); err != nil {
			h.t.Fatal(err)
		}
		blobs, err := blob.Open(blob.Options{Folder: h.t.TempDir()})
		if err != nil {
			h.t.Fatal(err)
		}
		files := file.New(file.Options{
			Store: h.store.Store, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return h.public },
			Settings: func() file.Settings { return file.Settings{Image: 1 << 20, Document: 1 << 20, Files: time.Hour} },
			Log:      slog.New(slog.DiscardHandler), Now: time.Now,
		})
		kept.files = files
		talk := relay.New(relay.Options{
			Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return sandboxed, true }, Router: route.New(), Keeper: kept,
			Vault: relay.NewVault(), Files: files, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		o.Playground = &console.Playground{
			Chat: talk, Models: offered, Files: files, KeepAlive: func() time.Duration { return kept.breath }, Audit: h.store.InsertEntry,
		}
	}
}

var sandboxed = sandbox.New(sandbox.Options{})

func playing(t *testing.T) (*house, *shelf) {
	t.Helper()
	kept := &shelf{kept: make(chan struct{}, 100)}
	return opened(t, withPlayground(kept)), kept
}

// postJSON sends JSON as the page does.
func (h *house) postJSON(path, body string, headers ...header) *http.Response {
	r := httptest.NewRequest(http.MethodPost, h.base+path, strings.NewReader(body))
	return h.send(r, append([]header{{"Content-Type", "application/json"}}, headers...)...)
}

func (h *house) send(r *http.Request, headers ...header) *http.Response {
	r.Host = h.public.Host
	if h.cookie != "" {
		addSession(r, h.cookie)
	}
	for _, set := range headers {
		r.Header.Set(set.name, set.value)
	}
	w := httptest.NewRecorder()
	h.serve.ServeHTTP(w, r)
	return w.Result()
}

// event is any of the room's events.
type event struct {
	Type, Kind, ID, Name, Text, Code, Message, Reason, Explanation, Cost, Request, Served string

	Status  int
	Usage   struct{ Input, Output, Reasoning int64 }
	Dropped []struct{ What, Verb, Note string }
}

func events(t *testing.T, stream string) []event {
	t.Helper()
	var list []event
	for frame := range strings.SplitSeq(stream, "\n\n") {
		data, ok := strings.CutPrefix(frame, "data: ")
		if !ok {
			continue
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		list = append(list, e)
	}
	return list
}

// said is the text of the parts of a kind.
func said(list []event, kind string) string {
	var b strings.Builder
	open := ""
	for _, e := range list {
		if e.Type == "open" {
			open = e.Kind
		}
		if e.Type == "delta" && open == kind {
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

const run = "/console/playground/run"

func hello(text string) string {
	return `{"model":"team/priced","messages":[{"role":"user","content":` + string(must(json.Marshal(text))) + `}]}`
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
