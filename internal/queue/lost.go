package queue

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// lostAfter is how long after it was given to this process a job is lost that is not
// being done: whether it was given, or what came of it, was not heard.
const lostAfter = 10 * time.Second

// releaseLost gives back the jobs that this process has by the database's word, and
// knows nothing of: the database was away when they were given or were over. What is
// missed for the first time may be over and about to be saved.
func (q *Queue) releaseLost(ctx context.Context) (int64, error) {
	doing := []int64{}
	q.doing.Range(func(id, _ any) bool {
		doing = append(doing, id.(int64))
		return true
	})
	rows, _ := q.Pool.Query(ctx, `SELECT id FROM river_job WHERE state = 'running' AND attempted_by[array_upper(attempted_by, 1)] = $1
		AND attempted_at < now() - $2::bigint * interval '1 millisecond' AND id <> ALL($3::bigint[])`, q.Node, lostAfter.Milliseconds(), doing)
	missed, err := pgx.CollectRows(rows, pgx.RowTo[int64]) // it tells the query's error as well
	before := q.missed
	q.missed = missed
	if err != nil || len(missed) == 0 || len(before) == 0 {
		return 0, err
	}
	return q.giveBack(ctx, `id = ANY($1::bigint[]) AND id = ANY($2::bigint[])`, before, missed)
}

// giveBack has running jobs done anew, each under a new id: River saves the end of whatever runs by its id, and the process
// that had such a job before may come with the end of its own attempt much later, when another has begun. A job
// whose end is being saved is left alone: a statement that waits for it could be what its own waits for.
func (q *Queue) giveBack(ctx context.Context, which string, args ...any) (int64, error) {
	done, err := q.Pool.Exec(ctx, `UPDATE river_job SET id = nextval(pg_get_serial_sequence('river_job', 'id')), state = 'available', scheduled_at = now()
		WHERE id IN (SELECT id FROM river_job WHERE state = 'running' AND `+which+` FOR UPDATE SKIP LOCKED)`, args...)
	if err != nil {
		return 0, fmt.Errorf("give jobs back: %w", err)
	}
	return done.RowsAffected(), nil
}
