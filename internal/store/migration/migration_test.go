package migration

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// A step is read as it stands: comments and quotes may have anything in them.
func TestFilesAreRead(t *testing.T) {
	t.Parallel()
	files, err := ReadAll(fstest.MapFS{"0031_b.sql": {Data: []byte("SELECT 1")}, "0030_a.sql": {Data: []byte(`-- +goose Up
-- A comment; with a semicolon and 'quotes
CREATE TABLE "new" (
  id TEXT PRIMARY KEY -- inside, too;
);
INSERT INTO new VALUES ('a;b''c', "d;e"); /* gone; */
UPDATE keys SET a = (SELECT max(b) FROM x WHERE c = 1), d='x' || e WHERE f = 2
`)}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range files {
		for _, s := range f.Statements {
			got = append(got, f.Name+" "+string(s.Verb)+" "+s.Table)
		}
	}
	want := []string{"0030_a create table new", "0030_a insert new", "0030_a update keys", "0031_b other "}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a", "d"}, files[0].Statements[2].Columns); diff != "" {
		t.Error(diff)
	}
	if text := files[0].Statements[1].Text; text != `INSERT INTO new VALUES ('a;b''c', "d;e")` {
		t.Error(text)
	}
}

func TestOnlyWhatExpandsIsTaken(t *testing.T) {
	t.Parallel()
	for text, expands := range map[string]bool{
		`CREATE TABLE t (id TEXT PRIMARY KEY REFERENCES u (id)); DROP TABLE t`:                         true,
		`CREATE TABLE t (a TEXT); CREATE UNIQUE INDEX i ON t (a); DELETE FROM t; UPDATE t SET a = 1`:   true,
		`ALTER TABLE keys ADD COLUMN a TEXT NOT NULL DEFAULT ''; UPDATE keys SET a = name WHERE b = 1`: true,
		`ALTER TABLE keys ADD COLUMN a BIGINT; CREATE UNIQUE INDEX i ON keys (a)`:                      true,
		`CREATE INDEX IF NOT EXISTS i ON keys USING btree (name)`:                                      true,
		`INSERT INTO revisions (name, n) VALUES ('x', 0)`:                                              true,
		`ALTER TABLE keys ADD COLUMN a TEXT NOT NULL`:                                                  false,
		`ALTER TABLE keys ADD COLUMN a TEXT DEFAULT '' UNIQUE`:                                         false,
		`ALTER TABLE keys ADD COLUMN a TEXT REFERENCES users (id)`:                                     false,
		`ALTER TABLE keys ADD COLUMN a TEXT CHECK (a <> '')`:                                           false,
		`ALTER TABLE keys ADD COLUMN a TEXT NOT NULL DEFAULT ''; CREATE UNIQUE INDEX i ON keys (a)`:    false,
		`ALTER TABLE keys ADD COLUMN a TEXT, DROP COLUMN name`:                                         false,
		`ALTER TABLE keys DROP COLUMN name`:                                                            false,
		`ALTER TABLE keys RENAME COLUMN name TO label`:                                                 false,
		`ALTER TABLE keys RENAME TO secrets`:                                                           false,
		`ALTER TABLE keys ALTER COLUMN name SET NOT NULL`:                                              false,
		`ALTER TABLE keys ADD CONSTRAINT c CHECK (name <> '')`:                                         false,
		`CREATE UNIQUE INDEX i ON keys (name)`:                                                         false,
		`DROP TABLE keys`:                                                                              false,
		`DROP INDEX keys_by_workspace`:                                                                 false,
		`DELETE FROM keys`:                                                                             false,
		`UPDATE keys SET name = ''`:                                                                    false,
		`ALTER TABLE keys ADD COLUMN a TEXT; UPDATE keys SET a = '', name = ''`:                        false,
		`UPDATE keys SET (a, b) = (1, 2)`:                                                              false,
		`CREATE TRIGGER g BEFORE INSERT ON keys EXECUTE FUNCTION f()`:                                  false,
	} {
		f, err := read("0099_step", text)
		if err != nil {
			t.Fatal(err)
		}
		if err := newLaw().expands(f); (err == nil) != expands {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func TestWorkOnRows(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`CREATE TABLE t (a TEXT)`:                                     "at once t",
		`ALTER TABLE keys ADD COLUMN a TEXT NOT NULL DEFAULT ''`:      "at once keys",
		`ALTER TABLE keys ADD COLUMN a BIGINT NOT NULL DEFAULT now()`: "rewrites keys",
		`ALTER TABLE keys ADD COLUMN a BIGINT DEFAULT (random())`:     "rewrites keys",
		`CREATE INDEX i ON requests (at)`:                             "reads requests",
		`INSERT INTO hours SELECT DISTINCT at FROM requests`:          "writes requests",
		`INSERT INTO revisions (name, n) VALUES ('FROM', 0)`:          "at once revisions",
		`UPDATE requests SET a = 1`:                                   "writes requests",
		`ALTER TABLE requests ALTER COLUMN a TYPE BIGINT`:             "rewrites requests",
	} {
		f, err := read("0099_step", text)
		if err != nil {
			t.Fatal(err)
		}
		if work, table := f.Statements[0].Work(); string(work)+" "+table != want {
			t.Errorf("%s: %s %s, want %s", text, work, table, want)
		}
	}
}
