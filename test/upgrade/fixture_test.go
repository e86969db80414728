package upgrade

import (
	"bytes"
	"compress/gzip"
	"database/sql"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/test/rig"
)

var write = flag.Bool("write", false, "write the fixture of the version that is released next")

// TestWriteFixture writes what stays of a release for all that come later: its schema with rows in every
// table, as SQL of both engines, the master key and an API key. make fixture calls it.
func TestWriteFixture(t *testing.T) {
	if !*write {
		t.Skip("make fixture writes it")
	}
	folder := filepath.Join(rig.ReleasedFolder(), currentVersion(t))
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	h := rig.Start(t, rig.Options{Config: seedConfig})
	key := seed(t, h)
	h.Stop(t)
	db := openBooks(t, h)
	fillEmpty(t, db)
	keep(t, filepath.Join(folder, "sqlite.sql.gz"), dumpSQLite(t, db))

	database := rig.NewDatabase(t)
	h.Run(t, "move", "--to-database", database)
	cmd := exec.CommandContext(t.Context(), "pg_dump", "--inserts", "--no-owner", "--no-privileges", "--dbname", database)
	cmd.Stderr = os.Stderr
	dump, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	keep(t, filepath.Join(folder, "postgres.sql.gz"), plainSQL(string(dump)))
	master, err := os.ReadFile(filepath.Join(h.Data, "master.key"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "master.key"), master, 0o600)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "api.key"), []byte(key+"\n"), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	list(t, db)
}

// list names the release among the others.
func list(t *testing.T, db *sql.DB) {
	t.Helper()
	var schema int64
	if err := db.QueryRowContext(t.Context(), `SELECT MAX(version_id) FROM goose_db_version`).Scan(&schema); err != nil {
		t.Fatal(err)
	}
	path := rig.Released()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var kept strings.Builder
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, currentVersion(t)+" ") {
			kept.WriteString(line)
		}
	}
	fmt.Fprintln(&kept, currentVersion(t), schema)
	if err := os.WriteFile(path, []byte(kept.String()), 0o644); err != nil { //nolint:gosec // it is source
		t.Fatal(err)
	}
}

// fillEmpty puts a row into every table that the seeding left empty.
func fillEmpty(t *testing.T, db *sql.DB) {
	t.Helper()
	tables := counts(t, db)
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if tables[name] > 0 || strings.HasPrefix(name, "river_") {
			continue
		}
		var columns, values []string
		for _, c := range texts(t, db, `SELECT name || ' ' || type FROM pragma_table_info('`+name+`')`) {
			column, kind, _ := strings.Cut(c, " ")
			columns = append(columns, `"`+column+`"`)
			values = append(values, someValue(column, kind))
		}
		statement := `INSERT INTO "` + name + `" (` + strings.Join(columns, ", ") + `) SELECT ` + strings.Join(values, ", ")
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

func someValue(column, kind string) string {
	switch {
	case column == "workspace":
		return `'default'`
	case column == "user_id":
		return `(SELECT id FROM users WHERE email = 'member@example.com')`
	case column == "fields", column == "secrets_at": // JSON
		return `'{}'`
	case column == "sealed": // nothing is
		return `x''`
	case kind == "INTEGER":
		return `1`
	case kind == "REAL":
		return `0.5`
	case kind == "BLOB":
		return `x'01ff'`
	}
	return `'fixture'`
}

// dumpSQLite writes a database as SQL.
func dumpSQLite(t *testing.T, db *sql.DB) string {
	t.Helper()
	var out strings.Builder
	const ours = ` FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' AND sql IS NOT NULL`
	for _, statement := range texts(t, db, `SELECT sql`+ours+` AND type = 'table' ORDER BY rowid`) {
		out.WriteString(statement + ";\n")
	}
	for _, name := range texts(t, db, `SELECT name`+ours+` AND type = 'table' ORDER BY rowid`) {
		columns := texts(t, db, `SELECT '"' || name || '"' FROM pragma_table_info('`+name+`')`)
		quoted := make([]string, len(columns))
		for i, c := range columns {
			quoted[i] = `quote(` + c + `)`
		}
		for _, row := range texts(t, db, `SELECT `+strings.Join(quoted, ` || ', ' || `)+` FROM "`+name+`"`) {
			out.WriteString(`INSERT INTO "` + name + `" (` + strings.Join(columns, ", ") + `) VALUES (` + row + ");\n")
		}
	}
	for _, statement := range texts(t, db, `SELECT sql`+ours+` AND type <> 'table' ORDER BY rowid`) {
		out.WriteString(statement + ";\n")
	}
	return out.String()
}

// plainSQL leaves out of a dump what psql alone understands, and settings that other versions do not have.
func plainSQL(dump string) string {
	var out strings.Builder
	header := true
	for line := range strings.Lines(dump) {
		header = header && !strings.HasPrefix(line, "CREATE ")
		if !strings.HasPrefix(line, `\`) && !(header && (strings.HasPrefix(line, "SET ") || strings.HasPrefix(line, "SELECT "))) {
			out.WriteString(line)
		}
	}
	return out.String()
}

func keep(t *testing.T, path, text string) {
	t.Helper()
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, text)
	}
	if err == nil {
		err = w.Close()
	}
	if err == nil {
		err = os.WriteFile(path, packed.Bytes(), 0o644) //nolint:gosec // it is source
	}
	if err != nil {
		t.Fatal(err)
	}
}
