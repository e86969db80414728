package store

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"stele/internal/table"
)

// Tables that are not of ours: goose's list of migrations, and the queue's, which reads
// and writes its own.
func notOurs(name string) bool {
	return name == "goose_db_version" || strings.HasPrefix(name, "river_")
}

// tables reads from the database itself what tables it has, each after those it
// refers to: a table that a migration adds is here without being named anywhere.
func (s *Store) tables(ctx context.Context, db querier) ([]table.Table, error) {
	names, err := texts(ctx, db, s.tableNames())
	if err != nil {
		return nil, fmt.Errorf("read tables: %w", err)
	}
	names = slices.DeleteFunc(names, notOurs)
	byName := make(map[string]table.Table)
	needs := make(map[string][]string)
	for _, name := range names {
		t := table.Table{Name: name}
		if t.Columns, err = s.columns(ctx, db, name); err != nil {
			return nil, err
		}
		byName[name] = t
		if needs[name], err = texts(ctx, db, s.references(), name); err != nil {
			return nil, fmt.Errorf("read what %s refers to: %w", name, err)
		}
	}
	var list []table.Table
	var place func(name string)
	placed := make(map[string]bool)
	place = func(name string) {
		if placed[name] {
			return
		}
		placed[name] = true
		for _, need := range needs[name] {
			place(need)
		}
		list = append(list, byName[name])
	}
	for _, name := range names {
		place(name)
	}
	return list, nil
}

func (s *Store) tableNames() string {
	if s.engine == postgres {
		return `SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema() ORDER BY tablename::text COLLATE "C"`
	}
	return `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`
}

func (s *Store) references() string {
	if s.engine == postgres {
		return `SELECT DISTINCT c.confrelid::regclass::text FROM pg_constraint c WHERE c.contype = 'f' AND c.conrelid = to_regclass($1)`
	}
	return `SELECT DISTINCT "table" FROM pragma_foreign_key_list($1)`
}

// kinds is what the engines call the kinds of columns.
var kinds = map[string]table.Kind{
	"INTEGER": table.Integer, "BIGINT": table.Integer, "REAL": table.Real, "DOUBLE PRECISION": table.Real,
	"TEXT": table.Text, "BLOB": table.Bytes, "BYTEA": table.Bytes,
}

// columns are a table's, by name: an older database may have them in another order.
func (s *Store) columns(ctx context.Context, db querier, name string) ([]table.Column, error) {
	query := `SELECT name, type FROM pragma_table_info($1) ORDER BY name`
	if s.engine == postgres {
		query = `SELECT attname::text, upper(format_type(atttypid, atttypmod)) FROM pg_attribute
			WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attname::text COLLATE "C"`
	}
	return selectAll(ctx, db, "read columns of "+name, func(c *table.Column) []any {
		return []any{&c.Name, cellOf(func(kind string) error {
			if c.Kind = kinds[strings.ToUpper(kind)]; c.Kind == "" {
				return fmt.Errorf("%s.%s is of a kind that only one engine has: %s", name, c.Name, kind)
			}
			return nil
		})}
	}, query, name)
}

func texts(ctx context.Context, db querier, query string, args ...any) ([]string, error) {
	return selectAll(ctx, db, "read", value[string], query, args...)
}
