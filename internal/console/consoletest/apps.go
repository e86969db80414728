package consoletest

import (
	"context"
	"database/sql"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/docs/pictures"
	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/console"
	"stele/internal/download"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/provider/background"
	"stele/internal/provider/studio"
	"stele/internal/queue"
	"stele/internal/store"
)

// Workshop is all that runs of apps need: the real rooms, the real studio.
type Workshop struct {
	Runner      *app.Runner
	Editor      *app.Editor
	Generations *generation.Service
	Files       *file.Service
	Library     *app.Library
}

// talker answers every question alike, but for those that have it wait.
type talker struct{}

func (talker) Do(ctx context.Context, _ access.Principal, req *chat.Request) (*chat.Reply, error) {
	if talk, err := req.Conversation(); err != nil || strings.HasPrefix(talk.Messages[0].Parts[0].Text, "wait") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	text := `{"title":"A small journey","scenes":[{"title":"One","picture":"The sea."},{"title":"Two","picture":"The shore."}]}`
	return &chat.Reply{Whole: &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{{Kind: chat.Text, Text: text}}}}}}, nil
}

var studioOnce = sync.OnceValue(func() *studio.Studio { return studio.Open(exec.LookPath) })

// WithApps opens the room of apps over a house's database.
func WithApps(w *Workshop) func(*House, *console.Options) {
	return func(h *House, o *console.Options) {
		t, db := h.T, h.Store.Store
		ctx := context.WithoutCancel(t.Context())
		log := slog.New(slog.DiscardHandler)
		if err := queue.Migrate(ctx, db.Writer(), db.Pool()); err != nil {
			t.Fatal(err)
		}
		q := queue.New(queue.Options{DB: db.Writer(), Node: "node", Log: log})
		jobs := func(list []generation.Job) []queue.Job {
			var out []queue.Job
			for _, j := range list {
				out = append(out, j)
			}
			return out
		}
		db.SetQueue(store.Queue{
			Enqueue: func(ctx context.Context, tx *sql.Tx, list []generation.Job) error {
				return q.Enqueue(ctx, tx, time.Time{}, jobs(list)...)
			},
			Wake: func(list []generation.Job) { q.Wake(jobs(list)...) },
		})
		blobs, err := blob.Open(blob.Options{Folder: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		models := catalog.New()
		contents := catalog.Contents{Models: []catalog.Model{{ID: "stele/sandbox", Name: "Sandbox"}}}
		names, _ := fs.Glob(studio.Models(), "*.yaml")
		for _, name := range names {
			body, _ := fs.ReadFile(studio.Models(), name)
			m, err := media.Read(name, body)
			if err != nil {
				t.Fatal(err)
			}
			if m.Provider = "studio"; studioOnce().Offer(&m) {
				contents.Media = append(contents.Media, m)
			}
		}
		if err := models.Replace(contents); err != nil {
			t.Fatal(err)
		}
		w.Files = file.New(file.Options{
			Store: db, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return h.Public }, Now: time.Now, Log: log,
			Outside: func() *http.Client { return nil },
			Settings: func() file.Settings {
				return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 8 << 20, Video: 8 << 20, Audio: 8 << 20, Files: time.Hour, Outputs: time.Hour}
			},
		})
		maker := background.New(studioOnce().Make, background.Options{Parallel: 2, Quick: 2 * time.Second, Repeats: true})
		w.Generations = generation.New(generation.Options{
			Node: "node", Store: db, Catalog: models, Alone: true, Log: log, Now: time.Now, Files: w.Files,
			Makers: func(name string) (generation.Maker, bool) {
				if name == generation.AppMaker {
					return w.Runner, true
				}
				return maker, name == "studio"
			},
			Settings: func() generation.Settings { return generation.Settings{Unfinished: 100, CreditsPerUSD: 100} },
		})
		w.Library = app.NewLibrary()
		if err := w.Library.Replace(app.BuiltIn()); err != nil {
			t.Fatal(err)
		}
		w.Runner = app.NewRunner(app.Options{
			Library: w.Library, Catalog: models, Generations: w.Generations, Tasks: db, Store: db, Files: w.Files, Chat: talker{}, Log: log, Now: time.Now,
		})
		w.Editor = &app.Editor{Store: db, Library: w.Library, Catalog: models, Now: time.Now}
		o.Apps = &console.Apps{Runner: w.Runner, Editor: w.Editor, Tasks: w.Generations, Books: db, Files: w.Files, Models: models,
			Audit: db.InsertEntry, Pictures: pictures.Files()}
		o.Now = time.Now
		w.start(t, q)
	}
}

// start works on what is ordered until the test ends.
func (w *Workshop) start(t *testing.T, q *queue.Queue) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	queue.Handle(q, queue.Work{Workers: 10}, w.Generations.Run)
	if err := q.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var minding sync.WaitGroup
	drained := make(chan struct{})
	minding.Go(func() { w.Generations.Supervise(ctx, drained) })
	t.Cleanup(func() {
		cancel()
		_ = q.Stop(context.WithoutCancel(t.Context()))
		close(drained)
		minding.Wait()
		w.Runner.Close()
	})
}

// ServeWith serves the console and the files that apps make.
func (w *Workshop) ServeWith(t *testing.T, h *House) {
	t.Helper()
	files := http.StripPrefix(h.Base, download.New(w.Files))
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, h.Base+file.Under) {
			files.ServeHTTP(out, r)
			return
		}
		h.Serve.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	h.Public, _ = url.Parse(server.URL + h.Base)
}

// End waits for the end of a run.
func (w *Workshop) End(t *testing.T, id string) *generation.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for version := int64(0); ; {
		task, err := w.Generations.Watch(ctx, "default", "", id, version, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if version = task.Version; task.State.Final() {
			return task
		}
	}
}

// OpenApps is a house with the room of apps.
func OpenApps(t *testing.T) (*House, *Workshop) {
	t.Helper()
	w := &Workshop{}
	return OpenSignedIn(t, WithApps(w)), w
}

// Publish puts an app on the shelf.
func (w *Workshop) Publish(t *testing.T, id, source string) {
	t.Helper()
	who := access.Principal{Workspace: "default", User: "usr_x"}
	if _, err := w.Editor.Create(t.Context(), who, id, source); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Editor.Publish(t.Context(), who, id, source, 0, false); err != nil {
		t.Fatal(err)
	}
}

// Slow is an app that can be made to wait.
const Slow = `app: slow
name: Slow
media_type: image
inputs:
  - {name: copies, type: integer, default: 2, min: 1, max: 9}
  - {name: think, type: string, default: wait}
steps:
  - id: think
    chat: {model: stele/sandbox, prompt: "${inputs.think}"}
  - id: draw
    after: [think]
    each: ${1..inputs.copies}
    most: 3
    generate: {model: stele/canvas, mode: text_to_image, with: {prompt: "${steps.think.text}", width: 256, height: 256}}
result: {images: "${map(steps.draw, .image)}"}
`
