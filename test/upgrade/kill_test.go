package upgrade

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"stele/test/rig"
)

// The program is killed at statements of its upgrade, again and again, until it gets through: everything is there, and it serves.
func TestAnUpgradeThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, engine string) {
		for kills := 0; kills < upgradeKills; {
			i := load(t, rig.FirstRelease(t), engine, rig.Options{})
			before := i.rows(t)
			n := killThrough(t, &i, min(upgradeKills-kills, 12))
			if n == 0 {
				t.Fatal("it was never killed: there is no step after the first release")
			}
			kills += n
			after := i.rows(t)
			for _, name := range slices.Sorted(maps.Keys(before)) {
				if before[name] != after[name] && name != "settings" && name != "revisions" {
					t.Errorf("%s had %d rows, and has %d", name, before[name], after[name])
				}
			}
			serves(t, &i)
		}
	})
}

// A database that is made for the first time gets through as well.
func TestAFirstStartThatIsKilledGoesOn(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, engine string) {
		i := installation{}
		var o rig.Options
		if engine == "postgres" {
			i.database = rig.NewDatabase(t)
			o.Flags = []string{"--database-url", i.database}
		}
		i.House = rig.New(t, o)
		if killThrough(t, &i, upgradeKills) == 0 {
			t.Error("it was never killed")
		}
		i.key = i.CreateKey(t).Key
		serves(t, &i)
	})
}

// killThrough has an upgrade killed up to so many times, then lets it end.
func killThrough(t *testing.T, i *installation, most int) (kills int) {
	t.Helper()
	for place := 1; kills < most; place++ {
		point := fmt.Sprint("migrating:", place-rand.N(min(place, 3)))
		if kills == 1 && len(i.tables) > 0 { // a new database does not come there
			point = "upgrading"
		}
		i.Setenv("STELE_CRASH_POINT=" + point)
		switch r := i.Try(t, "upgrade"); r.Code {
		case -1:
			kills++
		case 0:
			return kills
		default:
			t.Fatalf("after %d kills: %s", kills, r.Stderr)
		}
	}
	i.Setenv()
	i.Run(t, "upgrade")
	return kills
}

// serves looks whether an upgraded installation is as it should be.
func serves(t *testing.T, i *installation) {
	t.Helper()
	i.Setenv()
	if text := i.Run(t, "upgrade", "check"); !strings.Contains(text, "there is nothing to do") || strings.Contains(text, "has not ended") {
		t.Error(text)
	}
	if i.database == "" && len(i.tables) > 0 {
		copies, err := filepath.Glob(filepath.Join(i.Data, "stele.db.schema-*"))
		if err != nil || len(copies) != 1 {
			t.Errorf("copies %v, %v", copies, err)
		}
	}
	i.Start(t)
	i.Await(t, i.key, http.StatusOK)
	if a := i.Post(t, "/api/v1/chat/completions", i.key, `{"model": "stele/sandbox", "messages": [{"role": "user", "content": "hi"}]}`); a.Status != http.StatusOK {
		t.Error(a.Status, a.Body)
	}
	made := i.Post(t, "/api/v1/generations", i.key, `{"model": "stele/sandbox-image", "mode": "text_to_image", "prompt": "after"}`)
	finish(t, i.House, i.key, made)
	i.Stop(t)
}
