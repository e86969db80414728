package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/limit"
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
	for _, q := range []struct {
		into  any
		query string
		args  []any
	}{
		{&f.SetAside, `SELECT COUNT(*) FROM set_aside`, nil},
		{&f.GivenUp, `SELECT COUNT(*) FROM deliveries WHERE state = 'given_up' AND created_at >= $1`, []any{millis(since)}},
		{&f.Unsettled, `SELECT COUNT(*) FROM generations WHERE unsettled = 1`, nil},
		{&f.Unfinished, `SELECT COUNT(*) FROM generations WHERE stage <> 'ended'`, nil},
		{at(&f.OldestWaits), `SELECT COALESCE(MIN(created_at), 0) FROM generations WHERE stage <> 'ended'`, nil},
		{&f.BareAdmins, `SELECT COUNT(*) FROM users WHERE admin <> 0 AND password <> '' AND NOT EXISTS (SELECT 1 FROM factors WHERE factors.user_id = users.id AND kind IN ('passkey', 'totp'))`, nil},
		{&f.NodesAlive, `SELECT COUNT(*) FROM nodes WHERE seen_at >= $1`, []any{millis(now.Add(-time.Minute))}},
	} {
		if err := s.read.QueryRowContext(ctx, q.query, q.args...).Scan(q.into); err != nil {
			return f, fmt.Errorf("count for the doctor: %w", err)
		}
	}
	if s.engine == postgres {
		if err := s.read.QueryRowContext(ctx, `SELECT clock_timestamp()`).Scan(&f.Clock); err != nil {
			return f, fmt.Errorf("read the database's clock: %w", err)
		}
	}
	f.Unpriced, err = s.countUnpriced(ctx, since)
	return f, err
}

// countUnpriced counts requests without a price, by model.
func (s *Store) countUnpriced(ctx context.Context, since time.Time) (map[string]int, error) {
	return selectPairs[string, int](ctx, s.read, "count unpriced requests",
		`SELECT model, SUM(unpriced) FROM usage_days WHERE day >= $1 AND unpriced > 0 GROUP BY model`, millis(since.UTC().Truncate(24*time.Hour)))
}

// Unfinished is the generations that have not ended, of all workspaces.
type Unfinished struct {
	Stages map[string]int
	Oldest time.Time // when the oldest was ordered; zero: there are none
}

// UnfinishedTasks counts what has not ended.
func (s *Store) UnfinishedTasks(ctx context.Context) (Unfinished, error) {
	type stage struct {
		name   string
		n      int
		oldest time.Time
	}
	u := Unfinished{Stages: make(map[string]int)}
	err := selectEach(ctx, s.read, "count unfinished generations", func(one *stage) []any { return []any{&one.name, &one.n, at(&one.oldest)} },
		func(one stage) {
			u.Stages[one.name] = one.n
			if u.Oldest.IsZero() || one.oldest.Before(u.Oldest) {
				u.Oldest = one.oldest
			}
		}, `SELECT stage, COUNT(*), MIN(created_at) FROM generations WHERE stage <> 'ended' GROUP BY stage`)
	return u, err
}

// CountNearlyUsed counts the budgets in dollars of which, in the window that now falls into, at
// least so many percent are taken.
func (s *Store) CountNearlyUsed(ctx context.Context, percent int, now time.Time) (n int, err error) {
	limits, err := s.Limits(ctx)
	if err != nil {
		return 0, err
	}
	budgets := make(map[string]bool)
	for _, l := range limits {
		budgets[l.ID] = l.Measure == limit.Dollars
	}
	near, err := selectPairs[string, int](ctx, s.read, "count budgets", `SELECT c.limit_id, COUNT(*) FROM limits JOIN limit_counters c ON c.limit_id = limits.id
		WHERE (c.end_at = 0 OR c.end_at > $1) AND c.start_at <= $1 AND c.amount > 0 AND (c.settled + c.held + c.doubt) * 100 >= c.amount * $2
		GROUP BY c.limit_id`, millis(now), percent)
	for id, some := range near {
		if budgets[id] {
			n += some
		}
	}
	return n, err
}

// Reader is the pool that reads, for what shares the database with the store.
func (s *Store) Reader() *sql.DB { return s.read }
