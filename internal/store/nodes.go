package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/fleet"
	"stele/internal/generation"
)

// owned are the stages in which a process must see to a task; what is ordered waits
// in the queue.
const owned = `stage <> 'ended' AND stage IN ('submitting', 'waiting', 'collecting')`

// Beat says that the process called node lives, and what it says of itself. Those not
// heard of for a day are forgotten, which is as good as dead.
func (s *Store) Beat(ctx context.Context, node string, now time.Time) error {
	var n fleet.Node
	if s.vitals != nil {
		n = s.vitals()
	}
	providers, err := encodeHealth(n.Providers)
	if err != nil {
		return err
	}
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO nodes (id, seen_at, started_at, version, host, address, requests, streams, journal, lag_ms, providers)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, started_at = excluded.started_at, version = excluded.version, host = excluded.host,
				address = excluded.address, requests = excluded.requests, streams = excluded.streams, journal = excluded.journal, lag_ms = excluded.lag_ms,
				providers = excluded.providers`,
			node, millis(now), millis(n.Started), n.Version, n.Host, n.Address, n.Requests, n.Streams, n.Journal, n.Lag.Milliseconds(), providers)
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM nodes WHERE seen_at < $1`, millis(now.Add(-24*time.Hour)))
		}
		return wrap("beat", err)
	})
}

// ForgetNode says that the process called node is dead.
func (s *Store) ForgetNode(ctx context.Context, node string) error {
	return exec(ctx, s.write, "forget node", deleteNode, node)
}

const deleteNode = `DELETE FROM nodes WHERE id = $1`

// LivingNodes lists the processes that were heard of since a time.
func (s *Store) LivingNodes(ctx context.Context, since time.Time) ([]string, error) {
	return s.texts(ctx, `SELECT id FROM nodes WHERE seen_at >= $1 ORDER BY id`, millis(since))
}

// HasUnfinished reports whether there is a task that has not ended.
func (s *Store) HasUnfinished(ctx context.Context) (bool, error) {
	return selectValue[bool](ctx, s.read, "look for unfinished generations", `SELECT EXISTS (SELECT 1 FROM generations WHERE stage <> 'ended')`)
}

// Adopt makes node the owner of up to limit tasks that need one and whose own is
// dead or missing.
func (s *Store) Adopt(ctx context.Context, node string, silentSince time.Time, limit int) ([]*generation.Task, error) {
	// Mostly there is nothing to do. That is found out on the side, without holding up the writer.
	dead, err := s.texts(ctx, `SELECT DISTINCT owner FROM generations WHERE `+owned+` AND owner <> $1
		AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = generations.owner AND nodes.seen_at >= $2)`, node, millis(silentSince))
	if err != nil || len(dead) == 0 {
		return nil, err
	}
	// What is locked another node is taking, or its owner works on it after all.
	var adopted []*generation.Task
	for _, from := range dead {
		err = selectEach(ctx, s.write, "adopt generations", taskCells, func(t generation.Task) {
			t.From = from
			adopted = append(adopted, &t)
		}, `WITH picked AS MATERIALIZED (SELECT id FROM generations
				WHERE `+owned+` AND owner = $3 ORDER BY id LIMIT $2`+s.skipLocked()+`)
			UPDATE generations SET owner = $1, version = version + 1 WHERE id IN (SELECT id FROM picked) RETURNING `+taskColumns, node, limit-len(adopted), from)
		if err != nil || len(adopted) >= limit {
			break
		}
	}
	return adopted, err
}

// ListOwned lists the tasks that node must see to.
func (s *Store) ListOwned(ctx context.Context, node string) ([]string, error) {
	return s.texts(ctx, `SELECT id FROM generations WHERE `+owned+` AND owner = $1 ORDER BY id`, node)
}

// Release says that node is going: its tasks have no owner from then on.
func (s *Store) Release(ctx context.Context, node string) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `UPDATE generations SET owner = '', version = version + 1 WHERE owner = $1 AND stage <> 'ended'`, node)
		if err == nil {
			_, err = tx.ExecContext(ctx, deleteNode, node)
		}
		return wrap("release generations", err)
	})
}

// TasksToStop lists unfinished tasks of node, and those without an owner, which
// a client has asked to cancel.
func (s *Store) TasksToStop(ctx context.Context, node string) ([]string, error) {
	return s.texts(ctx, `SELECT id FROM generations WHERE stopping = 1 AND stage <> 'ended' AND owner IN ('', $1) ORDER BY id`, node)
}

// StopOverdue has tasks stopped whose time is over, as if a client had asked for it.
func (s *Store) StopOverdue(ctx context.Context, now time.Time) error {
	overdue, err := s.texts(ctx, `SELECT id FROM generations WHERE cancel_at > 0 AND cancel_at <= $1 AND stopping = 0 AND stage <> 'ended' LIMIT 1`, millis(now))
	if err != nil || len(overdue) == 0 { // mostly: found out without holding up the writer
		return err
	}
	return exec(ctx, s.write, "stop overdue generations", `UPDATE generations SET stopping = 1, version = version + 1
		WHERE cancel_at > 0 AND cancel_at <= $1 AND stopping = 0 AND stage <> 'ended'`, millis(now))
}

// Durations are how long the last of so many tasks took that ended well, the newest first.
func (s *Store) Durations(ctx context.Context, among int) ([]generation.Took, error) {
	return selectAll(ctx, s.read, "read durations", func(took *generation.Took) []any {
		return []any{&took.Model, &took.Mode, durationIn(&took.For, time.Millisecond)}
	}, `SELECT model, mode, ended_at - created_at FROM
		(SELECT model, mode, app, state, ended_at, created_at FROM generations ORDER BY id DESC LIMIT $1) AS latest
		WHERE state = 'success' AND app = ''`, among)
}

// texts reads a column of texts.
func (s *Store) texts(ctx context.Context, query string, args ...any) ([]string, error) {
	return texts(ctx, s.read, query, args...)
}
