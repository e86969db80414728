package operate

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

func TestKeysChangeOnPostgreSQL(t *testing.T) {
	t.Parallel()
	h := rig.Start(t, rig.Options{Flags: []string{"--database-url", rig.NewDatabase(t)}})
	if line := h.AwaitLine(t, "which database it uses", func(l rig.Line) bool { return l.Text("msg") == "serving" }); line.Text("database") != "postgres" {
		t.Errorf("the log says %v", line)
	}
	if _, err := os.Stat(filepath.Join(h.Data, "stele.db")); err == nil {
		t.Error("there is a SQLite database too")
	}
	testKeysChange(t, h)
}

// TestTwoServersOnOnePostgreSQL changes keys through one and asks the other.
func TestTwoServersOnOnePostgreSQL(t *testing.T) {
	t.Parallel()
	database, master := rig.NewDatabase(t), rig.NewMasterKey(t)
	flags := []string{"--database-url", database, "--master-key-file", master}
	one := rig.Start(t, rig.Options{Flags: flags})
	two := rig.Start(t, rig.Options{Flags: flags})
	if keyText.MatchString(two.Greeting()) {
		t.Errorf("the second node printed a key: %s", two.Greeting())
	}
	old := one.CreateKey(t)
	two.Keep(old.Key)
	two.Await(t, old.Key, http.StatusOK)
	fresh := two.Rotate(t, old.ID, "--grace", "1h")
	one.Keep(fresh.Key)
	one.Await(t, fresh.Key, http.StatusOK)
	answers(t, one, old.Key, http.StatusOK)
	one.Revoke(t, old.ID)
	for _, h := range []*rig.House{one, two} {
		h.Await(t, fresh.Key, http.StatusUnauthorized)
		answers(t, h, old.Key, http.StatusUnauthorized)
	}

	stranger := rig.New(t, rig.Options{Flags: []string{"--database-url", database}})
	const why = "this database was made with another master key"
	refused(t, stranger, why, "--master-key-file", rig.NewMasterKey(t))
	refused(t, stranger, why) // with one that it made itself
	if r := stranger.Try(t, "keys", "list"); r.Code != 1 || !strings.Contains(r.Stderr, why) {
		t.Errorf("on the command line: exit code %d, %s", r.Code, r.Stderr)
	}
}

// TestServersStartTogether starts several nodes at once on a database that is
// still empty: one migrates it, one greets, all serve.
func TestServersStartTogether(t *testing.T) {
	t.Parallel()
	flags := []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t)}
	houses := make([]*rig.House, 3)
	for i := range houses {
		houses[i] = rig.New(t, rig.Options{Flags: flags})
		houses[i].Begin(t)
	}
	greeted := 0
	for _, h := range houses {
		h.Start(t)
		if keyText.MatchString(h.Greeting()) {
			greeted++
		}
	}
	if greeted != 1 {
		t.Errorf("%d nodes printed a key", greeted)
	}
}
