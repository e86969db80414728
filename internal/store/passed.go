package store

import (
	"context"
	"time"

	"stele/internal/limit"
)

// PassedSince lists the thresholds of limits of a workspace, or of the installation where
// that is "", that were passed since a time and that a person has not dismissed, the
// newest first.
func (s *Store) PassedSince(ctx context.Context, workspace, user string, since time.Time, most int) ([]limit.Passed, error) {
	return selectAll(ctx, s.read, "read thresholds", func(p *limit.Passed) []any {
		return []any{&p.Counter, &p.Mark, at(&p.At), &p.Used, &p.Amount, &p.Subject, at(&p.Start), at(&p.End), tree(&p.Limit)}
	}, `SELECT counter, mark, at, used, latest.amount, subject, start_at, end_at, spec
		FROM (SELECT counter, mark, at, used, amount FROM limit_marks WHERE workspace = $1 AND at > $2
				AND at > COALESCE((SELECT until FROM notices_seen WHERE user_id = $3 AND notices_seen.workspace = $1), 0)
			ORDER BY at DESC, mark DESC LIMIT $4) latest
		JOIN limit_counters ON limit_counters.id = counter JOIN limits ON limits.id = limit_id
		ORDER BY at DESC, mark DESC`, workspace, millis(since), user, most)
}

// DismissPassed has a person see no more of what was passed until then.
func (s *Store) DismissPassed(ctx context.Context, workspace, user string, until time.Time) error {
	return exec(ctx, s.write, "dismiss notices", `INSERT INTO notices_seen (user_id, workspace, until) VALUES ($1, $2, $3)
		ON CONFLICT (user_id, workspace) DO UPDATE SET until = excluded.until WHERE notices_seen.until < excluded.until`, user, workspace, millis(until))
}
