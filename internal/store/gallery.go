package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"stele/internal/access"
	"stele/internal/generation"
)

// List lists tasks, the newest first.
func (s *Store) List(ctx context.Context, w generation.Wanted) ([]generation.Task, error) {
	where, args := wanted(w)
	order := "DESC"
	if !w.After.Created.IsZero() {
		order = "ASC"
	}
	args = append(args, w.Limit)
	rows, err := s.read.QueryContext(ctx, `SELECT `+taskColumns+` FROM generations`+s.through(w)+` WHERE `+strings.Join(where, " AND ")+
		fmt.Sprintf(` ORDER BY created_at %s, id %s LIMIT $%d`, order, order, len(args)), args...)
	list, err := scanAll("read generations", rows, err, deref(scanTask))
	if order == "ASC" {
		slices.Reverse(list)
	}
	return list, err
}

// through names the index of the filter that leaves the least. SQLite would take
// the one that needs no sorting, and read everything to find a few.
func (s *Store) through(w generation.Wanted) string {
	if s.engine == postgres || w.Workspace == "" {
		return ""
	}
	var index string
	switch {
	case w.Status == generation.Progressing:
		index = "generations_by_owner"
	case w.App != "":
		index = "generations_by_app"
	case w.Status == "failed":
		index = "generations_without_end"
	case w.From == generation.FromApps:
		index = "generations_of_apps"
	case w.From == generation.FromPeople:
		index = "generations_by_people"
	default:
		return ""
	}
	return " INDEXED BY " + index
}

// wanted are the conditions of a list, written out rather than switched by parameters: each filter has an
// index, which the engines see only if the condition stands there by itself.
func wanted(w generation.Wanted) (where []string, args []any) {
	add := func(condition string, values ...any) {
		for _, v := range values {
			args = append(args, v)
			condition = strings.Replace(condition, "?", fmt.Sprintf("$%d", len(args)), 1)
		}
		where = append(where, condition)
	}
	add("1 = 1")
	for _, is := range []struct{ column, value string }{
		{"workspace", w.Workspace}, {"media_type", w.MediaType}, {"model", w.Model}, {"app", w.App},
	} {
		if is.value != "" {
			add(is.column+" = ?", is.value)
		}
	}
	if w.App != "" || w.From == generation.FromApps {
		add("app <> ''")
	}
	switch w.Status {
	case generation.Progressing:
		add("stage <> 'ended'")
	case "success":
		add("state = 'success'")
	case "failed":
		add("state IN ('failed', 'canceled')")
	}
	switch w.From {
	case generation.FromPeople:
		add("key = ''")
	case generation.FromKeys:
		add("key <> ''")
	}
	if !w.Parts {
		add("parent = ''")
	}
	if p := w.Before; !p.Created.IsZero() {
		add("(created_at, id) < (?, ?)", millis(p.Created), p.ID)
	}
	if p := w.After; !p.Created.IsZero() {
		add("(created_at, id) > (?, ?)", millis(p.Created), p.ID)
	}
	return where, args
}

// DeleteTask forgets a task with its parts and what they made.
func (s *Store) DeleteTask(ctx context.Context, workspace, id string, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		ids, err := s.endedFamily(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		for _, one := range ids {
			for _, statement := range []string{
				// What another generation is made from stays until that has ended: it only expires
				// now. The bytes go when files are swept.
				`UPDATE files SET state = 'doomed' WHERE generation = $1 AND generation <> '' AND NOT EXISTS (SELECT 1 FROM file_uses WHERE file = files.id)`,
				`UPDATE files SET expires_at = 0 WHERE generation = $1 AND generation <> ''`,
				`DELETE FROM generations WHERE id = $1`,
				`DELETE FROM set_aside WHERE id = $1`,
			} {
				if _, err := tx.ExecContext(ctx, statement, one); err != nil {
					return fmt.Errorf("delete generation: %w", err)
				}
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM app_steps WHERE run = $1`, id); err != nil {
			return fmt.Errorf("delete steps: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// endedFamily is a task and its parts, none of which is worked on.
func (s *Store) endedFamily(ctx context.Context, tx *sql.Tx, workspace, id string) ([]string, error) {
	rows, err := tx.QueryContext(ctx, `SELECT `+taskColumns+` FROM generations
		WHERE id = $1 AND workspace = $2 OR parent = $1 AND parent <> '' ORDER BY parent`+s.forUpdate(), id, workspace)
	family, err := scanTasks(rows, err)
	if err != nil {
		return nil, err
	}
	if len(family) == 0 || family[0].ID != id {
		return nil, access.ErrNotFound
	}
	var ids []string
	for _, t := range family {
		if t.Stage != generation.Ended || t.Unsettled {
			return nil, generation.ErrUnfinished
		}
		ids = append(ids, t.ID)
	}
	return ids, nil
}
