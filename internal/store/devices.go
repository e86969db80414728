package store

import (
	"context"
	"database/sql"

	"stele/internal/access"
)

// mostDevices is how many browsers of a person are remembered.
const mostDevices = 50

// Devices lists the browsers a person has signed in with, the last one first.
func (s *Store) Devices(ctx context.Context, user string) ([]access.Device, error) {
	return selectAll(ctx, s.read, "read devices", func(d *access.Device) []any {
		return []any{&d.Hash, &d.Via, at(&d.CreatedAt), at(&d.SeenAt), &d.Remote, &d.Agent, &d.Told}
	}, `SELECT hash, via, created_at, seen_at, remote, agent, told FROM devices WHERE user_id = $1 ORDER BY seen_at DESC, hash, via`, user)
}

// TellDevices marks the browsers that a login's holder was told of: all but their own.
func (s *Store) TellDevices(ctx context.Context, user, via, own string) error {
	return exec(ctx, s.write, "tell devices", `UPDATE devices SET told = 1 WHERE user_id = $1 AND ($2 = '' OR via = $2) AND told = 0 AND hash <> $3`, user, via, own)
}

// rememberDevice notes the browser of a new session, and forgets the oldest where
// there are too many.
func rememberDevice(ctx context.Context, tx *sql.Tx, v access.Session, unknown bool) error {
	if v.Device == "" {
		return nil
	}
	err := exec(ctx, tx, "remember device", `INSERT INTO devices (user_id, hash, via, created_at, seen_at, remote, agent, told)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7)
		ON CONFLICT (user_id, hash, via) DO UPDATE SET seen_at = excluded.seen_at, remote = excluded.remote, agent = excluded.agent`,
		v.User, v.Device, v.Via, millis(v.SeenAt), v.Remote, clean(v.Agent), flag(!unknown))
	if err != nil {
		return err
	}
	return exec(ctx, tx, "forget devices", `DELETE FROM devices WHERE user_id = $1 AND hash NOT IN
		(SELECT hash FROM devices WHERE user_id = $1 ORDER BY seen_at DESC, hash LIMIT $2)`, v.User, mostDevices)
}
