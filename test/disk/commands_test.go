package disk

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"stele/test/rig"
)

// furnished is a house with files and rows that does not serve.
func furnished(t *testing.T) *rig.House {
	t.Helper()
	h := rig.Start(t, rig.Options{})
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
