package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"stele/internal/table"
)

// ErrNotEmpty says that a database is in use, and is not to be overwritten.
var ErrNotEmpty = errors.New("the database is not empty: there are keys, people or a master key in it")

// Content is what a database is filled with.
type Content struct {
	Version int64 // of the schema; the database must be at the same one
	Tables  []table.Table
	Rows    func(table.Table) table.Rows
	Also    func(context.Context, *sql.Tx) error  // puts what others keep beside our tables
	Agree   func(sums map[string]table.Sum) error // compares what is in the tables, read back, with what ought to be
}

// Fill puts all rows into a database that was never used, in one transaction: either
// everything is there afterwards, as it was, or nothing.
func (s *Store) Fill(ctx context.Context, c Content) error {
	tx, err := s.write.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("fill database: %w", err)
	}
	defer tx.Rollback() // after a commit it does nothing
	if err := errors.Join(s.allowIdle(ctx, tx), s.fits(ctx, tx, c)); err != nil {
		return err
	}
	for _, t := range slices.Backward(c.Tables) { // those that refer to others go first
		if err := exec(ctx, tx, "empty "+t.Name, `DELETE FROM `+quoteName(t.Name)); err != nil {
			return err
		}
	}
	for _, t := range c.Tables {
		if err := s.fillTable(ctx, tx, t, c.Rows(t)); err != nil {
			return err
		}
	}
	if err := c.Also(ctx, tx); err != nil {
		return err
	}
	sums, err := sumTables(ctx, tx, c.Tables)
	if err == nil {
		err = c.Agree(sums)
	}
	if err != nil {
		return err
	}
	return wrap("fill database", tx.Commit())
}

// Holds reports whether a database that is in use has the very rows of the content: they were put there
// before, and only that was not heard. Otherwise it is ErrNotEmpty.
func (s *Store) Holds(ctx context.Context, c Content) error {
	own, err := s.tables(ctx, s.read)
	if err != nil {
		return err
	}
	if !slices.Equal(shapes(own), shapes(c.Tables)) {
		return ErrNotEmpty
	}
	settings := slices.IndexFunc(c.Tables, func(t table.Table) bool { return t.Name == "settings" })
	list := slices.Concat(c.Tables[settings:], c.Tables[:settings]) // another installation differs in the first already
	for _, t := range list {
		got, err := sumRows(t, readTable(ctx, s.read, t))
		if err != nil {
			return err
		}
		want, err := sumRows(t, c.Rows(t))
		if err != nil {
			return err
		}
		if got != want {
			return ErrNotEmpty
		}
	}
	return nil
}

func sumTables(ctx context.Context, db querier, list []table.Table) (map[string]table.Sum, error) {
	sums := make(map[string]table.Sum)
	for _, t := range list {
		sum, err := sumRows(t, readTable(ctx, db, t))
		if err != nil {
			return nil, err
		}
		sums[t.Name] = sum
	}
	return sums, nil
}

func sumRows(t table.Table, rows table.Rows) (sum table.Sum, err error) {
	for _, err := range t.Count(rows, &sum) {
		if err != nil {
			return sum, err
		}
	}
	return sum, nil
}

const usedRows = `SELECT (SELECT count(*) FROM keys) + (SELECT count(*) FROM users) + (SELECT count(*) FROM settings WHERE name = 'keyring')`

// WasUsed reports whether a server or a command has ever worked with the database.
func (s *Store) WasUsed(ctx context.Context) (bool, error) {
	n, err := selectValue[int64](ctx, s.read, "look into the database", usedRows)
	return n > 0, err
}

// fits reports whether the database is unused and has the very tables of the content.
func (s *Store) fits(ctx context.Context, tx *sql.Tx, c Content) error {
	version, err := selectValue[int64](ctx, tx, "fill database", schemaVersion)
	if err != nil {
		return err
	}
	if version != c.Version {
		return fmt.Errorf("the tables are at version %d, and what is to be put there is of version %d: use the same stele for both", version, c.Version)
	}
	used, err := selectValue[int64](ctx, tx, "fill database", usedRows)
	if err != nil {
		return err
	}
	if used > 0 {
		return ErrNotEmpty
	}
	own, err := s.tables(ctx, tx)
	if err != nil {
		return err
	}
	if a, b := shapes(own), shapes(c.Tables); !slices.Equal(a, b) {
		return fmt.Errorf("the tables differ: %s", strings.Join(differences(a, b), ", "))
	}
	return nil
}

func shapes(list []table.Table) []string {
	var out []string
	for _, t := range list {
		for _, c := range t.Columns {
			out = append(out, t.Name+"."+c.Name+" "+string(c.Kind))
		}
	}
	slices.Sort(out)
	return out
}

func differences(a, b []string) []string {
	only := func(x, y []string) []string {
		return slices.DeleteFunc(slices.Clone(x), func(s string) bool { return slices.Contains(y, s) })
	}
	return append(only(a, b), only(b, a)...)
}

// mostParameters is what SQLite takes in one statement.
const mostParameters = 32766

func (s *Store) fillTable(ctx context.Context, tx *sql.Tx, t table.Table, rows table.Rows) error {
	width := len(t.Columns)
	most := min(50, mostParameters/width)
	put := func(args []any) (err error) {
		_, err = tx.ExecContext(ctx, s.fillStatement(t, len(args)/width), args...)
		return err
	}
	if s.engine == sqlite { // it looks each parameter up by its name, among all
		row, err := tx.PrepareContext(ctx, s.fillStatement(t, 1))
		if err != nil {
			return fmt.Errorf("fill %s: %w", t.Name, err)
		}
		defer row.Close()
		most, put = 1, func(args []any) (err error) {
			_, err = row.ExecContext(ctx, args...)
			return err
		}
	}
	var args []any
	flush := func() error {
		if len(args) == 0 {
			return nil
		}
		if err := put(args); err != nil {
			return fmt.Errorf("fill %s: %w", t.Name, err)
		}
		args = args[:0]
		return nil
	}
	for row, err := range rows {
		if err != nil {
			return err
		}
		for _, value := range row {
			if b, ok := value.([]byte); ok {
				value = slices.Clone(b) // it is the reader's, until its next row
			}
			args = append(args, value)
		}
		if len(args) >= most*width {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := flush(); err != nil {
		return err
	}
	return s.raiseIdentity(ctx, tx, t)
}

func (s *Store) fillStatement(t table.Table, n int) string {
	text := `INSERT INTO ` + quoteName(t.Name) + ` (` + columnList(t) + `)`
	if s.engine == postgres {
		text += ` OVERRIDING SYSTEM VALUE`
	}
	return text + ` VALUES ` + placeholders(n, len(t.Columns), true)
}

// raiseIdentity lets the next number that PostgreSQL gives follow those that were put
// there. SQLite sees to it by itself.
func (s *Store) raiseIdentity(ctx context.Context, tx *sql.Tx, t table.Table) error {
	if s.engine != postgres {
		return nil
	}
	columns, err := texts(ctx, tx, `SELECT attname::text FROM pg_attribute WHERE attrelid = to_regclass($1) AND attidentity <> ''`, t.Name)
	if err != nil {
		return fmt.Errorf("number %s: %w", t.Name, err)
	}
	for _, c := range columns {
		err := exec(ctx, tx, "number "+t.Name,
			`SELECT setval(pg_get_serial_sequence($1, $2), coalesce((SELECT max(`+quoteName(c)+`) FROM `+quoteName(t.Name)+`), 0) + 1, false)`, t.Name, c)
		if err != nil {
			return err
		}
	}
	return nil
}
