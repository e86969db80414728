package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"stele/internal/access"
	"stele/internal/crash"
	"stele/internal/store/migration"
)

// Facts about the schema that are kept beside it.
const (
	settingServes    = "schema_serves"    // the oldest release that works with it, and the schema which that one knows
	settingUpgrading = "schema_upgrading" // the schema at which an upgrade began that has not ended
	settingBackedUp  = "backed_up"        // when stele backup was last called, in milliseconds
)

// releases are the versions that were released, the oldest first.
func releases() ([]migration.Release, error) {
	text, err := fs.ReadFile(migrations, "migrations/released.txt")
	if err != nil {
		return nil, fmt.Errorf("read releases: %w", err)
	}
	return migration.ReadReleases(string(text))
}

// releaseBefore is the release before a schema: the oldest whose binaries work with it. Where there
// is none, only those work that know the schema itself.
func releaseBefore(schema int64) (migration.Release, error) {
	list, err := releases()
	if err != nil {
		return migration.Release{}, err
	}
	for _, r := range slices.Backward(list) {
		if r.Schema < schema {
			return r, nil
		}
	}
	return migration.Release{Schema: schema}, nil
}

// acceptNewer lets a binary work with a schema that a newer one made, if that says that it may.
func (s *Store) acceptNewer(ctx context.Context, current, known int64) error {
	r, err := s.servesFrom(ctx)
	if err != nil {
		return err
	}
	if r.Schema > 0 && known >= r.Schema {
		return nil
	}
	needs := "it was used by a newer stele"
	if r.Version != "" {
		needs = fmt.Sprintf("it was used by a newer stele, and serves %s and later ones", r.Version)
	}
	return fmt.Errorf("the database is at schema %d and this stele knows only %d: %s. "+
		"Start a newer stele, or restore a backup from before the upgrade", current, known, needs)
}

func servesText(r migration.Release) string {
	return strings.TrimSpace(fmt.Sprint(r.Schema, " ", r.Version))
}

// servesFrom is the oldest release that may work with the database, as the binary wrote down that
// made its tables; zero where none did.
func (s *Store) servesFrom(ctx context.Context) (r migration.Release, err error) {
	text, err := s.Setting(ctx, settingServes)
	if errors.Is(err, access.ErrNotFound) {
		return r, nil
	}
	if err == nil {
		schema, version, _ := strings.Cut(text, " ")
		r.Version = version
		r.Schema, err = strconv.ParseInt(schema, 10, 64)
	}
	if err != nil {
		return r, fmt.Errorf("read which versions the database serves: %w", err)
	}
	return r, nil
}

// beginUpgrade keeps a copy of what a SQLite database was, unless an upgrade that did not end has done
// so, and writes down first whom the schema will serve: who is too old must not come in halfway.
func (s *Store) beginUpgrade(ctx context.Context, current, known int64) error {
	began, err := s.Setting(ctx, settingUpgrading)
	if err != nil && !errors.Is(err, access.ErrNotFound) {
		return fmt.Errorf("read state of the upgrade: %w", err)
	}
	if began == "" && s.engine == sqlite && !s.uncopied {
		if err := s.copyDatabase(ctx, current); err != nil {
			return fmt.Errorf("copy the database before the upgrade: %w. Make room in the data folder, or call stele upgrade --no-copy", err)
		}
	}
	crash.Point("upgrading")
	r, err := releaseBefore(known)
	if err != nil {
		return err
	}
	return s.saveOnce(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if began == "" {
			if err := setIn(ctx, tx, settingUpgrading, strconv.FormatInt(current, 10)); err != nil {
				return err
			}
		}
		return setIn(ctx, tx, settingServes, servesText(r))
	})
}

// endUpgrade says that the tables are as this binary knows them.
func (s *Store) endUpgrade(ctx context.Context, known int64) error {
	r, err := releaseBefore(known)
	if err != nil {
		return err
	}
	serves := servesText(r)
	is, err := s.texts(ctx, `SELECT name || ' ' || value FROM settings WHERE name IN ($1, $2)`, settingServes, settingUpgrading)
	if err != nil {
		return fmt.Errorf("read state of the upgrade: %w", err)
	}
	if len(is) == 1 && is[0] == settingServes+" "+serves {
		return nil
	}
	return s.saveOnce(ctx, func(ctx context.Context, tx *sql.Tx) error {
		if err := setIn(ctx, tx, settingServes, serves); err != nil {
			return err
		}
		return exec(ctx, tx, "end upgrade", `DELETE FROM settings WHERE name = $1`, settingUpgrading)
	})
}

// NoteBackup writes down that a backup was made.
func (s *Store) NoteBackup(ctx context.Context, at time.Time) error {
	return s.Set(ctx, settingBackedUp, strconv.FormatInt(millis(at), 10))
}

func setIn(ctx context.Context, on querier, name, value string) error {
	return exec(ctx, on, "set "+name, `INSERT INTO settings (name, value) VALUES ($1, $2)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, name, value)
}
