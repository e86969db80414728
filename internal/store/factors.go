package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/access"
)

const factorColumns = `id, user_id, via, kind, name, COALESCE(lookup, ''), sealed, step, created_at, used_at`

func factorCells(f *access.Factor) []any {
	return []any{&f.ID, &f.User, &f.Via, &f.Kind, &f.Name, &f.Lookup, bytesIfAny(&f.Sealed), &f.Step, at(&f.CreatedAt), at(&f.UsedAt)}
}

// InsertFactors saves new second factors, after those of some kinds are gone. A session that
// has ended sets up nothing: see InsertSession.
func (s *Store) InsertFactors(ctx context.Context, factors []access.Factor, replace []string, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		if err := takeUser(ctx, tx, factors[0].User); err != nil {
			return err
		}
		n, err := selectValue[int](ctx, tx, "look for session", `SELECT COUNT(*) FROM sessions WHERE id = $1`, factors[0].Session)
		if err != nil {
			return err
		}
		if n == 0 && factors[0].Session != "" {
			return access.ErrNotFound
		}
		for _, kind := range replace {
			err := exec(ctx, tx, "replace factors", `DELETE FROM factors WHERE user_id = $1 AND via = $2 AND kind = $3`, factors[0].User, factors[0].Via, kind)
			if err != nil {
				return err
			}
		}
		for _, f := range factors {
			lookup := sql.NullString{String: f.Lookup, Valid: f.Lookup != ""}
			err := execOr(ctx, tx, access.ErrExists, "insert factor", `INSERT INTO factors (id, user_id, via, kind, name, lookup, sealed, step, created_at, used_at)
				VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (kind, lookup) DO NOTHING`,
				f.ID, f.User, f.Via, f.Kind, clean(f.Name), lookup, blob(f.Sealed), f.Step, millis(f.CreatedAt), millis(f.UsedAt))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// Factors lists the second factors of a login, the oldest first.
func (s *Store) Factors(ctx context.Context, user, via string) ([]access.Factor, error) {
	return selectAll(ctx, s.read, "read factors", factorCells,
		`SELECT `+factorColumns+` FROM factors WHERE user_id = $1 AND via = $2 ORDER BY created_at, id`, user, via)
}

// FactorByLookup finds a factor by the keyed hash it is known by.
func (s *Store) FactorByLookup(ctx context.Context, kind, lookup string) (access.Factor, error) {
	return selectOne(ctx, s.read, factorCells, `SELECT `+factorColumns+` FROM factors WHERE kind = $1 AND lookup = $2`, kind, lookup)
}

// UseFactor saves what a use changed if its step is later than the one kept.
func (s *Store) UseFactor(ctx context.Context, f access.Factor) (bool, error) {
	n, err := affect(ctx, s.write, "use factor", `UPDATE factors SET sealed = $2, step = $3, used_at = $4 WHERE id = $1 AND step < $3`,
		f.ID, f.Sealed, f.Step, millis(f.UsedAt))
	return n > 0, err
}

// SpendTicket notes that a ticket was brought back, and reports whether it was not before.
// Old ones are forgotten, a bite at a time.
func (s *Store) SpendTicket(ctx context.Context, id string, now, until time.Time) (first bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := affect(ctx, tx, "spend ticket", `INSERT INTO spent_tickets (id, until_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, millis(until))
		if err != nil {
			return err
		}
		first = n == 1
		return exec(ctx, tx, "forget tickets", `DELETE FROM spent_tickets WHERE id IN (
			SELECT id FROM spent_tickets WHERE until_at < $1 ORDER BY until_at LIMIT 20`+s.skipLocked()+`)`, millis(now))
	})
	return first, err
}

// DeleteFactor deletes one of a person's, and the recovery codes of a login that
// has no other factor then.
func (s *Store) DeleteFactor(ctx context.Context, user, id string, e access.Entry) (bool, error) {
	var n int64
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		if n, err = affect(ctx, tx, "delete factor", `DELETE FROM factors WHERE user_id = $1 AND id = $2`, user, id); err != nil || n == 0 {
			return err
		}
		err = exec(ctx, tx, "delete recovery codes", `DELETE FROM factors WHERE user_id = $1 AND kind = 'recovery'
			AND via NOT IN (SELECT via FROM factors WHERE user_id = $1 AND kind <> 'recovery')`, user)
		if err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return n > 0, err
}

// DeleteFactors deletes all of a person's and ends their sessions. The row of the person is
// taken first, as InsertSession does.
func (s *Store) DeleteFactors(ctx context.Context, user string, e access.Entry) (int, error) {
	var n int64
	err := s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) (err error) {
		if err := takeUser(ctx, tx, user); err != nil {
			return err
		}
		if n, err = affect(ctx, tx, "delete factors", `DELETE FROM factors WHERE user_id = $1`, user); err != nil {
			return err
		}
		return exec(ctx, tx, "end sessions", `DELETE FROM sessions WHERE user_id = $1`, user)
	})
	return int(n), err
}

// takeUser has other changes of a person wait for this one. On PostgreSQL the row is the lock.
func takeUser(ctx context.Context, tx *sql.Tx, id string) error {
	return exec(ctx, tx, "take user", `UPDATE users SET seen_at = seen_at WHERE id = $1`, id)
}
