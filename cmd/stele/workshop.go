package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"stele/internal/access"
	"stele/internal/blob"
	"stele/internal/config"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/inflight"
	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/provider/background"
	"stele/internal/provider/blueprint"
	"stele/internal/provider/sandbox/maker"
	"stele/internal/queue"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/store"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// workshop is where media are made: files, tasks, the queue and the makers.
type workshop struct {
	rights      func(workspace string) access.Scope // what policies leave open
	node        string
	blobs       blob.Store
	queue       *queue.Queue
	files       *file.Service
	webhooks    *webhook.Service
	generations *generation.Service
	replay      *replay.Service
	makers      *makers
	log         *slog.Logger

	working *inflight.Record  // what this process is working on
	left    []string          // what the last one was working on when it died
	told    func(kind string) // of what is set aside; nil: nobody asks
}

// openWorkshop builds the workshop. Nothing is worked on until run.
func openWorkshop(ctx context.Context, h *house, l *live, public func() *url.URL, log *slog.Logger) (*workshop, error) {
	cfg := l.config()
	w := &workshop{node: uid.New("node"), log: log}
	var err error
	if w.queue, err = openQueue(ctx, h.store, w.node, log); err != nil {
		return nil, err
	}
	w.blobs, err = blob.Open(blob.Options{
		URL: cfg.BlobURL.Reveal(), Folder: filepath.Join(cfg.Data, "blobs"), Client: l.outside, Getenv: l.world.getenv,
		Spool: cfg.Data,
	})
	if err != nil {
		return nil, err
	}
	if err := w.openRecord(filepath.Join(cfg.Data, "working")); err != nil {
		return nil, err
	}
	w.files = file.New(file.Options{
		Store: h.store, Blobs: w.blobs, Secrets: h.signing, Public: public,
		Outside: l.callers, Settings: l.fileSettings, Log: log, Now: time.Now,
	})
	w.webhooks = webhook.New(webhook.Options{
		Store: h.store, Box: h.master.Box(webhookBox), Client: l.receivers, Now: time.Now, Log: log,
		Working: w.working, Aside: w.setAside,
	})
	alone := h.store.Engine() == "sqlite" // one process per folder
	w.replay = replay.New(replay.Options{Store: h.store, Node: w.node, Alone: alone, Now: time.Now})
	w.makers = l.makers
	l.makers.open(h.store, w.working)
	w.generations = generation.New(generation.Options{
		Node: w.node, Store: h.store, Files: w.files, Catalog: l.catalog, Makers: l.makers.find, Settings: l.generationSettings,
		Rights: h.access.ScopeOf, Alone: alone, Log: log, Now: time.Now, Working: w.working, Aside: w.setAside,
	})
	w.rights = h.access.ScopeOf
	return w, h.access.Serve(ctx, w.node)
}

// openQueue makes the tables of the queue and has the store write jobs there.
func openQueue(ctx context.Context, db *store.Store, node string, log *slog.Logger) (*queue.Queue, error) {
	if err := db.Alone(ctx, func(ctx context.Context) error { return queue.Migrate(ctx, db.Writer(), db.Pool()) }); err != nil {
		return nil, err
	}
	q := queue.New(queue.Options{DB: db.Writer(), Pool: db.Pool(), Node: node, Log: log})
	db.SetQueue(store.Queue{
		Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
			return q.Enqueue(ctx, tx, time.Time{}, ofQueue(jobs)...)
		},
		InsertJobsSQL: func(place int, ids []string, jobs []generation.Job) (string, []any, error) {
			return q.InsertJobsSQL(place, ids, ofQueue(jobs))
		},
		Wake: func(jobs []generation.Job) { q.Wake(ofQueue(jobs)...) },
	})
	return q, nil
}

func ofQueue(jobs []generation.Job) []queue.Job {
	list := make([]queue.Job, len(jobs))
	for i, j := range jobs {
		list[i] = j
	}
	return list
}

// How many jobs of each kind one process does at a time; one workspace has half of
// them. They mostly wait for providers, each of which has a lane of its own.
const (
	workers   = 2048
	couriers  = 64
	runTime   = 10 * time.Minute // copying a long clip takes its time
	drainJobs = 20 * time.Second
)

// start works until ctx ends, and then hands over what is not done.
func (w *workshop) start(ctx context.Context, db *store.Store, beside *sync.WaitGroup) error {
	queue.Handle(w.queue, queue.Work{Workers: workers, Timeout: runTime}, w.generations.Run)
	queue.Handle(w.queue, queue.Work{Workers: couriers}, w.webhooks.Deliver)
	w.blame(ctx, db)
	if err := w.queue.Start(ctx); err != nil {
		return err
	}
	beside.Go(func() { w.files.Run(ctx) })
	beside.Go(func() {
		if err := w.blobs.Check(ctx); err != nil && ctx.Err() == nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "the place for files cannot be reached", slog.Any("error", err))
		}
	})
	beside.Go(func() { db.Listen(ctx, w.log, w.generations.Changed) })
	beside.Go(func() { w.release(ctx, db) })
	drained := make(chan struct{})
	beside.Go(func() { w.generations.Supervise(ctx, drained) })
	beside.Go(func() {
		<-ctx.Done()
		defer close(drained)
		bounded, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainJobs)
		defer cancel()
		if err := w.queue.Stop(bounded); err != nil {
			w.log.LogAttrs(bounded, slog.LevelWarn, "the queue did not stop", slog.Any("error", err))
		}
		w.makers.close()
		_ = w.blobs.Close()
		_ = w.working.Close()
	})
	return nil
}

// release gives jobs of dead processes back to the living.
func (w *workshop) release(ctx context.Context, db *store.Store) {
	tick := time.NewTicker(5 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		living, err := db.Living(ctx, time.Now().Add(-20*time.Second))
		if err == nil {
			_, err = w.queue.Release(ctx, living)
		}
		if err != nil && ctx.Err() == nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "jobs of dead processes are not released", slog.Any("error", err))
		}
	}
}

// makers are all who make media, as the configuration has them now.
type makers struct {
	outside, public func() *http.Client
	seen            func(provider string, err error) // told how orders go
	log             *slog.Logger
	memory          *memory.Budget

	mu      sync.Mutex // guards all below
	builtin map[string]generation.Maker
	opened  map[string]opened
	leaving map[string]opened // removed accounts, for the work they have accepted
}

// opened is an account's maker and what it was opened with: work behind it goes
// on as long as that does not change.
type opened struct {
	maker generation.Maker
	with  string
}

// open makes the built-in makers.
func (m *makers) open(journal maker.Journal, working *inflight.Record) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.builtin = map[string]generation.Maker{
		generation.SandboxMaker: maker.New(journal, time.Now),
		studioMaker: background.New(counted(m.memory, theStudio().Make), background.Options{
			Parallel: runtime.GOMAXPROCS(0), Quick: 2 * time.Second, Repeats: true, Working: working,
		}),
	}
}

// counted is a craft whose memory is its workspace's.
func counted(budget *memory.Budget, craft background.Craft) background.Craft {
	return func(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error) {
		lease := budget.Open(req.Tenant)
		defer lease.Close()
		return craft(scope.With(ctx, &scope.Request{Memory: lease}), req, report)
	}
}

// offer opens the accounts of a configuration that make media.
func (m *makers) offer(cfg *config.Config) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := make(map[string]opened)
	var problems []error
	for _, p := range cfg.Providers {
		if !blueprint.Makes(p.Kind) {
			continue
		}
		account := accountOf(p)
		with := fmt.Sprintf("%+v", account)
		if old, ok := m.opened[p.Name]; ok && old.with == with {
			next[p.Name] = old
			continue
		}
		former, ok := m.opened[p.Name]
		if !ok {
			former = m.leaving[p.Name]
		}
		made, err := blueprint.Open(account, blueprint.Options{
			Client: m.outside(), Public: m.public(), ReadFile: os.ReadFile, Log: m.log, Now: time.Now, Former: former.maker,
			Seen: func(err error) { m.seen(p.Name, err) },
		})
		problems = append(problems, err)
		next[p.Name] = opened{made, with}
	}
	if err := errors.Join(problems...); err != nil {
		return err
	}
	if m.leaving == nil {
		m.leaving = make(map[string]opened)
	}
	for name, old := range m.opened {
		if _, stays := next[name]; !stays {
			m.leaving[name] = old
		}
	}
	for name := range next { // whoever is back has taken over what was left
		delete(m.leaving, name)
	}
	m.opened = next
	return nil
}

func (m *makers) find(name string) (generation.Maker, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if made, ok := m.builtin[name]; ok {
		return made, true
	}
	if o, ok := m.opened[name]; ok {
		return o.maker, true
	}
	o, ok := m.leaving[name]
	if !ok {
		return nil, false
	}
	return parting(o.maker), true
}

func (m *makers) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, made := range m.builtin {
		shut(made)
	}
	for _, o := range m.opened {
		shut(o.maker)
	}
	for _, o := range m.leaving {
		shut(o.maker)
	}
}

func shut(m generation.Maker) {
	switch c := m.(type) {
	case io.Closer:
		_ = c.Close()
	case interface{ Close() }:
		c.Close()
	}
}
