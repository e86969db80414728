package store

import (
	"io/fs"
	"testing"

	"github.com/pressly/goose/v3"

	"stele/internal/store/storetest"
)

// Who was there before logins were kept keeps what they have, and gets nothing more.
func TestPeopleFromBeforeKeepWhatTheyHave(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			s := before(t, engine, 13)
			for _, statement := range []string{
				`INSERT INTO workspaces (id, created_at) VALUES ('acme', 1), ('zoo', 1)`,
				`INSERT INTO users (id, email, password, admin, created_at) VALUES ('root', 'r@x', 'r', 1, 1), ('one', '1@x', 'p1', 0, 1), ('two', '2@x', 'p2', 0, 1),
					('none', 'n@x', 'pn', 0, 1), ('invited', 'i@x', '', 0, 1)`,
				`INSERT INTO members (workspace, user_id, role, created_at) VALUES ('zoo', 'one', 'owner', 1), ('acme', 'two', 'viewer', 1), ('zoo', 'two', 'member', 1),
					('acme', 'invited', 'member', 1)`,
				`INSERT INTO sessions (id, hash, user_id, workspace, created_at, seen_at, remote) VALUES ('s1', 'h1', 'one', 'zoo', 1, 1, ''), ('s2', 'h2', 'two', 'zoo', 1, 1, ''),
					('s0', 'h0', 'root', 'default', 1, 1, '')`,
				`INSERT INTO links (user_id, hash, expires_at) VALUES ('invited', 'l', 9)`,
			} {
				if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			for user, want := range map[string]string{"root": " r", "one": "zoo p1", "two": "acme p2", "none": "? pn", "invited": ""} {
				sets, err := s.Passwords(t.Context(), user)
				got := ""
				for _, set := range sets {
					got += set.Via + " " + set.Password
				}
				if got != want || err != nil {
					t.Errorf("%s has %q, %v", user, got, err)
				}
			}
			for hash, want := range map[string]string{"h1": "owner", "h2": "member"} {
				if v, err := s.SessionByHash(t.Context(), hash); err != nil || string(v.Role) != want {
					t.Errorf("session %s: %q, %v", hash, v.Role, err)
				}
			}
			if v, err := s.SessionByHash(t.Context(), "h0"); err != nil || !v.User.Admin || v.Session.Via != "" || v.User.Password != "r" {
				t.Errorf("the administrator: %+v, %v", v, err)
			}
			if _, err := s.ByLink(t.Context(), "l"); err == nil {
				t.Error("a link from before works")
			}
			if _, role, err := s.HomeOf(t.Context(), "none", "?"); role != "" || err != nil {
				t.Errorf("somebody without a workspace is %q, %v", role, err)
			}
		})
	}
}

// before is an empty database as it was before a migration.
func before(t *testing.T, engine string, version int64) *Store {
	t.Helper()
	s := unmigrated(t, engine)
	folder, err := fs.Sub(migrations, "migrations/"+engine)
	if err != nil {
		t.Fatal(err)
	}
	dialect := goose.DialectSQLite3
	if engine == string(postgres) {
		dialect = goose.DialectPostgres
	}
	provider, err := goose.NewProvider(dialect, s.write, folder, goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), version-1); err != nil {
		t.Fatal(err)
	}
	return s
}

func unmigrated(t *testing.T, engine string) *Store {
	t.Helper()
	databaseURL, folder := storetest.Place(t, engine)
	var s *Store
	var err error
	if databaseURL != "" {
		s, err = openPostgres(t.Context(), databaseURL)
	} else {
		s, err = openSQLite(folder)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}
