package store

import (
	"context"
	"database/sql"
	"time"

	"stele/internal/access"
)

const sessionColumns = `sessions.id, sessions.hash, sessions.user_id, sessions.workspace, sessions.created_at, sessions.seen_at,
	sessions.proven_at, sessions.remote, sessions.agent, sessions.via, sessions.method, sessions.device`

func sessionCells(v *access.Session) []any {
	return []any{
		&v.ID, &v.Hash, &v.User, &v.Workspace, at(&v.CreatedAt), at(&v.SeenAt), at(&v.ProvenAt), &v.Remote, &v.Agent, &v.Via, &v.Method, &v.Device,
	}
}

// InsertSession saves a new session and remembers its browser. Its person was seen.
// Of more than most sessions the oldest end. The row of the person is taken first: who
// changes it, and ends sessions, has done so or will see this one.
func (s *Store) InsertSession(ctx context.Context, v access.Session, most int, unknown bool, entries ...access.Entry) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := lockPerson(ctx, tx, v); err != nil {
			return err
		}
		err := exec(ctx, tx, "insert session", `INSERT INTO sessions
			(id, hash, user_id, workspace, created_at, seen_at, proven_at, remote, agent, via, method, device)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			v.ID, v.Hash, v.User, v.Workspace, millis(v.CreatedAt), millis(v.SeenAt), millis(v.ProvenAt), v.Remote, clean(v.Agent),
			v.Via, v.Method, v.Device)
		if err != nil {
			return err
		}
		// Each login has a cap of its own: who holds one must not end the sessions of another.
		err = exec(ctx, tx, "end old sessions", `DELETE FROM sessions WHERE user_id = $1 AND via = $2 AND id <> $3 AND id NOT IN
			(SELECT id FROM sessions WHERE user_id = $1 AND via = $2 ORDER BY created_at DESC, id DESC LIMIT $4)`, v.User, v.Via, v.ID, most)
		if err != nil {
			return err
		}
		if err := rememberDevice(ctx, tx, v, unknown); err != nil {
			return err
		}
		return s.insertAudit(ctx, tx, entries...)
	})
}

// lockPerson takes the row of a session's person, or gives access.ErrNotFound where the proof
// does not count any more.
func lockPerson(ctx context.Context, tx *sql.Tx, v access.Session) error {
	err := execOr(ctx, tx, access.ErrNotFound, "touch user",
		`UPDATE users SET seen_at = CASE WHEN seen_at < $2 THEN $2 ELSE seen_at END WHERE id = $1`, v.User, millis(v.SeenAt))
	if err != nil {
		return err
	}
	n, err := selectValue[int64](ctx, tx, "look at proof", `SELECT COUNT(*) FROM users WHERE id = $1
		AND ($2 = '' OR ($3 = '' AND password = $2) OR EXISTS (SELECT 1 FROM logins WHERE user_id = $1 AND via = $3 AND password = $2))
		AND ($4 = '' OR EXISTS (SELECT 1 FROM factors WHERE id = $4 AND user_id = $1))
		AND ($5 = '' OR subject = $5)`, v.User, v.Proof.Password, v.Via, v.Proof.Factor, v.Proof.Subject)
	if err == nil && n == 0 {
		err = access.ErrNotFound
	}
	return err
}

// ProveSession notes when the person of a session last proved who they are.
func (s *Store) ProveSession(ctx context.Context, id string, at time.Time) error {
	return exec(ctx, s.write, "prove session", `UPDATE sessions SET proven_at = $2 WHERE id = $1`, id, millis(at))
}

// SessionByHash finds a session by the keyed hash of its secret, with its person
// and the role that its login opens to them in its workspace, all at one moment.
func (s *Store) SessionByHash(ctx context.Context, hash string) (access.Visitor, error) {
	var password string
	visitor, err := selectOne(ctx, s.read, func(v *access.Visitor) []any {
		return append(append(sessionCells(&v.Session), userCells(&v.User)...), &v.Role, &password, &v.Factors, &v.News)
	}, `SELECT `+sessionColumns+`, `+userColumns+`,
			COALESCE((SELECT role FROM members WHERE workspace = sessions.workspace AND user_id = sessions.user_id AND `+loginCondition("sessions.via")+`), ''),
			COALESCE((SELECT password FROM logins WHERE user_id = sessions.user_id AND via = sessions.via), ''),
			(SELECT COUNT(*) FROM factors WHERE user_id = sessions.user_id AND via = sessions.via AND kind <> 'recovery'),
			(SELECT COUNT(*) FROM devices WHERE user_id = sessions.user_id AND told = 0 AND hash <> sessions.device
				AND (sessions.via = '' OR devices.via = sessions.via))
		FROM sessions JOIN users ON users.id = sessions.user_id WHERE sessions.hash = $1`, hash)
	if visitor.Session.Via != "" {
		visitor.User.Password = password
	}
	return visitor, err
}

// Sessions lists those of a person, the last seen first.
func (s *Store) Sessions(ctx context.Context, user string) ([]access.Session, error) {
	return selectAll(ctx, s.read, "read sessions", sessionCells,
		`SELECT `+sessionColumns+` FROM sessions WHERE user_id = $1 ORDER BY seen_at DESC, id DESC LIMIT 200`, user)
}

// TouchSession notes when a session, and with it a person, was last seen.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := exec(ctx, tx, "touch session", `UPDATE sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, id, millis(at)); err != nil {
			return err
		}
		return exec(ctx, tx, "touch user", `UPDATE users SET seen_at = $2
			WHERE id = (SELECT user_id FROM sessions WHERE id = $1) AND seen_at < $2`, id, millis(at))
	})
}

// MoveSession takes a session to another workspace.
func (s *Store) MoveSession(ctx context.Context, id, workspace string, e access.Entry) error {
	return s.changeAudited(ctx, e, func(ctx context.Context, tx *sql.Tx) error {
		return exec(ctx, tx, "move session", `UPDATE sessions SET workspace = $2 WHERE id = $1`, id, workspace)
	})
}

// EndSessions ends sessions of a person and says how many.
func (s *Store) EndSessions(ctx context.Context, end access.Ending, e access.Entry) (int, error) {
	var n int64
	all, via := narrow(end.Via)
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) (err error) {
		n, err = affect(ctx, tx, "end sessions", `DELETE FROM sessions WHERE user_id = $1
			AND ($2 = '' OR id = $2) AND ($3 = '' OR workspace = $3) AND id <> $4 AND ($5 = 1 OR via = $6)`, end.User, end.ID, end.Workspace, end.But, all, via)
		if err != nil || n == 0 {
			return err
		}
		return s.insertAudit(ctx, tx, e)
	})
	return int(n), err
}

// DeleteSessionsBefore ends the sessions not seen, or made, since these times.
func (s *Store) DeleteSessionsBefore(ctx context.Context, seen, created time.Time) error {
	return exec(ctx, s.write, "delete old sessions", `DELETE FROM sessions WHERE seen_at < $1 OR created_at < $2`, millis(seen), millis(created))
}
