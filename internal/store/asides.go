package store

import (
	"context"
	"database/sql"
	"errors"

	"stele/internal/access"
	"stele/internal/inflight"
	"stele/internal/webhook"
)

const asideColumns = `id, workspace, kind, about, subject, reason, nano, at`

// Deaths are how many processes died while they worked on tasks, by their ids. What
// has ended, or is not there, is left out.
func (s *Store) Deaths(ctx context.Context, ids []string) (map[string]int, error) {
	deaths := make(map[string]int)
	for _, id := range ids {
		n, err := selectValue[int](ctx, s.read, "read deaths", `SELECT deaths FROM generations WHERE id = $1 AND stage <> 'ended'
			UNION ALL SELECT deaths FROM deliveries WHERE id = $1 AND state = 'pending'`, id)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, err
		}
		deaths[id] = n
	}
	return deaths, nil
}

// CountDeath counts one more death for a task.
func (s *Store) CountDeath(ctx context.Context, id string) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, table := range []string{"generations", "deliveries"} {
			if err := exec(ctx, tx, "count death", `UPDATE `+table+` SET deaths = deaths + 1 WHERE id = $1`, id); err != nil {
				return err
			}
		}
		return nil
	})
}

func insertAside(ctx context.Context, tx *sql.Tx, a *inflight.Aside) error {
	return exec(ctx, tx, "set aside", `INSERT INTO set_aside (`+asideColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
		a.ID, a.Workspace, a.Kind, clean(a.About), a.Subject, a.Reason, a.Nano, millis(a.At))
}

// SetAsideDelivery ends a delivery and keeps why; one that is not pending stays as it is.
func (s *Store) SetAsideDelivery(ctx context.Context, a inflight.Aside) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := affect(ctx, tx, "set aside delivery", `UPDATE deliveries SET state = $2, problem = $3, tried_at = $4 WHERE id = $1 AND state = 'pending'`,
			a.ID, string(webhook.SetAside), a.Reason, millis(a.At))
		if err != nil || n == 0 {
			return err
		}
		return insertAside(ctx, tx, &a)
	})
}

// Asides lists what was set aside in a workspace, the newest first.
func (s *Store) Asides(ctx context.Context, workspace string, limit int) ([]inflight.Aside, error) {
	return selectAll(ctx, s.read, "read what was set aside", asideCells,
		`SELECT `+asideColumns+` FROM set_aside WHERE workspace = $1 ORDER BY at DESC, id DESC LIMIT $2`, workspace, limit)
}

// Aside finds a task of a workspace that was set aside, or gives access.ErrNotFound.
func (s *Store) Aside(ctx context.Context, workspace, id string) (inflight.Aside, error) {
	return selectOne(ctx, s.read, asideCells, `SELECT `+asideColumns+` FROM set_aside WHERE id = $1 AND workspace = $2`, id, workspace)
}

// ForgetAside takes a task off the list and saves the entry, if it has an action. One
// that is not on the list is access.ErrNotFound.
func (s *Store) ForgetAside(ctx context.Context, workspace, id string, e access.Entry) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := execOr(ctx, tx, access.ErrNotFound, "forget what was set aside", `DELETE FROM set_aside WHERE id = $1 AND workspace = $2`, id, workspace)
		if err != nil || e.Action == "" {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
}

func asideCells(a *inflight.Aside) []any {
	return []any{&a.ID, &a.Workspace, &a.Kind, &a.About, &a.Subject, &a.Reason, &a.Nano, at(&a.At)}
}
