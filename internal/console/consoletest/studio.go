package consoletest

import (
	"context"
	"database/sql"
	"io/fs"
	"log/slog"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/console"
	"stele/internal/download"
	"stele/internal/fair"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/provider/background"
	"stele/internal/provider/sandbox/maker"
	"stele/internal/provider/studio"
	"stele/internal/queue"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/store"
)

// Atelier is a house with a studio: a real queue, real files, and the makers that
// are built in.
type Atelier struct {
	*House
	Generations *generation.Service
	Files       *file.Service
}

// dear is a model whose price can be seen, and which the sandbox makes.
const dear = `
model: test/dear
name: Dear
media_type: image
kind: sandbox
operations:
  - mode: text_to_image
    input: {required: [prompt]}
    limits: {prompt: {max_length: 500}}
    exclusive: [[width, height], [aspect_ratio]]
    price: {usd: 0.04, per: image}
    parameters:
      - {name: n, type: integer, label: Pictures, default: 1, min: 1, max: 4}
      - {name: aspect_ratio, type: string, enum: ["1:1", "16:9"], default: "1:1"}
      - {name: width, type: integer, min: 64, max: 2048}
      - {name: height, type: integer, min: 64, max: 2048}
      - {name: tags, type: array, max_items: 3}
`

// WithStudio is for open and opened.
func WithStudio(a *Atelier) func(*House, *console.Options) {
	return func(h *House, o *console.Options) {
		h.T.Helper()
		a.House = h
		db, log := h.Store.Store, slog.New(slog.DiscardHandler)
		must := func(err error) {
			if err != nil {
				h.T.Helper()
				h.T.Fatal(err)
			}
		}
		must(queue.Migrate(h.T.Context(), db.Writer(), db.Pool()))
		work := queue.New(queue.Options{DB: db.Writer(), Node: "node", Log: log})
		db.SetQueue(store.Queue{
			Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
				return work.Enqueue(ctx, tx, time.Time{}, ofQueue(jobs)...)
			},
			Wake: func(jobs []generation.Job) { work.Wake(ofQueue(jobs)...) },
		})
		blobs, err := blob.Open(blob.Options{Folder: h.T.TempDir()})
		must(err)
		workshop := studio.Open(func(name string) (string, error) { return "", &exec.Error{Name: name, Err: exec.ErrNotFound} })
		models := catalog.New()
		must(models.Replace(catalog.Contents{Media: studioModels(h, workshop)}))
		a.Files = file.New(file.Options{
			Store: db, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return h.Public }, Now: time.Now, Log: log,
			Outside: func() *http.Client { return nil },
			Settings: func() file.Settings {
				return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 8 << 20, Video: 32 << 20, Audio: 8 << 20, Files: time.Hour, Outputs: time.Hour}
			},
		})
		makers := map[string]generation.Maker{
			"stele/studio":          background.New(workshop.Make, background.Options{Parallel: 2, Quick: time.Second, Repeats: true}),
			generation.SandboxMaker: maker.New(db, fair.New(2, 1), time.Now),
		}
		a.Generations = generation.New(generation.Options{
			Node: "node", Store: db, Catalog: models, Alone: true, Log: log, Now: time.Now, Files: a.Files,
			Makers:   func(name string) (generation.Maker, bool) { m, ok := makers[name]; return m, ok },
			Settings: func() generation.Settings { return generation.Settings{Unfinished: 100, CreditsPerUSD: 100} },
		})
		queue.Handle(work, queue.Work{Workers: 8}, a.Generations.Run)
		must(work.Start(context.WithoutCancel(h.T.Context())))
		ctx, cancel := context.WithCancel(context.WithoutCancel(h.T.Context()))
		var minding sync.WaitGroup
		drained := make(chan struct{})
		minding.Go(func() { a.Generations.Supervise(ctx, drained) })
		h.T.Cleanup(func() {
			cancel()
			_ = work.Stop(context.WithoutCancel(ctx))
			close(drained)
			minding.Wait()
		})
		o.Studio = &console.Studio{
			Generations: a.Generations, Files: a.Files, Catalog: models, Audit: db.InsertEntry,
			Replay: replay.New(replay.Options{Store: db, Node: "node", Alone: true, Now: time.Now}),
		}
	}
}

func studioModels(h *House, workshop *studio.Studio) []media.Model {
	h.T.Helper()
	var list []media.Model
	read := func(name string, src []byte, provider string) {
		m, err := media.Read(name, src)
		if err != nil {
			h.T.Fatal(err)
		}
		if m.Provider = provider; provider != "stele/studio" || workshop.Offer(&m) {
			list = append(list, m)
		}
	}
	for _, built := range []struct {
		provider string
		files    fs.FS
	}{{"stele/studio", studio.Models()}, {generation.SandboxMaker, maker.Models()}} {
		names, _ := fs.Glob(built.files, "*.yaml")
		for _, name := range names {
			src, _ := fs.ReadFile(built.files, name)
			read(name, src, built.provider)
		}
	}
	read("dear.yaml", []byte(dear), generation.SandboxMaker)
	return list
}

func ofQueue(jobs []generation.Job) []queue.Job {
	list := make([]queue.Job, len(jobs))
	for i, j := range jobs {
		list[i] = j
	}
	return list
}

// WithFiles serves what the studio has made, as the server does beside the console.
func (a *Atelier) WithFiles() {
	door, pages := download.New(a.Files), a.Serve
	a.Serve = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, a.Base+file.Under) {
			pages.ServeHTTP(w, r)
			return
		}
		r = r.WithContext(scope.With(r.Context(), &scope.Request{ID: "req_test"}))
		http.StripPrefix(a.Base, door).ServeHTTP(w, r)
	})
}

// ReadAsk is a request for a generation as its body says it.
func ReadAsk(t *testing.T, body []byte) media.Ask {
	t.Helper()
	fields, err := media.Fields(body)
	if err != nil {
		t.Fatal(err)
	}
	ask, err := media.Parse(fields)
	if err != nil {
		t.Fatal(err)
	}
	return ask
}

// Order makes a generation as a program would.
func (a *Atelier) Order(who access.Principal, body string) *generation.Task {
	a.T.Helper()
	ask := ReadAsk(a.T, []byte(body))
	t, err := a.Generations.Create(a.T.Context(), who, generation.NewID(), ask)
	if err != nil {
		a.T.Fatal(err)
	}
	return t
}

// AwaitEnd waits until a generation has ended.
func (a *Atelier) AwaitEnd(id string) *generation.Task {
	a.T.Helper()
	ctx, cancel := context.WithTimeout(a.T.Context(), time.Minute)
	defer cancel()
	var version int64
	for {
		t, err := a.Generations.Watch(ctx, "", "", id, version, time.Minute)
		if err != nil {
			a.T.Fatalf("%s: %v", id, err)
		}
		if t.State.Final() {
			return t
		}
		version = t.Version
	}
}
