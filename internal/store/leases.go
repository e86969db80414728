package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/limit"
	"stele/internal/uid"
)

const balanceColumns = `id, amount, settled, leased, held, doubt`

// slicing is how much of what is left a node gets at once, at most: the nearer the
// end, the smaller the pieces.
const slicing = 8

// Lease gives a node at least need more of a counter, and where much is left up to
// want, or nothing. All who change a counter lock it first, then its leases.
func (s *Store) Lease(ctx context.Context, node string, c limit.Counter, l *limit.Limit, need, want int64) (got int64, b limit.Balance, err error) {
	err = s.save(ctx, urgent, func(ctx context.Context, tx *sql.Tx) error {
		if b, err = s.counter(ctx, tx, c, l.Amount); err != nil {
			return err
		}
		if got = 0; b.Free() >= need {
			got = max(need, min(want, b.Free()/slicing))
		}
		_, err := tx.ExecContext(ctx, `UPDATE limit_counters SET leased = leased + $2 WHERE id = $1`, b.ID, got)
		if err == nil {
			err = tx.QueryRowContext(ctx, `INSERT INTO limit_leases (counter, node, amount) VALUES ($1, $2, $3)
				ON CONFLICT (counter, node) DO UPDATE SET amount = limit_leases.amount + excluded.amount RETURNING amount`, b.ID, node, got).Scan(&b.Ours)
		}
		if err != nil {
			return fmt.Errorf("lease: %w", err)
		}
		b.Leased += got
		return nil
	})
	if err != nil {
		return 0, limit.Balance{}, err
	}
	return got, b, nil
}

// counter locks a counter and reads it. One that is not there is made, with the amount that its limit has now:
// the process that asks may not have heard of it yet.
func (s *Store) counter(ctx context.Context, tx *sql.Tx, c limit.Counter, amount int64) (b limit.Balance, err error) {
	read := func() error {
		return tx.QueryRowContext(ctx, `SELECT `+balanceColumns+` FROM limit_counters WHERE limit_id = $1 AND subject = $2 AND start_at = $3`+s.forUpdate(),
			c.Limit, c.Subject, millis(c.Start)).Scan(&b.ID, &b.Amount, &b.Settled, &b.Leased, &b.Held, &b.Doubt)
	}
	if err = read(); errors.Is(err, sql.ErrNoRows) {
		// Who changes the limit meanwhile waits, and finds the counter.
		now, missing := selectOne(ctx, tx, limitCells, `SELECT spec FROM limits WHERE id = $1`+s.forShare(), c.Limit)
		if missing == nil {
			amount = now.Amount
		} else if !errors.Is(missing, access.ErrNotFound) {
			return b, wrap("read limit", missing)
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO limit_counters (limit_id, subject, start_at, end_at, amount) VALUES ($1, $2, $3, $4, $5)
			ON CONFLICT (limit_id, subject, start_at) DO NOTHING`, c.Limit, c.Subject, millis(c.Start), millis(c.End), amount)
		if err == nil {
			err = read()
		}
	}
	return b, wrap("read counter", err)
}

// GiveBack returns what a node does not need, by counter. The same sequence counts once.
func (s *Store) GiveBack(ctx context.Context, node string, sequence int64, unused map[int64]int64) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := affect(ctx, tx, "give back", `INSERT INTO limit_nodes (id, seen_at, sequence) VALUES ($1, 0, $2)
			ON CONFLICT (id) DO UPDATE SET sequence = excluded.sequence WHERE limit_nodes.sequence < excluded.sequence`, node, sequence)
		if err != nil || n == 0 {
			return err // it was done already
		}
		for _, id := range slices.Sorted(maps.Keys(unused)) {
			if err := s.giveBack(ctx, tx, lease{counter: id, node: node, amount: unused[id]}); err != nil {
				return fmt.Errorf("give back: %w", err)
			}
		}
		return nil
	})
}

// giveBack returns a part of a lease, unless the node was taken for dead and has none any more.
func (s *Store) giveBack(ctx context.Context, tx *sql.Tx, l lease) error {
	if _, err := s.lockLease(ctx, tx, l.counter, l.node); err != nil {
		return err
	}
	n, err := affect(ctx, tx, "lessen lease", `UPDATE limit_leases SET amount = amount - $3 WHERE counter = $1 AND node = $2`, l.counter, l.node, l.amount)
	if err != nil || n == 0 {
		return err
	}
	return exec(ctx, tx, "lessen counter", `UPDATE limit_counters SET leased = leased - $2 WHERE id = $1`, l.counter, l.amount)
}

// ShareOut tells what a node asks of counters and learns what all do.
func (s *Store) ShareOut(ctx context.Context, node string, demand map[int64]int64, now time.Time) (map[int64]limit.Share, error) {
	const fresh, together = 3 * time.Second, 100
	shares := make(map[int64]limit.Share, len(demand))
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		clear(shares)
		for ids := range slices.Chunk(slices.Sorted(maps.Keys(demand)), together) {
			rows := make([]any, 0, 5*len(ids))
			for _, id := range ids {
				rows = append(rows, id, node, 0, demand[id], millis(now))
				shares[id] = limit.Share{Demand: demand[id]}
			}
			_, err := tx.ExecContext(ctx, `INSERT INTO limit_leases (counter, node, amount, demand, told_at) VALUES `+placeholders(len(ids), 5, s.engine == postgres)+`
				ON CONFLICT (counter, node) DO UPDATE SET demand = excluded.demand, told_at = excluded.told_at`, rows...)
			if err == nil {
				err = s.readDemand(ctx, tx, ids, now.Add(-fresh), shares)
			}
			if err != nil {
				return fmt.Errorf("share out: %w", err)
			}
		}
		return nil
	})
	return shares, err
}

// readDemand reads what all nodes have asked of counters since a time.
func (s *Store) readDemand(ctx context.Context, tx *sql.Tx, ids []int64, since time.Time, shares map[int64]limit.Share) error {
	args := make([]any, 0, len(ids)+1)
	for _, id := range ids {
		args = append(args, id)
	}
	type told struct {
		counter int64
		limit.Share
	}
	return selectEach(ctx, tx, "read demand", func(t *told) []any { return []any{&t.counter, &t.All, &t.Free} },
		func(t told) {
			shares[t.counter] = limit.Share{Demand: shares[t.counter].Demand, All: t.All, Free: t.Free}
		},
		`SELECT c.id, SUM(l.demand), c.amount - c.settled - c.leased - c.held - c.doubt FROM limit_leases l JOIN limit_counters c ON c.id = l.counter
		WHERE l.counter IN `+placeholders(1, len(ids), true)+` AND l.told_at >= $`+strconv.Itoa(len(ids)+1)+` GROUP BY c.id`, append(args, millis(since))...)
}

// BeatLimits says that a node lives.
func (s *Store) BeatLimits(ctx context.Context, node string, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "beat", `INSERT INTO limit_nodes (id, seen_at) VALUES ($1, $2)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`, node, millis(now))
	})
}

// Recover gives back whatever a node has on lease, and whatever of it is in doubt: its
// journal has been read, so what was taken is settled.
func (s *Store) Recover(ctx context.Context, node string, now time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		leases, err := s.leasesOf(ctx, tx, `node = $1`, node)
		if err != nil {
			return err
		}
		for _, l := range leases {
			if l, err = s.lockLease(ctx, tx, l.counter, l.node); err != nil {
				return err
			}
			if err := s.endLease(ctx, tx, l, 0); err != nil {
				return err
			}
		}
		return exec(ctx, tx, "recover leases", `INSERT INTO limit_nodes (id, seen_at, sequence) VALUES ($1, $2, 0)
			ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at, sequence = 0`, node, millis(now))
	})
}

// lease is what a node has of a counter.
type lease struct {
	counter       int64
	node          string
	amount, doubt int64
}

func (s *Store) leasesOf(ctx context.Context, tx *sql.Tx, where string, args ...any) ([]lease, error) {
	return selectAll(ctx, tx, "read leases", func(l *lease) []any { return []any{&l.counter, &l.node, &l.amount, &l.doubt} },
		`SELECT counter, node, amount, doubt FROM limit_leases WHERE `+where+` ORDER BY counter, node`, args...)
}

// lockLease locks a counter and reads a lease of it, which nothing changes meanwhile.
func (s *Store) lockLease(ctx context.Context, tx *sql.Tx, counter int64, node string) (lease, error) {
	l := lease{counter: counter, node: node}
	var id int64
	err := tx.QueryRowContext(ctx, `SELECT id FROM limit_counters WHERE id = $1`+s.forUpdate(), counter).Scan(&id)
	if err == nil {
		err = tx.QueryRowContext(ctx, `SELECT amount, doubt FROM limit_leases WHERE counter = $1 AND node = $2`, counter, node).Scan(&l.amount, &l.doubt)
	}
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return l, fmt.Errorf("read lease: %w", err)
	}
	return l, nil
}

// limitOf is the limit of a counter, nil where it is gone.
func (s *Store) limitOf(ctx context.Context, tx *sql.Tx, counter int64) (*limit.Limit, error) {
	l, err := selectOne(ctx, tx, limitCells, `SELECT spec FROM limits WHERE id = (SELECT limit_id FROM limit_counters WHERE id = $1)`, counter)
	if errors.Is(err, access.ErrNotFound) {
		return nil, nil //nolint:nilnil // it is gone
	}
	if err != nil {
		return nil, wrap("read limit", err)
	}
	return &l, nil
}

// endLease takes a lease out of its counter. So much of it stays in doubt.
func (s *Store) endLease(ctx context.Context, tx *sql.Tx, l lease, doubt int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE limit_counters SET leased = leased - $2, doubt = doubt - $3 + $4 WHERE id = $1`, l.counter, l.amount, l.doubt, doubt)
	switch {
	case err != nil:
	case doubt == 0:
		_, err = tx.ExecContext(ctx, `DELETE FROM limit_leases WHERE counter = $1 AND node = $2`, l.counter, l.node)
	default:
		_, err = tx.ExecContext(ctx, `UPDATE limit_leases SET amount = 0, doubt = $3 WHERE counter = $1 AND node = $2`, l.counter, l.node, doubt)
	}
	if err == nil && doubt != l.doubt {
		err = s.insertLedger(ctx, tx, l.counter, "doubt", doubt-l.doubt, "on lease to "+l.node)
	}
	return wrap("end lease", err)
}

// insertLedger writes down that money changed without a request. Counters of other
// things have no ledger.
func (s *Store) insertLedger(ctx context.Context, tx *sql.Tx, counter int64, kind string, nano int64, note string) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO ledger (id, at, workspace, counter, kind, nano, note)
		SELECT $1, $2, limits.workspace, limit_counters.id, $4, $5, $6 FROM limit_counters JOIN limits ON limits.id = limit_counters.limit_id
		WHERE limit_counters.id = $3`, uid.New("led"), millis(time.Now()), counter, kind, nano, note)
	return err
}

// Bury looks for nodes that were not heard of since a time: what they had on lease of
// counters that last is booked as in doubt, the rest given back.
func (s *Store) Bury(ctx context.Context, silentSince time.Time) (int, error) {
	return s.endLeases(ctx, `(amount > 0 OR demand > 0) AND `+ofSilentNode+` AND told_at < $1`, silentSince, func(*limit.Limit) bool { return true })
}

// FreeSilent gives back what nodes that were not heard of since a time have on lease of
// limits on what runs at the same time.
func (s *Store) FreeSilent(ctx context.Context, silentSince time.Time) error {
	const silent = `amount > 0 AND ` + ofSilentNode
	// Mostly there is none. That is found out on the side, without holding up the writer.
	found, err := s.texts(ctx, `SELECT node FROM limit_leases WHERE `+silent+` LIMIT 1`, millis(silentSince))
	if err != nil || len(found) == 0 {
		return err
	}
	_, err = s.endLeases(ctx, silent, silentSince, func(of *limit.Limit) bool { return of != nil && of.Simultaneous() })
	return err
}

// ofSilentNode is of a lease whose node was not heard of since $1.
const ofSilentNode = `NOT EXISTS (SELECT 1 FROM limit_nodes WHERE limit_nodes.id = limit_leases.node AND seen_at >= $1)`

// endLeases ends the leases that a condition picks, of limits that are wanted; nil is one that is
// gone. What was on lease of counters that last is in doubt: it says of how many leases.
func (s *Store) endLeases(ctx context.Context, where string, since time.Time, wanted func(*limit.Limit) bool) (doubts int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		doubts = 0
		leases, err := s.leasesOf(ctx, tx, where, millis(since))
		if err != nil {
			return err
		}
		for _, l := range leases {
			of, err := s.limitOf(ctx, tx, l.counter)
			if err != nil {
				return err
			}
			if !wanted(of) {
				continue
			}
			if l, err = s.lockLease(ctx, tx, l.counter, l.node); err != nil {
				return err
			}
			doubt := l.doubt
			if of != nil && of.Durable() && l.amount > 0 {
				doubt += l.amount
				doubts++
			}
			if err := s.endLease(ctx, tx, l, doubt); err != nil {
				return err
			}
		}
		return nil
	})
	return doubts, err
}

// EndLease gives back what a node has on lease of a counter.
func (s *Store) EndLease(ctx context.Context, node string, counter int64) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		l, err := s.lockLease(ctx, tx, counter, node)
		if err != nil {
			return err
		}
		return s.endLease(ctx, tx, l, l.doubt)
	})
}
