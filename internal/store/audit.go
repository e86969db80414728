package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"stele/internal/access"
)

// InsertEntry writes a line of the audit log that belongs to no other change.
func (s *Store) InsertEntry(ctx context.Context, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return insertAudit(ctx, tx, e) })
}

// insertAudit writes a line of the audit log with the change it is about. The
// address of whoever made it is kept with it: people go, lines stay.
func insertAudit(ctx context.Context, tx *sql.Tx, e access.Entry) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail)
		VALUES ($1, $2, $3, COALESCE((SELECT email FROM users WHERE id = $3), ''), $4, $5, $6, $7)`,
		e.ID, millis(e.At), e.Actor, e.Workspace, e.Action, e.Target, e.Detail)
	if err != nil {
		return fmt.Errorf("insert audit entry: %w", err)
	}
	return nil
}

const auditColumns = `id, at, actor, actor_name, workspace, action, target, detail`

// Entries lists what the filter lets through, newest first. Every filter has an
// index that holds the order, too.
func (s *Store) Entries(ctx context.Context, f access.Filter) ([]access.Entry, error) {
	where, args := []string{"workspace = $1"}, []any{f.Workspace}
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, condition)
	}
	if f.Actor != "" {
		add("actor = ?", f.Actor)
	}
	if f.Action != "" {
		add("action = ?", f.Action)
	}
	if !f.Since.IsZero() {
		add("at >= ?", millis(f.Since))
	}
	if !f.Until.IsZero() {
		add("at < ?", millis(f.Until))
	}
	if f.Before.ID != "" {
		add("(at, id) < (?, ?)", millis(f.Before.At), f.Before.ID)
	}
	args = append(args, f.Limit)
	const newest = ` ORDER BY at DESC, id DESC LIMIT `
	limit := newest + fmt.Sprintf("$%d", len(args))
	query := `SELECT ` + auditColumns + ` FROM audit WHERE ` + strings.Join(where, " AND ")
	if f.About != "" { // each half has its index; with OR the engines would go through all of it
		args = append(args, f.About)
		half := func(column string) string {
			return `SELECT * FROM (` + query + fmt.Sprintf(` AND %s = $%d`, column, len(args)) + limit + `) AS by_` + column
		}
		query = half("target") + ` UNION ` + half("detail")
	}
	rows, err := s.read.QueryContext(ctx, query+limit, args...)
	if err != nil {
		return nil, fmt.Errorf("read audit log: %w", err)
	}
	defer rows.Close()
	var list []access.Entry
	for rows.Next() {
		var e access.Entry
		var at int64
		if err := rows.Scan(&e.ID, &at, &e.Actor, &e.ActorName, &e.Workspace, &e.Action, &e.Target, &e.Detail); err != nil {
			return nil, fmt.Errorf("read audit log: %w", err)
		}
		e.At = fromMillis(at)
		list = append(list, e)
	}
	return list, rows.Err()
}
