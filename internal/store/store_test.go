package store

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stele/internal/store/storetest"
)

func TestOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := storetest.Place(t, engine)
			var wg sync.WaitGroup
			for range 6 {
				wg.Go(func() {
					s, err := Open(t.Context(), databaseURL, folder)
					if err != nil {
						t.Error(err)
						return
					}
					s.Close()
				})
			}
			wg.Wait()
		})
	}
}

func TestDatabaseFileIsPrivate(t *testing.T) {
	t.Parallel()
	folder := openTest(t, "sqlite").folder
	files, err := filepath.Glob(filepath.Join(folder, "*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		info, err := os.Stat(f)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", filepath.Base(f), info.Mode())
		}
	}
}

func TestBadDatabaseURLDoesNotShowItsPassword(t *testing.T) {
	t.Parallel()
	for _, u := range []string{"postgres://user:hunter2@host:notaport/db", "postgres://user:hunter2@127.0.0.1:1/db?connect_timeout=1"} {
		_, err := Open(t.Context(), u, "")
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("Open = %v", err)
		}
	}
}

// TestBothEnginesHaveTheSameTables keeps the two folders of migrations together.
func TestBothEnginesHaveTheSameTables(t *testing.T) {
	t.Parallel()
	lite := openTest(t, "sqlite")
	pg := openTest(t, "postgres")
	got := columns(t, lite.read, `SELECT m.name, c.name FROM sqlite_master m, pragma_table_info(m.name) c
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' AND m.name NOT LIKE 'goose_%' ORDER BY 1, 2`)
	want := columns(t, pg.read, `SELECT table_name, column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name NOT LIKE 'goose_%' ORDER BY 1, 2`)
	if got != want {
		t.Errorf("sqlite:\n%s\npostgres:\n%s", got, want)
	}
}

func columns(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var list strings.Builder
	for rows.Next() {
		var table, column string
		if err := rows.Scan(&table, &column); err != nil {
			t.Fatal(err)
		}
		list.WriteString(table + "." + column + "\n")
	}
	if err := rows.Err(); err != nil || list.Len() == 0 {
		t.Fatal("no tables", err)
	}
	return list.String()
}

func openTest(t testing.TB, engine string) *Store {
	t.Helper()
	databaseURL, folder := storetest.Copy(t, engine, migrate)
	s, err := Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func migrate(ctx context.Context, databaseURL, folder string) error {
	s, err := Open(ctx, databaseURL, folder)
	if err == nil {
		s.Close()
	}
	return err
}
