package upgrade

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"stele/test/rig"
)

// manifest is what is compared of a backup.
type manifest struct {
	Engine string `json:"engine"`
	Tables []struct {
		Name string `json:"name"`
		Rows int64  `json:"rows"`
		Sum  string `json:"sum"`
	} `json:"tables"`
	Jobs  struct{ Rows int64 } `json:"jobs"`
	Files int                  `json:"files"`
	Bytes int64                `json:"file_bytes"`
}

// An installation with rows in every table goes from SQLite to PostgreSQL and back: all sums are what they were.
func TestThereAndBackAgain(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{Config: seedConfig})
	key := seed(t, h)
	h.Stop(t)
	fillEmpty(t, openBooks(t, h))
	first := save(t, h)

	database := rig.NewDatabase(t)
	h.Run(t, "move", "--to-database", database)
	shared := []string{"--master-key-file", filepath.Join(h.Data, "master.key"), "--blob-url", "file://" + filepath.Join(h.Data, "blobs")}
	away := rig.New(t, rig.Options{Flags: append([]string{"--database-url", database}, shared...)})
	compare(t, first, save(t, away))
	away.Run(t, "move", "--to-database", "sqlite")

	back := rig.New(t, rig.Options{Flags: shared})
	if err := os.Rename(away.Data, back.Data); err != nil {
		t.Fatal(err)
	}
	compare(t, first, save(t, back))
	back.Start(t)
	back.Keep(key)
	back.Await(t, key, http.StatusOK)
	servesAllRoutes(t, back, key)
}

func save(t *testing.T, h *rig.House) (m manifest) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "backup")
	h.Run(t, "backup", folder)
	text, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func compare(t *testing.T, want, got manifest) {
	t.Helper()
	if len(want.Tables) != len(got.Tables) || len(want.Tables) < 44 || want.Jobs != got.Jobs || want.Files != got.Files || want.Files < 2 || want.Bytes != got.Bytes {
		t.Errorf("%s: %d tables, %d jobs, %d files of %d bytes; were %d, %d, %d of %d", got.Engine, len(got.Tables), got.Jobs.Rows, got.Files, got.Bytes,
			len(want.Tables), want.Jobs.Rows, want.Files, want.Bytes)
	}
	for i, is := range got.Tables {
		was := want.Tables[i]
		if is != was && is.Name != "settings" { // it says when the last backup was made
			t.Errorf("%s: %s has %d rows with sum %s, had %d with %s", got.Engine, is.Name, is.Rows, is.Sum, was.Rows, was.Sum)
		}
		if is.Rows == 0 {
			t.Errorf("%s is empty", is.Name)
		}
	}
}
