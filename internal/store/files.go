package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
)

var _ file.Store = (*Store)(nil)

const fileColumns = `id, workspace, state, blob, name, kind, type, size, sha256, width, height, duration, generation, place, created_at, expires_at`

// InsertFile writes down a file that is arriving.
func (s *Store) InsertFile(ctx context.Context, f *file.File) error {
	return s.runOne(ctx, background, func(ctx context.Context, q querier) error {
		return exec(ctx, q, "insert file", `INSERT INTO files (`+fileColumns+`)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`, fileArgs(f, file.Arriving)...)
	})
}

// FinishFile makes an arriving file ready, with all that is known of it now.
func (s *Store) FinishFile(ctx context.Context, f *file.File) error {
	err := s.runOne(ctx, background, func(ctx context.Context, q querier) error {
		return execOr(ctx, q, access.ErrNotFound, "finish file", `UPDATE files SET (`+fileColumns+`) =
			($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) WHERE id = $1 AND state = 'arriving'`, fileArgs(f, file.Ready)...)
	})
	if err == nil {
		f.State = file.Ready
	}
	return err
}

// File finds a ready file of a workspace, or of any where that is "".
func (s *Store) File(ctx context.Context, workspace, id string) (*file.File, error) {
	return s.selectFile(ctx, `WHERE id = $1 AND state = 'ready' AND ($2 = '' OR workspace = $2)`, id, workspace)
}

// MadeFile finds the ready file that a generation's output became.
func (s *Store) MadeFile(ctx context.Context, generation string, place int) (*file.File, error) {
	return s.selectFile(ctx, `WHERE generation = $1 AND generation <> '' AND place = $2 AND state = 'ready' ORDER BY id LIMIT 1`, generation, place)
}

func (s *Store) selectFile(ctx context.Context, where string, args ...any) (*file.File, error) {
	f, err := selectOne(ctx, s.read, fileCells, `SELECT `+fileColumns+` FROM files `+where, args...)
	return &f, err
}

// Files lists the ready files of a workspace, or of all where it is "", newest first.
func (s *Store) Files(ctx context.Context, workspace string, limit int) ([]file.File, error) {
	return selectFiles(ctx, s.read, `state = 'ready' AND `+inWorkspace(workspace)+` ORDER BY created_at DESC, id DESC LIMIT $2`, workspace, limit)
}

// DoomFiles marks files whose time is over and lists doomed ones, those of earlier
// calls first.
func (s *Store) DoomFiles(ctx context.Context, now time.Time, limit int) ([]file.File, error) {
	var list []file.File
	err := s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
		var err error
		// A task that is being saved holds its files: they are left for the next time. The other
		// way round it waits for us, and then finds the file doomed.
		skip := s.skipLocked()
		if list, err = selectFiles(ctx, tx, `state = 'doomed' ORDER BY expires_at, id LIMIT $1`+skip, limit); err != nil || len(list) >= limit {
			return err
		}
		// The uses are looked at once more in the second statement, when none can be added any more.
		over, err := selectFiles(ctx, tx, `state <> 'doomed' AND expires_at <= $1
			AND (state = 'arriving' OR NOT EXISTS (SELECT 1 FROM file_uses WHERE file = files.id)) ORDER BY expires_at, id LIMIT $2`+skip,
			millis(now), limit-len(list))
		if err != nil {
			return err
		}
		for _, f := range over {
			n, err := affect(ctx, tx, "doom file", `UPDATE files SET state = 'doomed' WHERE id = $1 AND state = $2
				AND (state = 'arriving' OR NOT EXISTS (SELECT 1 FROM file_uses WHERE file = files.id))`, f.ID, string(f.State))
			if err != nil {
				return err
			}
			if n == 1 {
				f.State = file.Doomed
				list = append(list, f)
			}
		}
		return nil
	})
	return list, err
}

// DoomFile marks one file, whatever its state and uses.
func (s *Store) DoomFile(ctx context.Context, id string) error {
	return exec(ctx, s.write, "doom file", `UPDATE files SET state = 'doomed' WHERE id = $1`, id)
}

// DeleteFile forgets a doomed file.
func (s *Store) DeleteFile(ctx context.Context, id string) error {
	return exec(ctx, s.write, "delete file", `DELETE FROM files WHERE id = $1 AND state = 'doomed'`, id)
}

// useFiles holds the files of a task's order until it ends. They are not doomed before
// the transaction is over, nor after it.
func (s *Store) useFiles(ctx context.Context, tx *sql.Tx, t *generation.Task) error {
	var ids []string
	for _, source := range t.Order.Sources {
		ids = append(ids, source.File)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		err := execOr(ctx, tx, access.ErrNotFound, "use file", `INSERT INTO file_uses (file, generation)
			SELECT id, $2 FROM files WHERE id = $1 AND workspace = $3 AND state = 'ready'`+s.forShare(), id, t.ID, t.Workspace)
		if err != nil {
			return fmt.Errorf("use file %s: %w", id, err)
		}
	}
	return nil
}

func fileArgs(f *file.File, state file.State) []any {
	return []any{
		f.ID, f.Workspace, string(state), f.Blob, clean(f.Name), f.Kind, f.Type, f.Size, f.SHA256, f.Width, f.Height, f.Duration,
		f.Generation, f.Place, millis(f.Created), millis(f.Expires),
	}
}

func fileCells(f *file.File) []any {
	return []any{
		&f.ID, &f.Workspace, &f.State, &f.Blob, &f.Name, &f.Kind, &f.Type, &f.Size, &f.SHA256, &f.Width, &f.Height, &f.Duration,
		&f.Generation, &f.Place, at(&f.Created), at(&f.Expires),
	}
}

func selectFiles(ctx context.Context, from querier, where string, args ...any) ([]file.File, error) {
	return selectAll(ctx, from, "read files", fileCells, `SELECT `+fileColumns+` FROM files WHERE `+where, args...)
}
