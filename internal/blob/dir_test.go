package blob_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/blob"
)

func TestAFolderPassesTheSuite(t *testing.T) {
	t.Parallel()
	runSuite(t, func(t *testing.T) (blob.Store, func() []string) {
		folder := filepath.Join(t.TempDir(), "blobs")
		place, err := blob.OpenDir(folder, false)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { place.Close() })
		return place, func() []string { return files(t, folder) }
	})
}

// files names every file below a folder, staged ones included.
func files(t *testing.T, folder string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestOnlyTheOwnerReadsAFolder(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "blobs")
	place, err := blob.OpenDir(folder, false)
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	if _, err := place.Put(t.Context(), "ws/one", strings.NewReader("x")); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestWhatWasLeftHalfWrittenIsSweptAtStart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	staged := filepath.Join(folder, ".staging")
	if err := os.MkdirAll(staged, 0o700); err != nil {
		t.Fatal(err)
	}
	leave := func(name string, age time.Duration) {
		name = filepath.Join(staged, name)
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		at := time.Now().Add(-age)
		if err := os.Chtimes(name, at, at); err != nil {
			t.Fatal(err)
		}
	}
	leave("old", 2*time.Hour)
	leave("young", time.Minute)
	for _, test := range []struct {
		shared bool
		left   int
	}{{true, 1}, {false, 0}} {
		place, err := blob.OpenDir(folder, test.shared)
		if err != nil {
			t.Fatal(err)
		}
		place.Close()
		if got := files(t, folder); len(got) != test.left {
			t.Errorf("shared %v: %v", test.shared, got)
		}
	}
}

// TestALinkLeadsNowhere: a process that can write into the folder cannot make Stele
// read outside of it.
func TestALinkLeadsNowhere(t *testing.T) {
	t.Parallel()
	folder, outside := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "secret"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(folder, "link")); err != nil {
		t.Fatal(err)
	}
	place, err := blob.OpenDir(folder, false)
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	if r, err := place.Open(t.Context(), "link/secret", 0, -1); err == nil {
		r.Close()
		t.Error("a link was followed out of the folder")
	}
}
