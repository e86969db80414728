package store

import (
	"context"
	"database/sql"
	"errors"

	"stele/internal/access"
)

// InsertEntry writes a line of the audit log that belongs to no other change.
func (s *Store) InsertEntry(ctx context.Context, e access.Entry) error {
	return s.changeAudited(ctx, e, func(context.Context, *sql.Tx) error { return nil })
}

// changeAudited makes a change, as tx does, and writes the line of the audit log that is about it.
func (s *Store) changeAudited(ctx context.Context, e access.Entry, do func(context.Context, *sql.Tx) error) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := do(ctx, tx); err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// insertAudit writes lines of the audit log with the change they are about.
func (s *Store) insertAudit(ctx context.Context, tx *sql.Tx, entries ...access.Entry) error {
	for _, e := range entries {
		if err := s.insertEntry(ctx, tx, e); err != nil {
			return wrap("insert audit entry", err)
		}
	}
	return nil
}

// insertEntry writes a line as the next one of the chain. The address of its actor is
// kept with it: people go, lines stay.
func (s *Store) insertEntry(ctx context.Context, tx *sql.Tx, e access.Entry) error {
	if e.Actor != "" {
		err := tx.QueryRowContext(ctx, `SELECT email FROM users WHERE id = $1`, e.Actor).Scan(&e.ActorName)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	e = fitEntry(e)
	changes, err := encodeChanges(e.Changes)
	if err != nil {
		return err
	}
	return s.linkEntry(ctx, tx, &e, func(ctx context.Context) error {
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
	by := new(where)
	by.add("workspace = ?", f.Workspace)
	by.addEqual("actor", f.Actor)
	by.addEqual("action", f.Action)
	if !f.Since.IsZero() {
		by.add("at >= ?", millis(f.Since))
	}
	if !f.Until.IsZero() {
		by.add("at < ?", millis(f.Until))
	}
	if !f.Before.IsZero() {
		by.add("(at, id) < (?, ?)", millis(f.Before.At), f.Before.ID)
	}
	limit := ` ORDER BY at DESC, id DESC LIMIT ` + by.arg(f.Limit)
	query := `SELECT ` + auditColumns + ` FROM audit WHERE ` + by.text()
	if f.About != "" { // each half has its index; with OR the engines would go through all of it
		about := by.arg(f.About)
		half := func(column string) string {
			return `SELECT * FROM (` + query + ` AND ` + column + ` = ` + about + limit + `) AS by_` + column
		}
		query = half("target") + ` UNION ` + half("detail")
	}
	return selectEntries(ctx, s.read, query+limit, s.planFor(by.args)...)
}

func selectEntries(ctx context.Context, from querier, query string, args ...any) ([]access.Entry, error) {
	return selectAll(ctx, from, "read audit log", func(e *access.Entry) []any {
		return []any{
			&e.ID, at(&e.At), &e.Actor, &e.ActorName, &e.Workspace, &e.Action, &e.Target, &e.Detail, treeIfAny(&e.Changes), &e.Seq, &e.Hash,
		}
	}, query, args...)
}

const (
	mostAuditText = 1000 // bytes of a text of an entry
	mostChanges   = 100
)

// fitEntry makes an entry one that both engines keep as it is, and that no client can make
// large: names in it are often the client's.
func fitEntry(e access.Entry) access.Entry {
	for _, text := range []*string{&e.Actor, &e.ActorName, &e.Workspace, &e.Action, &e.Target, &e.Detail} {
		*text = shorten(*text)
	}
	list := e.Changes[:min(mostChanges, len(e.Changes))]
	e.Changes = nil
	for _, c := range list {
		e.Changes = append(e.Changes, access.Change{Field: shorten(c.Field), Old: shorten(c.Old), New: shorten(c.New)})
	}
	return e
}

func shorten(text string) string {
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
