package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
)

// ChangeFailures hands over the counts of names and saves what change has made of them.
// Other callers with one of the names wait meanwhile. Old ones are forgotten, a bite at a time.
func (s *Store) ChangeFailures(ctx context.Context, names []string, since time.Time, change func(counts map[string]access.FailureCount)) error {
	names = slices.Compact(slices.Sorted(slices.Values(names))) // all callers take them in the same order
	return s.save(ctx, urgent, func(ctx context.Context, tx *sql.Tx) error {
		counts := make(map[string]access.FailureCount)
		for _, name := range names {
			c, err := lockFailure(ctx, tx, name, s.forUpdate())
			if err != nil {
				return fmt.Errorf("read failed sign-ins: %w", err)
			}
			if c.Last.Before(since) {
				c = access.FailureCount{}
			}
			counts[name] = c
		}
		change(counts)
		for _, name := range names {
			if err := saveFailure(ctx, tx, name, counts[name]); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "forget failed sign-ins", `DELETE FROM signin_failures WHERE name IN (
			SELECT name FROM signin_failures WHERE last_at < $1 ORDER BY last_at LIMIT 20`+s.skipLocked()+`)`, millis(since))
	})
}

// lockFailure reads a count, which is made where there is none: only what is there can be locked.
func lockFailure(ctx context.Context, tx *sql.Tx, name, forUpdate string) (c access.FailureCount, err error) {
	for range 10 { // another server may forget it in between
		_, err = tx.ExecContext(ctx, `INSERT INTO signin_failures (name, failures, last_at) VALUES ($1, 0, $2) ON CONFLICT (name) DO NOTHING`, name, millis(time.Now()))
		if err == nil {
			err = tx.QueryRowContext(ctx, `SELECT failures, last_at FROM signin_failures WHERE name = $1`+forUpdate, name).Scan(&c.Failures, at(&c.Last))
		}
		if !errors.Is(err, sql.ErrNoRows) {
			break
		}
	}
	return c, err
}

func saveFailure(ctx context.Context, tx *sql.Tx, name string, c access.FailureCount) error {
	if c.Failures <= 0 {
		return exec(ctx, tx, "save failed sign-ins", `DELETE FROM signin_failures WHERE name = $1`, name)
	}
	return exec(ctx, tx, "save failed sign-ins", `UPDATE signin_failures SET failures = $2, last_at = $3 WHERE name = $1`, name, c.Failures, millis(c.Last))
}
