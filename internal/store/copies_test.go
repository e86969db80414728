package store

import (
	"database/sql"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/store/storetest"
)

// olderSQLite is a database at an older schema, with a setting in it.
func olderSQLite(t *testing.T, schema int64) (s *Store) {
	t.Helper()
	_, folder := storetest.Place(t, "sqlite")
	s, err := openSQLite(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	upTo(t, s, schema)
	if err := s.Set(t.Context(), "was here", strconv.FormatInt(schema, 10)); err != nil {
		t.Fatal(err)
	}
	return s
}

func upTo(t *testing.T, s *Store, schema int64) {
	t.Helper()
	files, err := s.files()
	if err != nil {
		t.Fatal(err)
	}
	provider, err := s.provider(files)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := provider.UpTo(t.Context(), schema); err != nil {
		t.Fatal(err)
	}
}

// Before SQLite is upgraded, what it was is copied: one step back is to put the copy in its place.
func TestADatabaseIsCopiedBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	s := olderSQLite(t, 20)
	for _, old := range []string{"3", "12", "9"} {
		if err := os.WriteFile(filepath.Join(s.folder, copyName+old), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	copies, err := databaseCopies(s.folder)
	if diff := cmp.Diff([]string{copyName + "12", copyName + "20"}, copies); diff != "" || err != nil {
		t.Fatal(diff, err)
	}
	back := t.TempDir()
	text, err := os.ReadFile(filepath.Join(s.folder, copyName+"20"))
	if err == nil {
		err = os.WriteFile(filepath.Join(back, "stele.db"), text, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	if state, err := Inspect(t.Context(), "", back, time.Now()); state.Schema != 20 || err != nil {
		t.Errorf("the copy is at %d, %v", state.Schema, err)
	}
	again, err := openSQLite(back)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if value, err := again.Setting(t.Context(), "was here"); value != "20" || err != nil {
		t.Errorf("the copy has %q, %v", value, err)
	}
	if err := s.migrate(t.Context()); err != nil { // there is nothing to do, and nothing is copied
		t.Fatal(err)
	}
	if now, err := databaseCopies(s.folder); len(now) != len(copies) || err != nil {
		t.Error(now, err)
	}
}

// An upgrade that was killed halfway keeps the copy of what was before it.
func TestAnUpgradeThatGoesOnKeepsTheCopyOfItsBeginning(t *testing.T) {
	t.Parallel()
	s := olderSQLite(t, 20)
	files, err := s.files()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.beginUpgrade(t.Context(), 20, files[len(files)-1].Version); err != nil {
		t.Fatal(err)
	}
	upTo(t, s, 22)
	if err := s.migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	copies, err := databaseCopies(s.folder)
	if diff := cmp.Diff([]string{copyName + "20"}, copies); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if value, err := s.Setting(t.Context(), settingUpgrading); err == nil {
		t.Errorf("the upgrade has not ended: %s", value)
	}
}

// Where there is no room for a copy nothing is changed, unless the operator says so.
func TestWithoutACopyNothingIsUpgraded(t *testing.T) {
	t.Parallel()
	s := olderSQLite(t, 20)
	if err := os.MkdirAll(filepath.Join(s.folder, copyName+"20.part", "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := s.migrate(t.Context()); err == nil {
		t.Error("it was upgraded")
	}
	if state, err := Inspect(t.Context(), "", s.folder, time.Now()); state.Schema != 20 || len(state.Steps) < 6 || err != nil {
		t.Errorf("it is at %d, %d steps, %v", state.Schema, len(state.Steps), err)
	}
	if err := UpgradeWithoutCopy(t.Context(), "", s.folder); err != nil {
		t.Fatal(err)
	}
	if state, err := Inspect(t.Context(), "", s.folder, time.Now()); state.Schema != state.Known || len(state.Steps) > 0 || err != nil {
		t.Errorf("it is at %d of %d, %v", state.Schema, state.Known, err)
	}
}

// A table that others hold on to is not waited for in front of everybody: the upgrade gives way and tries again.
func TestAnUpgradeGivesWay(t *testing.T) {
	t.Parallel()
	databaseURL, _ := storetest.Place(t, "postgres")
	s, err := openPostgres(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	upTo(t, s, 27)
	reader, err := s.read.BeginTx(t.Context(), &sql.TxOptions{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if err := reader.QueryRowContext(t.Context(), `SELECT count(*) FROM requests`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	tries := 0
	err = retryLocked(t.Context(), func() error {
		if tries++; tries == 2 {
			_ = reader.Rollback()
		}
		err := s.migrate(t.Context())
		if tries == 1 && !isLockTimeout(err) {
			t.Errorf("it did not give way: %v", err)
		}
		return err
	})
	if err != nil || tries != 2 {
		t.Errorf("%d tries, %v", tries, err)
	}
}
