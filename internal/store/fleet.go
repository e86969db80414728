package store

import (
	"context"
	"fmt"
	"time"

	"stele/internal/fleet"
	"stele/internal/route"
)

// SetVitals has every beat of this process say how it is. It is set before the first.
func (s *Store) SetVitals(vitals func() fleet.Node) { s.vitals = vitals }

// Fleet lists the servers that were heard of in the last day, and what waits for them.
func (s *Store) Fleet(ctx context.Context) (fleet.Fleet, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, seen_at, started_at, version, host, address, requests, streams, journal, lag_ms,
			(SELECT COUNT(*) FROM generations WHERE owner = nodes.id AND `+owned+`)
		FROM nodes ORDER BY started_at, id`)
	nodes, err := scanAll("read servers", rows, err, func(row scanner) (n fleet.Node, err error) {
		var seen, started, lag int64
		err = row.Scan(&n.ID, &seen, &started, &n.Version, &n.Host, &n.Address, &n.Requests, &n.Streams, &n.Journal, &lag, &n.Tasks)
		n.Seen, n.Started, n.Lag = fromMillis(seen), fromMillis(started), time.Duration(lag)*time.Millisecond
		return n, err
	})
	if err != nil {
		return fleet.Fleet{}, err
	}
	all := fleet.Fleet{Nodes: nodes}
	var oldest int64
	if err := s.read.QueryRowContext(ctx, `SELECT COUNT(*), COALESCE(MIN(created_at), 0) FROM generations WHERE stage <> 'ended' AND owner = ''`).
		Scan(&all.Waiting, &oldest); err != nil {
		return fleet.Fleet{}, fmt.Errorf("count what waits: %w", err)
	}
	all.Oldest = fromMillis(oldest)
	return all, nil
}

// Elsewhere is how providers serve the servers that were heard of since a time, but for one.
func (s *Store) Elsewhere(ctx context.Context, but string, since time.Time) ([]map[string]route.Health, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT providers FROM nodes WHERE id <> $1 AND seen_at >= $2 AND providers <> '' ORDER BY id`, but, millis(since))
	return scanAll("read how providers serve", rows, err, func(row scanner) (known map[string]route.Health, err error) {
		var text string
		if err := row.Scan(&text); err != nil {
			return nil, err
		}
		return known, decode(text, &known)
	})
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
