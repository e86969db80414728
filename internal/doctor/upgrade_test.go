package doctor

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/assembly"
	"stele/internal/config"
	"stele/internal/store"
	"stele/internal/store/migration"
)

func TestWhatAnUpgradeMeans(t *testing.T) {
	t.Parallel()
	now := time.Now()
	cfg := config.Default()
	cfg.Data = t.TempDir()
	if err := os.WriteFile(filepath.Join(cfg.Data, "stele.db"), []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	one, two := migration.Release{Version: "1.0.0", Schema: 30}, migration.Release{Version: "1.1.0", Schema: 33}
	living := []store.NodeState{{ID: "node_1", Seen: now, Version: "1.0.0"}}
	steps := []store.Step{{Name: "0034_x", Work: []store.StepWork{{Kind: migration.Reads, Table: "requests", Rows: 5}}}}
	many := []store.Step{{Name: "0034_x", Work: []store.StepWork{{Kind: migration.Reads, Table: "requests", Rows: largeTable}}}}
	for name, c := range map[string]struct {
		state store.State
		want  string
	}{
		"nothing to do": {store.State{Engine: "sqlite", Schema: 34, Known: 34, WillServe: two}, "ok ok ok"},
		"one step": {store.State{Engine: "postgres", Schema: 33, Release: "1.1.0", Known: 34, WillServe: two, Steps: steps, Living: living, BackedUp: now},
			"ok ok ok ok ok"},
		"a large table, no backup": {store.State{Engine: "postgres", Schema: 33, Known: 34, WillServe: two, Steps: many}, "ok warning ok warning ok"},
		"an old backup":            {store.State{Engine: "postgres", Schema: 33, Known: 34, WillServe: two, Steps: steps, BackedUp: now.Add(-48 * time.Hour)}, "ok ok ok warning ok"},
		"two releases at once":     {store.State{Engine: "postgres", Schema: 30, Known: 34, WillServe: two, Steps: steps, Living: living, BackedUp: now}, "ok ok bad ok note"},
		"halfway":                  {store.State{Engine: "sqlite", Schema: 33, Known: 34, WillServe: two, Steps: steps, Unfinished: 33}, "warning ok ok ok ok"},
		"one step back":            {store.State{Engine: "postgres", Schema: 34, Known: 33, Serves: two, WillServe: one}, "note ok ok"},
		"two steps back":           {store.State{Engine: "postgres", Schema: 34, Known: 30, Serves: two, WillServe: one}, "bad"},
		"of an unknown stele":      {store.State{Engine: "postgres", Schema: 34, Known: 30, WillServe: one}, "bad"},
	} {
		u := &upgrade{Options{Config: cfg, Now: now, Process: assembly.Process{Version: "1.2.0"}}, c.state}
		var got []string
		for _, f := range u.findings() {
			got = append(got, string(f.Class))
			if f.Said == "" || (f.Class == Bad || f.Class == Warning) && f.Do == "" {
				t.Errorf("%s says too little: %+v", name, f)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", name, u.findings(), c.want)
		}
	}
}
