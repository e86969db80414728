package store

import (
	"context"
	"database/sql"
	"slices"

	"stele/internal/access"
	"stele/internal/generation"
)

// List lists tasks, the newest first.
func (s *Store) List(ctx context.Context, w generation.Wanted) ([]generation.Task, error) {
	by := wantedWhere(w)
	order := "DESC"
	if !w.After.IsZero() {
		order = "ASC"
	}
	limit := by.arg(w.Limit)
	list, err := selectTasks(ctx, s.read, s.through(w)+` WHERE `+by.text()+` ORDER BY created_at `+order+`, id `+order+` LIMIT `+limit, s.planFor(by.args)...)
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

// wantedWhere are the conditions of a list.
func wantedWhere(w generation.Wanted) *where {
	c := new(where)
	c.addEqual("workspace", w.Workspace)
	c.addEqual("media_type", w.MediaType)
	c.addEqual("model", w.Model)
	c.addEqual("app", w.App)
	if w.App != "" || w.From == generation.FromApps {
		c.add("app <> ''")
	}
	switch w.Status {
	case generation.Progressing:
		c.add("stage <> 'ended'")
	case "success":
		c.add("state = 'success'")
	case "failed":
		c.add("state IN ('failed', 'canceled')")
	}
	switch w.From {
	case generation.FromPeople:
		c.add("key = ''")
	case generation.FromKeys:
		c.add("key <> ''")
	}
	if !w.Parts {
		c.add("parent = ''")
	}
	if p := w.Before; !p.IsZero() {
		c.add("(created_at, id) < (?, ?)", millis(p.At), p.ID)
	}
	if p := w.After; !p.IsZero() {
		c.add("(created_at, id) > (?, ?)", millis(p.At), p.ID)
	}
	return c
}

// DeleteTask forgets a task with its parts and what they made.
func (s *Store) DeleteTask(ctx context.Context, workspace, id string, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
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
				if err := exec(ctx, tx, "delete generation", statement, one); err != nil {
					return err
				}
			}
		}
		return exec(ctx, tx, "delete steps", `DELETE FROM app_steps WHERE run = $1`, id)
	})
}

// endedFamily is a task and its parts, none of which is worked on.
func (s *Store) endedFamily(ctx context.Context, tx *sql.Tx, workspace, id string) ([]string, error) {
	family, err := selectTasks(ctx, tx, ` WHERE id = $1 AND workspace = $2 OR parent = $1 AND parent <> '' ORDER BY parent`+s.forUpdate(), id, workspace)
	if err != nil {
		return nil, err
	}
	if len(family) == 0 || family[0].ID != id {
		return nil, access.ErrNotFound
	}
	var ids []string
	for i := range family {
		t := &family[i]
		if t.Stage != generation.Ended || t.Unsettled {
			return nil, generation.ErrUnfinished
		}
		ids = append(ids, t.ID)
	}
	return ids, nil
}
