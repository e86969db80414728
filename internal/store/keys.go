package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"stele/internal/access"
)

const keyColumns = `id, workspace, name, environment, sandbox, scopes, models, creator, creator_name,
	created_at, expires_at, revoked_at, last_used_at, idle, cidrs, secrets, revision`

// InsertKey saves a new key, its workspace where it is new, and the audit entry.
func (s *Store) InsertKey(ctx context.Context, k access.Key, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		if k.Revision, err = s.nextKeys(ctx, tx); err != nil {
			return err
		}
		if err := insertWorkspace(ctx, tx, k.Workspace, k.CreatedAt); err != nil {
			return err
		}
		return exec(ctx, tx, "insert key", `INSERT INTO keys (hash, `+keyColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, COALESCE((SELECT email FROM users WHERE id = $9), ''),
				$10, $11, $12, $13, $14, $15, $16, $17)`,
			newestHash(k), k.ID, k.Workspace, k.Name, string(k.Environment), flag(k.Sandbox), joinWords(k.Scope.Groups), joinWords(k.Scope.Models), k.Creator,
			millis(k.CreatedAt), millis(k.ExpiresAt), millis(k.RevokedAt), millis(k.LastUsedAt),
			k.Idle.Milliseconds(), joinWords(k.CIDRs), encoded{k.Secrets}, k.Revision)
	})
}

func newestHash(k access.Key) string {
	if len(k.Secrets) == 0 {
		return k.ID // it is unique as well
	}
	return k.Secrets[0].Hash
}

// UpdateKey hands the key to change and saves what it made of it, unless it
// gave an entry without an action: then the key stays as it is. Changes of keys
// wait for each other, so none is lost.
func (s *Store) UpdateKey(ctx context.Context, id string, change func(*access.Key) (access.Entry, error)) (access.Key, error) {
	var k access.Key
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// The counter's row is taken first: on PostgreSQL it is the lock.
		revision, err := s.nextKeys(ctx, tx)
		if err != nil {
			return err
		}
		if k, err = keyByID(ctx, tx, id); err != nil {
			return err
		}
		e, err := change(&k)
		if err != nil || e.Action == "" {
			return err
		}
		k.Revision = revision
		if err := updateKey(ctx, tx, k); err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return k, err
}

func keyByID(ctx context.Context, tx *sql.Tx, id string) (access.Key, error) {
	return selectOne(ctx, tx, keyCells, `SELECT `+keyColumns+` FROM keys WHERE id = $1`, id)
}

func updateKey(ctx context.Context, tx *sql.Tx, k access.Key) error {
	return exec(ctx, tx, "update key", `UPDATE keys SET name = $2, scopes = $3, models = $4, expires_at = $5, revoked_at = $6,
			idle = $7, cidrs = $8, hash = $9, secrets = $10, revision = $11 WHERE id = $1`,
		k.ID, k.Name, joinWords(k.Scope.Groups), joinWords(k.Scope.Models), millis(k.ExpiresAt), millis(k.RevokedAt),
		k.Idle.Milliseconds(), joinWords(k.CIDRs), newestHash(k), encoded{k.Secrets}, k.Revision)
}

// ProveSecrets notes that secrets have been used.
func (s *Store) ProveSecrets(ctx context.Context, used map[string][]string) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		revision, err := s.nextKeys(ctx, tx)
		if err != nil {
			return err
		}
		for _, id := range slices.Sorted(maps.Keys(used)) {
			k, err := keyByID(ctx, tx, id)
			if errors.Is(err, access.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			for i := range k.Secrets {
				k.Secrets[i].Used = k.Secrets[i].Used || slices.Contains(used[id], k.Secrets[i].Hash)
			}
			k.Revision = revision
			if err := updateKey(ctx, tx, k); err != nil {
				return err
			}
		}
		return nil
	})
}

// FindKeys lists the keys that a filter selects, newest first.
func (s *Store) FindKeys(ctx context.Context, f access.KeyFilter) ([]access.Key, error) {
	var c where
	c.addEqual("workspace", f.Workspace)
	c.addEqual("id", f.ID)
	if f.Text != "" {
		c.add("(id = ? OR lower(name) LIKE lower(?) ESCAPE '!')", f.Text, "%"+likeText.Replace(f.Text)+"%")
	}
	if !f.Before.IsZero() {
		c.add("(created_at, id) < (?, ?)", millis(f.Before.At), f.Before.ID)
	}
	query := `SELECT ` + keyColumns + ` FROM keys WHERE ` + c.text() + ` ORDER BY created_at DESC, id DESC`
	if f.Limit > 0 {
		query += ` LIMIT ` + c.arg(f.Limit)
	}
	return selectAll(ctx, s.read, "read keys", keyCells, query, c.args...)
}

// likeText is what stands for itself in a LIKE with ESCAPE '!'.
var likeText = strings.NewReplacer("!", "!!", "%", "!%", "_", "!_")

// KeyNames are the names of the keys of a workspace, or of all where it is "", that were made last, by their ids.
func (s *Store) KeyNames(ctx context.Context, workspace string, most int) (map[string]string, error) {
	return selectPairs[string, string](ctx, s.read, "read names of keys",
		`SELECT id, name FROM keys WHERE `+inWorkspace(workspace)+` ORDER BY created_at DESC LIMIT $2`, workspace, most)
}

// DeleteKeysBefore forgets keys that were revoked before a time, a bite at a time.
func (s *Store) DeleteKeysBefore(ctx context.Context, before time.Time) (int64, error) {
	return s.deleteBites(ctx, `DELETE FROM keys WHERE id IN (SELECT id FROM keys WHERE revoked_at > 0 AND revoked_at < $1 LIMIT 500)`, millis(before))
}

// KeysSince lists the keys changed after a revision; after 0 those that are not revoked.
func (s *Store) KeysSince(ctx context.Context, revision int64) ([]access.Key, error) {
	return selectAll(ctx, s.read, "read keys", keyCells, `SELECT `+keyColumns+` FROM keys WHERE revision > $1 AND ($1 > 0 OR revoked_at = 0) ORDER BY revision`, revision)
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
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		for _, id := range ids {
			err := exec(ctx, tx, "touch key", `UPDATE keys SET last_used_at = $2 WHERE id = $1 AND last_used_at < $2`, id, millis(used[id]))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// UsesSince tells when keys were used last that were used after a time.
func (s *Store) UsesSince(ctx context.Context, since time.Time) (map[string]time.Time, error) {
	used := make(map[string]time.Time)
	err := selectEach(ctx, s.read, "read uses of keys", func(k *access.Key) []any { return []any{&k.ID, at(&k.LastUsedAt)} },
		func(k access.Key) { used[k.ID] = k.LastUsedAt },
		`SELECT id, last_used_at FROM keys WHERE last_used_at > $1 AND revoked_at = 0`, millis(since))
	return used, err
}

func keyCells(k *access.Key) []any {
	return []any{
		&k.ID, &k.Workspace, &k.Name, &k.Environment, &k.Sandbox, lines(&k.Scope.Groups), lines(&k.Scope.Models), &k.Creator, &k.CreatorName, at(&k.CreatedAt),
		at(&k.ExpiresAt), at(&k.RevokedAt), at(&k.LastUsedAt), durationIn(&k.Idle, time.Millisecond), lines(&k.CIDRs), tree(&k.Secrets), &k.Revision,
	}
}
