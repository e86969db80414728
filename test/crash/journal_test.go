package crash

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

	"stele/test/house"
)

// journal counts how often the sandbox accepted each key.
type journal func(t testing.TB) map[string]int

func sqliteJournal(t testing.TB, h *house.House) journal {
	return read(t, "sqlite", fmt.Sprintf("file:%s?mode=ro&_pragma=busy_timeout(10000)", filepath.Join(h.Data, "stele.db")))
}

func postgresJournal(t testing.TB, database string) journal { return read(t, "pgx", database) }

func read(t testing.TB, driver, source string) journal {
	t.Helper()
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	return func(t testing.TB) map[string]int {
		t.Helper()
		defer db.Close()
		rows, err := db.Query(`SELECT key, COUNT(*) FROM sandbox_journal GROUP BY key`)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		counts := make(map[string]int)
		for rows.Next() {
			var key string
			var n int
			if err := rows.Scan(&key, &n); err != nil {
				t.Fatal(err)
			}
			counts[key] = n
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
		return counts
	}
}

// newDatabase makes an empty PostgreSQL database for one test and returns its URL.
func newDatabase(t *testing.T) string {
	t.Helper()
	server := house.Need(t, "STELE_TEST_POSTGRES")
	name := "crash_" + strings.ToLower(rand.Text())
	administer(t, server, "CREATE DATABASE "+name)
	t.Cleanup(func() { administer(t, server, "DROP DATABASE "+name+" WITH (FORCE)") })
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	u.Path = "/" + name
	return u.String()
}

func administer(t *testing.T, server, statement string) {
	t.Helper()
	db, err := sql.Open("pgx", server)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute) // t's own is over when the database is dropped
	defer cancel()
	if _, err := db.ExecContext(ctx, statement); err != nil {
		t.Errorf("%s: %v", statement, err)
	}
}

// newMasterKey writes a master key to a file.
func newMasterKey(t *testing.T) string {
	t.Helper()
	secret := make([]byte, 32)
	rand.Read(secret)
	file := filepath.Join(t.TempDir(), "master.key")
	if err := os.WriteFile(file, []byte(hex.EncodeToString(secret)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}
