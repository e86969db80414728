package console_test

import (
	"context"
	"testing"

	"stele/internal/access"
	"stele/internal/store"
	"stele/internal/store/template"
)

// database is a real one that can be told to fail when a session is looked up.
type database struct {
	*store.Store
	folder string
	find   func() error
}

func newDatabase(t *testing.T) *database {
	t.Helper()
	folder := t.TempDir()
	s, err := store.Open(t.Context(), "", template.In(t, folder))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return &database{Store: s, folder: folder}
}

func (d *database) SessionByHash(ctx context.Context, hash string) (access.Visitor, error) {
	if d.find != nil {
		if err := d.find(); err != nil {
			return access.Visitor{}, err
		}
	}
	return d.Store.SessionByHash(ctx, hash)
}
