package store

import (
	"compress/gzip"
	"database/sql"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"

	"stele/internal/store/storetest"
	"stele/internal/table"
)

// Every database that was ever released is brought up to date: all of its rows are there afterwards, as they were,
// and its tables are those of a new database.
func TestEveryReleaseIsUpgraded(t *testing.T) {
	t.Parallel()
	list, err := releases()
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range list {
		for _, name := range storetest.Engines() {
			t.Run(r.Version+" "+name, func(t *testing.T) {
				t.Parallel()
				s := loadReleased(t, r.Version, name)
				was, before := rowsOf(t, s, nil)
				if was.Version != r.Schema {
					t.Fatalf("the fixture is at schema %d, released was %d", was.Version, r.Schema)
				}
				for _, tb := range was.Tables {
					if len(before[tb.Name]) == 0 {
						t.Errorf("%s is empty in the fixture", tb.Name)
					}
				}
				if err := s.upgrade(t.Context()); err != nil {
					t.Fatal(err)
				}
				_, after := rowsOf(t, s, was.Tables)
				for _, tb := range was.Tables {
					compareRows(t, tb.Name, before[tb.Name], after[tb.Name])
				}
				if diff := cmp.Diff(shapeOf(t, openTest(t, name)), shapeOf(t, s)); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// grows are the tables to which an upgrade itself may add rows.
var grows = []string{"settings", "revisions"}

func compareRows(t *testing.T, name string, before, after map[string]int) {
	t.Helper()
	for row, n := range before {
		if after[row] < n && !strings.HasPrefix(row, `["`+settingServes) {
			t.Errorf("%s has lost %s", name, row)
		}
	}
	for row, n := range after {
		if before[row] < n && !slices.Contains(grows, name) {
			t.Errorf("%s has got %s", name, row)
		}
	}
}

// loadReleased makes a database of a release, as it was.
func loadReleased(t *testing.T, version, name string) *Store {
	t.Helper()
	databaseURL, folder := storetest.Place(t, name)
	f, err := os.Open(filepath.Join("testdata", "released", version, name+".sql.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	unpacked, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	script, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if name == "postgres" {
		conn, err := pgx.Connect(t.Context(), databaseURL)
		if err == nil {
			_, err = conn.PgConn().Exec(t.Context(), string(script)).ReadAll()
			_ = conn.Close(t.Context())
		}
		if err != nil {
			t.Fatal(err)
		}
	} else {
		db, err := sql.Open("sqlite", "file:"+filepath.Join(folder, "stele.db"))
		if err == nil {
			_, err = db.ExecContext(t.Context(), "BEGIN;\n"+string(script)+"COMMIT;")
			_ = db.Close()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	s, err := connect(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// rowsOf reads all rows of tables, or of all there are, as lines; how often each is there.
func rowsOf(t *testing.T, s *Store, tables []table.Table) (*Snapshot, map[string]map[string]int) {
	t.Helper()
	n, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer n.Close()
	if tables == nil {
		tables = n.Tables
	}
	all := make(map[string]map[string]int)
	for _, tb := range tables {
		all[tb.Name] = make(map[string]int)
		for row, err := range n.Rows(t.Context(), tb) {
			if err != nil {
				t.Fatal(err)
			}
			line, err := tb.AppendRow(nil, row)
			if err != nil {
				t.Fatal(err)
			}
			all[tb.Name][string(line)]++
		}
	}
	return n, all
}

// shapeOf is how a database's tables and indexes are made.
func shapeOf(t *testing.T, s *Store) []string {
	t.Helper()
	query := `SELECT m.name || '.' || c.name || ' ' || c.type || ' ' || c."notnull" || ' ' || COALESCE(c.dflt_value, '') || ' ' || c.pk
		FROM sqlite_schema AS m JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' AND m.name NOT LIKE 'river_%' AND m.name NOT LIKE 'sqlite_%'
		UNION ALL SELECT sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL AND tbl_name NOT LIKE 'river_%'`
	if s.engine == postgres {
		query = `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || COALESCE(column_default, '')
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name NOT LIKE 'river_%'
			UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema() AND tablename NOT LIKE 'river_%'`
	}
	list, err := s.texts(t.Context(), query)
	if err != nil || len(list) < 100 {
		t.Fatalf("%d lines, %v", len(list), err)
	}
	for i, line := range list {
		list[i] = strings.Join(strings.Fields(line), " ")
	}
	slices.Sort(list)
	return list
}
