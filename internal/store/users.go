package store

import (
	"context"
	"database/sql"

	"stele/internal/access"
)

// InsertFirstAdmin saves u and forgets the set-up link, or gives access.ErrExists
// when there is an administrator already.
func (s *Store) InsertFirstAdmin(ctx context.Context, u access.User, e access.Entry) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// The first transaction to write this row goes on; a second one waits here and then sees the administrator.
		err := exec(ctx, tx, "claim first administrator", `INSERT INTO settings (name, value) VALUES ('first_admin', $1)
			ON CONFLICT (name) DO UPDATE SET value = settings.value`, u.ID)
		if err != nil {
			return err
		}
		if known, err := hasAdmin(ctx, tx); err != nil {
			return err
		} else if known {
			return access.ErrExists
		}
		if err := exec(ctx, tx, "close set-up link", `DELETE FROM settings WHERE name = 'setup_link'`); err != nil {
			return err
		}
		return s.insertUser(ctx, tx, u, e)
	})
}

// UserByEmail finds a person by the address, in lower case.
func (s *Store) UserByEmail(ctx context.Context, email string) (access.User, error) {
	return s.queryUser(ctx, `email = $1`, email)
}

// UserBySubject finds a person by who an identity provider says they are.
func (s *Store) UserBySubject(ctx context.Context, subject string) (access.User, error) {
	return s.queryUser(ctx, `subject = $1 AND subject <> ''`, subject)
}

// UserByID finds a person.
func (s *Store) UserByID(ctx context.Context, id string) (access.User, error) {
	return s.queryUser(ctx, `id = $1`, id)
}

// HasAdmin reports whether an administrator exists.
func (s *Store) HasAdmin(ctx context.Context) (bool, error) { return hasAdmin(ctx, s.read) }

func hasAdmin(ctx context.Context, q querier) (bool, error) {
	n, err := selectValue[int](ctx, q, "count administrators", `SELECT COUNT(*) FROM users WHERE admin = 1`)
	return n > 0, err
}

const userColumns = `users.id, users.email, users.password, users.subject, users.admin, users.created_at, users.seen_at`

func userCells(u *access.User) []any {
	return []any{&u.ID, &u.Email, &u.Password, &u.Subject, &u.Admin, at(&u.CreatedAt), at(&u.SeenAt)}
}

func (s *Store) queryUser(ctx context.Context, where string, arg any) (access.User, error) {
	return selectOne(ctx, s.read, userCells, `SELECT `+userColumns+` FROM users WHERE `+where, arg)
}

func (s *Store) insertUser(ctx context.Context, tx *sql.Tx, u access.User, e access.Entry) error {
	err := execOr(ctx, tx, access.ErrExists, "insert user", `INSERT INTO users (id, email, password, subject, admin, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING`,
		u.ID, u.Email, u.Password, u.Subject, flag(u.Admin), millis(u.CreatedAt), millis(u.SeenAt))
	if err != nil {
		return err
	}
	return s.insertAudit(ctx, tx, e)
}
