package queue

import (
	"context"
	"database/sql"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// glancing is a driver of River that looks whether there is a job before it takes any.
// River takes jobs by an update: on SQLite that costs a millisecond and the one writer,
// for each kind and every second, also where nothing is to be done.
type glancing struct {
	riverdriver.Driver[*sql.Tx]
	db *sql.DB
}

// GetExecutor gives the driver's own, but for how it takes jobs.
func (g glancing) GetExecutor() riverdriver.Executor { return taker{g.Driver.GetExecutor(), g.db} }

type taker struct {
	riverdriver.Executor
	db *sql.DB
}

const anyAvailable = `SELECT EXISTS (SELECT 1 FROM river_job WHERE state = 'available' AND queue = $1 AND scheduled_at <= datetime('now', 'subsec'))`

// JobGetAvailable takes jobs, if there are any.
func (t taker) JobGetAvailable(ctx context.Context, params *riverdriver.JobGetAvailableParams) ([]*rivertype.JobRow, error) {
	var found bool
	if err := t.db.QueryRowContext(ctx, anyAvailable, params.Queue).Scan(&found); err == nil && !found && params.Now == nil {
		return nil, nil
	}
	return t.Executor.JobGetAvailable(ctx, params)
}
