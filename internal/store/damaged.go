package store

import (
	"context"
	"database/sql"
	"errors"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/file"
)

// damagedMark is what the names of settings begin with that speak of a damaged file; its id follows.
const damagedMark = "damaged/"

// MarkDamaged writes down that the bytes of a ready file are lost or not those that were kept,
// and forgets marks of files that are gone. It reports whether there is such a file.
func (s *Store) MarkDamaged(ctx context.Context, id string, now time.Time) (kept bool, err error) {
	return s.markDamaged(ctx, `id = $3`, id, now)
}

// MarkBlobDamaged is MarkDamaged of the file that is kept under a key.
func (s *Store) MarkBlobDamaged(ctx context.Context, key string, now time.Time) (kept bool, err error) {
	return s.markDamaged(ctx, `blob = $3`, key, now)
}

func (s *Store) markDamaged(ctx context.Context, which, value string, now time.Time) (kept bool, err error) {
	err = s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		n, err := affect(ctx, tx, "mark a damaged file", `INSERT INTO settings (name, value)
			SELECT $1 || id, $2 FROM files WHERE `+which+` AND state = 'ready' ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
			damagedMark, strconv.FormatInt(millis(now), 10), value)
		if kept = n > 0; err != nil || !kept {
			return err
		}
		return exec(ctx, tx, "forget marks of damaged files", `DELETE FROM settings WHERE name LIKE $1
			AND NOT EXISTS (SELECT 1 FROM files WHERE id = SUBSTR(settings.name, $2) AND state = 'ready')`, damagedMark+"%", len(damagedMark)+1)
	})
	return kept, err
}

// DamagedFiles lists ready files that were found damaged once, whatever became of their bytes since.
func (s *Store) DamagedFiles(ctx context.Context, limit int) ([]file.File, error) {
	return selectFiles(ctx, s.read, `state = 'ready' AND id IN (SELECT SUBSTR(name, $1) FROM settings WHERE name LIKE $2) ORDER BY id LIMIT $3`,
		len(damagedMark)+1, damagedMark+"%", limit)
}

// settingVerified is the id of the last file that was compared with what was kept.
const settingVerified = "files_verified"

// VerifiedUntil is the id of the file up to which all were compared, "" where the next look begins anew.
func (s *Store) VerifiedUntil(ctx context.Context) (string, error) {
	id, err := s.Setting(ctx, settingVerified)
	if errors.Is(err, access.ErrNotFound) {
		return "", nil
	}
	return id, err
}

// SetVerifiedUntil writes down up to which file all were compared.
func (s *Store) SetVerifiedUntil(ctx context.Context, id string) error {
	return s.Set(ctx, settingVerified, id)
}

// FilesAfter lists ready files of all workspaces by their ids, those after one.
func (s *Store) FilesAfter(ctx context.Context, id string, limit int) ([]file.File, error) {
	return selectFiles(ctx, s.read, `state = 'ready' AND id > $1 ORDER BY id LIMIT $2`, id, limit)
}
