package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"stele/internal/store/migration"
	"stele/internal/store/storetest"
)

// contracts are the steps that take away what a release has stopped using, by their names, with that release:
// it works with the schema, those before it do not. All other steps only expand.
var contracts = map[string]string{}

// firstReleased is the schema of the first release: what came before was never to be shared.
const firstReleased = 28

// A schema serves the binaries of its release and of the one before: what is new since the first release only adds.
func TestNewStepsOnlyExpand(t *testing.T) {
	t.Parallel()
	list, err := releases()
	if err != nil || len(list) == 0 || list[0].Schema != firstReleased {
		t.Fatalf("releases %v, %v", list, err)
	}
	for _, name := range storetest.Engines() {
		files, err := (&Store{engine: engine(name)}).files()
		if err != nil {
			t.Fatal(err)
		}
		last, law := int64(firstReleased), migration.NewLaw()
		for _, f := range files {
			if f.Version <= firstReleased {
				continue
			}
			before := lastBefore(list, f.Version)
			if before.Schema != last {
				last, law = before.Schema, migration.NewLaw()
			}
			if why := judge(law, f, list); why != "" {
				t.Errorf("%s: %s", name, why)
			}
		}
	}
}

func lastBefore(list []migration.Release, schema int64) (last migration.Release) {
	for _, r := range list {
		if r.Schema < schema {
			last = r
		}
	}
	return last
}

// judge says what is wrong with a step.
func judge(law *migration.Law, f migration.File, list []migration.Release) string {
	err := law.Expands(f)
	version, listed := contracts[f.Name]
	stopped := slices.IndexFunc(list, func(r migration.Release) bool { return r.Version == version && r.Schema < f.Version })
	switch {
	case err != nil && !listed:
		return fmt.Sprintf("%v\nbinaries of the release before stop working. Add first, take away in a later release, and list it here", err)
	case err != nil && stopped < 0:
		return fmt.Sprintf("%s takes away what %s stopped using, which is no release before it", f.Name, version)
	case err == nil && listed:
		return f.Name + " is listed, and takes nothing away"
	}
	return ""
}

// What came before the first release is full of what the law refuses: it finds it.
func TestTheLawFindsWhatContracts(t *testing.T) {
	t.Parallel()
	files, err := (&Store{engine: postgres}).files()
	if err != nil {
		t.Fatal(err)
	}
	law, found := migration.NewLaw(), ""
	for _, f := range files {
		if f.Version == 15 || f.Version == 6 {
			found += judge(law, f, nil) + "\n"
		}
	}
	if !strings.Contains(found, "DROP INDEX requests_by_workspace") || !strings.Contains(found, "DROP COLUMN old_hash") {
		t.Error(found)
	}
}

// A binary works with the schema of the release after its own, and says clearly that it does not with later ones.
func TestANewerSchemaServesTheReleaseBefore(t *testing.T) {
	t.Parallel()
	for _, name := range storetest.Engines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := storetest.Copy(t, name, migrate)
			s, err := Open(t.Context(), databaseURL, folder)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			files, err := s.files()
			if err != nil {
				t.Fatal(err)
			}
			known := files[len(files)-1].Version
			if _, err := s.write.ExecContext(t.Context(), `INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, `+trueOf(s)+`)`); err != nil {
				t.Fatal(err)
			}
			for _, c := range []struct {
				serves, refusal string
			}{
				{fmt.Sprint(known, " 1.0.0"), ""},
				{fmt.Sprint(known-1, " 1.0.0"), ""},
				{fmt.Sprint(known+1, " 1.1.0"), "newer stele, and serves 1.1.0 and later ones"},
				{"gone", "read which versions the database serves"},
			} {
				if err := s.Set(t.Context(), settingServes, c.serves); err != nil {
					t.Fatal(err)
				}
				switch again, err := Open(t.Context(), databaseURL, folder); {
				case err == nil && c.refusal == "":
					again.Close()
				case err == nil || c.refusal == "" || !strings.Contains(err.Error(), c.refusal):
					t.Errorf("serving %s: %v", c.serves, err)
				}
				if is, err := s.Setting(t.Context(), settingServes); is != c.serves || err != nil {
					t.Errorf("%s became %s, %v", c.serves, is, err)
				}
			}
			if _, err := s.write.ExecContext(t.Context(), `DELETE FROM settings WHERE name = $1`, settingServes); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(t.Context(), databaseURL, folder); err == nil || !strings.Contains(err.Error(), "newer stele") {
				t.Errorf("without a word of whom it serves: %v", err)
			}
		})
	}
}

func trueOf(s *Store) string {
	if s.engine == postgres {
		return "true"
	}
	return "1"
}
