package store

import (
	"context"
	"fmt"
	"time"

	"stele/internal/fleet"
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
