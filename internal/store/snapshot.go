package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"stele/internal/table"
)

// Snapshot is the database as of one moment, while others go on changing it.
type Snapshot struct {
	Version int64 // of the schema
	Tables  []table.Table

	tx *sql.Tx
}

// Snapshot begins one. It must be closed: SQLite keeps what is written meanwhile
// beside the database until then.
func (s *Store) Snapshot(ctx context.Context) (*Snapshot, error) {
	tx, err := s.beginReading(ctx)
	if err != nil {
		return nil, fmt.Errorf("begin snapshot: %w", err)
	}
	n := &Snapshot{tx: tx}
	if err = s.allowIdle(ctx, tx); err == nil {
		err = tx.QueryRowContext(ctx, schemaVersion).Scan(&n.Version)
	}
	if err == nil {
		n.Tables, err = s.tables(ctx, tx)
	}
	if err != nil {
		n.Close()
		return nil, fmt.Errorf("begin snapshot: %w", err)
	}
	return n, nil
}

const schemaVersion = `SELECT max(version_id) FROM goose_db_version`

// Close ends the snapshot.
func (n *Snapshot) Close() { _ = n.tx.Rollback() } // nothing was changed

// QueryContext is for libraries that keep tables beside ours.
func (n *Snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return n.tx.QueryContext(ctx, query, args...)
}

// Rows reads a table.
func (n *Snapshot) Rows(ctx context.Context, t table.Table) table.Rows {
	return readTable(ctx, n.tx, t)
}

// Sums tells the tables apart from others.
func (n *Snapshot) Sums(ctx context.Context) (map[string]table.Sum, error) {
	return sumTables(ctx, n.tx, n.Tables)
}

// Blobs are the files that the tables speak of: the checksum of each, by its key.
func (n *Snapshot) Blobs(ctx context.Context) (map[string]string, error) {
	return selectPairs[string, string](ctx, n.tx, "read files", `SELECT blob, sha256 FROM files WHERE state = 'ready'`)
}

func readTable(ctx context.Context, db querier, t table.Table) table.Rows {
	return func(yield func([]any, error) bool) {
		rows, err := db.QueryContext(ctx, `SELECT `+columnList(t)+` FROM `+quoteName(t.Name))
		if err != nil {
			yield(nil, fmt.Errorf("read %s: %w", t.Name, err))
			return
		}
		defer rows.Close()
		row := newRow(t)
		for rows.Next() {
			if err := rows.Scan(row.into...); err != nil {
				yield(nil, fmt.Errorf("read %s: %w", t.Name, err))
				return
			}
			if !yield(row.read(), nil) {
				return
			}
		}
		if err := rows.Err(); err != nil {
			yield(nil, fmt.Errorf("read %s: %w", t.Name, err))
		}
	}
}

// scanned is where a driver puts the values of a row.
type scanned struct {
	into   []any
	values []any
}

func newRow(t table.Table) *scanned {
	s := &scanned{values: make([]any, len(t.Columns))}
	for _, c := range t.Columns {
		switch c.Kind {
		case table.Integer:
			s.into = append(s.into, new(sql.Null[int64]))
		case table.Real:
			s.into = append(s.into, new(sql.Null[float64]))
		case table.Bytes:
			s.into = append(s.into, new(sql.Null[[]byte]))
		default:
			s.into = append(s.into, new(sql.Null[string]))
		}
	}
	return s
}

func (s *scanned) read() []any {
	for i, at := range s.into {
		s.values[i] = nil
		switch v := at.(type) {
		case *sql.Null[int64]:
			s.values[i] = orNil(v)
		case *sql.Null[float64]:
			s.values[i] = orNil(v)
		case *sql.Null[[]byte]:
			if v.Valid && v.V == nil { // a driver's nothing
				v.V = []byte{}
			}
			s.values[i] = orNil(v)
		case *sql.Null[string]:
			s.values[i] = orNil(v)
		}
	}
	return s.values
}

func orNil[T any](v *sql.Null[T]) any {
	if v.Valid {
		return v.V
	}
	return nil
}

// columnList names a table's columns. Some are words of SQL.
func columnList(t table.Table) string {
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = quoteName(c.Name)
	}
	return strings.Join(names, ", ")
}

func quoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
