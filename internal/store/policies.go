package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/access"
)

// Policy is that of a workspace.
func (s *Store) Policy(ctx context.Context, workspace string) (access.Policy, error) {
	return selectPolicy(ctx, s.read, workspace)
}

func selectPolicy(ctx context.Context, from querier, workspace string) (access.Policy, error) {
	p, err := selectOne(ctx, from, policyCells, `SELECT id, policy FROM workspaces WHERE id = $1`, workspace)
	return p.Policy, err
}

func policyCells(p *access.PolicyOf) []any { return []any{&p.Workspace, treeIfAny(&p.Policy)} }

// UpdatePolicy hands a workspace's policy to change and saves what it made of it,
// unless it gave an entry without an action. It counts as a change of keys.
func (s *Store) UpdatePolicy(ctx context.Context, workspace string, change func(*access.Policy) (access.Entry, error)) (access.Policy, error) {
	var p access.Policy
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		revision, err := s.nextKeys(ctx, tx)
		if err != nil {
			return err
		}
		if p, err = selectPolicy(ctx, tx, workspace); err != nil {
			return err
		}
		e, err := change(&p)
		if err != nil || e.Action == "" {
			return err
		}
		err = exec(ctx, tx, "update policy", `UPDATE workspaces SET policy = $2, policy_revision = $3 WHERE id = $1`, workspace, encoded{p}, revision)
		if err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return p, err
}

// PoliciesSince lists the policies changed after a revision of keys.
func (s *Store) PoliciesSince(ctx context.Context, revision int64) ([]access.PolicyOf, error) {
	return selectAll(ctx, s.read, "read policies", policyCells, `SELECT id, policy FROM workspaces WHERE policy_revision > $1`, revision)
}

// ListDeparted lists who made keys that have not been revoked and has lost the role for
// it. Keys that no person made have no maker to lose.
func (s *Store) ListDeparted(ctx context.Context) ([]access.Departed, error) {
	return selectAll(ctx, s.read, "read departed people", func(d *access.Departed) []any { return []any{&d.Workspace, &d.User} },
		`SELECT DISTINCT workspace, creator FROM keys WHERE revoked_at = 0 AND creator LIKE 'usr%'
		AND NOT EXISTS (SELECT 1 FROM users WHERE users.id = keys.creator AND admin = 1)
		AND NOT EXISTS (SELECT 1 FROM members WHERE members.workspace = keys.workspace AND user_id = keys.creator AND role IN ('member', 'owner'))`)
}

// FindPresent finds a session, its person, and the role that its login opens to
// them in a workspace.
func (s *Store) FindPresent(ctx context.Context, session, workspace string) (access.Visitor, error) {
	return selectOne(ctx, s.read, func(v *access.Visitor) []any {
		return append(append(sessionCells(&v.Session), userCells(&v.User)...), &v.Role)
	}, `SELECT `+sessionColumns+`, `+userColumns+`,
			COALESCE((SELECT role FROM members WHERE workspace = $2 AND user_id = sessions.user_id AND `+loginCondition("sessions.via")+`), '')
		FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.id = $1`, session, workspace)
}

// FollowKeys says that node has taken over all changes up to a revision. Those not
// heard of for a day are forgotten.
func (s *Store) FollowKeys(ctx context.Context, node string, revision int64, at time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO key_followers (node, revision, seen_at) VALUES ($1, $2, $3)
			ON CONFLICT (node) DO UPDATE SET revision = excluded.revision, seen_at = excluded.seen_at`, node, revision, millis(at))
		if err == nil {
			_, err = tx.ExecContext(ctx, `DELETE FROM key_followers WHERE seen_at < $1`, millis(at.Add(-24*time.Hour)))
		}
		return wrap("follow keys", err)
	})
}

// UnfollowKeys says that node follows no more.
func (s *Store) UnfollowKeys(ctx context.Context, node string) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "unfollow keys", `DELETE FROM key_followers WHERE node = $1`, node)
	})
}

// Behind counts the nodes heard of since a time that have not reached a revision.
func (s *Store) Behind(ctx context.Context, revision int64, since time.Time) (int, error) {
	return selectValue[int](ctx, s.read, "count followers", `SELECT COUNT(*) FROM key_followers WHERE seen_at >= $1 AND revision < $2`, millis(since), revision)
}
