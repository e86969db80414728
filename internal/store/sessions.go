package store

import (
	"context"
	"fmt"
	"time"

	"stele/internal/access"
)

// InsertSession saves a new session.
func (s *Store) InsertSession(ctx context.Context, v access.Session) error {
	_, err := s.write.ExecContext(ctx, `INSERT INTO sessions (id, hash, user_id, workspace, created_at, seen_at, remote)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		v.ID, v.Hash, v.User, v.Workspace, millis(v.CreatedAt), millis(v.SeenAt), v.Remote)
	if err != nil {
		return fmt.Errorf("insert session: %w", err)
	}
	return nil
}

// SessionByHash finds a session by the keyed hash of its secret.
func (s *Store) SessionByHash(ctx context.Context, hash string) (access.Session, error) {
	var v access.Session
	var created, seen int64
	err := s.read.QueryRowContext(ctx, `SELECT id, hash, user_id, workspace, created_at, seen_at, remote
		FROM sessions WHERE hash = $1`, hash).
		Scan(&v.ID, &v.Hash, &v.User, &v.Workspace, &created, &seen, &v.Remote)
	v.CreatedAt, v.SeenAt = fromMillis(created), fromMillis(seen)
	return v, found(err)
}

// TouchSession notes when a session was last seen.
func (s *Store) TouchSession(ctx context.Context, id string, at time.Time) error {
	_, err := s.write.ExecContext(ctx, `UPDATE sessions SET seen_at = $2 WHERE id = $1 AND seen_at < $2`, id, millis(at))
	if err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// DeleteSession ends a session.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	if _, err := s.write.ExecContext(ctx, `DELETE FROM sessions WHERE id = $1`, id); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

// DeleteSessionsBefore ends the sessions not seen, or made, since these times.
func (s *Store) DeleteSessionsBefore(ctx context.Context, seen, created time.Time) error {
	_, err := s.write.ExecContext(ctx, `DELETE FROM sessions WHERE seen_at < $1 OR created_at < $2`, millis(seen), millis(created))
	if err != nil {
		return fmt.Errorf("delete old sessions: %w", err)
	}
	return nil
}
