package console_test

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

// workshop is all that runs of apps need: the real rooms, the real studio.
type workshop struct {
	runner      *app.Runner
	editor      *app.Editor
	generations *generation.Service
	files       *file.Service
	library     *app.Library
}

// talker answers every question alike, but for those that have it wait.
type talker struct{}

func (talker) Do(ctx context.Context, _ access.Principal, req *chat.Request) (*chat.Reply, error) {
	if talk, err := req.Conversation(); err != nil || strings.HasPrefix(talk.Messages[0].Parts[0].Text, "wait") {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	text := `{"title":"A small journey","scenes":[{"title":"One","picture":"The sea."},{"title":"Two","picture":"The shore."}]}`
	return &chat.Reply{Response: &chat.Response{Answers: []chat.Answer{{Parts: []chat.Part{{Kind: chat.Text, Text: text}}}}}}, nil
}

var studioOnce = sync.OnceValue(func() *studio.Studio { return studio.Open(exec.LookPath) })

// withApps opens the room of apps over a house's database.
func withApps(w *workshop) func(*house, *console.Options) {
	return func(h *house, o *console.Options) {
		t, db := h.t, h.store.Store
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
		w.files = file.New(file.Options{
			Store: db, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return h.public }, Now: time.Now, Log: log,
			Outside: func() *http.Client { return nil },
			Settings: func() file.Settings {
				return file.Settings{Image: 8 << 20, Video: 8 << 20, Audio: 8 << 20, Files: time.Hour, Outputs: time.Hour}
			},
		})
		maker := background.New(studioOnce().Make, background.Options{Parallel: 2, Quick: 2 * time.Second, Repeats: true})
		w.generations = generation.New(generation.Options{
			Node: "node", Store: db, Catalog: models, Alone: true, Log: log, Now: time.Now, Files: w.files,
			Makers: func(name string) (generation.Maker, bool) {
				if name == generation.AppMaker {
					return w.runner, true
				}
				return maker, name == "studio"
			},
			Settings: func() generation.Settings { return generation.Settings{Unfinished: 100, CreditsPerUSD: 100} },
		})
		w.library = app.NewLibrary()
		if err := w.library.Replace(app.BuiltIn()); err != nil {
			t.Fatal(err)
		}
		w.runner = app.NewRunner(app.Options{
			Library: w.library, Catalog: models, Generations: w.generations, Tasks: db, Store: db, Files: w.files, Chat: talker{}, Log: log, Now: time.Now,
		})
		w.editor = &app.Editor{Store: db, Library: w.library, Catalog: models, Now: time.Now}
		o.Apps = &console.Apps{Runner: w.runner, Editor: w.editor, Tasks: w.generations, Books: db, Files: w.files, Models: models, Audit: db.InsertEntry, Pictures: pictures.Files()}
		o.Now = time.Now
		w.start(t, q)
	}
}

// start works on what is ordered until the test ends.
func (w *workshop) start(t *testing.T, q *queue.Queue) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	queue.Handle(q, queue.Work{Workers: 10}, w.generations.Run)
	if err := q.Start(ctx); err != nil {
		t.Fatal(err)
	}
	var minding sync.WaitGroup
	drained := make(chan struct{})
	minding.Go(func() { w.generations.Supervise(ctx, drained) })
	t.Cleanup(func() {
		cancel()
		_ = q.Stop(context.WithoutCancel(t.Context()))
		close(drained)
		minding.Wait()
		w.runner.Close()
	})
}

// serveWith serves the console and the files that apps make.
func (w *workshop) serveWith(t *testing.T, h *house) {
	t.Helper()
	files := http.StripPrefix(h.base, download.New(w.files))
	server := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, h.base+file.Under) {
			files.ServeHTTP(out, r)
			return
		}
		h.serve.ServeHTTP(out, r)
	}))
	t.Cleanup(server.Close)
	h.public, _ = url.Parse(server.URL + h.base)
}

// end waits for the end of a run.
func (w *workshop) end(t *testing.T, id string) *generation.Task {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		task, err := w.generations.Watch(ctx, "default", "", id, 1<<40, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if task.State.Final() {
			return task
		}
	}
}
