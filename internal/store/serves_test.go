package store

import (
	"fmt"
	"strings"
	"testing"

	"stele/internal/store/storetest"
)

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
