package queue

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

// begin is River's client, which works from the first job on. At work it wakes up
// more than twenty times a second, also where nothing is to be done, and an
// installation that only passes chats on never has a job.
type begin struct {
	client  client
	begun   bool           // for who has waited
	waiting sync.WaitGroup // for the first job
}

// Start works on jobs until Stop. ctx ends neither.
func (q *Queue) Start(ctx context.Context) (err error) {
	if q.begin.client, err = q.newClient(); err != nil {
		return fmt.Errorf("start queue: %w", err)
	}
	if q.Pool == nil {
		// One process per folder: whatever is running was left by a dead one, and so was the office of the leader.
		for _, statement := range []string{
			`UPDATE river_job SET state = 'available' WHERE state = 'running'`, `DELETE FROM river_leader`,
		} {
			if _, err := q.DB.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("take over jobs: %w", err)
			}
		}
	}
	ctx = context.WithoutCancel(ctx)
	if err := q.beginWith(ctx); err != nil || q.begin.begun {
		return err
	}
	q.begin.waiting.Go(func() { q.awaitFirst(ctx) })
	return nil
}

// beginWith has River begin if there is any job, or was one lately.
func (q *Queue) beginWith(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	const anyJob = `SELECT EXISTS (SELECT 1 FROM river_job)`
	var found bool
	var err error
	if q.Pool != nil {
		err = q.Pool.QueryRow(bounded, anyJob).Scan(&found)
	} else {
		err = q.DB.QueryRowContext(bounded, anyJob).Scan(&found)
	}
	if err == nil && found {
		err = q.begin.client.Start(ctx)
		q.begin.begun = err == nil
	}
	if err != nil {
		return fmt.Errorf("start queue: %w", err)
	}
	return nil
}

// awaitFirst waits for the first job, this process's or another's.
func (q *Queue) awaitFirst(ctx context.Context) {
	tick := time.NewTicker(q.pollEvery())
	defer tick.Stop()
	failing := false
	for !q.begin.begun {
		select {
		case <-q.leaving.Done():
			return
		case <-tick.C:
		case <-q.notices.wake: // what it is about stays there for River
		}
		err := q.beginWith(ctx)
		if err != nil && !failing {
			q.Log.LogAttrs(ctx, slog.LevelError, "jobs wait: the queue does not start", slog.Any("error", err))
		}
		failing = err != nil
	}
}

// pollEvery is how long a job of another process waits at most. Those of this process
// wake it up.
func (q *Queue) pollEvery() time.Duration {
	if q.Pool != nil {
		return 250 * time.Millisecond
	}
	return time.Second // there are no other nodes
}
