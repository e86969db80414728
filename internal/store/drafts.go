package store

import (
	"context"
	"database/sql"
	"strings"

	"stele/internal/access"
	"stele/internal/app"
)

var _ app.DraftStore = (*Store)(nil)

const draftColumns = `workspace, id, source, latest, offered, shared, created_at, updated_at, updated_by, revision`

// Drafts lists the drafts of a workspace by their ids, without their texts.
func (s *Store) Drafts(ctx context.Context, workspace string) ([]app.Draft, error) {
	return selectAll(ctx, s.read, "read drafts", draftCells,
		`SELECT `+strings.Replace(draftColumns, "source", "''", 1)+` FROM app_drafts WHERE workspace = $1 ORDER BY id LIMIT 1000`, workspace)
}

// Draft finds a draft of a workspace.
func (s *Store) Draft(ctx context.Context, workspace, id string) (app.Draft, error) {
	return selectDraft(ctx, s.read, workspace, id)
}

// InsertDraft saves a new draft with its audit entry, or gives access.ErrExists.
func (s *Store) InsertDraft(ctx context.Context, d app.Draft, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		revision, err := nextRevision(ctx, tx, "apps")
		if err != nil {
			return err
		}
		return execOr(ctx, tx, access.ErrExists, "insert draft", `INSERT INTO app_drafts (`+draftColumns+`) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
			ON CONFLICT (workspace, id) DO NOTHING`,
			d.Workspace, d.ID, d.Source, d.Latest, d.Offered, flag(d.Shared), millis(d.Created), millis(d.Updated), d.By, revision)
	})
}

// UpdateDraft hands the draft to change and saves what it made of it, unless it
// gave an entry without an action. Changes of drafts wait for each other.
func (s *Store) UpdateDraft(ctx context.Context, workspace, id string, change func(*app.Draft) (app.Change, error)) (app.Draft, error) {
	var d app.Draft
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// The counter's row is taken first: on PostgreSQL it is the lock.
		revision, err := nextRevision(ctx, tx, "apps")
		if err != nil {
			return err
		}
		if d, err = selectDraft(ctx, tx, workspace, id); err != nil {
			return err
		}
		before := d
		c, err := change(&d)
		if err != nil {
			return err
		}
		if c.Entry.Action == "" {
			d = before
			return nil
		}
		d.Revision = revision
		if err := saveDraft(ctx, tx, d, c); err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, c.Entry)
	})
	return d, err
}

func saveDraft(ctx context.Context, tx *sql.Tx, d app.Draft, c app.Change) error {
	if c.Delete {
		for _, statement := range []string{
			`DELETE FROM app_versions WHERE workspace = $1 AND app = $2`, `DELETE FROM app_drafts WHERE workspace = $1 AND id = $2`,
		} {
			if err := exec(ctx, tx, "delete draft", statement, d.Workspace, d.ID); err != nil {
				return err
			}
		}
		return nil
	}
	err := exec(ctx, tx, "update draft", `UPDATE app_drafts
		SET source = $3, latest = $4, offered = $5, shared = $6, updated_at = $7, updated_by = $8, revision = $9 WHERE workspace = $1 AND id = $2`,
		d.Workspace, d.ID, d.Source, d.Latest, d.Offered, flag(d.Shared), millis(d.Updated), d.By, d.Revision)
	if err != nil {
		return err
	}
	if d.Shared && d.Offered > 0 {
		others, err := selectValue[int](ctx, tx, "count shared apps", `SELECT COUNT(*) FROM app_drafts WHERE id = $1 AND offered > 0 AND shared = 1 AND workspace <> $2`, d.ID, d.Workspace)
		if err != nil {
			return err
		}
		if others > 0 {
			return access.ErrExists
		}
	}
	v := c.Version
	if v == nil {
		return nil
	}
	return exec(ctx, tx, "insert version", `INSERT INTO app_versions (workspace, app, number, source, at, by_user) VALUES ($1, $2, $3, $4, $5, $6)`,
		v.Workspace, v.App, v.Number, v.Source, millis(v.At), v.By)
}

// Versions lists the versions of an app without their text, the newest first.
func (s *Store) Versions(ctx context.Context, workspace, id string, limit int) ([]app.Version, error) {
	return s.queryVersions(ctx, `SELECT workspace, app, number, '', 0, at, by_user FROM app_versions
		WHERE workspace = $1 AND app = $2 ORDER BY number DESC LIMIT $3`, workspace, id, limit)
}

// Version finds a version of an app.
func (s *Store) Version(ctx context.Context, workspace, id string, number int) (app.Version, error) {
	return selectOne(ctx, s.read, versionCells, `SELECT workspace, app, number, source, 0, at, by_user FROM app_versions
		WHERE workspace = $1 AND app = $2 AND number = $3`, workspace, id, number)
}

// ListOffered lists the versions that are offered, of all workspaces, without their texts.
func (s *Store) ListOffered(ctx context.Context) ([]app.Version, error) {
	return s.queryVersions(ctx, `SELECT v.workspace, v.app, v.number, '', d.shared, v.at, v.by_user FROM app_drafts d
		JOIN app_versions v ON v.workspace = d.workspace AND v.app = d.id AND v.number = d.offered
		WHERE d.offered > 0 ORDER BY d.id, d.workspace`)
}

// DraftRevision is the revision of the latest change of any draft.
func (s *Store) DraftRevision(ctx context.Context) (int64, error) { return s.revision(ctx, "apps") }

// EmailOf is the address of a person.
func (s *Store) EmailOf(ctx context.Context, user string) (string, error) {
	return selectOne(ctx, s.read, value[string], `SELECT email FROM users WHERE id = $1`, user)
}

func (s *Store) queryVersions(ctx context.Context, query string, args ...any) ([]app.Version, error) {
	return selectAll(ctx, s.read, "read versions", versionCells, query, args...)
}

func versionCells(v *app.Version) []any {
	return []any{&v.Workspace, &v.App, &v.Number, &v.Source, &v.Shared, at(&v.At), &v.By}
}

func selectDraft(ctx context.Context, from querier, workspace, id string) (app.Draft, error) {
	return selectOne(ctx, from, draftCells, `SELECT `+draftColumns+` FROM app_drafts WHERE workspace = $1 AND id = $2`, workspace, id)
}

func draftCells(d *app.Draft) []any {
	return []any{&d.Workspace, &d.ID, &d.Source, &d.Latest, &d.Offered, &d.Shared, at(&d.Created), at(&d.Updated), &d.By, &d.Revision}
}
