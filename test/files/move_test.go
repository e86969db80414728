package files

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"

	"stele/test/rig"
)

// An installation that outgrows its machine: from SQLite and a folder to PostgreSQL and object storage, with everything that clients hold.
func TestMovesToPostgreSQLAndObjectStorage(t *testing.T) {
	t.Parallel()
	database := rig.NewDatabase(t)
	storage := rig.NewStorage(t).Place("files")

	h := rig.Start(t, rig.Options{})
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	const size = 1 << 20
	status, text := send(t, h, key, aFilm(size))
	var kept struct{ Data struct{ URL string } }
	if err := json.Unmarshal([]byte(text), &kept); err != nil || status != http.StatusCreated {
		t.Fatal(status, text, err)
	}
	made := h.Post(t, "/api/v1/generations", key, `{"model": "stele/canvas", "prompt": "One text, three scripts"}`)
	id := regexp.MustCompile(`gen_\w+`).FindString(made.Body)
	if made.Status != http.StatusCreated || id == "" {
		t.Fatal(made.Status, made.Body)
	}
	if a := h.Get(t, "/api/v1/generations/"+id+"?wait=60", key); a.Status != http.StatusOK {
		t.Fatal(a.Status, a.Body)
	}
	if r := h.Try(t, "move", "--to-database", database); r.Code == 0 {
		t.Error("it moved under a server that runs")
	}
	h.Stop(t)
	h.Run(t, "move", "--to-database", database, "--to-files", storage)

	there := rig.Start(t, rig.Options{Flags: []string{
		"--database-url", database, "--blob-url", storage, "--master-key-file", filepath.Join(h.Data, "master.key"),
	}})
	there.Await(t, key, http.StatusOK)
	if a := there.Get(t, "/api/v1/generations/"+id, key); a.Status != http.StatusOK {
		t.Error(a.Status, a.Body)
	}
	u, err := url.Parse(kept.Data.URL)
	if err != nil {
		t.Fatal(err)
	}
	want, err := io.ReadAll(aFilm(size))
	if err != nil {
		t.Fatal(err)
	}
	if a := there.Get(t, u.RequestURI(), ""); a.Status != http.StatusOK || a.Body != string(want) {
		t.Errorf("the file: %d, %d bytes", a.Status, len(a.Body))
	}
}
