package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"stele/internal/access"
)

// InsertWorkspace saves a workspace, or gives access.ErrExists for a known id.
func (s *Store) InsertWorkspace(ctx context.Context, w access.Workspace, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		return execOr(ctx, tx, access.ErrExists, "insert workspace", `INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
			w.ID, w.Name, millis(w.CreatedAt))
	})
}

// Workspaces lists the workspaces a person has a role in and a login opens, or all
// for no person, by id.
func (s *Store) Workspaces(ctx context.Context, user, via string) ([]access.Workspace, error) {
	where, args := ``, []any(nil)
	if user != "" {
		where, args = `WHERE id IN (SELECT workspace FROM members WHERE user_id = $1 AND `+loginCondition("$2")+`)`, []any{user, via}
	}
	return selectAll(ctx, s.read, "read workspaces", func(w *access.Workspace) []any { return []any{&w.ID, &w.Name, at(&w.CreatedAt), &w.Members} },
		`SELECT id, name, created_at, (SELECT COUNT(*) FROM members WHERE workspace = workspaces.id)
		FROM workspaces `+where+` ORDER BY id`, args...)
}

// HomeOf is the default workspace where a person has a role there that a login
// opens, else the first in which they have one; else the default one and no role.
func (s *Store) HomeOf(ctx context.Context, user, via string) (workspace string, role access.Role, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT workspace, role FROM members WHERE user_id = $1 AND `+loginCondition("$3")+`
		ORDER BY CASE WHEN workspace = $2 THEN 0 ELSE 1 END, workspace LIMIT 1`, user, access.DefaultWorkspace, via).Scan(&workspace, &role)
	if errors.Is(err, sql.ErrNoRows) {
		return access.DefaultWorkspace, "", nil
	}
	return workspace, role, wrap("find home of user", err)
}

// insertWorkspace makes a workspace that was named and is not there yet.
func insertWorkspace(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	return exec(ctx, tx, "insert workspace", `INSERT INTO workspaces (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, millis(at))
}
