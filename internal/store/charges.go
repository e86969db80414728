package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"

	"stele/internal/limit"
	"stele/internal/meter"
)

// settling is what becomes of a counter: so much was taken, and so much is held no more.
type settling struct{ taken, released int64 }

// settleCharges adds what requests took to their counters, in an order that all
// processes have. It is in the transaction that saves their rows, so that rows and
// counters never disagree. node is whose leases it comes from; "" for tasks, which hold
// for themselves.
func (s *Store) settleCharges(ctx context.Context, tx *sql.Tx, node string, records []*meter.Record) error {
	sums := addUpCharges(records)
	for _, id := range slices.Sorted(maps.Keys(sums)) {
		if err := s.settleCounter(ctx, tx, node, id, *sums[id]); err != nil {
			return err
		}
	}
	return nil
}

// addUpCharges is what becomes of each counter. Rows that follow on each other often took the
// same: that is read once.
func addUpCharges(records []*meter.Record) map[int64]*settling {
	sums := make(map[int64]*settling)
	of := func(counter int64) *settling {
		n := sums[counter]
		if n == nil {
			n = new(settling)
			sums[counter] = n
		}
		return n
	}
	type taking struct {
		of *settling
		n  int64
	}
	var last []taking
	text := ""
	for _, r := range records {
		if r.Charges != text {
			text, last = r.Charges, last[:0]
			for _, c := range limit.ReadCharges(text) {
				last = append(last, taking{of(c.Counter), c.N})
			}
		}
		for _, t := range last {
			t.of.taken += t.n
		}
		for _, c := range limit.ReadCharges(r.Released) {
			of(c.Counter).released += c.N
		}
	}
	return sums
}

// settleCounter settles one counter. Mostly what was taken is on lease, which two
// statements do; the first locks the counter.
func (s *Store) settleCounter(ctx context.Context, tx *sql.Tx, node string, id int64, n settling) error {
	leased := max(0, n.taken)
	if node == "" {
		leased = 0
	}
	var settled, amount int64
	err := tx.QueryRowContext(ctx, `UPDATE limit_counters SET settled = settled + $2, leased = leased - $3, held = held - $4 WHERE id = $1
		RETURNING settled, amount`, id, n.taken, leased, n.released).Scan(&settled, &amount)
	if errors.Is(err, sql.ErrNoRows) {
		return nil // the limit is gone
	}
	if err == nil && leased > 0 {
		err = s.takeFromLease(ctx, tx, id, node, leased)
	}
	if err != nil {
		return fmt.Errorf("settle: %w", err)
	}
	return s.markPassed(ctx, tx, id, n.taken, settled, amount)
}

// takeFromLease takes n out of a lease, which was taken out of its counter's. What is not
// on lease any more, because its node was taken for dead, was in doubt or is given back to
// the counter's.
func (s *Store) takeFromLease(ctx context.Context, tx *sql.Tx, id int64, node string, n int64) error {
	rows, err := affect(ctx, tx, "take from lease", `UPDATE limit_leases SET amount = amount - $3 WHERE counter = $1 AND node = $2 AND amount >= $3`, id, node, n)
	if err != nil || rows > 0 {
		return err
	}
	l, err := s.lockLease(ctx, tx, id, node)
	if err != nil {
		return err
	}
	taken := min(n, l.amount)
	cleared := min(n-taken, l.doubt)
	_, err = tx.ExecContext(ctx, `UPDATE limit_counters SET leased = leased + $2, doubt = doubt - $3 WHERE id = $1`, id, n-taken, cleared)
	if err == nil && taken+cleared > 0 {
		_, err = tx.ExecContext(ctx, `UPDATE limit_leases SET amount = amount - $3, doubt = doubt - $4 WHERE counter = $1 AND node = $2`, id, node, taken, cleared)
	}
	if err == nil && cleared > 0 {
		err = s.insertLedger(ctx, tx, id, "doubt", -cleared, "its journal turned up")
	}
	return err
}
