package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"stele/internal/access"
)

const sessionColumns = `sessions.id, sessions.hash, sessions.user_id, sessions.workspace, sessions.created_at, sessions.seen_at,
	sessions.proven_at, sessions.remote, sessions.agent, sessions.via, sessions.method, sessions.device`

// sessionRow is where the columns of a session are read into.
type sessionRow struct {
	access.Session

	created, seen, proven int64
}

func (v *sessionRow) into() []any {
	return []any{&v.ID, &v.Hash, &v.User, &v.Workspace, &v.created, &v.seen, &v.proven, &v.Remote, &v.Agent, &v.Via, &v.Method, &v.Device}
}

func (v *sessionRow) session() access.Session {
	v.CreatedAt, v.SeenAt, v.ProvenAt = fromMillis(v.created), fromMillis(v.seen), fromMillis(v.proven)
	return v.Session
}

// InsertSession saves a new session and remembers its browser. Its person was seen.
// Of more than most sessions the oldest end.
func (s *Store) InsertSession(ctx context.Context, v access.Session, most int, unknown bool, entries ...access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		_, err := tx.ExecContext(ctx, `INSERT INTO sessions
			(id, hash, user_id, workspace, created_at, seen_at, proven_at, remote, agent, via, method, device)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			v.ID, v.Hash, v.User, v.Workspace, millis(v.CreatedAt), millis(v.SeenAt), millis(v.ProvenAt), v.Remote, clean(v.Agent),
			v.Via, v.Method, v.Device)
		if err != nil {
			return fmt.Errorf("insert session: %w", err)
		}
		// Each login has a cap of its own: who holds one must not end the sessions of another.
		_, err = tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1 AND via = $2 AND id <> $3 AND id NOT IN
			(SELECT id FROM sessions WHERE user_id = $1 AND via = $2 ORDER BY created_at DESC, id DESC LIMIT $4)`, v.User, v.Via, v.ID, most)
		if err != nil {
			return fmt.Errorf("end old sessions: %w", err)
		}
		if _, err := tx.ExecContext(ctx, `UPDATE users SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, v.User, millis(v.SeenAt)); err != nil {
			return fmt.Errorf("touch user: %w", err)
		}
		if err := rememberDevice(ctx, tx, v, unknown); err != nil {
			return err
		}
		for _, e := range entries {
			if err := s.insertAudit(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// ProveSession notes when the person of a session last proved who they are.
func (s *Store) ProveSession(ctx context.Context, id string, at time.Time) error {
	if _, err := s.write.ExecContext(ctx, `UPDATE sessions SET proven_at = $2 WHERE id = $1`, id, millis(at)); err != nil {
		return fmt.Errorf("prove session: %w", err)
	}
	return nil
}

// SessionByHash finds a session by the keyed hash of its secret, with its person
// and the role that its login opens to them in its workspace, all at one moment.
func (s *Store) SessionByHash(ctx context.Context, hash string) (access.Visitor, error) {
	var u userRow
	var v sessionRow
	var role, password string
	var visitor access.Visitor
	err := s.read.QueryRowContext(ctx, `SELECT `+sessionColumns+`, `+userColumns+`,
			COALESCE((SELECT role FROM members WHERE workspace = sessions.workspace AND user_id = sessions.user_id AND `+opened("sessions.via")+`), ''),
			COALESCE((SELECT password FROM logins WHERE user_id = sessions.user_id AND via = sessions.via), ''),
			(SELECT COUNT(*) FROM factors WHERE user_id = sessions.user_id AND via = sessions.via AND kind <> 'recovery'),
			(SELECT COUNT(*) FROM devices WHERE user_id = sessions.user_id AND told = 0 AND hash <> sessions.device
				AND (sessions.via = '' OR devices.via = sessions.via))
		FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.hash = $1`, hash).
		Scan(append(append(v.into(), u.into()...), &role, &password, &visitor.Factors, &visitor.News)...)
	visitor.User, visitor.Session, visitor.Role = u.user(), v.session(), access.Role(role)
	if visitor.Session.Via != "" {
		visitor.User.Password = password
	}
	return visitor, found(err)
}

// Sessions lists those of a person, the last seen first.
func (s *Store) Sessions(ctx context.Context, user string) ([]access.Session, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT `+sessionColumns+` FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC LIMIT 200`, user)
	return scanAll("read sessions", rows, err, func(row scanner) (access.Session, error) {
		var v sessionRow
		err := row.Scan(v.into()...)
		return v.session(), err
	})
}

// TouchSession notes when a session, and with it a person, was last seen.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, id, millis(at)); err != nil {
			return fmt.Errorf("touch session: %w", err)
		}
		_, err := tx.ExecContext(ctx, `UPDATE users SET seen_at = $2
			WHERE id = (SELECT user_id FROM sessions WHERE id = $1) AND seen_at < $2`, id, millis(at))
		if err != nil {
			return fmt.Errorf("touch user: %w", err)
		}
		return nil
	})
}

// MoveSession takes a session to another workspace.
func (s *Store) MoveSession(ctx context.Context, id, workspace string, e access.Entry) error {
	return s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if _, err := tx.ExecContext(ctx, `UPDATE sessions SET workspace = $2 WHERE id = $1`, id, workspace); err != nil {
			return fmt.Errorf("move session: %w", err)
		}
		return s.insertAudit(ctx, tx, e)
	})
}

// EndSessions ends sessions of a person and says how many.
func (s *Store) EndSessions(ctx context.Context, end access.Ending, e access.Entry) (int, error) {
	var n int64
	all, via := narrow(end.Via)
	err := s.tx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		result, err := tx.ExecContext(ctx, `DELETE FROM sessions WHERE user_id = $1
			AND ($2 = '' OR id = $2) AND ($3 = '' OR workspace = $3) AND id <> $4 AND ($5 = 1 OR via = $6)`, end.User, end.ID, end.Workspace, end.But, all, via)
		if err != nil {
			return fmt.Errorf("end sessions: %w", err)
		}
		if n, err = result.RowsAffected(); err != nil || n == 0 {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return int(n), err
}

// DeleteSessionsBefore ends the sessions not seen, or made, since these times.
func (s *Store) DeleteSessionsBefore(ctx context.Context, seen, created time.Time) error {
	_, err := s.write.ExecContext(ctx, `DELETE FROM sessions WHERE seen_at < $1 OR created_at < $2`, millis(seen), millis(created))
	if err != nil {
		return fmt.Errorf("delete old sessions: %w", err)
	}
	return nil
}
