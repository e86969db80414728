package assembly

import (
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"stele/internal/blob"
	"stele/internal/disk"
	"stele/internal/fair"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/inflight"
	"stele/internal/media"
	"stele/internal/memory"
	"stele/internal/pause"
	"stele/internal/provider/background"
	"stele/internal/provider/sandbox/maker"
	"stele/internal/queue"
	"stele/internal/replay"
	"stele/internal/scope"
	"stele/internal/store"
	"stele/internal/supply"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// mediaStack is where media are made: files, tasks, the queue and the makers.
type mediaStack struct {
	node        string
	before      string // as node, of the last process that served from this folder
	store       *store.Store
	blobs       blob.Store
	queue       *queue.Queue
	files       *file.Service
	webhooks    *webhook.Service
	generations *generation.Service
	replay      *replay.Service
	supply      *supply.Supply
	log         *slog.Logger

	processors *fair.Semaphore // of this machine: one workspace computes on half of them at most

	working *inflight.Registry // what this process is working on
	left    []string           // what the last one was working on when it died
	told    func(kind string)  // counts what is set aside

	unsent     *inflight.Registry // chats of this process that are marked as asked and not sent yet; nil: not known
	leftUnsent []string           // those of the last one when it died

	resting sync.Once
	drained time.Time // when the time to drain is over; set by resting
}

// openMedia builds the stack. Nothing is worked on until start.
func (n *node) openMedia(ctx context.Context) (err error) {
	w := &mediaStack{node: uid.New("node"), store: n.Store, supply: n.supply, log: n.log, told: n.metrics.SetAside}
	n.media = w
	n.openExchange()
	if err := w.succeed(ctx, filepath.Join(n.Config.Data, "node")); err != nil {
		return err
	}
	size := int64(runtime.GOMAXPROCS(0))
	w.processors = fair.New(size, fair.Half(size))
	if w.queue, err = openQueue(ctx, n.Store, w.node, n.log); err != nil {
		return err
	}
	w.blobs, err = blob.Open(blob.Options{
		URL: n.Config.BlobURL.Reveal(), Folder: filepath.Join(n.Config.Data, "blobs"), Client: n.operator, Getenv: n.Getenv,
		Spool: n.Config.Data,
	})
	if err != nil {
		return err
	}
	if err := w.openRecord(filepath.Join(n.Config.Data, "working")); err != nil {
		return err
	}
	if err := w.openUnsent(n.Config.Data); err != nil {
		return err
	}
	w.files = file.New(file.Options{
		Store: n.Store, Blobs: w.blobs, Secrets: n.signing, Public: func() *url.URL { return n.public },
		Outside: func() *http.Client { return n.supply.Egress().Callers }, Settings: n.runtime.fileSettings, Log: n.log, Now: time.Now,
		Processors: w.processors, Share: n.share, Damaged: n.metrics.CountFileDamaged,
	})
	mailer, err := openMail(n.Config, n.Getenv)
	if err != nil {
		return err
	}
	w.webhooks = webhook.New(webhook.Options{
		Store: n.Store, Box: n.Keyring.Box(webhookBox), Client: func() *http.Client { return n.supply.Egress().Receivers }, Now: time.Now, Log: n.log,
		Mail: mailer, Working: w.working, Aside: w.told, Tried: n.metrics.CountMessage,
	})
	alone := n.Store.Engine() == "sqlite" // one process per folder
	w.replay = replay.New(replay.Options{Store: n.Store, Node: w.node, Alone: alone, Now: time.Now, Unsent: w.unsent})
	w.forgetUnsent(ctx)
	w.addMakers(n.runtime.memory)
	w.generations = generation.New(generation.Options{
		Node: w.node, Store: n.Store, Files: w.files, Catalog: n.catalog, Makers: n.supply.Maker, Settings: n.runtime.generationSettings,
		Limits: n.limits, Share: n.share, Rights: n.Access.ScopeOf, Alone: alone, Log: n.log, Now: time.Now, Working: w.working, Aside: w.told, Trace: n.tracer(),
	})
	return n.Access.Serve(ctx, w.node)
}

// succeed says of the last process that served from this folder that it is dead, which is
// sure because the folder is locked: whatever it left need not wait.
func (w *mediaStack) succeed(ctx context.Context, path string) error {
	last, err := os.ReadFile(path)
	if w.before = string(last); err == nil && w.before != "" {
		err = w.store.ForgetNode(ctx, w.before)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return disk.WriteFile(path, []byte(w.node))
}

// endpoints are what people say with where messages go, as the configuration allows it now.
func (n *node) endpoints() *webhook.Manager {
	m := n.Endpoints()
	m.AllowPrivate = func() []netip.Prefix { return n.runtime.config().Egress.AllowPrivate }
	return m
}

// addMakers adds the makers that are built in, which compute on this machine.
func (w *mediaStack) addMakers(budget *memory.Budget) {
	w.supply.AddMaker(generation.SandboxMaker, maker.New(w.store, w.processors, time.Now))
	w.supply.AddMaker(supply.StudioMaker, background.New(chargeWorkspace(budget, localStudio().On(w.processors).Make), background.Options{
		Parallel: runtime.GOMAXPROCS(0), Quick: 2 * time.Second, Repeats: true, Working: w.working,
	}))
}

// chargeWorkspace gives a craft whose memory is its workspace's.
func chargeWorkspace(budget *memory.Budget, craft background.Craft) background.Craft {
	return func(ctx context.Context, req media.Request, report func(float64)) ([]media.Output, error) {
		lease := budget.Open(req.Workspace)
		defer lease.Close()
		return craft(scope.With(ctx, &scope.Request{Memory: lease}), req, report)
	}
}

// openQueue makes the tables of the queue and has the store write jobs there.
func openQueue(ctx context.Context, db *store.Store, node string, log *slog.Logger) (*queue.Queue, error) {
	if err := db.RunAlone(ctx, func(ctx context.Context) error { return queue.Migrate(ctx, db.Writer(), db.Pool()) }); err != nil {
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
	leastTime = 8 * time.Second  // for what is left when the time to drain is over
)

// start works until ctx ends, and then hands over what is not done.
func (w *mediaStack) start(ctx context.Context, beside *sync.WaitGroup) error {
	queue.Handle(w.queue, queue.Work{Workers: workers, Timeout: runTime}, w.generations.Run)
	queue.Handle(w.queue, queue.Work{Workers: couriers}, w.webhooks.Deliver)
	w.blame(ctx)
	if err := w.queue.Start(ctx); err != nil {
		return err
	}
	beside.Go(func() { w.files.Run(ctx) })
	beside.Go(func() {
		if err := w.blobs.Check(ctx); err != nil && ctx.Err() == nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "the place for files cannot be reached", slog.Any("error", err))
		}
	})
	beside.Go(func() { w.store.Listen(ctx, w.log, w.generations.WakeWaiters) })
	beside.Go(func() { w.release(ctx) })
	drained := make(chan struct{})
	beside.Go(func() { w.generations.Supervise(ctx, drained) })
	beside.Go(func() {
		<-ctx.Done()
		defer close(drained)
		bounded, cancel := w.restTime(context.WithoutCancel(ctx))
		defer cancel()
		if err := w.queue.Stop(bounded); err != nil {
			w.log.LogAttrs(bounded, slog.LevelWarn, "the queue did not stop", slog.Any("error", err))
		}
		w.supply.Close()
		_ = w.blobs.Close()
		_ = w.working.Close()
		_ = w.unsent.Close()
	})
	return nil
}

// endRecordings ends the answers that go on without their clients, and saves what there
// is of them.
func (w *mediaStack) endRecordings(ctx context.Context) {
	bounded, cancel := w.restTime(ctx)
	defer cancel()
	w.replay.Stop(bounded)
}

// rest begins no more calls that are paid for and answer only with the work: they may take
// longer than the server has. Only the first call counts; the others wait for it.
func (w *mediaStack) rest(drain time.Duration) {
	w.resting.Do(func() {
		w.drained = time.Now().Add(drain)
		w.supply.Rest()
	})
}

// finish waits for those that are under way, and until what they made is kept, as long as
// there is time to drain.
func (w *mediaStack) finish(ctx context.Context) {
	ctx, cancel := context.WithDeadline(ctx, w.drained)
	defer cancel()
	for w.supply.HasOwed() {
		if pause.For(ctx, 50*time.Millisecond) != nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "calls that are paid for were cut off")
			return
		}
	}
}

// restTime bounds ctx by what is left of the time to drain.
func (w *mediaStack) restTime(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, max(leastTime, time.Until(w.drained)))
}

// jobsAfter is how long a process may be silent before its jobs are given to others. Its tasks
// are adopted before that.
const jobsAfter = 20 * time.Second

// release gives jobs of dead processes back to the living.
func (w *mediaStack) release(ctx context.Context) {
	away := true // when the database comes back, the living first say that they are
	for pause.For(ctx, 5*time.Second) == nil {
		living, err := w.store.LivingNodes(ctx, time.Now().Add(-jobsAfter))
		if err == nil && !away {
			_, err = w.queue.Release(ctx, living)
		}
		away = err != nil
		if err != nil && ctx.Err() == nil {
			w.log.LogAttrs(ctx, slog.LevelWarn, "jobs of dead processes are not released", slog.Any("error", err))
		}
	}
}
