package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/replay"
)

const (
	insertWidth = 2 // statements at the same time
	insertTime  = 30 * time.Second
)

// newTask is a task that has nothing but one job, on its way into PostgreSQL.
type newTask struct {
	ctx   context.Context //nolint:containedctx // the caller's, who is waiting
	row   []any
	job   generation.Job
	claim *replay.Claim // nil: none
}

func (t *newTask) id() string { return t.row[0].(string) }

// simple reports whether a task can be saved in one statement with others.
func (s *Store) simple(t *generation.Task) bool {
	return s.engine == postgres && s.queue.InsertJobsSQL != nil && len(t.Order.Sources) == 0 && len(t.Holds) == 0 && len(t.Jobs()) == 1 &&
		len(t.Deliveries()) == 0 && len(t.Events()) == 0 && len(t.Records()) == 0 && len(t.Entries()) == 0
}

// insertSimple saves a task and its job.
func (s *Store) insertSimple(ctx context.Context, t *generation.Task, row []any) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("insert generation: %w", err)
	}
	defer s.priority.serve()()
	return s.orders.join(&newTask{context.WithoutCancel(ctx), row, t.Jobs()[0], t.Claim()}, urgent)
}

// insertTasks saves all of a batch, or each for itself when that fails.
func (s *Store) insertTasks(batch []*item[*newTask]) {
	if s.insertBatch(batch) == nil {
		return
	}
	for i := range batch {
		if err := s.insertBatch(batch[i : i+1]); err != nil {
			batch[i].end(err)
		}
	}
}

// insertBatch saves tasks, their claims and their jobs in one statement, which is a
// transaction. It ends those that it has saved, and those whose id or key is taken.
func (s *Store) insertBatch(batch []*item[*newTask]) error {
	ctx, cancel := context.WithTimeout(batch[0].what.ctx, insertTime)
	defer cancel()
	var tasks, claims [][]any
	var jobs []generation.Job
	var ids []string
	first := make(map[string]*item[*newTask], len(batch)) // of two with one id the first is saved
	for _, one := range batch {
		t := one.what
		if first[t.id()] != nil {
			continue
		}
		first[t.id()] = one
		tasks, jobs, ids = append(tasks, t.row), append(jobs, t.job), append(ids, t.id())
		if t.claim != nil {
			claims = append(claims, claimArgs(t.claim))
		}
	}
	args := append(columnArrays(taskSample, tasks), columnArrays(claimSample, claims)...)
	job, more, err := s.queue.InsertJobsSQL(len(args)+1, ids, jobs)
	if err != nil {
		return err
	}
	rows, _ := s.pool.Query(ctx, insertTasksSQL+`, job AS (`+job+`) SELECT id FROM task`, append(args, more...)...) // CollectRows tells its error
	saved, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("insert generation: %w", err)
	}
	outcome := make(map[*item[*newTask]]error, len(batch))
	for _, one := range batch {
		outcome[one] = access.ErrExists
		if one.what.claim != nil {
			outcome[one] = replay.ErrUsed
		}
	}
	for _, id := range saved {
		outcome[first[id]] = nil
	}
	for one, err := range outcome {
		one.end(err)
	}
	return nil
}

// insertTasksSQL saves tasks from arrays, one for each column: its text is the same for any
// number of them, so that it is planned once. A task with a claim is saved if the claim is.
var insertTasksSQL = func() string {
	n := len(taskSample)
	return `WITH claim AS (INSERT INTO claims (` + claimColumns + `) SELECT * FROM unnest(` + arrays(claimSample, n+1) + `)
			ON CONFLICT (workspace, route, key) DO NOTHING RETURNING id),
		task AS (INSERT INTO generations (` + taskColumns + `) SELECT * FROM unnest(` + arrays(taskSample, 1) + `) AS task (` + taskColumns + `)
			WHERE id <> ALL(` + arrays(claimSample[4:5], n+5) + `) OR id IN (SELECT id FROM claim)
			ON CONFLICT (id) DO NOTHING RETURNING id)`
}()

// Samples of rows, for the types of their columns.
var (
	taskSample, _ = taskArgs(new(generation.Task))
	claimSample   = claimArgs(new(replay.Claim))
)

// arrays is $1::text[], $2::bigint[] … for the columns of a row, from a place on.
func arrays(sample []any, place int) string {
	var list []string
	for i, v := range sample {
		kind := "text"
		switch v.(type) {
		case int, int64:
			kind = "bigint"
		case float64:
			kind = "float8"
		case []byte:
			kind = "bytea"
		}
		list = append(list, "$"+strconv.Itoa(place+i)+"::"+kind+"[]")
	}
	return strings.Join(list, ", ")
}

// columnArrays are the arrays of rows that have the types of a sample.
func columnArrays(sample []any, rows [][]any) []any {
	list := make([]any, len(sample))
	for i, v := range sample {
		switch v.(type) {
		case int, int64:
			list[i] = column(rows, func(row []any) int64 {
				if n, ok := row[i].(int); ok {
					return int64(n)
				}
				return row[i].(int64)
			})
		case float64:
			list[i] = column(rows, func(row []any) float64 { return row[i].(float64) })
		case []byte:
			list[i] = column(rows, func(row []any) []byte { return row[i].([]byte) })
		default:
			list[i] = column(rows, func(row []any) string { return row[i].(string) })
		}
	}
	return list
}

func column[T any](rows [][]any, of func(row []any) T) []T {
	list := make([]T, len(rows))
	for i, row := range rows {
		list[i] = of(row)
	}
	return list
}
