package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/pressly/goose/v3"

	"stele/internal/crash"
	"stele/internal/pause"
	"stele/internal/store/migration"
)

//go:embed migrations
var migrations embed.FS

func (s *Store) upgrade(ctx context.Context) error {
	return retryLocked(ctx, func() error { return s.RunAlone(ctx, s.migrate) })
}

// migrate brings the tables up to what this binary knows, forward only. A database
// that is further is left as it is, and refused where it does not serve this binary any more.
func (s *Store) migrate(ctx context.Context) error {
	files, err := s.files()
	if err != nil {
		return err
	}
	provider, err := s.provider(files)
	if err != nil {
		return err
	}
	known := files[len(files)-1].Version
	current, err := provider.GetDBVersion(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("read database version: %w", err)
	case current > known:
		return s.acceptNewer(ctx, current, known)
	case current == known:
		return s.endUpgrade(ctx, known)
	case current > 0: // a new database has nothing to lose, and no table to write this to
		if err := s.beginUpgrade(ctx, current, known); err != nil {
			return err
		}
	}
	if _, err := provider.Up(ctx); err != nil {
		return fmt.Errorf("migrate database: %w", err)
	}
	return s.endUpgrade(ctx, known)
}

// files are the migrations of the engine.
func (s *Store) files() ([]migration.File, error) {
	folder, err := fs.Sub(migrations, "migrations/"+string(s.engine))
	if err != nil {
		return nil, fmt.Errorf("find migrations: %w", err)
	}
	return migration.ReadAll(folder)
}

// provider keeps count of what was done. Each file is a transaction.
func (s *Store) provider(files []migration.File) (*goose.Provider, error) {
	steps := make([]*goose.Migration, len(files))
	for i, f := range files {
		steps[i] = goose.NewGoMigration(f.Version, &goose.GoFunc{RunTx: func(ctx context.Context, tx *sql.Tx) error { return s.apply(ctx, tx, f) }}, nil)
	}
	dialect := goose.DialectSQLite3
	if s.engine == postgres {
		dialect = goose.DialectPostgres
	}
	provider, err := goose.NewProvider(dialect, s.write, nil, goose.WithDisableGlobalRegistry(true), goose.WithGoMigrations(steps...))
	if err != nil {
		return nil, fmt.Errorf("read migrations: %w", err)
	}
	return provider, nil
}

// lockPatience is how long a statement waits for a table that others use: those who come later wait
// behind it. Then it gives way and is tried again, as long as upgradePatience lasts.
const (
	lockPatience    = "SET LOCAL lock_timeout = '2s'"
	lockPause       = time.Second
	upgradePatience = 5 * time.Minute
)

func (s *Store) apply(ctx context.Context, tx *sql.Tx, f migration.File) error {
	if s.engine == postgres {
		if err := errors.Join(s.allowIdle(ctx, tx), exec(ctx, tx, f.Name, lockPatience)); err != nil {
			return err
		}
	}
	for _, statement := range f.Statements {
		crash.Point("migrating")
		if err := exec(ctx, tx, f.Name, statement.Text); err != nil {
			return err
		}
	}
	crash.Point("migrating")
	return nil
}

// retryLocked does something again that was in the way of others.
func retryLocked(ctx context.Context, do func() error) error {
	end := time.Now().Add(upgradePatience)
	for {
		err := do()
		if !isLockTimeout(err) && !isDeadlock(err) || time.Now().After(end) {
			return err
		}
		if pause.For(ctx, lockPause) != nil {
			return err
		}
	}
}

func isLockTimeout(err error) bool {
	told, ok := errors.AsType[*pgconn.PgError](err)
	return ok && told.Code == "55P03"
}

const migrationLock = 0x5354454c45 // any number, as long as every version has the same

// RunAlone runs do while no other process does so with the same database: for those who
// change tables. It waits in the database or at a file, so that the next one
// goes on at once; goose's own lock asks again every five seconds.
func (s *Store) RunAlone(ctx context.Context, do func(ctx context.Context) error) error {
	if s.engine == sqlite {
		unlock, err := Lock(filepath.Join(s.folder, "migrate.lock"), true)
		if err != nil {
			return err
		}
		defer unlock()
		return do(ctx)
	}
	// The lock is a transaction's: a pooler may give a session's to another caller.
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("lock database: %w", err)
	}
	if err := s.allowIdle(ctx, tx); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if _, err := tx.ExecContext(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(migrationLock)); err != nil {
		return errors.Join(fmt.Errorf("lock database: %w", err), tx.Rollback())
	}
	return errors.Join(do(ctx), tx.Commit())
}
