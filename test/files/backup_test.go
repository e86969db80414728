package files

import (
	"crypto/sha256"
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

// backupPatience is how long gigabytes may take.
const backupPatience = 30 * time.Minute

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

func must(t *testing.T, h *rig.House, args ...string) {
	t.Helper()
	r := h.TryFor(t, backupPatience, args...)
	if r.Code != 0 {
		t.Fatalf("stele %s: %s", strings.Join(args, " "), r.Stderr)
	}
	t.Log(strings.TrimSpace(r.Stdout))
}
