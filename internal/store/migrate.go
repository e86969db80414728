package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/pressly/goose/v3"
)

//go:embed migrations
var migrations embed.FS

// migrate brings the tables up to what this binary knows, forward only. A
// database that is further than that is refused untouched.
func (s *Store) migrate(ctx context.Context) error {
	folder, err := fs.Sub(migrations, "migrations/"+string(s.engine))
	if err != nil {
		return fmt.Errorf("find migrations: %w", err)
	}
	dialect := goose.DialectSQLite3
	if s.engine == postgres {
		dialect = goose.DialectPostgres
	}
	provider, err := goose.NewProvider(dialect, s.write, folder, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		return fmt.Errorf("read migrations: %w", err)
	}
	known := provider.ListSources()[len(provider.ListSources())-1].Version
	current, err := provider.GetDBVersion(ctx)
	if err != nil {
		return fmt.Errorf("read database version: %w", err)
	}
	if current > known {
		return fmt.Errorf("the database is at version %d and this stele knows only %d: it was used by a newer stele. "+
			"Start that one, or restore a backup from before the upgrade", current, known)
	}
	if current == known {
		return nil
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return nil
}

const migrationLock = 0x5354454c45 // any number, as long as every version has the same

// Alone runs do while no other process does so with the same database: for those who
// change tables. It waits in the database or at a file, so that the next one
// goes on at once; goose's own lock asks again every five seconds.
func (s *Store) Alone(ctx context.Context, do func(ctx context.Context) error) error {
	if s.engine == sqlite {
		unlock, err := Lock(filepath.Join(s.folder, "migrate.lock"), true)
		if err != nil {
			return err
		}
		defer unlock()
		return do(ctx)
	}
	conn, err := s.write.Conn(ctx)
	if err != nil {
		return fmt.Errorf("lock database: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock)); err != nil {
		return fmt.Errorf("lock database: %w", err)
	}
	err = do(ctx)
	_, unlocked := conn.ExecContext(context.WithoutCancel(ctx), `SELECT pg_advisory_unlock($1)`, int64(migrationLock))
	return errors.Join(err, unlocked)
}
