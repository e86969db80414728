package consoletest

import (
	"context"
	"testing"

	"stele/internal/access"
	"stele/internal/store"
)

// database is a real one that can be told to fail when a session is looked up.
type database struct {
	*store.Store
	Folder string
	Find   func() error
}

func newDatabase(t *testing.T, from *home) *database {
	t.Helper()
	folder := t.TempDir()
	if err := from.copyTo(folder); err != nil {
		t.Fatal(err)
	}
	s, err := store.Open(t.Context(), "", folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &database{Store: s, Folder: folder}
}

func (d *database) SessionByHash(ctx context.Context, hash string) (access.Visitor, error) {
	if d.Find != nil {
		if err := d.Find(); err != nil {
			return access.Visitor{}, err
		}
	}
	return d.Store.SessionByHash(ctx, hash)
}
