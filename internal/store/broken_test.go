package store

import (
	"context"
	"database/sql"
	"errors"
	"testing"

	"stele/internal/access"
	"stele/internal/app"
	"stele/internal/catalog"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/webhook"
)

// A statement that fails says nothing of what is there: a caller who is told that a name is
// taken, or that a file is gone, believes it.
func TestAStatementThatFailsIsNoAnswer(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	var e access.Entry
	changes := map[string]func(*Store) error{
		"workspaces": func(s *Store) error { return s.InsertWorkspace(ctx, access.Workspace{ID: "acme"}, e) },
		"users": func(s *Store) error {
			return s.InsertPerson(ctx, "acme", access.Person{User: access.User{ID: "usr_1", Email: "a@example.com"}}, e)
		},
		"app_drafts": func(s *Store) error { return s.InsertDraft(ctx, app.Draft{Workspace: "acme", ID: "card"}, e) },
		"factors": func(s *Store) error {
			return s.InsertFactors(ctx, []access.Factor{{ID: "fac_1", User: "usr_1"}}, nil, e)
		},
		"set_aside":         func(s *Store) error { return s.ForgetAside(ctx, "acme", "gen_1", e) },
		"webhook_endpoints": func(s *Store) error { return s.UpdateEndpoint(ctx, webhook.Endpoint{ID: "whk_1"}, e) },
		"offers":            func(s *Store) error { return s.DeleteStoredRecord(ctx, catalog.ProviderRecord, "p", 1, e) },
		"limits":            func(s *Store) error { return s.DeleteLimit(ctx, "lim_1", e) },
		"files":             func(s *Store) error { return s.FinishFile(ctx, &file.File{ID: "file_1"}) },
		"file_uses": func(s *Store) error {
			return s.inTx(ctx, func(ctx context.Context, tx *sql.Tx) error {
				return s.useFiles(ctx, tx, &generation.Task{ID: "gen_1", Order: generation.Order{Sources: []generation.Source{{File: "file_1"}}}})
			})
		},
	}
	engines(t, func(t *testing.T, s *Store) {
		for table, change := range changes {
			if _, err := s.write.ExecContext(ctx, "ALTER TABLE "+table+" RENAME TO away"); err != nil {
				t.Fatal(err)
			}
			err := change(s)
			if err == nil || errors.Is(err, access.ErrExists) || errors.Is(err, access.ErrNotFound) || errors.Is(err, catalog.ErrChanged) {
				t.Errorf("without its table %s: %v", table, err)
			}
			if _, err := s.write.ExecContext(ctx, "ALTER TABLE away RENAME TO "+table); err != nil {
				t.Fatal(err)
			}
		}
	})
}
