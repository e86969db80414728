package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"
)

// Accept adds an entry to the journal of what the sandbox has accepted.
func (s *Store) Accept(ctx context.Context, key string, life []byte) error {
	err := s.one(ctx, background, func(ctx context.Context, q querier) error {
		_, err := q.ExecContext(ctx, `INSERT INTO sandbox_journal (key, at, life) VALUES ($1, $2, $3)`, key, millis(time.Now()), blob(life))
		return err
	})
	if err != nil {
		return fmt.Errorf("write sandbox journal: %w", err)
	}
	return nil
}

// Accepted is the first entry of a key.
func (s *Store) Accepted(ctx context.Context, key string) (life []byte, found bool, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT life FROM sandbox_journal WHERE key = $1 ORDER BY seq LIMIT 1`, key).Scan(&life)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return nil, false, nil
	case err != nil:
		return nil, false, fmt.Errorf("read sandbox journal: %w", err)
	}
	return slices.Clone(life), true, nil
}
