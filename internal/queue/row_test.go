package queue_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"stele/internal/queue"
	"stele/internal/store"
)

// TestOurRowsAreRiversRows holds the one statement that writes into River's tables
// to what River itself writes there.
func TestOurRowsAreRiversRows(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		for _, at := range []time.Time{{}, time.Date(2036, 11, 15, 12, 0, 0, 250e6, time.UTC)} {
			job := note{`"quoted" ünïcode`}
			insertByRiver(t, s, job, at)
			enqueue(t, s, newQueue(s), (*sql.Tx).Commit, at, queue.Job(job))
		}
		rows := jobs(t, s)
		for i := 0; i < len(rows); i += 2 {
			if diff := cmp.Diff(rows[i], rows[i+1]); diff != "" {
				t.Errorf("-River's +ours:\n%s", diff)
			}
		}
	})
}

// TestRowsBesideATaskAreRiversRows does the same for the statement that is part of
// a larger one, and writes jobs of tasks that were saved only.
func TestRowsBesideATaskAreRiversRows(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		if s.Pool() == nil {
			return // SQLite has no such statements
		}
		job := note{`"quoted" ünïcode`}
		insertByRiver(t, s, job, time.Time{})
		statement, args, err := newQueue(s).InsertJobsSQL(2, []string{"taken", "saved"}, []queue.Job{note{"no"}, job})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Writer().ExecContext(t.Context(), `WITH task AS (SELECT $1::text AS id) `+statement, append([]any{"saved"}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		rows := jobs(t, s)
		if diff := cmp.Diff(rows[0], rows[1]); diff != "" || len(rows) != 2 {
			t.Errorf("%d rows, -River's +ours:\n%s", len(rows), diff)
		}
	})
}

func insertByRiver(t *testing.T, s *store.Store, job note, at time.Time) {
	t.Helper()
	options := &river.InsertOpts{Queue: job.Kind(), MaxAttempts: 32767, ScheduledAt: at}
	var err error
	if s.Pool() != nil {
		c, failed := river.NewClient(riverpgxv5.New(s.Pool()), &river.Config{})
		if failed != nil {
			t.Fatal(failed)
		}
		_, err = c.Insert(t.Context(), job, options)
	} else {
		c, failed := river.NewClient(riversqlite.New(s.Writer()), &river.Config{})
		if failed != nil {
			t.Fatal(failed)
		}
		_, err = c.Insert(t.Context(), job, options)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// jobs reads all of River's jobs. Of times that are now only the form is kept. On
// SQLite River marks each insert to know its own again, which only it needs.
func jobs(t *testing.T, s *store.Store) []string {
	t.Helper()
	query := `SELECT to_jsonb(river_job) - 'id' - 'created_at' || jsonb_build_object('scheduled_at',
		CASE WHEN state = 'available' THEN 'now' ELSE scheduled_at::text END) FROM river_job ORDER BY id`
	if s.Pool() == nil {
		query = `SELECT json_object('state', state, 'attempt', attempt, 'kind', kind, 'max', max_attempts, 'priority', priority, 'queue', queue,
			'args', typeof(args) || hex(args), 'metadata', typeof(metadata) || hex(jsonb_remove(metadata, '$."river:unique_nonce"')), 'tags', typeof(tags) || hex(tags),
			'unique', typeof(unique_key) || typeof(unique_states), 'null', typeof(errors) || typeof(attempted_by) || typeof(finalized_at) || typeof(attempted_at),
			'created', length(created_at) || typeof(created_at), 'at', CASE WHEN state = 'available' THEN length(scheduled_at) ELSE scheduled_at END || typeof(scheduled_at))
			FROM river_job ORDER BY id`
	}
	rows, err := s.Writer().QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list []string
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		list = append(list, text)
	}
	if err := rows.Err(); err != nil || len(list) == 0 || len(list)%2 != 0 {
		t.Fatal(len(list), err)
	}
	return list
}
