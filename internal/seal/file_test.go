package seal_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"stele/internal/seal"
)

// TestWhatIsLeftOfMakingAKeyIsRemoved leaves the first name of a key beside it, as a process
// does that dies in between, or a disk on which nothing can be removed.
func TestWhatIsLeftOfMakingAKeyIsRemoved(t *testing.T) {
	t.Parallel()
	for name, again := range map[string]func(path string) error{
		"by the next start":  func(path string) error { _, err := seal.LoadOrMake(path); return err },
		"by the next change": func(path string) error { return seal.Replace(path+".next", path) },
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "master.key")
		for _, p := range []string{path, path + ".next"} {
			if _, err := seal.LoadOrMake(p); err != nil {
				t.Fatal(err)
			}
		}
		left, fresh, other := filepath.Join(folder, ".master-1"), filepath.Join(folder, ".master-2"), filepath.Join(folder, "master-3")
		for p, age := range map[string]time.Duration{left: time.Hour, fresh: 0, other: time.Hour} {
			if err := os.WriteFile(p, []byte("x"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(p, time.Time{}, time.Now().Add(-age)); err != nil {
				t.Fatal(err)
			}
		}
		if err := again(path); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: it is still there: %v", name, err)
		}
		for _, p := range []string{fresh, other, path} { // another process may be making the first
			if _, err := os.Stat(p); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
