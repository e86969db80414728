package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// fixture refuses a tree that does not keep the schema of its version: every later release upgrades it in its tests.
func (r *release) fixture() error {
	names, err := filepath.Glob(r.path("internal", "store", "migrations", "sqlite", "*.sql"))
	if err != nil || len(names) == 0 {
		return fmt.Errorf("read migrations: %d files, %w", len(names), err)
	}
	number, _, _ := strings.Cut(filepath.Base(slices.Max(names)), "_")
	want := r.version + " " + strings.TrimLeft(number, "0")
	list, err := os.ReadFile(r.path("internal", "store", "migrations", "released.txt"))
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Split(string(list), "\n"), want) {
		return fmt.Errorf("the schema of this version is not kept (released.txt lacks %q): call make fixture and commit what it writes", want)
	}
	for _, engine := range []string{"sqlite", "postgres"} {
		if _, err := os.Stat(r.path("internal", "store", "testdata", "released", r.version, engine+".sql.gz")); err != nil {
			return fmt.Errorf("%w: call make fixture and commit what it writes", err)
		}
	}
	return nil
}
