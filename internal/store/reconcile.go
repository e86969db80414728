package store

import (
	"context"
	"time"

	"stele/internal/meter"
)

// ProviderDays lists what a provider's models used on each day between two midnights, in
// all workspaces, by the upstream's name.
func (s *Store) ProviderDays(ctx context.Context, provider string, from, until time.Time) ([]meter.TargetDay, error) {
	q := slice{failed: failedOfDay}
	return selectAll(ctx, s.read, "read days", func(d *meter.TargetDay) []any { return append([]any{at(&d.At), &d.Target}, figureCells(&d.Figures)...) },
		`SELECT day, target, `+q.figures()+` FROM usage_days WHERE provider = $1 AND day >= $2 AND day < $3
		GROUP BY day, target ORDER BY day, target`, provider, millis(from), millis(until))
}
