package queue_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	"stele/internal/queue"
)

// A job that is given back while its end is being saved is done again. It is nothing that a process dies of.
func TestAJobIsGivenBackWhileItEnds(t *testing.T) {
	t.Parallel()
	s := open(t, "postgres")
	q := newQueue(s)
	begun, end := make(chan bool, 10), make(chan bool, 10)
	queue.Handle(q, queue.Work{Workers: 1}, func(context.Context, note) (time.Duration, error) {
		begun <- true
		<-end
		return 0, nil
	})
	start(t, q)
	enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{"once"})
	receive(t, begun)
	tx, err := s.Writer().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.ExecContext(t.Context(), `UPDATE river_job SET state = 'available', scheduled_at = now() WHERE state = 'running'`); err != nil {
		t.Fatal(err)
	}
	end <- true
	for waits := 0; waits == 0; {
		err := s.Writer().QueryRowContext(t.Context(), `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%JobSetStateIfRunningMany%'`).Scan(&waits)
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := tx.Commit(); err != nil {
		t.Fatal(err)
	}
	receive(t, begun)
	end <- true
	enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{"another"})
	receive(t, begun)
	end <- true
}
