package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/limit"
)

// countersAtOnce bounds the memory of a check: so many counters are compared in one
// pass over what they are the sums of.
const countersAtOnce = 200_000

// VerifyMoney adds up what every counter is the sum of, as it was at one moment: the
// charges of requests, leases, what tasks hold, and doubts in the ledger. Requests are kept since a
// time; of counters that began before it the charges cannot be added up any more.
func (s *Store) VerifyMoney(ctx context.Context, keptSince time.Time) (v limit.Verified, err error) {
	err = s.asOfNow(ctx, func(tx *sql.Tx) (err error) {
		check := verification{tx: tx, keptSince: millis(keptSince.Add(time.Hour)), found: &v, size: countersAtOnce}
		for after, more := int64(0), true; more && err == nil; {
			after, more, err = check.batch(ctx, after)
		}
		return err
	})
	return v, wrap("verify", err)
}

type verification struct {
	tx        *sql.Tx
	keptSince int64
	found     *limit.Verified
	size      int
	counters  map[int64]*tally
}

// tally is a counter beside what it is the sum of.
type tally struct {
	settled, leased, held, doubt        int64
	rows, leases, holds, doubts, ledger int64
	partly                              bool
}

// batch compares the next counters.
func (c *verification) batch(ctx context.Context, after int64) (last int64, more bool, err error) {
	if last, err = c.read(ctx, after); err != nil || len(c.counters) == 0 {
		return last, false, err
	}
	for _, sum := range []func(ctx context.Context, first, last int64) error{c.addRows, c.addLeases, c.addHolds, c.addLedger} {
		if err := sum(ctx, after+1, last); err != nil {
			return last, false, err
		}
	}
	for id, t := range c.counters {
		if err := c.compare(ctx, id, t); err != nil {
			return last, false, err
		}
	}
	return last, len(c.counters) == c.size, nil
}

func (c *verification) read(ctx context.Context, after int64) (last int64, err error) {
	c.counters = make(map[int64]*tally)
	rows, err := c.tx.QueryContext(ctx, `SELECT limit_counters.id, start_at, created_at, settled, leased, held, doubt FROM limit_counters
		JOIN limits ON limits.id = limit_id WHERE limit_counters.id > $1 ORDER BY limit_counters.id LIMIT $2`, after, c.size)
	if err != nil {
		return after, err
	}
	defer rows.Close()
	for last = after; rows.Next(); {
		var t tally
		var start, created int64
		if err := rows.Scan(&last, &start, &created, &t.settled, &t.leased, &t.held, &t.doubt); err != nil {
			return last, err
		}
		c.counters[last] = &t
		c.found.Counters++
		if t.partly = max(start, created) < c.keptSince; t.partly {
			c.found.Partly++
		}
	}
	return last, rows.Err()
}

// addRows adds up what requests took. They are looked at one at a time.
func (c *verification) addRows(ctx context.Context, first, _ int64) error {
	return selectEach(ctx, c.tx, "read charges", value[string], func(text string) {
		if first == 1 { // the first pass sees all of them
			c.found.Rows++
		}
		for _, charge := range limit.ReadCharges(text) {
			if t := c.counters[charge.Counter]; t != nil {
				t.rows += charge.N
			}
		}
	}, `SELECT charges FROM requests WHERE charges <> ''`)
}

func (c *verification) addLeases(ctx context.Context, first, last int64) error {
	return c.add(ctx, `SELECT counter, amount, doubt FROM limit_leases WHERE counter BETWEEN $1 AND $2`, first, last, func(t *tally, amount, doubt int64) {
		t.leases += amount
		t.doubts += doubt
	})
}

// addHolds adds up what tasks hold: those that have not ended, and those whose price is not known yet.
func (c *verification) addHolds(ctx context.Context, _, _ int64) error {
	return selectEach(ctx, c.tx, "read holds", func(holds *[]limit.Portion) []any { return []any{tree(holds)} }, func(holds []limit.Portion) {
		for _, p := range holds {
			if t := c.counters[p.Counter]; t != nil {
				t.holds += p.N
			}
		}
	}, `SELECT holds FROM generations WHERE stage <> 'ended' AND holds <> '[]'
		UNION ALL SELECT holds FROM generations WHERE unsettled = 1 AND holds <> '[]'`)
}

func (c *verification) addLedger(ctx context.Context, first, last int64) error {
	return c.add(ctx, `SELECT counter, nano, 0 FROM ledger WHERE kind = 'doubt' AND counter BETWEEN $1 AND $2`, first, last, func(t *tally, nano, _ int64) {
		t.ledger += nano
	})
}

func (c *verification) add(ctx context.Context, query string, first, last int64, to func(t *tally, a, b int64)) error {
	type sums struct{ counter, a, b int64 }
	return selectEach(ctx, c.tx, "add up", func(s *sums) []any { return []any{&s.counter, &s.a, &s.b} }, func(s sums) {
		if t := c.counters[s.counter]; t != nil {
			to(t, s.a, s.b)
		}
	}, query, first, last)
}

func (c *verification) compare(ctx context.Context, id int64, t *tally) error {
	for _, pair := range []struct {
		what            string
		counted, summed int64
	}{{"settled", t.settled, t.rows}, {"leased", t.leased, t.leases}, {"held", t.held, t.holds}, {"doubt", t.doubt, t.doubts}, {"ledger", t.doubt, t.ledger}} {
		if pair.counted == pair.summed || pair.what == "settled" && t.partly {
			continue
		}
		if len(c.found.Differences) == limit.MostDifferences {
			c.found.More++
			continue
		}
		d := limit.Difference{Counter: id, What: pair.what, Counted: pair.counted, Summed: pair.summed}
		if err := c.tx.QueryRowContext(ctx, `SELECT limit_id, subject, start_at FROM limit_counters WHERE id = $1`, id).Scan(&d.Limit, &d.Subject, at(&d.Start)); err != nil {
			return err
		}
		c.found.Differences = append(c.found.Differences, d)
	}
	return nil
}
