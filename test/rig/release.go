package rig

import (
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Release is a house on the database of a released version, not serving.
type Release struct {
	*House
	Database string // "" on SQLite
	Key      string
	Script   string // that made the database
}

// ReleasedFolder is where the schema of each release stays.
func ReleasedFolder() string {
	return filepath.Join(Root(), "internal", "store", "testdata", "released")
}

// Released is the list of all releases with their schemas, the oldest first.
func Released() string {
	return filepath.Join(Root(), "internal", "store", "migrations", "released.txt")
}

// FirstRelease is the oldest release.
func FirstRelease(t testing.TB) string {
	t.Helper()
	list, err := os.ReadFile(Released())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		if version, _, ok := strings.Cut(line, " "); ok && version != "#" {
			return version
		}
	}
	t.Fatal("no release is listed")
	return ""
}

// LoadRelease makes an installation as a release left it, on sqlite or postgres.
func LoadRelease(t testing.TB, version, engine string, o Options) Release {
	t.Helper()
	folder := filepath.Join(ReleasedFolder(), version)
	i := Release{Script: Unpack(t, filepath.Join(folder, engine+".sql.gz"))}
	if engine == "postgres" {
		i.Database = NewDatabase(t)
		o.Flags = append(o.Flags, "--database-url", i.Database)
	}
	i.House = New(t, o)
	if err := os.MkdirAll(i.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	master, err := os.ReadFile(filepath.Join(folder, "master.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(i.Data, "master.key"), master, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(folder, "api.key"))
	if err != nil {
		t.Fatal(err)
	}
	i.Key = strings.TrimSpace(string(key))
	i.Keep(i.Key)
	i.execute(t)
	return i
}

func (i *Release) execute(t testing.TB) {
	t.Helper()
	driver, source, script := "pgx", i.Database+"&default_query_exec_mode=simple_protocol", i.Script
	if i.Database == "" {
		driver, source = "sqlite", "file:"+filepath.Join(i.Data, "stele.db")
		script = "BEGIN;\n" + script + "COMMIT;"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

// Unpack reads a file of a release.
func Unpack(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
