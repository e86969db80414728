package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"stele/internal/access"
)

// InsertEntry writes a line of the audit log that belongs to no other change.
func (s *Store) InsertEntry(ctx context.Context, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error { return s.insertAudit(ctx, tx, e) })
}

// insertAudit writes a line of the audit log with the change it is about, as the
// next one of the chain. The address of its actor is kept with it: people
// go, lines stay.
func (s *Store) insertAudit(ctx context.Context, tx *sql.Tx, e access.Entry) error {
	if e.Actor != "" {
		err := tx.QueryRowContext(ctx, `SELECT email FROM users WHERE id = $1`, e.Actor).Scan(&e.ActorName)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return fmt.Errorf("insert audit entry: %w", err)
		}
	}
	e = fitting(e)
	changes, err := encodeChanges(e.Changes)
	if err != nil {
		return fmt.Errorf("insert audit entry: %w", err)
	}
	return s.chain(ctx, tx, &e, func(ctx context.Context) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail, changes, seq, hash)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
			e.ID, millis(e.At), e.Actor, e.ActorName, e.Workspace, e.Action, e.Target, e.Detail, changes, e.Seq, e.Hash)
		return err
	})
}

const auditColumns = `id, at, actor, actor_name, workspace, action, target, detail, changes, COALESCE(seq, 0), hash`

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
	return scanEntries(s.read.QueryContext(ctx, query+limit, args...))
}

func scanEntries(rows *sql.Rows, err error) ([]access.Entry, error) {
	return scanAll("read audit log", rows, err, func(row scanner) (e access.Entry, err error) {
		var at int64
		var changes string
		err = row.Scan(&e.ID, &at, &e.Actor, &e.ActorName, &e.Workspace, &e.Action, &e.Target, &e.Detail, &changes, &e.Seq, &e.Hash)
		if e.At = fromMillis(at); err == nil && changes != "" {
			if err = decode(changes, &e.Changes); err != nil {
				err = fmt.Errorf("entry %s: %w", e.ID, err)
			}
		}
		return e, err
	})
}

const (
	mostAuditText = 1000 // bytes of a text of an entry
	mostChanges   = 100
)

// fitting is an entry that both engines keep as it is, and that no client can make
// large: names in it are often the client's.
func fitting(e access.Entry) access.Entry {
	for _, text := range []*string{&e.Actor, &e.ActorName, &e.Workspace, &e.Action, &e.Target, &e.Detail} {
		*text = short(*text)
	}
	list := e.Changes[:min(mostChanges, len(e.Changes))]
	e.Changes = nil
	for _, c := range list {
		e.Changes = append(e.Changes, access.Change{Field: short(c.Field), Old: short(c.Old), New: short(c.New)})
	}
	return e
}

func short(text string) string {
	if len(text) > mostAuditText {
		text = text[:mostAuditText] + "…"
	}
	return clean(text)
}

// encodeChanges writes changes as they are kept, "" for none.
func encodeChanges(list []access.Change) (string, error) {
	if len(list) == 0 {
		return "", nil
	}
	return encode(list)
}
