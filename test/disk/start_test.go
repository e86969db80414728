package disk

import (
	"os"
	"testing"

	"stele/test/rig"
)

// TestAStartOnADiskThatFails has the disk fail at a change after another of a first start. The
// program ends with a sentence or serves, and the next start, with room, finds nothing that is in its way.
func TestAStartOnADiskThatFails(t *testing.T) {
	t.Parallel()
	var h *rig.House
	fails(t, startStep, func(env ...string) bool {
		h = rig.New(t, rig.Options{Env: env})
		return starts(t, h)
	}, func(bool, string) {
		h.Setenv()
		h.Start(t)
		h.Stop(t)
		sound(t, h)
		if err := os.RemoveAll(h.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// starts says whether a server comes to serve, and ends it at once.
func starts(t *testing.T, h *rig.House) bool {
	t.Helper()
	served := h.Attempt(t)
	if served {
		h.Kill(t)
	}
	return served
}

// TestASecondStartOnADiskThatFails does the same to an installation with files and rows: at
// the next start, with room, all of it is there.
func TestASecondStartOnADiskThatFails(t *testing.T) {
	t.Parallel()
	h := furnished(t)
	before := rowsOf(t, h, "")
	fails(t, againStep, func(env ...string) bool {
		h.Setenv(env...)
		defer h.Setenv()
		return starts(t, h)
	}, func(_ bool, what string) {
		h.Start(t)
		h.Stop(t)
		sound(t, h)
		wholeFiles(t, h, h.Books(t, ""), what, nil)
		if after := rowsOf(t, h, ""); after != before {
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
		before = rowsOf(t, old.House, "")
		return ends(t, old.House, "upgrade")
	}, func(_ bool, what string) {
		old.Setenv()
		old.Run(t, "upgrade")
		sound(t, old.House)
		if after := rowsOf(t, old.House, ""); after != before {
			t.Errorf("%s: there were %+v, and are %+v", what, before, after)
		}
		if err := os.RemoveAll(old.Data); err != nil {
			t.Fatal(err)
		}
	})
}

// rowCounts is how many rows there are of what clients were told of.
type rowCounts struct{ requests, files, generations, keys int }

func rowsOf(t *testing.T, h *rig.House, databaseURL string) (n rowCounts) {
	t.Helper()
	db := h.Books(t, databaseURL)
	defer db.Close()
	if err := db.QueryRow(`SELECT (SELECT COUNT(*) FROM requests), (SELECT COUNT(*) FROM files), (SELECT COUNT(*) FROM generations),
		(SELECT COUNT(*) FROM keys)`).Scan(&n.requests, &n.files, &n.generations, &n.keys); err != nil {
		t.Fatal(err)
	}
	return n
}
