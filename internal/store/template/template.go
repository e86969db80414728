// Package template gives tests a database that has its tables already. Tests of the
// migrations themselves begin with an empty one, from storetest.
package template

import (
	"context"
	"testing"

	"stele/internal/store"
	"stele/internal/store/storetest"
)

// Place is a database of an engine for store.Open, taken away with the test.
func Place(t testing.TB, engine string) (databaseURL, folder string) {
	t.Helper()
	return storetest.Copy(t, engine, migrate)
}

// Folder is a new folder with a SQLite database for store.Open.
func Folder(t testing.TB) string {
	t.Helper()
	return In(t, t.TempDir())
}

// In puts a SQLite database for store.Open into a folder that has none, and returns the folder.
func In(t testing.TB, folder string) string {
	t.Helper()
	storetest.CopyTo(t, folder, migrate)
	return folder
}

func migrate(ctx context.Context, databaseURL, folder string) error {
	s, err := store.Open(ctx, databaseURL, folder)
	if err == nil {
		s.Close() // on SQLite, what is in the journal moves into the file
	}
	return err
}
