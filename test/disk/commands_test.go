package disk

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

// furnished is a house with files and rows that does not serve.
func furnished(t *testing.T, flags ...string) *rig.House {
	t.Helper()
	h := rig.Start(t, rig.Options{Flags: flags})
	c := caller{h, h.CreateKey(t).Key}
	h.Await(t, c.key, http.StatusOK)
	for n := range 4 {
		for _, do := range []func() (rig.Answer, error){
			func() (rig.Answer, error) { return c.upload(n) },
			func() (rig.Answer, error) { return c.chat(fmt.Sprint("chat-", n)) },
		} {
			if a, err := do(); err != nil || a.Status >= 300 {
				t.Fatal(a.Status, a.Body, err)
			}
		}
	}
	h.Stop(t)
	return h
}

// failures are the ways in which a disk fails, of which the number of a change is the first. The last
// one goes by: what does not look at every error goes on as if nothing was.
var failures = []func(k int) string{
	func(k int) string { return fmt.Sprintf("full %d %d", k, forever) },
	func(k int) string { return fmt.Sprintf("broken %d %d", k, forever) },
	func(k int) string { return fmt.Sprintf("late %d %d", k, forever) },
	func(k int) string { return fmt.Sprintf("broken %d %d", k, k+1) },
}

// fails has a command run on a disk that fails at every so many of the changes that it makes otherwise, in
// one way after another, or each in all. Where it begins is chance's: many runs try all.
func fails(t *testing.T, step int, command func(env ...string) bool, between func(done bool, what string)) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	done := command("STELE_DISK_TRACE=" + trace)
	if between(done, "nothing fails"); !done {
		t.Fatal("it fails by itself")
	}
	last := len(readTrace(t, trace))
	first, way := 1+rand.N(step), rand.N(len(failures))
	t.Logf("it makes %d changes, of which %d and every %dth after it fails", last, first, step)
	for k := first; k <= last && !t.Failed(); k += step {
		for range waysOfEach {
			what := failures[way%len(failures)](k)
			way++
			faults := filepath.Join(t.TempDir(), "faults")
			if err := os.WriteFile(faults, []byte(what), 0o600); err != nil {
				t.Fatal(err)
			}
			between(command("STELE_DISK_FAULTS="+faults), what)
		}
	}
}

// ends runs a command that may fail, and wants it to say why then.
func ends(t *testing.T, h *rig.House, args ...string) (done bool) {
	t.Helper()
	r := h.Try(t, args...)
	if r.Code != 0 && r.Stderr == "" || strings.Contains(r.Stderr, "goroutine ") {
		t.Errorf("stele %s ended with %d: %s", strings.Join(args, " "), r.Code, r.Stderr)
	}
	return r.Code == 0
}

// TestABackupOnADiskThatFails wants what is there afterwards to be a whole backup, or none, and
// none to be remembered that is not there.
func TestABackupOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	folder := filepath.Join(t.TempDir(), "backup")
	remembered := func() (at string) {
		db := h.Books(t, "")
		defer db.Close()
		if err := db.QueryRow(`SELECT coalesce(max(value), '') FROM settings WHERE name = 'backed_up'`).Scan(&at); err != nil {
			t.Fatal(err)
		}
		return at
	}
	before := ""
	fails(t, backupStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		before = remembered()
		return ends(t, h, "backup", folder)
	}, func(done bool, what string) {
		_, err := os.Stat(folder)
		if there := err == nil; done && !there || there && !ends(t, h, "restore", "--verify", folder) || !there && remembered() != before {
			t.Errorf("%s: done %v, there %v, remembered at %q and then %q", what, done, there, before, remembered())
		}
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
	})
	sound(t, h)
}

// TestARestoreOnADiskThatFails wants one that failed to be done again, in the same place.
func TestARestoreOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	folder := filepath.Join(t.TempDir(), "backup")
	h.Run(t, "backup", folder)
	master := []string{"--master-key-file", filepath.Join(h.Data, "master.key")}
	var there *rig.House
	fails(t, restoreStep, func(env ...string) bool {
		there = rig.New(t, rig.Options{Flags: master, Env: env})
		return ends(t, there, "restore", folder)
	}, func(done bool, what string) {
		there.Setenv()
		if r := there.Try(t, "restore", folder); !done && r.Code != 0 {
			t.Errorf("%s: again: %s", what, r.Stderr)
		}
		sound(t, there)
		wholeFiles(t, there, there.Books(t, ""), what, nil)
		if err := os.RemoveAll(there.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAMoveOnADiskThatFails moves an installation from PostgreSQL and another folder to SQLite
// and the data folder. A move that failed is done again, to the same place; what it comes from stays.
func TestAMoveOnADiskThatFails(t *testing.T) {
	t.Parallel()
	files := t.TempDir()
	h := furnished(t, "--database-url", rig.NewDatabase(t), "--blob-url", "file://"+files)
	master := []string{"--master-key-file", filepath.Join(h.Data, "master.key")}
	target := func() []string {
		list, _ := filepath.Glob(filepath.Join(h.Data, "stele.db*"))
		return append(list, filepath.Join(h.Data, "blobs"))
	}
	move := []string{"move", "--to-database", "sqlite", "--to-files", "folder"}
	fails(t, moveStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		return ends(t, h, move...)
	}, func(done bool, what string) {
		if r := h.Try(t, move...); !done && r.Code != 0 {
			t.Errorf("%s: again: %s", what, r.Stderr)
		}
		there := rig.New(t, rig.Options{Flags: master})
		there.Data = h.Data
		sound(t, there)
		wholeFiles(t, there, there.Books(t, ""), what, nil)
		if n := rowsOf(t, there, ""); n.files != 4 || n.requests != 4 {
			t.Errorf("%s: there are %+v", what, n)
		}
		for _, name := range target() {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestAMoveOffADiskThatFails moves the other way, to PostgreSQL and S3: what waits to be sent
// there lies on the disk, and the journal that goes before it does.
func TestAMoveOffADiskThatFails(t *testing.T) {
	t.Parallel()
	storage := rig.NewStorage(t)
	h := furnished(t)
	before := rowsOf(t, h, "")
	var database, files string
	place := 0
	fails(t, moveOffStep, func(env ...string) bool {
		place++
		database, files = rig.NewDatabase(t), storage.Place(fmt.Sprint("place", place))
		h.Setenv(env...)
		defer h.Setenv()
		return ends(t, h, "move", "--to-database", database, "--to-files", files)
	}, func(done bool, what string) {
		if r := h.Try(t, "move", "--to-database", database, "--to-files", files); !done && r.Code != 0 {
			t.Errorf("%s: again: %s", what, r.Stderr)
		}
		there := rig.New(t, rig.Options{Flags: []string{
			"--database-url", database, "--blob-url", files, "--master-key-file", filepath.Join(h.Data, "master.key"),
		}})
		if after := rowsOf(t, there, database); after != before {
			t.Errorf("%s: there were %+v, and are %+v", what, before, after)
		}
		there.Run(t, "money", "verify")
		there.Run(t, "backup", filepath.Join(there.Data, "backup")) // each file is as it was kept
		sound(t, h)
		if err := os.RemoveAll(there.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// TestAMasterKeyRotatedOnADiskThatFails wants what is sealed to open at any moment, and the next try to
// end what one began.
func TestAMasterKeyRotatedOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	h.Run(t, "webhooks", "secret")
	fails(t, rotateStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		return ends(t, h, "master-key", "rotate")
	}, func(done bool, what string) {
		h.Run(t, "master-key", "verify")
		if !done {
			h.Run(t, "master-key", "rotate")
			h.Run(t, "master-key", "verify")
		}
		if left, _ := filepath.Glob(filepath.Join(h.Data, "master*")); len(left) != 1 {
			t.Errorf("%s: there are %v", what, left)
		}
		sound(t, h)
	})
}
