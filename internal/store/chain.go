package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"stele/internal/access"
)

var _ access.ChainStore = (*Store)(nil)

// SetProver says who proves the head of the audit log: a keyed hash that
// cannot be made from the database alone. It must be set before anything is written.
func (s *Store) SetProver(proves func(text string) string) { s.proves = proves }

// linkEntry gives an entry the next place in the chain and has it written. The row of
// the head is the lock: on PostgreSQL entries are written one transaction after
// the other, so that they are seen in the order of the chain.
func (s *Store) linkEntry(ctx context.Context, tx *sql.Tx, e *access.Entry, write func(context.Context) error) error {
	var h access.Head
	err := tx.QueryRowContext(ctx, `UPDATE audit_head SET seq = seq + 1 WHERE id = 'head' RETURNING seq, hash, base_seq, base_hash`).
		Scan(&h.Seq, &h.Hash, &h.Base.Seq, &h.Base.Hash)
	if err != nil {
		return fmt.Errorf("chain audit entry: %w", err)
	}
	e.Seq = h.Seq
	e.Hash = access.ChainHash(h.Hash, *e)
	if err := write(ctx); err != nil {
		return fmt.Errorf("insert audit entry: %w", err)
	}
	h.Hash = e.Hash
	return s.saveHead(ctx, tx, h)
}

func (s *Store) saveHead(ctx context.Context, tx *sql.Tx, h access.Head) error {
	if s.proves != nil {
		h.Proof = s.proves(h.Text())
	}
	return exec(ctx, tx, "chain audit entry", `UPDATE audit_head SET hash = $1, base_seq = $2, base_hash = $3, proof = $4 WHERE id = 'head'`,
		h.Hash, h.Base.Seq, h.Base.Hash, h.Proof)
}

const selectHead = `SELECT seq, hash, base_seq, base_hash, proof FROM audit_head WHERE id = 'head'`

func scanHead(row *sql.Row) (h access.Head, err error) {
	err = row.Scan(&h.Seq, &h.Hash, &h.Base.Seq, &h.Base.Hash, &h.Proof)
	if errors.Is(err, sql.ErrNoRows) {
		return h, nil // it was deleted: its proof is missing
	}
	return h, wrap("read head of the audit log", err)
}

// AuditHead is where the chain of the audit log ends.
func (s *Store) AuditHead(ctx context.Context) (access.Head, error) {
	return scanHead(s.read.QueryRowContext(ctx, selectHead))
}

// EntriesAfter lists entries of all workspaces in the order of the chain.
func (s *Store) EntriesAfter(ctx context.Context, seq int64, limit int) ([]access.Entry, error) {
	return selectEntries(ctx, s.read, entriesAfter, seq, limit)
}

const entriesAfter = `SELECT ` + auditColumns + ` FROM audit WHERE seq > $1 ORDER BY seq LIMIT $2`

// CountUnchained counts the entries that have no place in the chain.
func (s *Store) CountUnchained(ctx context.Context) (int64, error) {
	return selectValue[int64](ctx, s.read, "read audit log", `SELECT COUNT(*) FROM audit WHERE seq IS NULL`)
}

const chainBite = 500

// ChainOld gives a place to the entries of before there was a chain, the oldest
// first, and proves an empty log. Once the chain has begun it does nothing: an
// entry that is put beside it must not become part of it.
func (s *Store) ChainOld(ctx context.Context) error {
	h, err := s.AuditHead(ctx)
	if err != nil || h.Proof != "" && h.Proof != chaining {
		return err
	}
	return s.RunAlone(ctx, func(ctx context.Context) error {
		for {
			left, err := s.chainBite(ctx)
			if err != nil || left == 0 {
				return err
			}
		}
	})
}

// chaining stands in the place of the proof until all old entries have theirs.
const chaining = "chaining"

func (s *Store) chainBite(ctx context.Context) (n int, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		h, err := scanHead(tx.QueryRowContext(ctx, selectHead+s.forUpdate()))
		if err != nil {
			return err
		}
		if n = 0; h.Proof != "" && h.Proof != chaining {
			return nil // another process has done it
		}
		list, err := selectEntries(ctx, tx, `SELECT `+auditColumns+` FROM audit WHERE seq IS NULL ORDER BY at, id LIMIT $1`, chainBite)
		if err != nil {
			return err
		}
		for i := range list {
			e := &list[i]
			h.Seq++
			e.Seq = h.Seq
			h.Hash = access.ChainHash(h.Hash, *e)
			if err := exec(ctx, tx, "chain audit entry", `UPDATE audit SET seq = $2, hash = $3 WHERE id = $1`, e.ID, h.Seq, h.Hash); err != nil {
				return err
			}
		}
		n = len(list)
		if err := exec(ctx, tx, "chain audit entries", `UPDATE audit_head SET seq = $1, hash = $2, proof = $3 WHERE id = 'head'`, h.Seq, h.Hash, chaining); err != nil {
			return err
		}
		if n > 0 {
			return nil
		}
		return s.saveHead(ctx, tx, h)
	})
	return n, err
}

// DeleteEntriesBefore deletes the entries that are older than a time, up to the
// first that is not. The head remembers after which one the chain begins.
func (s *Store) DeleteEntriesBefore(ctx context.Context, t time.Time) (all int64, err error) {
	for {
		n, err := s.trimChain(ctx, t)
		if all += n; err != nil || n == 0 {
			return all, err
		}
	}
}

func (s *Store) trimChain(ctx context.Context, t time.Time) (n int64, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n = 0
		h, err := scanHead(tx.QueryRowContext(ctx, selectHead+s.forUpdate()))
		if err != nil {
			return err
		}
		old, err := selectEntries(ctx, tx, entriesAfter, h.Base.Seq, chainBite)
		if err != nil {
			return err
		}
		for _, e := range old {
			if !e.At.Before(t) || e.Seq != h.Base.Seq+1 { // what is missing must be found, not passed over
				break
			}
			h.Base = access.Chained{Seq: e.Seq, Hash: e.Hash}
			n++
		}
		if n == 0 {
			return nil
		}
		if err := exec(ctx, tx, "delete audit entries", `DELETE FROM audit WHERE seq <= $1`, h.Base.Seq); err != nil {
			return err
		}
		return s.saveHead(ctx, tx, h)
	})
	return n, err
}

// TakeSink gives the one place that the audit log is sent on to in the hands of
// owner until a time, unless another one has it. It says how far it was sent.
func (s *Store) TakeSink(ctx context.Context, name, owner string, now, until time.Time) (seq int64, ok bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		err := tx.QueryRowContext(ctx, `INSERT INTO audit_sinks (name, seq, owner, until) VALUES ($1, 0, $2, $4)
			ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, until = excluded.until
			WHERE audit_sinks.owner = excluded.owner OR audit_sinks.until < $3 RETURNING seq`, name, owner, millis(now), millis(until)).Scan(&seq)
		if ok = err == nil; errors.Is(err, sql.ErrNoRows) {
			return nil // another one sends
		}
		return err
	})
	if err != nil {
		return 0, false, fmt.Errorf("take audit sink: %w", err)
	}
	return seq, ok, nil
}

// MoveSink notes how far the audit log was sent on, if owner still has the sink.
func (s *Store) MoveSink(ctx context.Context, name, owner string, seq int64) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "move audit sink", `UPDATE audit_sinks SET seq = $3 WHERE name = $1 AND owner = $2 AND seq < $3`, name, owner, seq)
	})
}

// SinkAt is how far the audit log was sent on, by any process; 0: not at all.
func (s *Store) SinkAt(ctx context.Context, name string) (int64, error) {
	seq, err := selectValue[int64](ctx, s.read, "read audit sink", `SELECT seq FROM audit_sinks WHERE name = $1`, name)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return seq, err
}
