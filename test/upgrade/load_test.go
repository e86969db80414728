package upgrade

import (
	"regexp"
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
	r := rig.LoadRelease(t, version, engine, o)
	i := installation{House: r.House, database: r.Database, key: r.Key}
	for _, m := range createTable.FindAllStringSubmatch(r.Script, -1) {
		if m[1] != "goose_db_version" {
			i.tables = append(i.tables, m[1])
		}
	}
	return i
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
