package queue

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"
	"github.com/riverqueue/river/rivermigrate"

	"stele/internal/fair"
)

const (
	schedulerEvery = 5 * time.Second // River's
	maxAttempts    = math.MaxInt16   // River never gives up by itself: Work.Attempts does
)

// What River itself inserts for a job. Its driver for database/sql does not exist at
// our version, and it may be written into its tables only within this package.
const (
	insertPostgres = `INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags, attempt)
		VALUES ($1::text::jsonb, $2, $3, '{}', $6, $2, coalesce($4::timestamptz, now()), $5::text::river_job_state, '{}', $7)`
	insertSQLite = `INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags, attempt)
		VALUES (jsonb($1), datetime('now', 'subsec'), $2, $3, jsonb('{}'), $6, $2, coalesce($4, datetime('now', 'subsec')), $5, jsonb('[]'), $7)`
)

// put writes a job that starts at a time, or at once where that is zero. What is far off waits in a
// state of its own until River's scheduler, which looks every five seconds, moves it over. River does
// the same with what it retries.
func (q *Queue) put(ctx context.Context, tx *sql.Tx, at time.Time, args, kind string, priority, attempt int64) error {
	state := "available"
	if time.Until(at) > schedulerEvery {
		state = "scheduled"
	}
	if _, err := tx.ExecContext(ctx, q.insert, args, kind, maxAttempts, q.time(at), state, priority, attempt); err != nil {
		return fmt.Errorf("write job: %w", err)
	}
	return nil
}

// InsertJobsSQL is a statement of PostgreSQL that writes the job of each id that is in the
// table called task, and its arguments, from the given place on. River's own insert
// cannot be a part of the statement that saves the tasks, and one statement for both is
// what makes it cheap to accept an order.
func (q *Queue) InsertJobsSQL(place int, ids []string, jobs []Job) (statement string, args []any, err error) {
	texts, kinds := make([]string, len(jobs)), make([]string, len(jobs))
	priorities, delays := make([]int16, len(jobs)), make([]int64, len(jobs)) // in milliseconds
	for i, j := range jobs {
		raw, err := json.Marshal(j)
		if err != nil {
			return "", nil, fmt.Errorf("write job: %w", err)
		}
		texts[i], kinds[i] = string(raw), j.Kind()
		priorities[i], delays[i] = int16(q.priority(j, time.Now())), delayOf(j).Milliseconds()
	}
	return fmt.Sprintf(`INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags)
		SELECT job.args::jsonb, job.kind, $%d, '{}', job.priority, job.kind, now() + job.delay * interval '1 millisecond', 'available', '{}'
		FROM task JOIN unnest($%d::text[], $%d::text[], $%d::text[], $%d::smallint[], $%d::bigint[]) AS job (id, args, kind, priority, delay) USING (id)`,
		place, place+1, place+2, place+3, place+4, place+5), []any{maxAttempts, ids, texts, kinds, priorities, delays}, nil
}

// time is a time as the engine's driver of River writes it, nil for none.
func (q *Queue) time(at time.Time) any {
	switch {
	case at.IsZero():
		return nil
	case q.Pool != nil:
		return at
	}
	return at.UTC().Format("2006-01-02 15:04:05.000")
}

// Migrate makes River's tables, or brings them up to date. One process at a time
// may do so; the caller sees to it.
func Migrate(ctx context.Context, db *sql.DB, pool *pgxpool.Pool) error {
	var err error
	if pool != nil {
		err = migrate(ctx, riverpgxv5.New(pool))
	} else {
		err = migrate(ctx, riversqlite.New(db))
	}
	if err != nil {
		return fmt.Errorf("migrate queue: %w", err)
	}
	return nil
}

func migrate[TX any](ctx context.Context, d riverdriver.Driver[TX]) error {
	m, err := rivermigrate.New(d, &rivermigrate.Config{Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		return err
	}
	_, err = m.Migrate(ctx, rivermigrate.DirectionUp, nil)
	return err
}

// client is what we use of River's, whichever the driver.
type client interface {
	Start(ctx context.Context) error
	Stop(ctx context.Context) error
	StopAndCancel(ctx context.Context) error
}

func (q *Queue) newClient() (client, error) {
	c := &river.Config{
		ID:                          q.Node,
		Queues:                      make(map[string]river.QueueConfig),
		Workers:                     river.NewWorkers(),
		JobTimeout:                  longest,
		RescueStuckJobsAfter:        rescue,
		FetchCooldown:               20 * time.Millisecond, // after a first job that is taken at once: many that come together are taken together
		FetchPollInterval:           q.pollEvery(),
		CompletedJobRetentionPeriod: time.Minute,
		CancelledJobRetentionPeriod: 24 * time.Hour,
		DiscardedJobRetentionPeriod: 24 * time.Hour,
		ReindexerIndexNames:         []string{}, // it locks the one writer of SQLite, and PostgreSQL's own upkeep is enough
		Logger:                      slog.New(quiet{q.Log.Handler()}),
	}
	for kind, w := range q.works { // a queue for each kind: none waits behind another
		c.Queues[kind] = river.QueueConfig{MaxWorkers: w.how.mostHeld()}
		river.AddWorkerArgs(c.Workers, args{kind: kind}, river.Worker[args](&w))
	}
	if q.Pool != nil {
		return river.NewClient(driver(riverpgxv5.New(q.Pool), q.notices), c)
	}
	return river.NewClient(driver(riverdriver.Driver[*sql.Tx](glancing{riversqlite.New(q.DB), q.DB}), q.notices), c)
}

// args are a job's, unread.
type args struct {
	kind string
	raw  jsontext.Value
}

// Kind names the job.
func (a args) Kind() string { return a.kind }

// UnmarshalJSON keeps the text.
func (a *args) UnmarshalJSON(raw []byte) error { return a.raw.UnmarshalJSON(raw) }

// MarshalJSON gives the text.
func (a args) MarshalJSON() ([]byte, error) { return a.raw.MarshalJSON() }

// worker does the jobs of a kind for River.
type worker struct {
	river.WorkerDefaults[args]
	kind    string
	how     Work
	do      func(ctx context.Context, raw []byte, turn enterLine) (time.Duration, error)
	line    *fair.Line
	leaving context.Context //nolint:containedctx // the queue's
	doing   *sync.Map       // the queue's
	log     *slog.Logger
}

// Timeout bounds an attempt and its wait before it.
func (w *worker) Timeout(*river.Job[args]) time.Duration { return w.how.timeout() + patience }

// NextRetry is when a job that failed is tried again.
func (w *worker) NextRetry(j *river.Job[args]) time.Time {
	return time.Now().Add(max(w.how.retry(j.Attempt), time.Millisecond)) // River refuses a time that is over
}

// Work does a job once.
func (w *worker) Work(ctx context.Context, j *river.Job[args]) error {
	w.doing.Store(j.ID, true)
	defer w.doing.Delete(j.ID)
	again, err := w.workOnce(ctx, j.Args.raw)
	switch {
	case err == nil && again > 0:
		return river.JobSnooze(again)
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err() // the process is stopping: River counts no attempt
	}
	last := w.how.Attempts > 0 && j.Attempt >= w.how.Attempts
	w.log.LogAttrs(ctx, slog.LevelWarn, "job failed", slog.String("kind", w.kind), slog.Int("attempt", j.Attempt),
		slog.Bool("given_up", last), slog.Any("error", err))
	if last {
		return river.JobCancel(err)
	}
	return err
}

// workOnce turns a panic into an error.
func (w *worker) workOnce(ctx context.Context, raw []byte) (again time.Duration, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("panic: %v\n%s", v, debug.Stack())
		}
	}()
	return w.do(ctx, raw, func(workspace string) (leave func(), again time.Duration) { return w.waitInLine(ctx, workspace) })
}
