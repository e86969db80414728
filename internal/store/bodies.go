package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stele/internal/meter"
)

// InsertBodies saves what requests said. What is over the budget in bytes goes: the oldest of the
// workspaces that have most, so that none drives out what others said.
func (s *Store) InsertBodies(ctx context.Context, list []meter.Bodies, budget int64) error {
	var refused error
	err := saveApart(list, func(some []meter.Bodies) error { return s.insertBodies(ctx, some, budget) },
		func(_ meter.Bodies, why error) error { refused = why; return nil })
	return errors.Join(err, refused)
}

func (s *Store) insertBodies(ctx context.Context, list []meter.Bodies, budget int64) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, b := range list {
			err := exec(ctx, tx, "insert bodies", `INSERT INTO request_bodies (id, at, workspace, request, request_size, reply, reply_size, bytes)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
				b.Record, millis(b.At), b.Workspace, clean(b.Request.Text), b.Request.Size, clean(b.Reply.Text), b.Reply.Size,
				int64(len(b.Request.Text)+len(b.Reply.Text)))
			if err != nil {
				return err
			}
		}
		held, err := selectValue[int64](ctx, tx, "sum bodies", `SELECT COALESCE(SUM(bytes), 0) FROM request_bodies`)
		if err != nil || held <= budget {
			return err
		}
		// The newest of each stay, as many bytes of one as of another. A little more than must goes, so that not every batch looks at all.
		return exec(ctx, tx, "keep bodies within their budget", `DELETE FROM request_bodies WHERE id IN (SELECT id FROM
			(SELECT id, SUM(bytes) OVER (ORDER BY own, id DESC) AS upto FROM
				(SELECT id, bytes, SUM(bytes) OVER (PARTITION BY workspace ORDER BY at DESC, id DESC) AS own FROM request_bodies) each_own) sums
			WHERE upto > $1)`, budget-budget/16)
	})
}

// Bodies is what a request of the workspace said, by its record's id.
func (s *Store) Bodies(ctx context.Context, workspace, record string) (meter.Bodies, error) {
	b, err := selectOne(ctx, s.read, func(b *meter.Bodies) []any {
		return []any{at(&b.At), &b.Request.Text, &b.Request.Size, &b.Reply.Text, &b.Reply.Size}
	}, `SELECT at, request, request_size, reply, reply_size FROM request_bodies WHERE id = $1 AND workspace = $2`, record, workspace)
	b.Record, b.Workspace = record, workspace
	return b, err
}

// DeleteBodiesBefore forgets what was said before a time, and returns of how many.
func (s *Store) DeleteBodiesBefore(ctx context.Context, before time.Time) (int64, error) {
	return affect(ctx, s.write, "delete old bodies", `DELETE FROM request_bodies WHERE at < $1`, millis(before))
}
