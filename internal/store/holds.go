package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"stele/internal/generation"
	"stele/internal/limit"
)

// checkHolds locks the counters that a new task must hold of, in an order that all
// processes have, and gives a *limit.Short where one has too little. It writes nothing.
func (s *Store) checkHolds(ctx context.Context, tx *sql.Tx, t *generation.Task) error {
	for _, p := range t.Holds {
		b := limit.Balance{ID: p.Counter}
		err := tx.QueryRowContext(ctx, `SELECT amount, settled, leased, held, doubt FROM limit_counters WHERE id = $1`+s.forUpdate(), p.Counter).
			Scan(&b.Amount, &b.Settled, &b.Leased, &b.Held, &b.Doubt)
		switch {
		case errors.Is(err, sql.ErrNoRows): // the limit was taken away meanwhile
		case err != nil:
			return fmt.Errorf("read counter: %w", err)
		case !p.Soft && p.N > 0 && b.Free() < p.N:
			return &limit.Short{Balance: b, N: p.N}
		}
	}
	return nil
}

// hold has a new task hold what checkHolds found.
func (s *Store) hold(ctx context.Context, tx *sql.Tx, t *generation.Task) error {
	for _, p := range t.Holds {
		if err := exec(ctx, tx, "hold", `UPDATE limit_counters SET held = held + $2 WHERE id = $1`, p.Counter, p.N); err != nil {
			return err
		}
	}
	return nil
}

// ListUnsettled lists tasks that have ended without a definite price and may be looked at
// again, those that wait longest first.
func (s *Store) ListUnsettled(ctx context.Context, workspace string, now time.Time, most int) ([]generation.Task, error) {
	return selectTasks(ctx, s.read, ` WHERE unsettled = 1 AND ($1 = '' OR workspace = $1) AND not_before <= $2 ORDER BY not_before, id LIMIT $3`,
		workspace, millis(now), most)
}
