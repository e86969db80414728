package queue

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/table"
)

// Jobs is how jobs that are not done are carried from one database to another: River's
// own tables differ between the engines.
var Jobs = table.Table{Name: "jobs", Columns: []table.Column{
	{Name: "kind", Kind: table.Text}, {Name: "args", Kind: table.Text}, {Name: "at", Kind: table.Integer},
	{Name: "attempt", Kind: table.Integer}, {Name: "priority", Kind: table.Integer},
}}

// Reader is a transaction, or a database.
type Reader interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
}

// Waiting counts the jobs of a kind that are not done.
func Waiting(ctx context.Context, db Reader, kind string) (n int, err error) {
	rows, err := db.QueryContext(ctx, `SELECT COUNT(*) FROM river_job
		WHERE queue = $1 AND state IN ('available', 'pending', 'retryable', 'running', 'scheduled')`, kind)
	if err != nil {
		return 0, fmt.Errorf("count jobs: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := rows.Scan(&n); err != nil {
			return 0, fmt.Errorf("count jobs: %w", err)
		}
	}
	return n, rows.Err()
}

// Undone reads the jobs that are not done. Those that are being done count: how far
// they are is not known to a copy.
func (q *Queue) Undone(ctx context.Context, db Reader) table.Rows {
	statement := `SELECT kind, json(args), CAST(unixepoch(scheduled_at, 'subsec') * 1000 AS INTEGER), attempt, priority FROM river_job `
	if q.Pool != nil {
		statement = `SELECT kind, args::text, CAST(extract(epoch FROM scheduled_at) * 1000 AS BIGINT), attempt, priority FROM river_job `
	}
	return func(yield func([]any, error) bool) {
		rows, err := db.QueryContext(ctx, statement+`WHERE state IN ('available', 'pending', 'retryable', 'running', 'scheduled') ORDER BY id`)
		if err != nil {
			yield(nil, fmt.Errorf("read jobs: %w", err))
			return
		}
		defer rows.Close()
		for rows.Next() {
			var kind, args string
			var at, attempt, priority int64
			err := rows.Scan(&kind, &args, &at, &attempt, &priority)
			if !yield([]any{kind, args, at, attempt, priority}, err) || err != nil {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fmt.Errorf("read jobs: %w", err))
		}
	}
}

// TakeOver writes jobs that Undone read elsewhere, and returns how many.
func (q *Queue) TakeOver(ctx context.Context, tx *sql.Tx, jobs table.Rows) (n int64, err error) {
	for row, err := range jobs {
		if err != nil {
			return n, err
		}
		err := q.put(ctx, tx, time.UnixMilli(row[2].(int64)), row[1].(string), row[0].(string), row[4].(int64), row[3].(int64))
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
