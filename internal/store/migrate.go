package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"

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
	options := []goose.ProviderOption{goose.WithDisableGlobalRegistry(true)}
	if s.engine == postgres {
		dialect = goose.DialectPostgres
		options = append(options, goose.WithSessionLocker(advisoryLock{}))
	}
	provider, err := goose.NewProvider(dialect, s.write, folder, options...)
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

// advisoryLock lets one node migrate at a time. It waits in the database, so
// that whoever is next goes on at once; goose's own asks again every five seconds.
type advisoryLock struct{}

const migrationLock = 0x5354454c45 // any number, as long as every version has the same

// SessionLock takes the lock.
func (advisoryLock) SessionLock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_lock($1)`, int64(migrationLock))
	return err
}

// SessionUnlock gives the lock back.
func (advisoryLock) SessionUnlock(ctx context.Context, conn *sql.Conn) error {
	_, err := conn.ExecContext(ctx, `SELECT pg_advisory_unlock($1)`, int64(migrationLock))
	return err
}
