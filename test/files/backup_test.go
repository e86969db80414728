package files

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/test/rig"
)

const (
	backupPatience = 30 * time.Minute // is how long gigabytes may take
	backupMemory   = 256 << 20        // is what a command may hold of them
)

// A machine burns. What was backed up while it served is verified, restored elsewhere, and is what clients had.
func TestFilesComeBackFromABackup(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	paths, sums := make([]string, savedFilms), make([]string, savedFilms)
	for i := range savedFilms {
		seen := sha256.New()
		status, text := send(t, h, key, io.TeeReader(aFilm(savedBytes+int64(i)), seen))
		var kept struct{ Data struct{ URL string } }
		if err := json.Unmarshal([]byte(text), &kept); err != nil || status != http.StatusCreated {
			t.Fatal(status, text, err)
		}
		u, err := url.Parse(kept.Data.URL)
		if err != nil {
			t.Fatal(err)
		}
		paths[i], sums[i] = u.RequestURI(), hex.EncodeToString(seen.Sum(nil))
	}
	addRows(t, h, key)
	saved := filepath.Join(t.TempDir(), "backup")
	must(t, h, "backup", saved)
	h.Stop(t)
	master := filepath.Join(t.TempDir(), "master.key")
	text, err := os.ReadFile(filepath.Join(h.Data, "master.key"))
	if err == nil {
		err = os.WriteFile(master, text, 0o600)
	}
	if err == nil {
		err = os.RemoveAll(h.Data)
	}
	if err != nil {
		t.Fatal(err)
	}

	there := rig.New(t, rig.Options{Flags: []string{"--master-key-file", master}})
	must(t, there, "restore", "--verify", saved)
	must(t, there, "restore", saved)
	there.Start(t)
	there.Keep(key)
	there.Await(t, key, http.StatusOK)
	if n := countRequests(t, there.Books(t, "")); n != savedRows+1 {
		t.Errorf("%d rows of requests are there", n)
	}
	for i, path := range paths {
		answer, err := there.Client.Get(there.URL + path) //nolint:noctx // the client has a time limit
		if err != nil {
			t.Fatal(err)
		}
		seen := sha256.New()
		_, err = io.Copy(seen, answer.Body)
		_ = answer.Body.Close()
		if err != nil || answer.StatusCode != http.StatusOK || hex.EncodeToString(seen.Sum(nil)) != sums[i] {
			t.Errorf("film %d: %d, %v", i, answer.StatusCode, err)
		}
	}
}

// addRows has the server book a chat, and copies its row.
func addRows(t *testing.T, h *rig.House, key string) {
	t.Helper()
	const say = `{"model": "stele/sandbox", "messages": [{"role": "user", "content": "hi"}]}`
	if a := h.Post(t, "/api/v1/chat/completions", key, say); a.Status != http.StatusOK {
		t.Fatal(a.Status, a.Body)
	}
	db, err := sql.Open("sqlite", "file:"+filepath.Join(h.Data, "stele.db")+"?_pragma=busy_timeout(30000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rig.Eventually(t, "the chat is booked", func() bool { return countRequests(t, db) == 1 })
	var columns string
	if err := db.QueryRow(`SELECT group_concat(name, ', ') FROM pragma_table_info('requests') WHERE name <> 'id'`).Scan(&columns); err != nil {
		t.Fatal(err)
	}
	_, err = db.Exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
		INSERT INTO requests (id, `+columns+`) SELECT id || '-' || i, `+columns+` FROM n, (SELECT * FROM requests LIMIT 1)`, savedRows)
	if err != nil {
		t.Fatal(err)
	}
}

func countRequests(t *testing.T, db *sql.DB) (n int) {
	t.Helper()
	if err := db.QueryRow(`SELECT COUNT(*) FROM requests`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

func must(t *testing.T, h *rig.House, args ...string) {
	t.Helper()
	began := time.Now()
	r := h.TryFor(t, backupPatience, args...)
	if r.Code != 0 {
		t.Fatalf("stele %s: %s", strings.Join(args, " "), r.Stderr)
	}
	t.Logf("%s (%s, %d MB of memory)", strings.TrimSpace(r.Stdout), time.Since(began).Round(time.Millisecond), r.Peak>>20)
	if r.Peak > backupMemory {
		t.Errorf("stele %s held %d MB", args[0], r.Peak>>20)
	}
}
