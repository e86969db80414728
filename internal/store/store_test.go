package store

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"stele/internal/access"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

func TestSQLite(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) access.Store { return openTest(t, "", t.TempDir()) })
}

func TestPostgres(t *testing.T) {
	t.Parallel()
	server := postgresServer(t)
	storetest.Run(t, func(t *testing.T) access.Store { return openTest(t, newDatabase(t, server), "") })
}

func TestRefusesADatabaseNewerThanTheBinary(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	s := openTest(t, "", folder)
	if _, err := s.write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)`); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), "", folder)
	if err == nil || !strings.Contains(err.Error(), "newer stele") {
		t.Errorf("Open = %v, want a sentence about a newer stele", err)
	}
}

func TestOpenedByManyAtOnce(t *testing.T) {
	t.Parallel()
	places := map[string]func(t *testing.T) (databaseURL, folder string){
		"sqlite":   func(t *testing.T) (string, string) { return "", t.TempDir() },
		"postgres": func(t *testing.T) (string, string) { return newDatabase(t, postgresServer(t)), "" },
	}
	for name, place := range places {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := place(t)
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
	folder := t.TempDir()
	openTest(t, "", folder)
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
	lite := openTest(t, "", t.TempDir())
	pg := openTest(t, newDatabase(t, postgresServer(t)), "")
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
	if list.Len() == 0 {
		t.Fatal("no tables")
	}
	return list.String()
}

func openTest(t *testing.T, databaseURL, folder string) *Store {
	t.Helper()
	s, err := Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

func postgresServer(t *testing.T) string {
	t.Helper()
	server := os.Getenv("STELE_TEST_POSTGRES")
	if server == "" {
		if os.Getenv("STELE_TEST_REQUIRE") != "" {
			t.Fatal("STELE_TEST_POSTGRES is not set")
		}
		t.Skip("STELE_TEST_POSTGRES is not set: make test sets it")
	}
	return server
}

// newDatabase makes an empty database on the server and drops it with the test.
func newDatabase(t *testing.T, server string) string {
	t.Helper()
	name := "stele_" + strings.ToLower(uid.Secret(10))
	admin := func(ctx context.Context, statement string) error {
		conn, err := pgx.Connect(ctx, server)
		if err != nil {
			return err
		}
		defer conn.Close(ctx)
		_, err = conn.Exec(ctx, statement)
		return err
	}
	if err := admin(t.Context(), "CREATE DATABASE "+name); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := admin(context.WithoutCancel(t.Context()), "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}
