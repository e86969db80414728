package store

import (
	"context"
	"fmt"
	"time"
)

// Figures is what an operator should know of: all workspaces together.
type Figures struct {
	Took        time.Duration // of a small question
	Clock       time.Time     // of the database's machine; zero: it is this one
	SetAside    int
	GivenUp     int // webhooks, since the time that was asked for
	Unsettled   int // generations whose price is not known yet
	Unfinished  int
	BareAdmins  int            // without a second factor
	Unpriced    map[string]int // requests without a price by model, since the time that was asked for
	NodesAlive  int
	OldestWaits time.Time // the oldest unfinished generation; zero: none
}

// Figures counts what happened since a time.
func (s *Store) Figures(ctx context.Context, since, now time.Time) (f Figures, err error) {
	begun := time.Now()
	if err := s.Ping(ctx); err != nil {
		return f, err
	}
	f.Took = time.Since(begun)
	var oldest int64
	for _, q := range []struct {
		into  any
		query string
		args  []any
	}{
		{&f.SetAside, `SELECT COUNT(*) FROM set_aside`, nil},
		{&f.GivenUp, `SELECT COUNT(*) FROM deliveries WHERE state = 'given_up' AND created_at >= $1`, []any{millis(since)}},
		{&f.Unsettled, `SELECT COUNT(*) FROM generations WHERE unsettled = 1`, nil},
		{&f.Unfinished, `SELECT COUNT(*) FROM generations WHERE stage <> 'ended'`, nil},
		{&oldest, `SELECT COALESCE(MIN(created_at), 0) FROM generations WHERE stage <> 'ended'`, nil},
		{&f.BareAdmins, `SELECT COUNT(*) FROM users WHERE admin <> 0 AND password <> '' AND NOT EXISTS (SELECT 1 FROM factors WHERE factors.user_id = users.id AND kind IN ('passkey', 'totp'))`, nil},
		{&f.NodesAlive, `SELECT COUNT(*) FROM nodes WHERE seen_at >= $1`, []any{millis(now.Add(-time.Minute))}},
	} {
		if err := s.read.QueryRowContext(ctx, q.query, q.args...).Scan(q.into); err != nil {
			return f, fmt.Errorf("count for the doctor: %w", err)
		}
	}
	if oldest > 0 {
		f.OldestWaits = time.UnixMilli(oldest)
	}
	if s.engine == postgres {
		if err := s.read.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&f.Clock); err != nil {
			return f, fmt.Errorf("read the database's clock: %w", err)
		}
	}
	f.Unpriced, err = s.unpriced(ctx, since)
	return f, err
}

// unpriced counts requests without a price, by model.
func (s *Store) unpriced(ctx context.Context, since time.Time) (map[string]int, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT model, SUM(unpriced) FROM usage_days WHERE day >= $1 AND unpriced > 0 GROUP BY model ORDER BY model`,
		millis(since.UTC().Truncate(24*time.Hour)))
	if err != nil {
		return nil, fmt.Errorf("count unpriced requests: %w", err)
	}
	defer rows.Close()
	out := make(map[string]int)
	for rows.Next() {
		var model string
		var n int
		if err := rows.Scan(&model, &n); err != nil {
			return nil, fmt.Errorf("count unpriced requests: %w", err)
		}
		out[model] = n
	}
	return out, rows.Err()
}
