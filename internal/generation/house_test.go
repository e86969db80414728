package generation_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"flag"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/blob"
	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/media"
	"stele/internal/queue"
	"stele/internal/store"
	"stele/internal/store/template"
)

// TestMain runs more tests at once than there are processors, unless -parallel says how many: they wait for beats and looks that come every few
// seconds.
func TestMain(m *testing.M) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		_ = flag.Set("test.parallel", strconv.Itoa(3*runtime.GOMAXPROCS(0))) // a number always fits
	}
	os.Exit(m.Run()) //nolint:forbidigo // how a TestMain ends
}

// house is a service over a real database, queue and folder, with a maker that
// does as a test says.
type house struct {
	*generation.Service

	t      *testing.T
	store  *store.Store
	queue  *queue.Queue
	limits *limit.Service
	maker  generation.Maker
	ahead  atomic.Int64 // of the machine's clock, in nanoseconds
	words  atomic.Int64 // of the maker, that were saved before what can wait
	stop   func()
}

// listening is a store that counts the maker's words.
type listening struct {
	*store.Store

	words *atomic.Int64
}

func (l listening) UpdateSentTask(ctx context.Context, workspace, id string, change func(*generation.Task) error) (*generation.Task, error) {
	l.words.Add(1)
	return l.Store.UpdateSentTask(ctx, workspace, id, change)
}

const model = `
model: test/model
media_type: image
kind: test
provider: maker
operations:
  - mode: text_to_image
    input: {required: [prompt]}
    price: {usd: 0.04, per: image}
    parameters:
      - {name: n, type: integer, default: 1, min: 1, max: 4}
`

var who = access.Principal{Workspace: "default", Key: "key_1", Environment: "development"}

// open builds the house in a folder. Nothing is worked on until start.
func open(t *testing.T, folder string, maker generation.Maker) *house {
	t.Helper()
	return openAt(t, "", template.In(t, folder), maker)
}

// openAt is open for a database of any engine.
func openAt(t *testing.T, database, folder string, maker generation.Maker) *house {
	t.Helper()
	db, err := store.Open(t.Context(), database, folder)
	if err != nil {
		t.Fatal(err)
	}
	log := slog.New(slog.DiscardHandler)
	if err := queue.Migrate(t.Context(), db.Writer(), db.Pool()); err != nil {
		t.Fatal(err)
	}
	h := &house{t: t, store: db, maker: maker}
	h.queue = queue.New(queue.Options{DB: db.Writer(), Pool: db.Pool(), Node: t.Name(), Log: log})
	db.SetQueue(store.Queue{
		Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
			return h.queue.Enqueue(ctx, tx, time.Time{}, asJobs(jobs)...)
		},
		Wake: func(jobs []generation.Job) { h.queue.Wake(asJobs(jobs)...) },
	})
	blobs, err := blob.Open(blob.Options{Folder: folder + "/blobs"})
	if err != nil {
		t.Fatal(err)
	}
	m, err := media.Read("model.yaml", []byte(model))
	if err != nil {
		t.Fatal(err)
	}
	models := catalog.New()
	if err := models.Replace(catalog.Contents{Media: []media.Model{m}}); err != nil {
		t.Fatal(err)
	}
	h.limits = limit.New(limit.Options{Store: db, Node: t.Name(), Log: log, Now: time.Now})
	public, _ := url.Parse("http://127.0.0.1")
	h.Service = generation.New(generation.Options{
		Node: "node of " + t.Name(), Store: listening{db, &h.words}, Catalog: models, Alone: true, Log: log, Now: h.now, Limits: h.limits,
		Files: file.New(file.Options{
			Store: db, Blobs: blobs, Secret: []byte("secret"), Public: func() *url.URL { return public }, Now: time.Now, Log: log,
			Outside: func() *http.Client { return nil },
			Settings: func() file.Settings {
				return file.Settings{URLLife: 7 * 24 * time.Hour, Image: 1 << 20, Files: time.Hour, Outputs: time.Hour}
			},
		}),
		Makers:   func(name string) (generation.Maker, bool) { return h.maker, name == "maker" },
		Settings: func() generation.Settings { return generation.Settings{Unfinished: 100, CreditsPerUSD: 100} },
	})
	t.Cleanup(func() {
		if h.stop != nil {
			h.stop()
		}
		db.Close()
	})
	return h
}

func asJobs(jobs []generation.Job) []queue.Job {
	list := make([]queue.Job, len(jobs))
	for i, j := range jobs {
		list[i] = j
	}
	return list
}

// now is the service's time: a test may move it on.
func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

// start works on tasks until the test ends or stop is called.
func (h *house) start() {
	h.t.Helper()
	queue.Handle(h.queue, queue.Work{Workers: 200}, h.Run)
	if err := h.queue.Start(context.WithoutCancel(h.t.Context())); err != nil {
		h.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(h.t.Context()))
	var minding sync.WaitGroup
	drained := make(chan struct{})
	minding.Go(func() { h.Supervise(ctx, drained) })
	h.stop = sync.OnceFunc(func() {
		cancel()
		if err := h.queue.Stop(context.WithoutCancel(h.t.Context())); err != nil {
			h.t.Error(err)
		}
		close(drained)
		minding.Wait()
	})
}

// order creates a task.
func (h *house) order(prompt string) *generation.Task {
	h.t.Helper()
	return h.orderBy(who, prompt)
}

func (h *house) orderBy(who access.Principal, prompt string) *generation.Task {
	h.t.Helper()
	ask, err := media.Parse(map[string]any{"model": "test/model", "prompt": prompt})
	if err != nil {
		h.t.Fatal(err)
	}
	task, err := h.Create(h.t.Context(), who, generation.NewID(), ask)
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// left is a task as a process left it that died, after so many tries.
func (h *house) left(stage generation.Stage, ticket string, tries int) *generation.Task {
	h.t.Helper()
	task := h.order("left behind")
	task, err := h.store.UpdateTask(h.t.Context(), task.Workspace, task.ID, func(t *generation.Task) error {
		t.Stage, t.Owner, t.Asked, t.Tries = stage, "a dead process", time.Now().Add(-time.Second), tries
		if ticket != "" {
			t.Ticket = media.Ticket(ticket)
		}
		return nil
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return task
}

// end waits until a task has ended.
func (h *house) end(id string) *generation.Task {
	h.t.Helper()
	return h.until(id, func(t *generation.Task) bool { return t.State.Final() })
}

// wait waits until a task's maker has accepted it.
func (h *house) wait(id string) *generation.Task {
	h.t.Helper()
	return h.until(id, func(t *generation.Task) bool { return t.Stage == generation.Waiting })
}

func (h *house) until(id string, holds func(*generation.Task) bool) *generation.Task {
	h.t.Helper()
	ctx, cancel := context.WithTimeout(h.t.Context(), 2*time.Minute)
	defer cancel()
	var version int64
	for {
		task, err := h.Watch(ctx, "default", "", id, version, time.Minute)
		if err != nil {
			h.t.Fatalf("%s: %v", id, err)
		}
		if holds(task) {
			return task
		}
		version = task.Version
	}
}

// script is a maker that does as it is told, and counts.
type script struct {
	mu                         sync.Mutex
	submitted, polled, stopped int
	submit                     func(n int) (media.Status, error)
	poll                       func(n int) (media.Status, error)
}

func (s *script) Submit(_ context.Context, req media.Request) (media.Status, error) {
	s.mu.Lock()
	s.submitted++
	n := s.submitted
	s.mu.Unlock()
	status, err := s.submit(n)
	status.Ticket = media.Ticket(`"` + req.Key + `"`)
	return status, err
}

func (s *script) Poll(context.Context, media.Ticket) (media.Status, error) {
	s.mu.Lock()
	s.polled++
	n := s.polled
	s.mu.Unlock()
	return s.poll(n)
}

func (s *script) Cancel(context.Context, media.Ticket) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopped++
	return nil
}

func (s *script) counts() (submitted, polled, stopped int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.submitted, s.polled, s.stopped
}

// finder is a script that can look up what it accepted.
type finder struct {
	script
	found bool
	err   error
}

func (f *finder) Find(_ context.Context, key string, _ time.Time) (media.Ticket, bool, error) {
	return media.Ticket(`"` + key + `"`), f.found, f.err
}

func (*finder) SettledAfter() time.Duration { return 0 }

// repeater is a script to which the same work can be submitted again.
type repeater struct{ script }

func (*repeater) Repeats() bool { return true }

func picture() media.Output {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2)))
	return media.Output{Kind: "image", Open: func(context.Context) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(b.Bytes())), nil
	}}
}

func done(int) (media.Status, error) {
	return media.Status{State: media.Success, Outputs: []media.Output{picture()}}, nil
}

func working(int) (media.Status, error) {
	return media.Status{State: media.Processing, Progress: 0.5, Wait: time.Millisecond}, nil
}

func failed(int) (media.Status, error) { return media.Status{State: media.Failed}, nil }

func refuse(class media.Class) func(int) (media.Status, error) {
	return func(int) (media.Status, error) { return media.Status{}, &media.Failure{Class: class, Message: "No."} }
}

var errBroken = errors.New("broken")
