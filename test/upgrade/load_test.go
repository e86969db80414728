package upgrade

import (
	"database/sql"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"stele/test/rig"
)

// installation is a house on the database of a release, not serving.
type installation struct {
	*rig.House
	database string // "" on SQLite
	key      string
	tables   []string
}

// engines runs a test on both.
func engines(t *testing.T, test func(t *testing.T, engine string)) {
	t.Helper()
	for _, engine := range []string{"sqlite", "postgres"} {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			test(t, engine)
		})
	}
}

var createTable = regexp.MustCompile(`(?m)^CREATE TABLE (?:public\.)?"?(\w+)`)

// load makes an installation as a release left it.
func load(t *testing.T, version, engine string, o rig.Options) installation {
	t.Helper()
	folder := filepath.Join(released(), version)
	script := unpack(t, filepath.Join(folder, engine+".sql.gz"))
	i := installation{}
	if engine == "postgres" {
		i.database = rig.NewDatabase(t)
		o.Flags = append(o.Flags, "--database-url", i.database)
	}
	i.House = rig.New(t, o)
	if err := os.MkdirAll(i.Data, 0o700); err != nil {
		t.Fatal(err)
	}
	master, err := os.ReadFile(filepath.Join(folder, "master.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(i.Data, "master.key"), master, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(folder, "api.key"))
	if err != nil {
		t.Fatal(err)
	}
	i.key = strings.TrimSpace(string(key))
	i.Keep(i.key)
	for _, m := range createTable.FindAllStringSubmatch(script, -1) {
		if m[1] != "goose_db_version" {
			i.tables = append(i.tables, m[1])
		}
	}
	i.execute(t, script)
	return i
}

func (i *installation) execute(t *testing.T, script string) {
	t.Helper()
	driver, source := "pgx", i.database+"&default_query_exec_mode=simple_protocol"
	if i.database == "" {
		driver, source = "sqlite", "file:"+filepath.Join(i.Data, "stele.db")
		script = "BEGIN;\n" + script + "COMMIT;"
	}
	db, err := sql.Open(driver, source)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), script); err != nil {
		t.Fatal(err)
	}
}

// rows are how many rows each table of the release has.
func (i *installation) rows(t *testing.T) map[string]int {
	t.Helper()
	db := i.Books(t, i.database)
	defer db.Close()
	all := make(map[string]int)
	for _, name := range i.tables {
		var n int
		if err := db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+name).Scan(&n); err != nil {
			t.Fatal(name, err)
		}
		all[name] = n
	}
	return all
}
