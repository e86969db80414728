package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/access"
)

// Policy is that of a workspace.
func (s *Store) Policy(ctx context.Context, workspace string) (access.Policy, error) {
	return scanPolicy(s.read.QueryRowContext(ctx, `SELECT policy FROM workspaces WHERE id = $1`, workspace))
}

func scanPolicy(row scanner, before ...any) (access.Policy, error) {
	var p access.Policy
	var text string
	if err := row.Scan(append(before, &text)...); err != nil {
		return p, found(err)
	}
	if text == "" {
		return p, nil
	}
	return p, decode(text, &p)
}

// UpdatePolicy hands a workspace's policy to change and saves what it made of it,
// unless it gave an entry without an action. It counts as a change of keys.
func (s *Store) UpdatePolicy(ctx context.Context, workspace string, change func(*access.Policy) (access.Entry, error)) (access.Policy, error) {
	var p access.Policy
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		revision, err := s.nextKeys(ctx, tx)
		if err != nil {
			return err
		}
		if p, err = scanPolicy(tx.QueryRowContext(ctx, `SELECT policy FROM workspaces WHERE id = $1`, workspace)); err != nil {
			return err
		}
		e, err := change(&p)
		if err != nil || e.Action == "" {
			return err
		}
		text, err := encode(p)
		if err != nil {
			return fmt.Errorf("update policy: %w", err)
		}
		_, err = tx.ExecContext(ctx, `UPDATE workspaces SET policy = $2, policy_revision = $3 WHERE id = $1`, workspace, text, revision)
		if err != nil {
			return fmt.Errorf("update policy: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
	return p, err
}

// PoliciesSince lists the policies changed after a revision of keys.
func (s *Store) PoliciesSince(ctx context.Context, revision int64) ([]access.PolicyOf, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT id, policy FROM workspaces WHERE policy_revision > $1`, revision)
	return scanAll("read policies", rows, err, func(row scanner) (one access.PolicyOf, err error) {
		one.Policy, err = scanPolicy(row, &one.Workspace)
		return one, err
	})
}

// Departed lists who made keys that have not been revoked and has lost the role for
// it. Keys that no person made have no maker to lose.
func (s *Store) Departed(ctx context.Context) ([]access.Departed, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT DISTINCT workspace, creator FROM keys WHERE revoked_at = 0 AND creator LIKE 'usr%'
		AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = keys.creator AND admin = 1)
		AND NOT EXISTS (SELECT 1 FROM members WHERE members.workspace = keys.workspace AND user_id = keys.creator AND role IN ('member', 'owner'))`)
	return scanAll("read departed people", rows, err, func(row scanner) (d access.Departed, err error) {
		err = row.Scan(&d.Workspace, &d.User)
		return d, err
	})
}

// Present finds a session, its person, and the role that its login opens to
// them in a workspace.
func (s *Store) Present(ctx context.Context, session, workspace string) (access.Visitor, error) {
	var u userRow
	var v sessionRow
	var role string
	err := s.read.QueryRowContext(ctx, `SELECT `+sessionColumns+`, `+userColumns+`,
			COALESCE((SELECT role FROM members WHERE workspace = $2 AND user_id = sessions.user_id AND `+opened("sessions.via")+`), '')
		FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.id = $1`, session, workspace).
		Scan(append(append(v.into(), u.into()...), &role)...)
	return access.Visitor{User: u.user(), Session: v.session(), Role: access.Role(role)}, found(err)
}

// FollowKeys says that node has taken over all changes up to a revision. Those not
// heard of for a day are forgotten.
func (s *Store) FollowKeys(ctx context.Context, node string, revision int64, at time.Time) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO key_followers (node, revision, seen_at) VALUES ($1, $2, $3)
			ON CONFLICT (node) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at`, node, revision, millis(at))
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM key_followers WHERE seen_at < $1`, millis(at.Add(-24*time.Hour)))
		}
		if err != nil {
			return fmt.Errorf("follow keys: %w", err)
		}
		return nil
	})
}

// UnfollowKeys says that node follows no more.
func (s *Store) UnfollowKeys(ctx context.Context, node string) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM key_followers WHERE node = $1`, node); err != nil {
			return fmt.Errorf("unfollow keys: %w", err)
		}
		return nil
	})
}

// Behind counts the nodes heard of since a time that have not reached a revision.
func (s *Store) Behind(ctx context.Context, revision int64, since time.Time) (int, error) {
	var n int
	err := s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM key_followers WHERE seen_at >= $1 AND revision < $2`, millis(since), revision).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count followers: %w", err)
	}
	return n, nil
}
