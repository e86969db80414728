package store

import (
	"context"
	"database/sql"
	"fmt"

	"stele/internal/access"
)

// InsertFirstAdmin saves u and forgets the set-up link, or gives access.ErrExists
// when there is an administrator already.
func (s *Store) InsertFirstAdmin(ctx context.Context, u access.User, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		// The first transaction to write this row goes on; a second one waits here and then sees the administrator.
		_, err := tx.ExecContext(ctx, `INSERT INTO settings (name, value) VALUES ('first_admin', $1)
			ON CONFLICT (name) DO UPDATE SET value = settings.value`, u.ID)
		if err != nil {
			return fmt.Errorf("claim first administrator: %w", err)
		}
		var admins int
		if err := tx.QueryRowContext(ctx, `SELECT COUNT(*) FROM users WHERE admin = 1`).Scan(&admins); err != nil {
			return fmt.Errorf("count administrators: %w", err)
		}
		if admins > 0 {
			return access.ErrExists
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM settings WHERE name = 'setup_link'`); err != nil {
			return fmt.Errorf("close set-up link: %w", err)
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
func (s *Store) HasAdmin(ctx context.Context) (bool, error) {
	var n int
	if err := s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM users WHERE admin = 1`).Scan(&n); err != nil {
		return false, fmt.Errorf("count administrators: %w", err)
	}
	return n > 0, nil
}

const userColumns = `users.id, users.email, users.password, users.subject, users.admin, users.created_at, users.seen_at`

// userRow is where the columns of a user are read into.
type userRow struct {
	access.User

	admin, created, seen int64
}

func (u *userRow) into() []any {
	return []any{&u.ID, &u.Email, &u.Password, &u.Subject, &u.admin, &u.created, &u.seen}
}

func (u *userRow) user() access.User {
	u.Admin, u.CreatedAt, u.SeenAt = u.admin != 0, fromMillis(u.created), fromMillis(u.seen)
	return u.User
}

func (s *Store) queryUser(ctx context.Context, where string, arg any) (access.User, error) {
	var u userRow
	err := s.read.QueryRowContext(ctx, `SELECT `+userColumns+` FROM users WHERE `+where, arg).Scan(u.into()...)
	return u.user(), found(err)
}

func (s *Store) insertUser(ctx context.Context, tx *sql.Tx, u access.User, e access.Entry) error {
	result, err := tx.ExecContext(ctx, `INSERT INTO users (id, email, password, subject, admin, created_at, seen_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (email) DO NOTHING`,
		u.ID, u.Email, u.Password, u.Subject, flag(u.Admin), millis(u.CreatedAt), millis(u.SeenAt))
	if err != nil {
		return fmt.Errorf("insert user: %w", err)
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return access.ErrExists
	}
	return s.insertAudit(ctx, tx, e)
}
