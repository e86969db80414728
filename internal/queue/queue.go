// Package queue runs jobs that outlive the process. A job is written in the
// caller's own transaction, so it exists when, and only when, what it belongs to
// was saved; River works it, on SQLite and on PostgreSQL alike. The package must
// not know what any job does, and nothing of River leaves it.
package queue

import (
	"context"
	"database/sql"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/jackc/pgx/v5/pgxpool"

	"stele/internal/fair"
)

// An attempt may take so long unless its Work says otherwise. One that runs for
// longer than rescue, and than it may, was left by a process that died.
const (
	longest = time.Minute
	rescue  = 90 * time.Second
)

// Job is something to be done. It is kept as JSON.
type Job interface{ Kind() string }

// Owned is a job that says whose it is. The jobs of a kind are done workspace by workspace
// in turns: one with ten thousand of them delays no other's.
type Owned interface {
	Job
	OfWorkspace() string
}

// Delayed is a job that begins a little later than it is written.
type Delayed interface {
	Job
	Delay() time.Duration
}

func delayOf(j Job) time.Duration {
	if d, ok := j.(Delayed); ok {
		return d.Delay()
	}
	return 0
}

// Handler does a job of one kind. Where again is above zero the job comes back
// after it, which is no failure. An error brings it back as Work.Retry says. The
// same job may be done twice: when a process died, it is not known how far it was.
type Handler[J Job] func(ctx context.Context, job J) (again time.Duration, err error)

// Work is how the jobs of a kind are worked on.
type Work struct {
	Workers  int                             // at a time in this process, of which one workspace has half at most; 0 for one
	Timeout  time.Duration                   // of an attempt; 0 for a minute
	Retry    func(attempt int) time.Duration // the wait after that attempt failed; nil for one that doubles up to a minute
	Attempts int                             // then the job is given up; 0 for never
}

// Options says where jobs are kept and who works on them.
type Options struct {
	DB   *sql.DB       // SQLite: the pool that writes, of one connection
	Pool *pgxpool.Pool // PostgreSQL; nil for SQLite
	Node string        // the name of this process, like no other's
	Log  *slog.Logger
}

// Queue writes jobs and works on them. It is safe for concurrent use once it was started.
type Queue struct {
	Options
	insert  string
	notices *notifier
	recent  *fair.Rate // jobs of a kind and workspace
	works   map[string]worker
	doing   *sync.Map // from the ids of the jobs that this process is doing to true
	missed  []int64   // what releaseLost found last time
	begin   begin
	leaving context.Context //nolint:containedctx // ends when no more jobs are to begin
	leave   context.CancelFunc
}

// New gives a queue whose tables are there: see Migrate. Without Start it only writes jobs.
func New(o Options) *Queue {
	q := &Queue{Options: o, insert: insertSQLite, notices: newNotifier(), recent: fair.NewRate(burstSpan), works: make(map[string]worker), doing: new(sync.Map)}
	q.leaving, q.leave = context.WithCancel(context.Background())
	if o.Pool != nil {
		q.insert = insertPostgres
	}
	return q
}

// Handle says who does the jobs of J's kind. It must be called before Start.
func Handle[J Job](q *Queue, w Work, do Handler[J]) {
	var zero J
	q.works[zero.Kind()] = worker{
		kind: zero.Kind(), how: w, log: q.Log, leaving: q.leaving, line: newLine(w, zero), doing: q.doing,
		do: func(ctx context.Context, raw []byte, turn enterLine) (time.Duration, error) {
			var job J
			if err := json.Unmarshal(raw, &job); err != nil {
				return 0, fmt.Errorf("read job: %w", err)
			}
			leave, again := turn(workspaceOf(job))
			if leave == nil {
				return again, nil
			}
			defer leave()
			bounded, cancel := context.WithTimeout(ctx, w.timeout())
			defer cancel()
			return do(bounded, job)
		},
	}
}

// Enqueue writes jobs in a transaction of the caller. They start at a time, or as
// soon as the transaction is over where that is zero.
func (q *Queue) Enqueue(ctx context.Context, tx *sql.Tx, at time.Time, jobs ...Job) error {
	for _, j := range jobs {
		at := at
		if d := delayOf(j); d > 0 && at.IsZero() {
			at = time.Now().Add(d)
		}
		raw, err := json.Marshal(j)
		if err != nil {
			return fmt.Errorf("write job: %w", err)
		}
		if err := q.put(ctx, tx, at, string(raw), j.Kind(), int64(q.priority(j, time.Now())), 0); err != nil {
			return err
		}
	}
	return nil
}

// Wake makes this process look for jobs of these kinds now. The caller that enqueued calls
// it after the commit; without it, and in other processes, they are found a little later.
func (q *Queue) Wake(jobs ...Job) {
	for _, j := range jobs {
		if d := delayOf(j); d > 0 {
			time.AfterFunc(d, func() { q.notices.notify(j.Kind()) })
		} else {
			q.notices.notify(j.Kind())
		}
	}
}

// Stop takes no more jobs and waits for those that are being done until ctx ends.
// Then their contexts end too; they will be done again by the process that starts next.
func (q *Queue) Stop(ctx context.Context) error {
	q.leave()
	q.begin.waiting.Wait()
	if !q.begin.begun || q.begin.client.Stop(ctx) == nil {
		return nil
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := q.begin.client.StopAndCancel(last); err != nil {
		return fmt.Errorf("stop queue: %w", err)
	}
	return nil
}

// Release gives back at once what processes were doing that are not among the
// living; otherwise that takes some minutes. It returns how many jobs those were.
func (q *Queue) Release(ctx context.Context, living []string) (int64, error) {
	if q.Pool == nil {
		return 0, nil // Start has done it
	}
	released, err := q.giveBack(ctx, `NOT (attempted_by[array_upper(attempted_by, 1)] = ANY($1))`, append([]string{q.Node}, living...))
	if err != nil {
		return 0, err
	}
	lost, err := q.releaseLost(ctx)
	if released += lost; released > 0 {
		for kind := range q.works {
			q.notices.notify(kind)
		}
	}
	return released, err
}

func (w *Work) retry(attempt int) time.Duration {
	if w.Retry != nil {
		return w.Retry(attempt)
	}
	return min(time.Second<<min(attempt, 10), time.Minute)
}
