package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"stele/internal/access"
)

const keyColumns = `id, workspace, name, environment, sandbox, scopes, models,
	created_at, expires_at, revoked_at, last_used_at, hash, old_hash, old_until, revision`

// InsertKey saves a new key, its workspace where it is new, and the audit entry.
func (s *Store) InsertKey(ctx context.Context, k access.Key, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		if k.Revision, err = nextRevision(ctx, tx, "keys"); err != nil {
			return err
		}
		if err := insertWorkspace(ctx, tx, k.Workspace, k.CreatedAt); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO keys (`+keyColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`,
			k.ID, k.Workspace, k.Name, string(k.Environment), flag(k.Sandbox), joined(k.Scope.Groups), joined(k.Scope.Models),
			millis(k.CreatedAt), millis(k.ExpiresAt), millis(k.RevokedAt), millis(k.LastUsedAt),
			k.Hash, k.OldHash, millis(k.OldUntil), k.Revision)
		if err != nil {
			return fmt.Errorf("insert key: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// UpdateKey hands the key to change and saves what it made of it, unless it
// gave an entry without an action: then nothing is written. Changes of keys
// wait for each other, so none is lost.
func (s *Store) UpdateKey(ctx context.Context, id string, change func(*access.Key) (access.Entry, error)) (access.Key, error) {
	var k access.Key
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// The counter's row is taken first: on PostgreSQL it is the lock.
		revision, err := nextRevision(ctx, tx, "keys")
		if err != nil {
			return err
		}
		k, err = scanKey(tx.QueryRowContext(ctx, `SELECT `+keyColumns+` FROM keys WHERE id = $1`, id))
		if err != nil {
			return found(err)
		}
		e, err := change(&k)
		if err != nil || e.Action == "" {
			return err
		}
		k.Revision = revision
		_, err = tx.ExecContext(ctx, `UPDATE keys
			SET expires_at = $2, revoked_at = $3, hash = $4, old_hash = $5, old_until = $6, revision = $7 WHERE id = $1`,
			k.ID, millis(k.ExpiresAt), millis(k.RevokedAt), k.Hash, k.OldHash, millis(k.OldUntil), k.Revision)
		if err != nil {
			return fmt.Errorf("update key: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
	return k, err
}

// Keys lists the keys of a workspace, or all where it is "", newest first.
func (s *Store) Keys(ctx context.Context, workspace string) ([]access.Key, error) {
	return s.queryKeys(ctx, `WHERE workspace = $1 OR $1 = '' ORDER BY created_at DESC, id DESC`, workspace)
}

// KeysSince lists the keys changed after a revision.
func (s *Store) KeysSince(ctx context.Context, revision int64) ([]access.Key, error) {
	return s.queryKeys(ctx, `WHERE revision > $1 ORDER BY revision`, revision)
}

// KeyRevision is the revision of the latest change of any key.
func (s *Store) KeyRevision(ctx context.Context) (int64, error) {
	var n int64
	err := s.read.QueryRowContext(ctx, `SELECT n FROM revisions WHERE name = 'keys'`).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("read key revision: %w", err)
	}
	return n, nil
}

// TouchKeys notes when keys were last used. It is no change: the revision stays.
func (s *Store) TouchKeys(ctx context.Context, used map[string]time.Time) error {
	var refused error
	ids := slices.Sorted(maps.Keys(used)) // in one order, or two processes would wait for each other
	err := saveApart(ids, func(some []string) error { return s.touchKeys(ctx, some, used) },
		func(_ string, why error) error { refused = why; return nil })
	return errors.Join(err, refused)
}

func (s *Store) touchKeys(ctx context.Context, ids []string, used map[string]time.Time) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range ids {
			_, err := tx.ExecContext(ctx, `UPDATE keys SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2`, id, millis(used[id]))
			if err != nil {
				return fmt.Errorf("touch key: %w", err)
			}
		}
		return nil
	})
}

func (s *Store) queryKeys(ctx context.Context, where string, arg any) ([]access.Key, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+keyColumns+` FROM keys `+where, arg)
	if err != nil {
		return nil, fmt.Errorf("read keys: %w", err)
	}
	defer rows.Close()
	var keys []access.Key
	for rows.Next() {
		k, err := scanKey(rows)
		if err != nil {
			return nil, fmt.Errorf("read keys: %w", err)
		}
		keys = append(keys, k)
	}
	return keys, rows.Err()
}

func scanKey(row interface{ Scan(...any) error }) (access.Key, error) {
	var k access.Key
	var environment, scopes, models string
	var sandbox, created, expires, revoked, used, until int64
	err := row.Scan(&k.ID, &k.Workspace, &k.Name, &environment, &sandbox, &scopes, &models,
		&created, &expires, &revoked, &used, &k.Hash, &k.OldHash, &until, &k.Revision)
	k.Environment, k.Sandbox = access.Environment(environment), sandbox != 0
	k.Scope = access.Scope{Groups: split[access.Group](scopes), Models: split[string](models)}
	k.CreatedAt, k.ExpiresAt, k.RevokedAt = fromMillis(created), fromMillis(expires), fromMillis(revoked)
	k.LastUsedAt, k.OldUntil = fromMillis(used), fromMillis(until)
	return k, err
}

// nextRevision counts a change of a kind of thing. Its row stays locked until
// the transaction ends, so revisions become visible in their order.
func nextRevision(ctx context.Context, tx *sql.Tx, name string) (int64, error) {
	var n int64
	err := tx.QueryRowContext(ctx, `UPDATE revisions SET n = n + 1 WHERE name = $1 RETURNING n`, name).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count revision: %w", err)
	}
	return n, nil
}
