package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"testing"

	"stele/internal/store/storetest"
	"stele/internal/table"
)

// Whatever tables the migrations make are carried from any engine to any other, with
// every value that a column can have. The list of tables is nowhere but in the migrations.
func TestEveryTableIsCarried(t *testing.T) {
	t.Parallel()
	for _, way := range [][2]string{{"sqlite", "sqlite"}, {"sqlite", "postgres"}, {"postgres", "sqlite"}} {
		t.Run(way[0]+" to "+way[1], func(t *testing.T) {
			t.Parallel()
			from, to := openTest(t, way[0]), openTest(t, way[1])
			put(t, from, Content{Rows: madeUp})
			n, err := from.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			defer n.Close()
			put(t, to, Content{Rows: func(tb table.Table) table.Rows { return n.Rows(t.Context(), tb) }})
			want, err := n.Sums(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			there, err := to.Snapshot(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got, err := there.Sums(t.Context())
			there.Close()
			if err != nil {
				t.Fatal(err)
			}
			names := migrated(t, way[0])
			if len(want) != len(names) {
				t.Errorf("%d tables were carried, the migrations make %d", len(want), len(names))
			}
			for _, name := range names {
				a, b := want[name], got[name]
				if a.Rows() != rowsMadeUp || a != b {
					t.Errorf("%s: %d rows with sum %v became %d with %v", name, a.Rows(), &a, b.Rows(), &b)
				}
			}
			numbersGoOn(t, to)
			if err := fillWith(t, to, Content{Rows: madeUp}); !errors.Is(err, ErrNotEmpty) {
				t.Errorf("a database in use was filled: %v", err)
			}
		})
	}
}

func TestAFillThatDisagreesLeavesNothing(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := openTest(t, engine)
			wrong := errors.New("other sums")
			err := fillWith(t, s, Content{Rows: madeUp, Agree: func(map[string]table.Sum) error { return wrong }})
			if !errors.Is(err, wrong) {
				t.Fatalf("Fill = %v", err)
			}
			if used, err := s.WasUsed(t.Context()); err != nil || used {
				t.Errorf("rows are left: %v, %v", used, err)
			}
		})
	}
}

func put(t *testing.T, s *Store, c Content) {
	t.Helper()
	if err := fillWith(t, s, c); err != nil {
		t.Fatal(err)
	}
}

func fillWith(t *testing.T, s *Store, c Content) error {
	t.Helper()
	n, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Version, c.Tables = n.Version, n.Tables
	n.Close()
	c.Also = func(context.Context, *sql.Tx) error { return nil }
	if c.Agree == nil {
		c.Agree = func(map[string]table.Sum) error { return nil }
	}
	return s.Fill(t.Context(), c)
}

const (
	rowsMadeUp = 70        // more than one statement takes
	large      = 1<<53 + 1 // not a float64
)

// madeUp gives rows with a value for every column: alike in one row, so that those which
// refer to others find them.
func madeUp(t table.Table) table.Rows {
	return func(yield func([]any, error) bool) {
		for i := range int64(rowsMadeUp) {
			row := make([]any, len(t.Columns))
			for j, c := range t.Columns {
				switch c.Kind {
				case table.Integer:
					row[j] = []int64{i + 1, large + i, -i - 1}[i%3]
				case table.Real:
					row[j] = 0.1 * float64(i)
				case table.Bytes:
					row[j] = []byte{0, 0xff, byte(i), byte(i >> 8)}
				default:
					row[j] = fmt.Sprintf("%d \"ünï\"\n\t🪨 \\ '", i)
				}
			}
			if !yield(row, nil) {
				return
			}
		}
	}
}

var createTable = regexp.MustCompile(`(?im)^\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+)`)

// migrated are the tables that the migrations of an engine make.
func migrated(t *testing.T, engine string) []string {
	t.Helper()
	var names []string
	err := fs.WalkDir(migrations, "migrations/"+engine, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := fs.ReadFile(migrations, path)
		for _, m := range createTable.FindAllStringSubmatch(string(text), -1) {
			names = append(names, m[1])
		}
		return err
	})
	if err != nil || len(names) < 40 {
		t.Fatalf("read migrations: %d tables, %v", len(names), err)
	}
	slices.Sort(names)
	return names
}

// numbersGoOn checks that numbers which the database gives are new ones.
func numbersGoOn(t *testing.T, s *Store) {
	t.Helper()
	var next int64
	err := s.write.QueryRowContext(t.Context(), `INSERT INTO sandbox_journal (key, at, life) VALUES ('k', 1, $1) RETURNING seq`, []byte{1}).Scan(&next)
	if err != nil || next <= large {
		t.Errorf("the next number is %d: %v", next, err)
	}
}
