package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stele/internal/access"
	"stele/internal/limit"
)

var _ limit.Store = (*Store)(nil)

// Limits lists all of them, the oldest first.
func (s *Store) Limits(ctx context.Context) ([]limit.Limit, error) {
	return selectAll(ctx, s.read, "read limits", limitCells, `SELECT spec FROM limits ORDER BY created_at, id`)
}

func limitCells(l *limit.Limit) []any { return []any{tree(l)} }

// LimitRevision is the revision of the latest change of any limit.
func (s *Store) LimitRevision(ctx context.Context) (int64, error) {
	return s.revision(ctx, "limits")
}

// SaveLimit saves a new limit, or a changed one. Counters that stand take its amount over.
func (s *Store) SaveLimit(ctx context.Context, l limit.Limit, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		return saveLimit(ctx, tx, &l)
	})
}

func saveLimit(ctx context.Context, tx *sql.Tx, l *limit.Limit) error {
	if _, err := nextRevision(ctx, tx, "limits"); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO limits (id, workspace, spec, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (id) DO UPDATE SET spec = excluded.spec`, l.ID, l.Workspace, encoded{l}, millis(l.Created))
	if err == nil {
		_, err = tx.ExecContext(ctx, `UPDATE limit_counters SET amount = $2 WHERE limit_id = $1`, l.ID, l.Amount)
	}
	if err != nil {
		return wrap("save limit", err)
	}
	return markMoved(ctx, tx, l)
}

// DeleteLimit forgets a limit with all that was counted for it.
func (s *Store) DeleteLimit(ctx context.Context, id string, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := nextRevision(ctx, tx, "limits"); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM limit_leases WHERE counter IN (SELECT id FROM limit_counters WHERE limit_id = $1)`,
			`DELETE FROM limit_marks WHERE counter IN (SELECT id FROM limit_counters WHERE limit_id = $1)`,
			`DELETE FROM limit_counters WHERE limit_id = $1`,
			`DELETE FROM credit_grants WHERE 'lim_credits_' || workspace = $1`,
		} {
			if err := exec(ctx, tx, "delete limit", statement, id); err != nil {
				return err
			}
		}
		return execOr(ctx, tx, access.ErrNotFound, "delete limit", `DELETE FROM limits WHERE id = $1`, id)
	})
}

// Balances lists the counters of a limit in the window that has not ended at a time,
// those that took most first.
func (s *Store) Balances(ctx context.Context, id string, from time.Time, most int) ([]limit.Standing, error) {
	list, err := selectAll(ctx, s.read, "read counters", standingCells, `SELECT `+standingColumns+` FROM limit_counters
		WHERE limit_id = $1 AND end_at = (SELECT COALESCE(MIN(end_at), 0) FROM limit_counters WHERE limit_id = $1 AND end_at > $2)
		ORDER BY settled DESC LIMIT $3`, id, millis(from), most)
	for i := range list {
		list[i].Left = list[i].Balance.Left()
	}
	return list, err
}

// BalanceOf is one counter; the second result is false where nothing was taken yet.
func (s *Store) BalanceOf(ctx context.Context, c limit.Counter) (limit.Standing, bool, error) {
	st, err := s.selectStanding(ctx, `WHERE limit_id = $1 AND subject = $2 AND start_at = $3`, c.Limit, c.Subject, millis(c.Start))
	if errors.Is(err, access.ErrNotFound) {
		return st, false, nil
	}
	return st, err == nil, wrap("read counter", err)
}

// PastBalances lists the windows of a limit that have ended before a time, the latest
// first, each with the counter that took most in it.
func (s *Store) PastBalances(ctx context.Context, id string, before time.Time, most int) ([]limit.Standing, error) {
	var list []limit.Standing
	for at := millis(before); len(list) < most; {
		st, err := s.selectStanding(ctx, `WHERE limit_id = $1 AND end_at > 0 AND end_at <= $2 ORDER BY end_at DESC, settled DESC LIMIT 1`, id, at)
		if errors.Is(err, access.ErrNotFound) {
			break
		}
		if err != nil {
			return nil, wrap("read counters", err)
		}
		list = append(list, st)
		at = millis(st.End) - 1
	}
	return list, nil
}

const standingColumns = `subject, ` + balanceColumns + `, start_at, end_at,
	COALESCE((SELECT MAX(mark) FROM limit_marks WHERE counter = limit_counters.id), 0)`

func (s *Store) selectStanding(ctx context.Context, where string, args ...any) (limit.Standing, error) {
	st, err := selectOne(ctx, s.read, standingCells, `SELECT `+standingColumns+` FROM limit_counters `+where, args...)
	st.Left = st.Balance.Left()
	return st, err
}

func standingCells(st *limit.Standing) []any {
	b := &st.Balance
	return []any{&st.Subject, &b.ID, &b.Amount, &b.Settled, &b.Leased, &b.Held, &b.Doubt, at(&st.Start), at(&st.End), &st.Mark}
}

// DeleteCountersBefore forgets what limits counted in windows that ended before a time, and
// in those of a single subject, which may be many, before another; and those of single
// subjects that have no end and of which nothing is taken: one that comes again gets another.
// What is still held stays.
func (s *Store) DeleteCountersBefore(ctx context.Context, subjects, all time.Time) (int64, error) {
	n, err := s.deleteBites(ctx, `DELETE FROM limit_counters WHERE id IN (SELECT id FROM limit_counters
		WHERE (end_at > 0 AND (end_at < $2 OR end_at < $1 AND subject <> '') OR end_at = 0 AND subject <> '' AND settled = 0)
		AND leased = 0 AND held = 0 AND doubt = 0 LIMIT 1000)`, millis(subjects), millis(all))
	if err != nil {
		return n, err
	}
	for _, table := range []string{"limit_leases", "limit_marks"} {
		if _, err := s.deleteBites(ctx, `DELETE FROM `+table+` WHERE counter IN (SELECT counter FROM `+table+`
			WHERE NOT EXISTS (SELECT 1 FROM limit_counters WHERE limit_counters.id = counter) LIMIT 1000)`); err != nil {
			return n, err
		}
	}
	return n, nil
}
