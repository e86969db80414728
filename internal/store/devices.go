package store

import (
	"context"
	"database/sql"
	"fmt"

	"stele/internal/access"
)

// mostDevices is how many browsers of a person are remembered.
const mostDevices = 50

// Devices lists the browsers a person has signed in with, the last one first.
func (s *Store) Devices(ctx context.Context, user string) ([]access.Device, error) {
	rows, err := s.read.QueryContext(ctx, `SELECT hash, via, created_at, seen_at, remote, agent, told FROM devices WHERE user_id = $1
		ORDER BY seen_at DESC, hash, via`, user)
	return scanAll("read devices", rows, err, func(row scanner) (d access.Device, err error) {
		var created, seen, told int64
		err = row.Scan(&d.Hash, &d.Via, &created, &seen, &d.Remote, &d.Agent, &told)
		d.CreatedAt, d.SeenAt, d.Told = fromMillis(created), fromMillis(seen), told != 0
		return d, err
	})
}

// TellDevices marks the browsers that a login's holder was told of: all but their own.
func (s *Store) TellDevices(ctx context.Context, user, via, own string) error {
	_, err := s.write.ExecContext(ctx, `UPDATE devices SET told = 1 WHERE user_id = $1 AND ($2 = '' OR via = $2) AND told = 0 AND hash <> $3`, user, via, own)
	if err != nil {
		return fmt.Errorf("tell devices: %w", err)
	}
	return nil
}

// rememberDevice notes the browser of a new session, and forgets the oldest where
// there are too many.
func rememberDevice(ctx context.Context, tx *sql.Tx, v access.Session, unknown bool) error {
	if v.Device == "" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO devices (user_id, hash, via, created_at, seen_at, remote, agent, told)
		VALUES ($1, $2, $3, $4, $4, $5, $6, $7)
		ON CONFLICT (user_id, hash, via) DO UPDATE SET seen_at = excluded.seen_at, remote = excluded.remote, agent = excluded.agent`,
		v.User, v.Device, v.Via, millis(v.SeenAt), v.Remote, clean(v.Agent), flag(!unknown))
	if err != nil {
		return fmt.Errorf("remember device: %w", err)
	}
	_, err = tx.ExecContext(ctx, `DELETE FROM devices WHERE user_id = $1 AND hash NOT IN
		(SELECT hash FROM devices WHERE user_id = $1 ORDER BY seen_at DESC, hash LIMIT $2)`, v.User, mostDevices)
	if err != nil {
		return fmt.Errorf("forget devices: %w", err)
	}
	return nil
}
