package store

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pressly/goose/v3"

	"stele/internal/access"
	"stele/internal/store/storetest"
)

// TestKeysOfAnOlderVersionKeepTheirSecrets brings a database up from before keys had
// several secrets.
func TestKeysOfAnOlderVersionKeepTheirSecrets(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := storetest.Place(t, engine)
			var s *Store
			var err error
			dialect := goose.DialectSQLite3
			if engine == "postgres" {
				dialect = goose.DialectPostgres
				s, err = openPostgres(t.Context(), databaseURL)
			} else {
				s, err = openSQLite(folder)
			}
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			files, err := fs.Sub(migrations, "migrations/"+engine)
			if err != nil {
				t.Fatal(err)
			}
			up, err := goose.NewProvider(dialect, s.write, files, goose.WithDisableGlobalRegistry(true))
			if err != nil {
				t.Fatal(err)
			}
			if _, err := up.UpTo(t.Context(), 14); err != nil {
				t.Fatal(err)
			}
			newest, old := strings.Repeat("a", 64), strings.Repeat("b", 64)
			for _, statement := range []string{
				`INSERT INTO keys (id, workspace, name, environment, sandbox, scopes, models, created_at, expires_at, revoked_at, last_used_at, hash, old_hash, old_until, revision)
					VALUES ('key_1', 'default', 'k', 'development', 0, '', '', 1, 0, 0, 0, '` + newest + `', '` + old + `', 77, 1)`,
				`INSERT INTO audit (id, at, actor, actor_name, workspace, action, target, detail)
					VALUES ('aud_1', 1, 'usr_1', 'a@example.com', 'default', 'key.create', 'key_1', 'k')`,
			} {
				if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.migrate(t.Context()); err != nil {
				t.Fatal(err)
			}
			keys, err := s.FindKeys(t.Context(), access.KeyFilter{})
			if err != nil || len(keys) != 1 {
				t.Fatalf("%d keys, %v", len(keys), err)
			}
			want := []access.Secret{{Hash: newest, Used: true}, {Hash: old, Until: 77, Used: true}}
			if diff := cmp.Diff(want, keys[0].Secrets); diff != "" {
				t.Error(diff)
			}
			if keys[0].Creator != "usr_1" || keys[0].CreatorName != "a@example.com" {
				t.Errorf("made by %q %q", keys[0].Creator, keys[0].CreatorName)
			}
		})
	}
}
