package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"stele/internal/access"
	"stele/internal/store/migration"
)

// State is how far a database is, and what this binary would do to it.
type State struct {
	Engine        string
	Schema        int64  // 0: it has no tables yet
	Release       string // the latest whose schema this is, or is older than this; "" where there is none
	ReleaseSchema int64
	Known         int64 // the schema that this binary knows

	Serves     migration.Release // the oldest release that may work with it now; zero: not written down
	WillServe  migration.Release // and after the upgrade
	Unfinished int64             // the schema at which an upgrade began that has not ended; 0: none
	Steps      []Step            // what would be done
	Living     []NodeState
	BackedUp   time.Time // when stele backup was last called; zero: never
}

// Usable reports whether this binary can work with the database, upgraded or as it is.
func (s *State) Usable() bool {
	return s.Schema <= s.Known || s.Serves.Schema > 0 && s.Known >= s.Serves.Schema
}

// Step is a file of the schema that would be applied.
type Step struct {
	Name string
	Work []StepWork // what is to be done at once is left out
}

// StepWork is what a statement would do to the rows of a table.
type StepWork struct {
	Kind  migration.Work
	Table string
	Rows  int64 // about
}

// NodeState is a process that was heard of lately.
type NodeState struct {
	ID      string
	Seen    time.Time
	Version string // "" where it does not say
}

// Inspect looks at a database without changing it. Where there is none the error is fs.ErrNotExist.
func Inspect(ctx context.Context, databaseURL, folder string, since time.Time) (State, error) {
	s, err := connectExisting(ctx, databaseURL, folder)
	if err != nil {
		return State{}, err
	}
	defer s.Close()
	files, err := s.files()
	if err != nil {
		return State{}, err
	}
	state := State{Engine: string(s.engine), Known: files[len(files)-1].Version}
	if state.WillServe, err = releaseBefore(state.Known); err != nil {
		return state, err
	}
	has, err := s.tableColumns(ctx, "goose_db_version")
	if err != nil || len(has) == 0 {
		return state, err // it is empty
	}
	state.Schema, err = selectValue[int64](ctx, s.read, "read database version", `SELECT COALESCE(MAX(version_id), 0) FROM goose_db_version`)
	if err != nil || state.Schema == 0 {
		return state, err
	}
	return state, errors.Join(s.lookFacts(ctx, &state), s.lookSteps(ctx, &state, files), s.lookNodes(ctx, &state, since))
}

// connectExisting makes no database where there is none.
func connectExisting(ctx context.Context, databaseURL, folder string) (*Store, error) {
	if databaseURL == "" {
		if _, err := os.Stat(filepath.Join(folder, "stele.db")); err != nil {
			return nil, err
		}
	}
	return connect(ctx, databaseURL, folder)
}

// lookFacts reads what is written down beside the schema.
func (s *Store) lookFacts(ctx context.Context, state *State) (err error) {
	list, err := releases()
	if err != nil {
		return err
	}
	for _, r := range list {
		if r.Schema <= state.Schema {
			state.Release, state.ReleaseSchema = r.Version, r.Schema
		}
	}
	if state.Serves, err = s.servesFrom(ctx); err != nil {
		return err
	}
	for name, into := range map[string]func(int64){
		settingUpgrading: func(n int64) { state.Unfinished = n },
		settingBackedUp:  func(n int64) { state.BackedUp = time.UnixMilli(n) },
	} {
		text, err := s.Setting(ctx, name)
		if errors.Is(err, access.ErrNotFound) {
			continue
		}
		n, parsed := strconv.ParseInt(text, 10, 64)
		if err := errors.Join(err, parsed); err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
		into(n)
	}
	return nil
}

// lookSteps lists what is not applied yet.
func (s *Store) lookSteps(ctx context.Context, state *State, files []migration.File) error {
	for _, f := range files {
		if f.Version <= state.Schema {
			continue
		}
		step := Step{Name: f.Name}
		for _, statement := range f.Statements {
			kind, table := statement.Work()
			if kind == migration.AtOnce {
				continue
			}
			rows, err := s.rowsAbout(ctx, table)
			if err != nil {
				return err
			}
			if rows > 0 {
				step.Work = append(step.Work, StepWork{Kind: kind, Table: table, Rows: rows})
			}
		}
		state.Steps = append(state.Steps, step)
	}
	return nil
}

// rowsAbout is how many rows a table has: as PostgreSQL last counted them, where it did; 0 where there is no such table.
func (s *Store) rowsAbout(ctx context.Context, table string) (rows int64, err error) {
	columns, err := s.tableColumns(ctx, table)
	if err != nil || len(columns) == 0 {
		return 0, err
	}
	if s.engine == postgres {
		err := s.read.QueryRowContext(ctx, `SELECT reltuples::bigint FROM pg_class WHERE oid = to_regclass($1)`, table).Scan(&rows)
		if err != nil || rows > 0 {
			return rows, err
		}
	}
	err = s.read.QueryRowContext(ctx, `SELECT COUNT(*) FROM `+quoteName(table)).Scan(&rows)
	return rows, err
}

func (s *Store) lookNodes(ctx context.Context, state *State, since time.Time) error {
	columns, err := s.tableColumns(ctx, "nodes")
	if err != nil || len(columns) == 0 {
		return err
	}
	version := `''`
	if slices.Contains(columns, "version") { // since when they say it
		version = "version"
	}
	state.Living, err = selectAll(ctx, s.read, "read nodes", func(n *NodeState) []any { return []any{&n.ID, at(&n.Seen), &n.Version} },
		`SELECT id, seen_at, `+version+` FROM nodes WHERE seen_at >= $1 ORDER BY id`, millis(since))
	return err
}

// tableColumns are the names of a table's columns, none where there is no such table.
func (s *Store) tableColumns(ctx context.Context, table string) ([]string, error) {
	if s.engine == postgres {
		return s.texts(ctx, `SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped`, table)
	}
	return s.texts(ctx, `SELECT name FROM pragma_table_info($1)`, table)
}
