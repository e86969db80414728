package disk

import (
	"fmt"
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

// fails has a command run on a disk that fails from one change on, of those that it makes otherwise:
// on one that is full, broken or full when it is synced, by turns.
func fails(t *testing.T, step int, command func(env ...string) bool, between func(done bool, what string)) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	done := command("STELE_DISK_TRACE=" + trace)
	if between(done, "nothing fails"); !done {
		t.Fatal("it fails by itself")
	}
	last := len(readTrace(t, trace))
	t.Logf("it makes %d changes", last)
	for k := 1; k <= last && !t.Failed(); k += step {
		what := fmt.Sprintf("%s %d %d", []string{"full", "broken", "late"}[k/step%3], k, forever)
		faults := filepath.Join(t.TempDir(), "faults")
		if err := os.WriteFile(faults, []byte(what), 0o600); err != nil {
			t.Fatal(err)
		}
		between(command("STELE_DISK_FAULTS="+faults), what)
	}
}

// TestABackupOnADiskThatFails wants what is there afterwards to be a whole backup, or none.
func TestABackupOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	folder := filepath.Join(t.TempDir(), "backup")
	run := func(args ...string) bool {
		r := h.Try(t, args...)
		if r.Code != 0 && r.Stderr == "" {
			t.Errorf("stele %v says nothing", args)
		}
		return r.Code == 0
	}
	fails(t, backupStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		return run("backup", folder)
	}, func(done bool, what string) {
		_, err := os.Stat(folder)
		if there := err == nil; done && !there || there && !run("restore", "--verify", folder) {
			t.Errorf("%s: done %v, there %v", what, done, there)
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
		return there.Try(t, "restore", folder).Code == 0
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
	run := func() rig.Result { return h.Try(t, "move", "--to-database", "sqlite", "--to-files", "folder") }
	fails(t, moveStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		r := run()
		if r.Code != 0 && r.Stderr == "" || strings.Contains(r.Stderr, "goroutine ") {
			t.Errorf("stele move ended with %d: %s", r.Code, r.Stderr)
		}
		return r.Code == 0
	}, func(done bool, what string) {
		if r := run(); !done && r.Code != 0 {
			t.Errorf("%s: again: %s", what, r.Stderr)
		}
		there := rig.New(t, rig.Options{Flags: master})
		there.Data = h.Data
		sound(t, there)
		wholeFiles(t, there, there.Books(t, ""), what, nil)
		if n := rowsOf(t, there); n.files != 4 || n.requests != 4 {
			t.Errorf("%s: there are %+v", what, n)
		}
		for _, name := range target() {
			if err := os.RemoveAll(name); err != nil {
				t.Fatal(err)
			}
		}
	})
}
