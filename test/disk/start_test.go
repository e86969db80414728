package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"stele/test/rig"
)

// TestAStartOnADiskThatFails has the disk run full or err at a change after another of a
// first start. The program ends with a sentence or serves, and the next start, with room,
// finds nothing that is in its way.
func TestAStartOnADiskThatFails(t *testing.T) {
	t.Parallel()
	trace := filepath.Join(t.TempDir(), "trace")
	h := rig.Start(t, rig.Options{Env: []string{"STELE_DISK_TRACE=" + trace}})
	last := len(readTrace(t, trace))
	h.Stop(t)
	for k := 1; k <= last; k += startStep {
		how := []string{"full", "broken", "late"}[k/startStep%3]
		faults := filepath.Join(t.TempDir(), "faults")
		if err := os.WriteFile(faults, fmt.Appendf(nil, "%s %d %d", how, k, forever), 0o600); err != nil {
			t.Fatal(err)
		}
		h := rig.New(t, rig.Options{Env: []string{"STELE_DISK_FAULTS=" + faults}})
		if h.Attempt(t) {
			h.Kill(t)
		}
		h.Setenv()
		h.Start(t)
		h.Stop(t)
		sound(t, h)
		if t.Failed() {
			t.Fatalf("%s from change %d of %d on", how, k, last)
		}
	}
}

// TestASecondStartOnADiskThatFails does the same to an installation with files and rows: at
// the next start, with room, all of it is there.
func TestASecondStartOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	before := rowsOf(t, h)
	fails(t, againStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		served := h.Attempt(t)
		if served {
			h.Kill(t)
		}
		return served
	}, func(_ bool, what string) {
		h.Start(t)
		h.Stop(t)
		sound(t, h)
		wholeFiles(t, h, h.Books(t, ""), what, nil)
		if after := rowsOf(t, h); after != before {
			t.Errorf("%s: there were %+v, and are %+v", what, before, after)
		}
	})
}

// TestAnUpgradeOnADiskThatFails has the disk fail at a change after another of the steps from
// the oldest release to this one. It ends with a sentence, and the next try goes through.
func TestAnUpgradeOnADiskThatFails(t *testing.T) {
	t.Parallel()
	var old rig.Release
	var before rowCounts
	fails(t, upgradeStep, func(env ...string) bool {
		old = rig.LoadRelease(t, rig.FirstRelease(t), "sqlite", rig.Options{Env: env})
		before = rowsOf(t, old.House)
		r := old.Try(t, "upgrade")
		if r.Code != 0 && r.Stderr == "" || strings.Contains(r.Stderr, "goroutine ") {
			t.Errorf("stele upgrade ended with %d: %s", r.Code, r.Stderr)
		}
		return r.Code == 0
	}, func(_ bool, what string) {
		old.Setenv()
		old.Run(t, "upgrade")
		sound(t, old.House)
		if after := rowsOf(t, old.House); after != before {
			t.Errorf("%s: there were %+v, and are %+v", what, before, after)
		}
		if err := os.RemoveAll(old.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// rowCounts is how many rows there are of what clients were told of.
type rowCounts struct{ requests, files, generations, keys int }

func rowsOf(t *testing.T, h *rig.House) (n rowCounts) {
	t.Helper()
	db := h.Books(t, "")
	defer db.Close()
	if err := db.QueryRow(`SELECT (SELECT COUNT(*) FROM requests), (SELECT COUNT(*) FROM files), (SELECT COUNT(*) FROM generations),
		(SELECT COUNT(*) FROM keys)`).Scan(&n.requests, &n.files, &n.generations, &n.keys); err != nil {
		t.Fatal(err)
	}
	return n
}
