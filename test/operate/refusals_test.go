package operate

import (
	"database/sql"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // the driver "sqlite", to make a database of the future

	"stele/test/rig"
)

// refused starts a server that must say why it will not serve, and end.
func refused(t *testing.T, h *rig.House, why string, args ...string) {
	t.Helper()
	r := h.Try(t, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
	if r.Code != 1 || !strings.Contains(r.Stderr, why) {
		t.Errorf("exit code %d, want 1 because of %q\n%s", r.Code, why, r.Stderr)
	}
	if n := strings.Count(strings.TrimSpace(r.Stderr), "\n"); n > 0 || r.Stdout != "" {
		t.Errorf("more was said than a sentence: %s%s", r.Stdout, r.Stderr)
	}
}

func TestSecondServerOnAFolderIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	refused(t, h, "another stele is serving from "+h.Data)
	key := h.CreateKey(t).Key // the first one goes on
	h.Await(t, key, http.StatusOK)
}

func TestOnlyLoopbackUntilThereIsAnAdministrator(t *testing.T) {
	t.Parallel()
	h := rig.New(t, rig.Options{Listen: "0.0.0.0:0"})
	for _, listen := range []string{"0.0.0.0:0", ":0", "[::]:0"} {
		refused(t, h, "there is no administrator yet", "--listen", listen)
	}
	password := filepath.Join(filepath.Dir(h.Config), "password")
	if err := os.WriteFile(password, []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Run(t, "users", "create", "--admin", "--email", "admin@example.com", "--password-file", password)
	h.Start(t)
	if greeting := h.Greeting(); strings.Contains(greeting, "setup?token=") {
		t.Errorf("a set-up link with an administrator there: %s", greeting)
	}
}

// TestAdministratorOfAContainer makes one from the configuration, so that the
// very first start may listen everywhere.
func TestAdministratorOfAContainer(t *testing.T) {
	t.Parallel()
	h := rig.New(t, rig.Options{Listen: "0.0.0.0:0", Config: "admin: {email: admin@example.com, password_file: password}\n"})
	if err := os.WriteFile(filepath.Join(filepath.Dir(h.Config), "password"), []byte("correct horse battery staple\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	h.Keep("correct horse battery staple")
	h.Start(t)
}

func TestDatabaseOfTheFutureIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	h.Stop(t)
	db, err := sql.Open("sqlite", filepath.Join(h.Data, "stele.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("UPDATE settings SET value = '9998 99.0.0' WHERE name = 'schema_serves'"); err != nil {
		t.Fatal(err)
	}
	const why = "the database is at schema 9999"
	refused(t, h, why)
	if r := h.Try(t, "keys", "list"); r.Code != 1 || !strings.Contains(r.Stderr, why) {
		t.Errorf("on the command line: exit code %d, %s", r.Code, r.Stderr)
	}
}

func TestAnotherMasterKeyIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{})
	h.Stop(t)
	other := rig.NewMasterKey(t)
	const why = "this database was made with another master key"
	refused(t, h, why, "--master-key-file", other)
	if r := h.Try(t, "keys", "list", "--master-key-file", other); r.Code != 1 || !strings.Contains(r.Stderr, why) {
		t.Errorf("on the command line: exit code %d, %s", r.Code, r.Stderr)
	}
	h.Start(t) // with its own it still starts
}

func TestBrokenConfigurationIsRefused(t *testing.T) {
	t.Parallel()
	h := rig.New(t, rig.Options{Config: "lisen: 127.0.0.1:8080\nlimits: {json_body: much}\n"})
	for _, args := range [][]string{{"--listen", "127.0.0.1:0"}, {"config", "check"}} {
		r := h.Try(t, args...)
		for _, want := range []string{h.Config + ":1:1", `"listen"`, h.Config + ":2:21"} {
			if r.Code != 1 || !strings.Contains(r.Stderr, want) {
				t.Errorf("stele %v: exit code %d, %s, want %s", args, r.Code, r.Stderr, want)
			}
		}
	}
}
