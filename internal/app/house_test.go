package app_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/chat"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/price"
	"stele/internal/queue"
	"stele/internal/store"
	"stele/internal/store/template"
)

// world is what stands outside of a process and outlives it: the makers' own
// books, and the folder.
type world struct {
	folder string

	mu   sync.Mutex
	made map[string]int // by prompt: how often it was accepted
	keys map[string]bool

	stopped map[string]bool // by prompt
	asked   map[string]int  // questions
	say     func(prompt string) (string, error)
	fail    func(prompt string, n int) *media.Failure
	hold    func(prompt string) bool // it is not done yet
	most    int                      // at the same time
	now     int
}

func newWorld(t *testing.T) *world {
	return &world{
		folder: t.TempDir(), made: make(map[string]int), keys: make(map[string]bool), stopped: make(map[string]bool), asked: make(map[string]int),
		say:  func(string) (string, error) { return `{"list":["a","b","c"],"title":"T"}`, nil },
		fail: func(string, int) *media.Failure { return nil }, hold: func(string) bool { return false },
	}
}

func (w *world) count(prompt string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.made[prompt]
}

// Submit accepts work once for each key, as a real provider with such keys does.
func (w *world) Submit(_ context.Context, req media.Request) (media.Status, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.keys[req.Key] {
		w.keys[req.Key] = true
		w.made[req.Prompt]++
		w.now++
		w.most = max(w.most, w.now)
	}
	ticket, _ := json.Marshal(req.Prompt)
	return media.Status{State: media.Processing, Ticket: ticket, Wait: 5 * time.Millisecond}, nil
}

// Poll is done at the second look.
func (w *world) Poll(_ context.Context, t media.Ticket) (media.Status, error) {
	var prompt string
	_ = json.Unmarshal(t, &prompt)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopped[prompt] {
		return media.Status{State: media.Canceled}, nil
	}
	if w.hold(prompt) {
		return media.Status{State: media.Processing, Wait: 5 * time.Millisecond}, nil
	}
	if w.now > 0 {
		w.now--
	}
	if f := w.fail(prompt, w.made[prompt]); f != nil {
		return media.Status{State: media.Failed, Failure: f}, nil
	}
	return media.Status{State: media.Success, Outputs: []media.Output{picture()}}, nil
}

// Cancel stops work that is held.
func (w *world) Cancel(_ context.Context, t media.Ticket) error {
	var prompt string
	_ = json.Unmarshal(t, &prompt)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.hold(prompt) {
		w.stopped[prompt] = true
	}
	return nil
}

func (*world) Repeats() bool { return true }

// Do answers a question.
func (w *world) Do(ctx context.Context, _ access.Principal, req *chat.Request) (*chat.Reply, error) {
	talk, err := req.Conversation()
	if err != nil {
		return nil, err
	}
	prompt := talk.Messages[0].Parts[len(talk.Messages[0].Parts)-1].Text
	w.mu.Lock()
	w.asked[prompt]++
	say := w.say
	w.mu.Unlock()
	text, err := say(prompt)
	if err != nil {
		return nil, err
	}
	if text == "wait" {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return &chat.Reply{Whole: &chat.WholeReply{Answers: []chat.Answer{{Parts: []chat.Part{{Kind: chat.Text, Text: text}}}}}}, nil
}

func picture() media.Output {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2)))
	return media.Output{Kind: "image", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}}
}

const paint = `
model: test/paint
media_type: image
kind: test
provider: maker
operations:
  - mode: text_to_image
    input: {required: [prompt], optional: [image_urls]}
    price: {usd: 0.04, per: image}
`

// house is a process: services over the world's database and folder.
type house struct {
	*app.Runner

	t           *testing.T
	world       *world
	generations *generation.Service
	store       *store.Store
	ahead       atomic.Int64 // of the machine's clock, in nanoseconds
	stop        func()
}

var who = access.Principal{Workspace: "default", Key: "key_1", Environment: "development"}

// open builds a process and starts it. crash may panic out of the store's way: see dying.
func open(t *testing.T, w *world, recipes ...string) *house {
	t.Helper()
	ctx := context.WithoutCancel(t.Context())
	db, err := store.Open(ctx, "", template.In(t, w.folder))
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	if err := queue.Migrate(ctx, db.Writer(), db.Pool()); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, world: w, store: db}
	q := queue.New(queue.Options{DB: db.Writer(), Node: t.Name(), Log: log})
	db.SetQueue(store.Queue{
		Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
			return q.Enqueue(ctx, tx, time.Time{}, asJobs(jobs)...)
		},
		Wake: func(jobs []generation.Job) { q.Wake(asJobs(jobs)...) },
	})
	blobs, err := blob.Open(blob.Options{Folder: w.folder + "/blobs"})
	if err != nil {
		t.Fatal(err)
	}
	models := catalog.New()
	m, err := media.Read("paint.yaml", []byte(paint))
	if err != nil {
		t.Fatal(err)
	}
	if err := models.Replace(catalog.Contents{
		Media:  []media.Model{m},
		Models: []catalog.Model{{ID: "test/chat", Price: price.MustPrice("- - - 2")}},
	}); err != nil {
		t.Fatal(err)
	}
	public, _ := url.Parse("http://127.0.0.1")
	files := file.New(file.Options{
		Store: db, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return public }, Now: time.Now, Log: log,
		Outside: func() *http.Client { return nil },
		Settings: func() file.Settings {
			return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 1 << 20, Files: time.Hour, Outputs: time.Hour}
		},
	})
	h.generations = generation.New(generation.Options{
		Node: "node " + fmt.Sprint(time.Now().UnixNano()), Store: db, Catalog: models, Alone: true, Log: log, Now: h.now, Files: files,
		Makers: func(name string) (generation.Maker, bool) {
			if name == generation.AppMaker {
				return h.Runner, true
			}
			return w, name == "maker"
		},
		Settings: func() generation.Settings { return generation.Settings{Unfinished: 3, CreditsPerUSD: 100} },
	})
	library := app.NewLibrary()
	var list []app.Recipe
	for _, src := range recipes {
		r, err := app.Read("app.yaml", []byte(src))
		if err == nil {
			err = r.Check(func(id string) *media.Model { found, _ := models.MediaModel(id); return found })
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, r)
	}
	if err := library.Replace(list); err != nil {
		t.Fatal(err)
	}
	h.Runner = app.NewRunner(app.Options{
		Library: library, Catalog: models, Generations: h.generations, Tasks: db, Store: db, Files: files, Chat: w, Log: log, Now: h.now,
	})
	h.start(q)
	return h
}

// now is the time of runs: a test may move it on.
func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

func asJobs(jobs []generation.Job) []queue.Job {
	list := make([]queue.Job, len(jobs))
	for i, j := range jobs {
		list[i] = j
	}
	return list
}

func (h *house) start(q *queue.Queue) {
	queue.Handle(q, queue.Work{Workers: 20}, h.generations.Run)
	if err := q.Start(context.WithoutCancel(h.t.Context())); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	var minding sync.WaitGroup
	drained := make(chan struct{})
	minding.Go(func() { h.generations.Supervise(ctx, drained) })
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := q.Stop(context.WithoutCancel(h.t.Context())); err != nil {
			h.t.Error(err)
		}
		close(drained)
		minding.Wait()
		h.Close()
		h.store.Close()
	})
	h.t.Cleanup(h.stop)
}

// run orders a run.
func (h *house) run(app, body string) *generation.Task {
	h.t.Helper()
	task, err := h.Create(h.t.Context(), who, generation.NewID(), app, []byte(body))
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// until waits until a task is as wanted.
func (h *house) until(id string, done func(*generation.Task) bool) *generation.Task {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), time.Minute)
	defer cancel()
	var version int64
	for {
		task, err := h.generations.Watch(ctx, "default", "", id, version, 50*time.Millisecond)
		if err != nil {
			h.t.Fatalf("%s: %v", id, err)
		}
		if done(task) {
			return task
		}
		if task.State.Final() {
			h.t.Fatalf("%s %s %s: %+v", task.State, task.Code, task.Message, task.Steps)
		}
		version = task.Version
	}
}

func (h *house) end(id string) *generation.Task {
	h.t.Helper()
	return h.until(id, func(t *generation.Task) bool { return t.State.Final() })
}

// steps is a task's steps in one line.
func steps(t *generation.Task) string {
	var list []string
	for _, s := range t.Steps {
		line := s.ID + ":" + string(s.State)
		if s.Total > 0 {
			line += fmt.Sprintf(":%d/%d", s.Done, s.Total)
		}
		list = append(list, line)
	}
	return strings.Join(list, " ")
}

var errBroken = errors.New("broken")
