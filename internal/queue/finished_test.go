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

// A process that was taken for dead ends its attempt after its job was given to another. That ends nothing of the other's.
func TestAnAttemptThatIsOverEndsNoOther(t *testing.T) {
	t.Parallel()
	s := open(t, "postgres")
	former, heir := newQueue(s), newQueue(s)
	begun, ends := make(chan string, 10), map[string]chan time.Duration{"former": make(chan time.Duration), "heir": make(chan time.Duration)}
	for name, q := range map[string]*queue.Queue{"former": former, "heir": heir} {
		queue.Handle(q, queue.Work{Workers: 1}, func(context.Context, note) (time.Duration, error) {
			begun <- name
			return <-ends[name], nil
		})
	}
	begins := func(want string) {
		t.Helper()
		if got := receive(t, begun); got != want {
			t.Fatalf("the %s begins, want the %s", got, want)
		}
	}
	if err := former.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	enqueue(t, s, former, (*sql.Tx).Commit, time.Time{}, note{"once"})
	begins("former")
	leave := make(chan bool)
	go func() {
		defer close(leave)
		stop(t, former, time.Minute) // it takes no more jobs, and saves the end of the one it has
	}()
	for taken := int64(0); taken == 0; {
		var err error
		if taken, err = heir.Release(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	start(t, heir)
	begins("heir")
	ends["former"] <- 0
	receive(t, leave)
	ends["heir"] <- time.Millisecond // again, a little later
	begins("heir")
	ends["heir"] <- 0
}
