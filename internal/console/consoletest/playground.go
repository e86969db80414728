package consoletest

import (
	"encoding/json"
	"log/slog"
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
	"stele/internal/price"
	"stele/internal/provider/sandbox"
	"stele/internal/relay"
	"stele/internal/route"
)

// Shelf keeps what was metered.
type Shelf struct {
	mu      sync.Mutex // guards records
	records []meter.Record
	Kept    chan struct{} // one for each
	Files   *file.Service // of the room above
	Breath  time.Duration // between signs of life; 0: as usual
}

// Keep implements meter.Keeper.
func (s *Shelf) Keep(r *meter.Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, *r)
	s.Kept <- struct{}{}
	return nil
}

// Last waits for the next record.
func (s *Shelf) Last(t *testing.T) meter.Record {
	t.Helper()
	select {
	case <-s.Kept:
	case <-time.After(30 * time.Second):
		t.Fatal("nothing was metered")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records[len(s.records)-1]
}

// WithPlayground opens the room over the real relay and the sandbox.
func WithPlayground(kept *Shelf) func(*House, *console.Options) {
	return func(h *House, o *console.Options) {
		h.T.Helper()
		offered := catalog.New()
		target := []catalog.Target{{Provider: sandbox.Provider, Model: sandbox.Model, Weight: 1}}
		if err := offered.Replace(catalog.Contents{Models: []catalog.Model{
			{ID: "stele/sandbox", Name: "Sandbox", Owner: "stele", Targets: target},
			{ID: "team/priced", Owner: "team", Targets: target, Price: price.MustPrice("2 - - 2")},
		}}); err != nil {
			h.T.Fatal(err)
		}
		blobs, err := blob.Open(blob.Options{Folder: h.T.TempDir()})
		if err != nil {
			h.T.Fatal(err)
		}
		files := file.New(file.Options{
			Store: h.Store.Store, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return h.Public },
			Settings: func() file.Settings {
				return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 1 << 20, Document: 1 << 20, Files: time.Hour}
			},
			Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		kept.Files = files
		talk := relay.New(relay.Options{
			Catalog: offered, Upstreams: func(string) (relay.Upstream, bool) { return sandboxed, true }, Router: route.New(), Keeper: kept,
			Vault: relay.NewVault(), Files: files, Log: slog.New(slog.DiscardHandler), Now: time.Now,
		})
		o.Playground = &console.Playground{
			Chat: talk, Models: offered, Files: files, KeepAlive: func() time.Duration { return kept.Breath }, Audit: h.Store.InsertEntry,
		}
	}
}

var sandboxed = sandbox.New(sandbox.Options{})

// OpenPlayground is a house with the playground.
func OpenPlayground(t *testing.T) (*House, *Shelf) {
	t.Helper()
	kept := &Shelf{Kept: make(chan struct{}, 100)}
	return OpenSignedIn(t, WithPlayground(kept)), kept
}

// Event is any of the room's events.
type Event struct {
	Type, Kind, ID, Name, Text, Code, Message, Reason, Explanation, Cost, Request, Served string

	Status  int
	Usage   struct{ Input, Output, Reasoning int64 }
	Dropped []struct{ What, Verb, Note string }
}

// Events are those of a stream.
func Events(t *testing.T, stream string) []Event {
	t.Helper()
	var list []Event
	for frame := range strings.SplitSeq(stream, "\n\n") {
		data, ok := strings.CutPrefix(frame, "data: ")
		if !ok {
			continue
		}
		var e Event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			t.Fatalf("%s: %v", frame, err)
		}
		list = append(list, e)
	}
	return list
}

// Said is the text of the parts of a kind.
func Said(list []Event, kind string) string {
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

// PlaygroundRun is where a conversation is sent.
const PlaygroundRun = "/console/playground/run"

// Hello is a request that says something.
func Hello(text string) string {
	return `{"model":"team/priced","messages":[{"role":"user","content":` + string(must(json.Marshal(text))) + `}]}`
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}
