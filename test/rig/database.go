package rig

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/hex"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the database/sql driver "pgx"
	_ "modernc.org/sqlite"             // the database/sql driver "sqlite"
)

// NewDatabase makes an empty PostgreSQL database for one test and returns its URL.
func NewDatabase(t testing.TB) string {
	t.Helper()
	server := Need(t, "STELE_TEST_POSTGRES")
	name := "test_" + strings.ToLower(rand.Text())
	administer(t, server, "CREATE DATABASE "+name+copied(t, server))
	t.Cleanup(func() { administer(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

// copied has the server copy the files of an empty database, where nothing is synced: by default, from version 15 on,
// every page goes through its log, which takes four times as much of a processor.
func copied(t testing.TB, server string) (strategy string) {
	t.Helper()
	onServer(t, server, func(ctx context.Context, db *sql.DB) error {
		return db.QueryRowContext(ctx, `SELECT CASE WHEN current_setting('fsync') = 'off' AND current_setting('server_version_num')::int >= 150000
			THEN ' STRATEGY FILE_COPY' ELSE '' END`).Scan(&strategy)
	})
	return strategy
}

func administer(t testing.TB, server, statement string) {
	t.Helper()
	onServer(t, server, func(ctx context.Context, db *sql.DB) error {
		if _, err := db.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
		return nil
	})
}

func onServer(t testing.TB, server string, do func(context.Context, *sql.DB) error) {
	t.Helper()
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // t's own is over when the database is dropped
	defer cancel()
	if err := do(ctx, db); err != nil {
		t.Error(err)
	}
}

// Books opens the house's database to look into it, beside the server. databaseURL
// is that of PostgreSQL, "" where the house keeps SQLite.
func (h *House) Books(t testing.TB, databaseURL string) *sql.DB {
	t.Helper()
	driver, source := "pgx", databaseURL
	if databaseURL == "" {
		driver, source = "sqlite", fmt.Sprintf("file:%s?mode=ro&_pragma=busy_timeout(10000)", filepath.Join(h.Data, "stele.db"))
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// NewMasterKey writes a master key to a file.
func NewMasterKey(t *testing.T) string {
	t.Helper()
	secret := make([]byte, 32)
	rand.Read(secret)
	file := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(file, []byte(hex.EncodeToString(secret)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
