package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/access"
)

const factorColumns = `id, user_id, via, kind, name, COALESCE(lookup, ''), sealed, step, created_at, used_at`

func scanFactor(row scanner) (access.Factor, error) {
	var f access.Factor
	var created, used int64
	err := row.Scan(&f.ID, &f.User, &f.Via, &f.Kind, &f.Name, &f.Lookup, &f.Sealed, &f.Step, &created, &used)
	if len(f.Sealed) == 0 {
		f.Sealed = nil // engines differ
	}
	f.CreatedAt, f.UsedAt = fromMillis(created), fromMillis(used)
	return f, err
}

// InsertFactors saves new second factors, after those of some kinds are gone.
func (s *Store) InsertFactors(ctx context.Context, factors []access.Factor, replace []string, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, kind := range replace {
			_, err := tx.ExecContext(ctx, `DELETE FROM factors WHERE user_id = $1 AND via = $2 AND kind = $3`, factors[0].User, factors[0].Via, kind)
			if err != nil {
				return fmt.Errorf("replace factors: %w", err)
			}
		}
		for _, f := range factors {
			lookup := sql.NullString{String: f.Lookup, Valid: f.Lookup != ""}
			sealed := f.Sealed
			if sealed == nil {
				sealed = []byte{}
			}
			result, err := tx.ExecContext(ctx, `INSERT INTO factors (id, user_id, via, kind, name, lookup, sealed, step, created_at, used_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (kind, lookup) DO NOTHING`,
				f.ID, f.User, f.Via, f.Kind, clean(f.Name), lookup, sealed, f.Step, millis(f.CreatedAt), millis(f.UsedAt))
			if err != nil {
				return fmt.Errorf("insert factor: %w", err)
			}
			if n, err := result.RowsAffected(); err != nil || n == 0 {
				return access.ErrExists
			}
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// Factors lists the second factors of a login, the oldest first.
func (s *Store) Factors(ctx context.Context, user, via string) ([]access.Factor, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+factorColumns+` FROM factors WHERE user_id = $1 AND via = $2 ORDER BY created_at, id`, user, via)
	return scanAll("read factors", rows, err, scanFactor)
}

// FactorByLookup finds a factor by the keyed hash it is known by.
func (s *Store) FactorByLookup(ctx context.Context, kind, lookup string) (access.Factor, error) {
	f, err := scanFactor(s.read.QueryRowContext(ctx, `SELECT `+factorColumns+` FROM factors WHERE kind = $1 AND lookup = $2`, kind, lookup))
	return f, found(err)
}

// UseFactor saves what a use changed if its step is later than the one kept.
func (s *Store) UseFactor(ctx context.Context, f access.Factor) (bool, error) {
	result, err := s.write.ExecContext(ctx, `UPDATE factors SET sealed = $2, step = $3, used_at = $4 WHERE id = $1 AND step < $3`,
		f.ID, f.Sealed, f.Step, millis(f.UsedAt))
	if err != nil {
		return false, fmt.Errorf("use factor: %w", err)
	}
	n, err := result.RowsAffected()
	return n > 0, err
}

// SpendTicket notes that a ticket was brought back, and reports whether it was not before.
// Old ones are forgotten, a bite at a time.
func (s *Store) SpendTicket(ctx context.Context, id string, now, until time.Time) (first bool, err error) {
	err = s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO spent_tickets (id, until_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, millis(until))
		if err != nil {
			return fmt.Errorf("spend ticket: %w", err)
		}
		n, err := result.RowsAffected()
		if err != nil {
			return fmt.Errorf("spend ticket: %w", err)
		}
		first = n == 1
		_, err = tx.ExecContext(ctx, `DELETE FROM spent_tickets WHERE id IN (SELECT id FROM spent_tickets WHERE until_at < $1 ORDER BY until_at LIMIT 20`+s.skipLocked()+`)`, millis(now))
		if err != nil {
			return fmt.Errorf("forget tickets: %w", err)
		}
		return nil
	})
	return first, err
}

// DeleteFactor deletes one of a person's, and the recovery codes of a login that
// has no other factor then.
func (s *Store) DeleteFactor(ctx context.Context, user, id string, e access.Entry) (bool, error) {
	var n int64
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM factors WHERE user_id = $1 AND id = $2`, user, id)
		if err != nil {
			return fmt.Errorf("delete factor: %w", err)
		}
		if n, err = result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		_, err = tx.ExecContext(ctx, `DELETE FROM factors WHERE user_id = $1 AND kind = 'recovery'
			AND via NOT IN (SELECT via FROM factors WHERE user_id = $1 AND kind <> 'recovery')`, user)
		if err != nil {
			return fmt.Errorf("delete recovery codes: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
	return n > 0, err
}

// DeleteFactors deletes all of a person's and ends their sessions.
func (s *Store) DeleteFactors(ctx context.Context, user string, e access.Entry) (int, error) {
	var n int64
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM factors WHERE user_id = $1`, user)
		if err != nil {
			return fmt.Errorf("delete factors: %w", err)
		}
		if n, err = result.RowsAffected(); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1`, user); err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
	return int(n), err
}
