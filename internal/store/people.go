package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"stele/internal/access"
)

// personColumns are a user and what the workspace in $1 knows of them.
const personColumns = userColumns + `,
	COALESCE((SELECT role FROM members WHERE workspace = $1 AND user_id = users.id), ''),
	(SELECT COUNT(*) FROM members WHERE workspace <> $1 AND user_id = users.id),
	(SELECT COUNT(*) FROM sessions WHERE user_id = users.id AND (workspace = $1 OR $1 = '')),
	(SELECT COUNT(*) FROM openings WHERE workspace = $1 AND user_id = users.id),
	(SELECT COUNT(*) FROM factors WHERE kind <> 'recovery' AND user_id = users.id),
	COALESCE(links.hash, ''), COALESCE(links.expires_at, 0), COALESCE(links.via, ''), COALESCE(links.workspace, ''), COALESCE(links.rescue, 0)`

// personTables are what personColumns come from.
const personTables = `users LEFT JOIN links ON links.user_id = users.id`

func personCells(p *access.Person) []any {
	return append(userCells(&p.User), &p.Role, &p.Elsewhere, &p.Sessions, &p.Open, &p.Factors,
		&p.Link.Hash, at(&p.Link.Until), &p.Link.Via, &p.Link.Workspace, &p.Link.Rescue)
}

// InsertPerson saves a user with their role in a workspace and their link, or gives
// access.ErrExists for a known address.
func (s *Store) InsertPerson(ctx context.Context, workspace string, p access.Person, e access.Entry) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := s.insertUser(ctx, tx, p.User, e); err != nil {
			return err
		}
		return errors.Join(setMember(ctx, tx, workspace, p, e), setLink(ctx, tx, p), setLogins(ctx, tx, p.ID, nil, p.Logins))
	})
}

// People lists who has a role in a workspace, and the administrators, by address;
// for "" all people there are.
func (s *Store) People(ctx context.Context, workspace string) ([]access.Person, error) {
	where := `WHERE users.admin = 1 OR users.id IN (SELECT user_id FROM members WHERE workspace = $1)`
	if workspace == "" {
		where = ``
	}
	return s.queryPeople(ctx, where+` ORDER BY users.email`, workspace)
}

// LoosePeople lists the first of those who belong to no workspace, by address.
func (s *Store) LoosePeople(ctx context.Context, limit int) ([]access.Person, error) {
	return s.queryPeople(ctx, `WHERE users.admin = 0 AND NOT EXISTS (SELECT 1 FROM members WHERE user_id = users.id)
		ORDER BY users.email LIMIT $2`, "", limit)
}

func (s *Store) queryPeople(ctx context.Context, where string, args ...any) ([]access.Person, error) {
	return selectAll(ctx, s.read, "read people", personCells, `SELECT `+personColumns+` FROM `+personTables+` `+where, args...)
}

// ByLink finds whose link this is.
func (s *Store) ByLink(ctx context.Context, hash string) (access.Person, error) {
	return selectOne(ctx, s.read, personCells, `SELECT `+personColumns+` FROM `+personTables+` WHERE links.hash = $2`, access.DefaultWorkspace, hash)
}

// UpdatePerson hands a person to change and saves what it made of them. Changes of
// people wait for each other, so that owners are counted right.
func (s *Store) UpdatePerson(ctx context.Context, workspace, id string,
	change func(*access.Person, access.Left) (access.Settled, error),
) (access.Person, error) {
	var p access.Person
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := nextRevision(ctx, tx, "people"); err != nil { // on PostgreSQL its row is the lock
			return err
		}
		var err error
		p, err = selectOne(ctx, tx, personCells, `SELECT `+personColumns+` FROM `+personTables+` WHERE users.id = $2`, workspace, id)
		if err != nil {
			return err
		}
		if p.Logins, err = readLogins(ctx, tx, id); err != nil {
			return err
		}
		was := cloneLogins(p.Logins)
		var left access.Left
		err = tx.QueryRowContext(ctx, `SELECT
			(SELECT COUNT(*) FROM members WHERE workspace = $1 AND role = 'owner' AND user_id <> $2),
			(SELECT COUNT(*) FROM users WHERE admin = 1 AND id <> $2)`, workspace, id).Scan(&left.Owners, &left.Admins)
		if err != nil {
			return fmt.Errorf("count owners: %w", err)
		}
		settled, err := change(&p, left)
		if err != nil || settled.Entry.Action == "" {
			return err
		}
		if err := s.insertAudit(ctx, tx, settled.Entry); err != nil { // first: it may be their own last deed
			return err
		}
		return errors.Join(settle(ctx, tx, workspace, p, settled), setLogins(ctx, tx, id, was, p.Logins))
	})
	return p, err
}

func settle(ctx context.Context, tx *sql.Tx, workspace string, p access.Person, settled access.Settled) error {
	if settled.Gone {
		return exec(ctx, tx, "delete user", `DELETE FROM users WHERE id = $1`, p.ID)
	}
	err := exec(ctx, tx, "update user", `UPDATE users SET password = $2, subject = $3, admin = $4 WHERE id = $1`,
		p.ID, p.Password, p.Subject, flag(p.Admin))
	if err != nil {
		return err
	}
	if err := errors.Join(setMember(ctx, tx, workspace, p, settled.Entry), setLink(ctx, tx, p)); err != nil {
		return err
	}
	if settled.End {
		all, via := narrow(settled.Via)
		err := exec(ctx, tx, "end sessions", `DELETE FROM sessions WHERE user_id = $1 AND id <> $2 AND ($3 = 1 OR via = $4)`, p.ID, settled.But, all, via)
		if err != nil {
			return err
		}
	}
	if !settled.Afresh {
		return nil
	}
	for _, table := range []string{"factors", "devices"} {
		if err := exec(ctx, tx, "end "+table, `DELETE FROM `+table+` WHERE user_id = $1`, p.ID); err != nil {
			return err
		}
	}
	return nil
}

// narrow is a login as a condition has it: all of them for nil.
func narrow(via *string) (all int64, one string) {
	if via == nil {
		return 1, ""
	}
	return 0, *via
}

func cloneLogins(list []access.Login) []access.Login {
	list = slices.Clone(list)
	for i := range list {
		list[i].Opens = slices.Clone(list[i].Opens)
	}
	return list
}

func setMember(ctx context.Context, tx *sql.Tx, workspace string, p access.Person, e access.Entry) error {
	if p.Role == "" {
		return exec(ctx, tx, "set role", `DELETE FROM members WHERE workspace = $1 AND user_id = $2`, workspace, p.ID)
	}
	if err := insertWorkspace(ctx, tx, workspace, e.At); err != nil {
		return err
	}
	return exec(ctx, tx, "set role", `INSERT INTO members (workspace, user_id, role, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace, user_id) DO UPDATE SET role = excluded.role`, workspace, p.ID, string(p.Role), millis(e.At))
}

func setLink(ctx context.Context, tx *sql.Tx, p access.Person) error {
	if p.Link.Hash == "" {
		return exec(ctx, tx, "set link", `DELETE FROM links WHERE user_id = $1`, p.ID)
	}
	return exec(ctx, tx, "set link", `INSERT INTO links (user_id, hash, expires_at, via, workspace, rescue) VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, expires_at = excluded.expires_at, via = excluded.via,
			workspace = excluded.workspace, rescue = excluded.rescue`,
		p.ID, p.Link.Hash, millis(p.Link.Until), p.Link.Via, p.Link.Workspace, flag(p.Link.Rescue))
}
