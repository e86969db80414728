package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"stele/internal/fault"
	"stele/internal/meter"
	"stele/internal/race"
	"stele/internal/uid"
)

// hostileRecords are what no database takes as it is, one thing at a time.
func hostileRecords() map[string]func(*meter.Record) {
	list := map[string]func(*meter.Record){
		"many tokens":    func(r *meter.Record) { r.Input, r.Output = math.MaxInt64, math.MaxInt64 },
		"fewer than 0":   func(r *meter.Record) { r.Input, r.Nano = math.MinInt64, math.MinInt64 },
		"a long time":    func(r *meter.Record) { r.Took = math.MaxInt64 },
		"a large price":  func(r *meter.Record) { r.Nano = math.MaxInt64 },
		"half a trail":   func(r *meter.Record) { r.Path = strings.Repeat(`[{"p":"x"}]`, 10_000) },
		"a long dropped": func(r *meter.Record) { r.Dropped = strings.Repeat("x", 1<<20) },
	}
	texts := map[string]func(*meter.Record) *string{
		"model": func(r *meter.Record) *string { return &r.Model }, "target": func(r *meter.Record) *string { return &r.Target },
		"provider": func(r *meter.Record) *string { return &r.Provider }, "request": func(r *meter.Record) *string { return &r.Request },
		"code": func(r *meter.Record) *string { return &r.Code }, "route": func(r *meter.Record) *string { return &r.Route },
		"dialect": func(r *meter.Record) *string { return &r.Dialect }, "path": func(r *meter.Record) *string { return &r.Path },
	}
	for name, place := range texts {
		for what, text := range map[string]string{"NUL": "a\x00b", "6 KB": strings.Repeat("k", 6<<10), "no UTF-8": "\xff\xfe", "8 MB": strings.Repeat("m", 8<<20)} {
			list[what+" in "+name] = func(r *meter.Record) { *place(r) = text }
		}
	}
	return list
}

func TestNoRecordKeepsTheOthersFromBeingSaved(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it is one caller after the other")
	engines(t, func(t *testing.T, s *Store) {
		folder := t.TempDir()
		j, err := OpenJournal(s, folder)
		if err != nil {
			t.Fatal(err)
		}
		j.OnRefused = func(r Refused) { t.Errorf("refused %s: %s", r.ID, r.Reason) }
		// What an older version left, and what is kept now.
		old, err := os.Create(filepath.Join(folder, uid.New("usage")+".jsonl"))
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for _, spoil := range hostileRecords() {
			for _, before := range []bool{true, false} {
				bad, good := record(0), record(0)
				bad.Workspace = "attacker"
				spoil(&bad)
				want++
				for _, r := range []meter.Record{bad, good} {
					if !before {
						err = j.Keep(&r)
					} else if line, _ := json.Marshal(r); err == nil {
						_, err = old.Write(append(line, '\n'))
					}
					if err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		if err := errors.Join(old.Close(), j.Flush(t.Context())); err != nil {
			t.Fatal(err)
		}
		for _, workspace := range []string{"default", "attacker"} {
			list, err := s.Records(t.Context(), workspace, 10_000)
			if err != nil || len(list) != want {
				t.Errorf("%d of %d records of %s, %v", len(list), want, workspace, err)
			}
		}
		if left, _ := filepath.Glob(filepath.Join(folder, "*")); len(left) != 0 {
			t.Errorf("left in the journal: %v", left)
		}
	})
}

// poison has a database refuse a model, as one might that we have not thought of.
func poison(t *testing.T, s *Store) {
	t.Helper()
	statements := []string{`CREATE TRIGGER poisoned BEFORE INSERT ON requests WHEN NEW.model = 'poison' BEGIN SELECT RAISE(ABORT, 'poisoned'); END`}
	if s.engine == postgres {
		statements = []string{
			`CREATE FUNCTION poisoned() RETURNS trigger AS $$ BEGIN IF NEW.model = 'poison' THEN RAISE EXCEPTION 'poisoned'; END IF; RETURN NEW; END $$ LANGUAGE plpgsql`,
			`CREATE TRIGGER poisoned BEFORE INSERT ON requests FOR EACH ROW EXECUTE FUNCTION poisoned()`,
		}
	}
	for _, statement := range statements {
		if _, err := s.write.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
}

func TestARefusedRecordIsSetAsideAndNamed(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		poison(t, s)
		folder := t.TempDir()
		dead, err := OpenJournal(s, folder)
		if err != nil {
			t.Fatal(err)
		}
		var bad []string
		for n := range 200 {
			r := record(0)
			if n%67 == 3 {
				r.Model = "poison"
				bad = append(bad, r.ID)
			}
			if err := dead.Keep(&r); err != nil {
				t.Fatal(err)
			}
		}
		// The process dies and leaves a line that is no record; the next one carries on.
		if _, err := dead.page.file.WriteString("no record\n"); err != nil {
			t.Fatal(err)
		}
		j, err := OpenJournal(s, folder)
		if err != nil {
			t.Fatal(err)
		}
		var told []string
		j.OnRefused = func(r Refused) { told = append(told, r.ID) }
		for range 2 {
			if err := j.Flush(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		list, err := s.Records(t.Context(), "default", 1000)
		if err != nil || len(list) != 200-len(bad) {
			t.Errorf("%d records, %v", len(list), err)
		}
		slices.Sort(told)
		if want := append([]string{""}, bad...); !slices.Equal(told, want) {
			t.Errorf("told of %q, want %q", told, want)
		}
		left, _ := filepath.Glob(filepath.Join(folder, "*"))
		aside, err := os.ReadFile(filepath.Join(folder, refusedFile))
		if err != nil || len(left) != 1 {
			t.Fatalf("left: %v, %v", left, err)
		}
		for _, id := range bad {
			if !strings.Contains(string(aside), id) {
				t.Errorf("%s is not set aside", id)
			}
		}
		if strings.Count(string(aside), "poisoned") != len(bad) || !strings.Contains(string(aside), "no record") {
			t.Errorf("set aside:\n%s", aside)
		}
	})
}

func TestTheFileOfRefusedRecordsHasAnEnd(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	j := &Journal{folder: folder}
	told := 0
	j.OnRefused = func(Refused) { told++ }
	if err := os.WriteFile(filepath.Join(folder, refusedFile), make([]byte, mostRefused-1000), 0o600); err != nil {
		t.Fatal(err)
	}
	r := record(0)
	for range 10 {
		if err := j.refuse(&r, errors.New("a reason")); err != nil {
			t.Fatal(err)
		}
	}
	about, err := os.Stat(filepath.Join(folder, refusedFile))
	if err != nil || about.Size() > mostRefused || told != 10 {
		t.Errorf("%d bytes, told %d times, %v", about.Size(), told, err)
	}
}

func TestADatabaseThatIsAwayRefusesNothing(t *testing.T) {
	t.Parallel()
	away := errors.New("dial tcp: connection refused")
	for _, err := range []error{
		away, fmt.Errorf("insert: %w", &pgconn.PgError{Code: "53100"}), &pgconn.PgError{Code: "57P01"}, &pgconn.PgError{Code: "40P01"}, &pgconn.PgError{Code: "42P01"},
	} {
		calls := 0
		got := saveApart(make([]int, 1000), func([]int) error { calls++; return err }, func(int, error) error { t.Error("refused"); return nil })
		if calls != 1 || !errors.Is(got, err) {
			t.Errorf("%v: %d calls, %v", err, calls, got)
		}
	}
}

func TestFewBadRowsCostFewTries(t *testing.T) {
	t.Parallel()
	list := make([]int, 2048)
	for i := range list {
		list[i] = i
	}
	calls, saved := 0, 0
	var refused []int
	err := saveApart(list, func(some []int) error {
		calls++
		if slices.Contains(some, 77) || slices.Contains(some, 2000) {
			return &pgconn.PgError{Code: "22021"}
		}
		saved += len(some)
		return nil
	}, func(n int, _ error) error { refused = append(refused, n); return nil })
	if err != nil || saved != 2046 || !slices.Equal(refused, []int{77, 2000}) || calls > 60 {
		t.Errorf("%d saved with %d calls, refused %v, %v", saved, calls, refused, err)
	}
}

func TestADayTellsABoundedNumberOfModelsApart(t *testing.T) {
	t.Parallel()
	race.Skip(t, "it is one caller after the other")
	engines(t, func(t *testing.T, s *Store) {
		var list []meter.Record
		for n := range mostNames + 500 {
			r, unknown, other := record(0), record(0), record(0)
			r.Model, r.Target = fmt.Sprintf("p/made-up-%d", n), fmt.Sprintf("made-up-%d", n)
			unknown.Model, unknown.Provider, unknown.Target, unknown.Status, unknown.Code = fmt.Sprint("none", n), "", "", 404, string(fault.ModelNotFound)
			other.Workspace = "quiet"
			list = append(list, r, unknown, other)
		}
		if err := s.InsertRecords(t.Context(), list[:len(list)/2]); err != nil {
			t.Fatal(err)
		}
		s.names = names{} // another process
		if err := s.InsertRecords(t.Context(), list[len(list)/2:]); err != nil {
			t.Fatal(err)
		}
		for workspace, most := range map[string]int{"default": mostNames + 2, "quiet": 1} {
			slice := meter.Slice{Workspace: workspace, From: time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC), Until: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
			groups, err := s.UsageGroups(t.Context(), slice, meter.ByModel, meter.Requests, 10_000)
			if err != nil || len(groups) > most {
				t.Errorf("%s: %d groups, %v", workspace, len(groups), err)
			}
			var all int64
			counted := make(map[string]int64)
			for _, g := range groups {
				all += g.Requests
				counted[g.Name] = g.Requests
			}
			if workspace == "default" && (all != 2*mostNames+1000 || counted[meter.UnknownModel] != mostNames+500 || counted[meter.OtherModels] < 400) {
				t.Errorf("%d requests, %d unknown, %d others", all, counted[meter.UnknownModel], counted[meter.OtherModels])
			}
		}
		var days int
		if err := s.read.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM usage_days WHERE workspace = 'default'`).Scan(&days); err != nil || days > mostNames+10 {
			t.Errorf("%d rows of days, %v", days, err)
		}
		// A person still finds what was asked for.
		for _, model := range []string{"none7", fmt.Sprintf("p/made-up-%d", mostNames+400), "p/made-up-3"} {
			found, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default", Model: model}, 10)
			if err != nil || len(found.Records) != 1 || found.Records[0].Model != model {
				t.Errorf("%s: %+v, %v", model, found, err)
			}
		}
		found, err := s.SearchRecords(t.Context(), meter.Search{Workspace: "default", Model: meter.UnknownModel}, 10)
		if err != nil || len(found.Records) != 10 || found.Records[0].Status != 404 {
			t.Errorf("unknown: %d, %v", len(found.Records), err)
		}
	})
}

func TestDaysAreForgottenWhenTheyAreOld(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var list []meter.Record
		for n := range 2500 { // more than a bite
			r := record(0)
			r.Key, r.At = fmt.Sprint("key_", n), r.At.AddDate(0, 0, -500)
			list = append(list, r)
		}
		if err := s.InsertRecords(t.Context(), append(list, record(0))); err != nil {
			t.Fatal(err)
		}
		if _, err := s.DeleteUsageBefore(t.Context(), record(0).At.AddDate(0, 0, -400)); err != nil {
			t.Fatal(err)
		}
		for table, want := range map[string]int{"usage_days": 1, "usage_groups": 4} {
			var rows int
			if err := s.read.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM `+table).Scan(&rows); err != nil || rows != want {
				t.Errorf("%s: %d rows, %v", table, rows, err)
			}
		}
	})
}

func TestNoBodyKeepsTheOthersFromBeingSaved(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var list []meter.Bodies
		for _, text := range []string{"good", "a\x00b", "\xff", "fine"} {
			list = append(list, meter.Bodies{Record: uid.New("use"), Workspace: "default", At: time.Now(), Request: meter.Body{Text: text}, Reply: meter.Body{Text: text}})
		}
		if err := s.InsertBodies(t.Context(), list, 1<<20); err != nil {
			t.Fatal(err)
		}
		for _, b := range list {
			if _, err := s.Bodies(t.Context(), "default", b.Record); err != nil {
				t.Errorf("%q: %v", b.Request.Text, err)
			}
		}
	})
}
