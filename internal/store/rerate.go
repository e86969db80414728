package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/access"
	"stele/internal/meter"
)

// RecordsBetween lists requests of all workspaces in the order of their ids, those after
// an id, up to limit of them. Until is not in it.
func (s *Store) RecordsBetween(ctx context.Context, from, until time.Time, after string, limit int) ([]meter.Record, error) {
	return s.query(ctx, `SELECT `+requestColumns+` FROM requests
		WHERE id > $1 AND at >= $2 AND at < $3 ORDER BY id LIMIT $4`, after, millis(from), millis(until), limit)
}

// Rerate writes what records cost by other price lists, and takes the difference over into
// the days they are counted in, together with an entry of the audit log. A record whose
// price was changed meanwhile is left as it is. It returns how many were written.
func (s *Store) Rerate(ctx context.Context, list []meter.Rerated, e access.Entry) (written int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		written = 0
		records := make([]*meter.Record, len(list))
		for i := range list {
			records[i] = &list[i].Record
		}
		if err := s.names.learn(ctx, tx, records); err != nil {
			return err
		}
		factors, err := readFactors(ctx, tx)
		if err != nil {
			return err
		}
		days, groups := make(map[day]*meter.Figures), make(map[group]*meter.Figures)
		for i := range list {
			r := &list[i]
			markup := factors.markup(r.Record.Workspace, r.Cost.Nano)
			n, err := affect(ctx, tx, "rerate a request", `UPDATE requests SET nano = $2, priced = $3, rates = $4, price_source = $5, price_version = $6, markup = $10
				WHERE id = $1 AND nano = $7 AND price_source = $8 AND price_version = $9`,
				r.Record.ID, r.Cost.Nano, flag(r.Cost.Known), r.Cost.Rates, r.Cost.Source, r.Cost.Version,
				r.Record.Nano, r.Record.PriceSource, r.Record.PriceVersion, markup)
			if err != nil {
				return fmt.Errorf("rerate a request: %w", err)
			}
			if n == 1 {
				written++
				delta := r.Delta()
				delta.Markup = markup - r.Record.Markup
				addTo(days, s.groupDay(&r.Record), delta)
				s.attribute(groups, &r.Record, delta)
			}
		}
		if err := addDays(ctx, tx, days); err != nil {
			return err
		}
		if err := s.addGroups(ctx, tx, days, groups); err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return written, err
}
