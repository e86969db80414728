package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

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
		var n int
		err := s.read.QueryRowContext(ctx, `SELECT deaths FROM generations WHERE id = $1 AND stage <> 'ended'
			UNION ALL SELECT deaths FROM deliveries WHERE id = $1 AND state = 'pending'`, id).Scan(&n)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("read deaths: %w", err)
		}
		deaths[id] = n
	}
	return deaths, nil
}

// CountDeath counts one more death for a task.
func (s *Store) CountDeath(ctx context.Context, id string) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, table := range []string{"generations", "deliveries"} {
			if _, err := tx.ExecContext(ctx, `UPDATE `+table+` SET deaths = deaths + 1 WHERE id = $1`, id); err != nil {
				return fmt.Errorf("count death: %w", err)
			}
		}
		return nil
	})
}

func insertAside(ctx context.Context, tx *sql.Tx, a *inflight.Aside) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO set_aside (`+asideColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING`,
		a.ID, a.Workspace, a.Kind, clean(a.About), a.Subject, a.Reason, a.Nano, millis(a.At))
	if err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	return nil
}

// SetAsideDelivery ends a delivery and keeps why; one that is not pending stays as it is.
func (s *Store) SetAsideDelivery(ctx context.Context, a inflight.Aside) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `UPDATE deliveries SET state = $2, problem = $3, tried_at = $4 WHERE id = $1 AND state = 'pending'`,
			a.ID, string(webhook.SetAside), a.Reason, millis(a.At))
		if err != nil {
			return fmt.Errorf("set aside delivery: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return insertAside(ctx, tx, &a)
	})
}

// Asides lists what was set aside in a workspace, the newest first.
func (s *Store) Asides(ctx context.Context, workspace string, limit int) ([]inflight.Aside, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+asideColumns+` FROM set_aside WHERE workspace = $1 ORDER BY at DESC, id DESC LIMIT $2`, workspace, limit)
	return scanAll("read what was set aside", rows, err, scanAside)
}

// Aside finds a task of a workspace that was set aside, or gives access.ErrNotFound.
func (s *Store) Aside(ctx context.Context, workspace, id string) (inflight.Aside, error) {
	a, err := scanAside(s.read.QueryRowContext(ctx, `SELECT `+asideColumns+` FROM set_aside WHERE id = $1 AND workspace = $2`, id, workspace))
	return a, found(err)
}

// ForgetAside takes a task off the list and saves the entry, if it has an action. One
// that is not on the list is access.ErrNotFound.
func (s *Store) ForgetAside(ctx context.Context, workspace, id string, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM set_aside WHERE id = $1 AND workspace = $2`, id, workspace)
		if err != nil {
			return fmt.Errorf("forget what was set aside: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return errors.Join(err, access.ErrNotFound)
		}
		if e.Action == "" {
			return nil
		}
		return s.insertAudit(ctx, tx, e)
	})
}

func scanAside(row scanner) (a inflight.Aside, err error) {
	var at int64
	err = row.Scan(&a.ID, &a.Workspace, &a.Kind, &a.About, &a.Subject, &a.Reason, &a.Nano, &at)
	a.At = fromMillis(at)
	return a, err
}
