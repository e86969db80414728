package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Accept adds an entry to the journal of what the sandbox has accepted.
func (s *Store) Accept(ctx context.Context, key string, life []byte) error {
	return s.runOne(ctx, background, func(ctx context.Context, q querier) error {
		return exec(ctx, q, "write sandbox journal", `INSERT INTO sandbox_journal (key, at, life) VALUES ($1, $2, $3)`, key, millis(time.Now()), blob(life))
	})
}

// FindAccepted finds the first entry of a key.
func (s *Store) FindAccepted(ctx context.Context, key string) (life []byte, found bool, err error) {
	life, err = selectValue[[]byte](ctx, s.read, "read sandbox journal", `SELECT life FROM sandbox_journal WHERE key = $1 ORDER BY seq LIMIT 1`, key)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	return life, err == nil, err
}

// DeleteAcceptedBefore forgets what was accepted before a time, a bite at a time.
func (s *Store) DeleteAcceptedBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM sandbox_journal WHERE seq IN (SELECT seq FROM sandbox_journal WHERE at < $1 LIMIT 1000)`, millis(before))
}
