package store

import (
	"context"
	"time"

	"stele/internal/fleet"
	"stele/internal/route"
)

// SetVitals has every beat of this process say how it is. It is set before the first.
func (s *Store) SetVitals(vitals func() fleet.Node) { s.vitals = vitals }

// Fleet lists the servers that were heard of in the last day, and what waits for them.
func (s *Store) Fleet(ctx context.Context) (fleet.Fleet, error) {
	nodes, err := selectAll(ctx, s.read, "read servers", func(n *fleet.Node) []any {
		return []any{
			&n.ID, at(&n.Seen), at(&n.Started), &n.Version, &n.Host, &n.Address, &n.Requests, &n.Streams, &n.Journal, durationIn(&n.Lag, time.Millisecond), &n.Tasks,
		}
	}, `SELECT id, seen_at, started_at, version, host, address, requests, streams, journal, lag_ms,
			(SELECT COUNT(*) FROM generations WHERE owner = nodes.id AND `+owned+`)
		FROM nodes ORDER BY started_at, id`)
	if err != nil {
		return fleet.Fleet{}, err
	}
	all := fleet.Fleet{Nodes: nodes}
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MIN(created_at), 0) FROM generations WHERE stage <> 'ended' AND owner = ''`).
		Scan(&all.Waiting, at(&all.Oldest))
	return all, wrap("count what waits", err)
}

// HealthElsewhere is how providers serve the servers that were heard of since a time, but for one.
func (s *Store) HealthElsewhere(ctx context.Context, but string, since time.Time) ([]map[string]route.Health, error) {
	return selectAll(ctx, s.read, "read how providers serve", func(known *map[string]route.Health) []any { return []any{tree(known)} },
		`SELECT providers FROM nodes WHERE id <> $1 AND seen_at >= $2 AND providers <> '' ORDER BY id`, but, millis(since))
}

// encodeHealth is how what a server knows of providers is kept; "": it knows nothing.
func encodeHealth(known map[string]route.Health) (string, error) {
	if len(known) == 0 {
		return "", nil
	}
	const most = 512 // bytes of what a provider said
	for name, h := range known {
		h.Message = clean(h.Message[:min(most, len(h.Message))])
		known[name] = h
	}
	return encode(known)
}
