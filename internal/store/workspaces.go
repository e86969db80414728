package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"stele/internal/access"
)

// InsertWorkspace saves a workspace, or gives access.ErrExists for a known id.
func (s *Store) InsertWorkspace(ctx context.Context, w access.Workspace, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `INSERT INTO workspaces (id, name, created_at) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING`,
			w.ID, w.Name, millis(w.CreatedAt))
		if err != nil {
			return fmt.Errorf("insert workspace: %w", err)
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return access.ErrExists
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// Workspaces lists the workspaces a person has a role in and a login opens, or all
// for no person, by id.
func (s *Store) Workspaces(ctx context.Context, user, via string) ([]access.Workspace, error) {
	where, args := ``, []any(nil)
	if user != "" {
		where, args = `WHERE id IN (SELECT workspace FROM members WHERE user_id = $1 AND `+opened("$2")+`)`, []any{user, via}
	}
	rows, err := s.read.QueryContext(ctx, `SELECT id, name, created_at, (SELECT COUNT(*) FROM members WHERE workspace = workspaces.id)
		FROM workspaces `+where+` ORDER BY id`, args...)
	return scanAll("read workspaces", rows, err, func(row scanner) (w access.Workspace, err error) {
		var created int64
		err = row.Scan(&w.ID, &w.Name, &created, &w.Members)
		w.CreatedAt = fromMillis(created)
		return w, err
	})
}

// HomeOf is the default workspace where a person has a role there that a login
// opens, else the first in which they have one; else the default one and no role.
func (s *Store) HomeOf(ctx context.Context, user, via string) (string, access.Role, error) {
	var workspace, role string
	err := s.read.QueryRowContext(ctx, `SELECT workspace, role FROM members WHERE user_id = $1 AND `+opened("$3")+`
		ORDER BY CASE WHEN workspace = $2 THEN 0 ELSE 1 END, workspace LIMIT 1`, user, access.DefaultWorkspace, via).Scan(&workspace, &role)
	if errors.Is(err, sql.ErrNoRows) {
		return access.DefaultWorkspace, "", nil
	}
	if err != nil {
		return "", "", fmt.Errorf("find home of user: %w", err)
	}
	return workspace, access.Role(role), nil
}

// insertWorkspace makes a workspace that was named and is not there yet.
func insertWorkspace(ctx context.Context, tx *sql.Tx, id string, at time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO workspaces (id, created_at) VALUES ($1, $2) ON CONFLICT (id) DO NOTHING`, id, millis(at))
	if err != nil {
		return fmt.Errorf("insert workspace: %w", err)
	}
	return nil
}
