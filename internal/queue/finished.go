package queue

import (
	"context"
	"slices"

	"github.com/riverqueue/river/riverdriver"
	"github.com/riverqueue/river/rivertype"
)

// finisher is River's way to the database, but for what it is told of jobs that were over when they were given
// back. PostgreSQL shows such a job as it was when the statement began: running. River takes that for a
// bug of its own and ends the process.
type finisher struct{ riverdriver.Executor }

// JobSetStateIfRunningMany says what became of jobs. Those that still run, or run again, are left out.
func (f finisher) JobSetStateIfRunningMany(ctx context.Context, params *riverdriver.JobSetStateIfRunningManyParams) ([]*rivertype.JobRow, error) {
	rows, err := f.Executor.JobSetStateIfRunningMany(ctx, params)
	return slices.DeleteFunc(rows, func(j *rivertype.JobRow) bool {
		return j.State == rivertype.JobStateRunning || j.State == rivertype.JobStatePending
	}), err
}
