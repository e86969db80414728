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

const (
	takeOverPostgres = `INSERT INTO river_job (args, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags, attempt)
		VALUES ($1::text::jsonb, $2, $3, '{}', $4, $2, $5, $6::text::river_job_state, '{}', $7)`
	takeOverSQLite = `INSERT INTO river_job (args, created_at, kind, max_attempts, metadata, priority, queue, scheduled_at, state, tags, attempt)
		VALUES (jsonb($1), datetime('now', 'subsec'), $2, $3, jsonb('{}'), $4, $2, $5, $6, jsonb('[]'), $7)`
)

// TakeOver writes jobs that Undone read elsewhere, and returns how many.
func (q *Queue) TakeOver(ctx context.Context, tx *sql.Tx, jobs table.Rows) (n int64, err error) {
	statement := takeOverSQLite
	if q.Pool != nil {
		statement = takeOverPostgres
	}
	for row, err := range jobs {
		if err != nil {
			return n, err
		}
		at := time.UnixMilli(row[2].(int64))
		state := "available"
		if time.Until(at) > schedulerEvery {
			state = "scheduled"
		}
		if _, err := tx.ExecContext(ctx, statement, row[1], row[0], maxAttempts, row[4], q.time(at), state, row[3]); err != nil {
			return n, fmt.Errorf("write job: %w", err)
		}
		n++
	}
	return n, nil
}
