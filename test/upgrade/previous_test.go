package upgrade

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"stele/test/rig"
)

// previous builds the program of a commit before: STELE_TEST_PREVIOUS, or the one before the schema last changed.
func previous(t *testing.T) string {
	t.Helper()
	path, err := buildPrevious()
	if err != nil {
		rig.Lacking(t, err.Error())
	}
	return path
}

var buildPrevious = sync.OnceValues(func() (string, error) {
	ref := os.Getenv("STELE_TEST_PREVIOUS")
	if ref == "" {
		last, err := git("rev-list", "-1", "--first-parent", "HEAD", "--", "internal/store/migrations/*/*.sql")
		if err != nil || last == "" {
			return "", fmt.Errorf("there is no history of git here: %w", err)
		}
		ref = last + "^"
	}
	folder := filepath.Join(filepath.Dir(os.Getenv("STELE_TEST_BINARY")), "previous")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	tar := exec.Command("bash", "-o", "pipefail", "-c", `git -C "$1" archive "$2" | tar -x -C "$3"`, "bash", rig.Root(), ref, folder)
	if out, err := tar.CombinedOutput(); err != nil {
		return "", fmt.Errorf("there is no commit %s here: %s: %w", ref, out, err)
	}
	// Without the name of the folder in them, Go finds the packages in its cache: it is another folder each time.
	build := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w", "-o", "stele", "./cmd/stele")
	build.Dir = folder
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %s: %w", ref, out, err)
	}
	return filepath.Join(folder, "stele"), nil
})

func git(args ...string) (string, error) {
	out, err := exec.Command("git", append([]string{"-C", rig.Root()}, args...)...).Output()
	return strings.TrimSpace(string(out)), err
}
