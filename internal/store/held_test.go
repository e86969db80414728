package store

import (
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/file"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/uid"
)

// bounded says of every table that Held does not add up what keeps a workspace from filling the disk with it.
var bounded = map[string]string{
	"requests":          "counted by their days (usage_groups), kept for retention.requests",
	"request_hours":     "as many names in an hour as a day tells apart",
	"request_bodies":    "capture.budget for all, of which each has an equal part, kept for capture.keep",
	"usage_days":        "1,000 names of each kind in a day, kept for retention.usage",
	"usage_leaders":     "some of each week",
	"missing_models":    "200 of a workspace",
	"vault_turns":       "256 MB of a workspace, the oldest go first",
	"file_uses":         "the files of an order, until it ends",
	"sandbox_journal":   "one for each generation, as long as that is shown",
	"set_aside":         "tasks that killed a server, each of which is told",
	"limits":            "200 of a workspace",
	"limit_counters":    "one for each request at most, kept for retention.requests",
	"limit_leases":      "go with their counters",
	"limit_marks":       "go with their counters",
	"limit_nodes":       "one for each server",
	"ledger":            "administrators write it",
	"credit_grants":     "administrators make them",
	"webhook_secrets":   "one of a workspace",
	"webhook_endpoints": "50 of a workspace",
	"notices_seen":      "one for each person and workspace",
	"mail_off":          "one for each person and workspace",
	"workspaces":        "administrators make them",
	"members":           "1,000 people of a workspace",
	"users":             "1,000 people of a workspace",
	"links":             "one for each person",
	"logins":            "one for each person and workspace",
	"openings":          "one for each person and two workspaces",
	"sessions":          "auth.session.per_person",
	"devices":           "50 of a person",
	"factors":           "20 passkeys of a person, and few others",
	"signin_failures":   "end by themselves",
	"spent_tickets":     "end by themselves",
	"offers":            "administrators make them",
	"settings":          "few, and one for each damaged file",
	"revisions":         "few",
	"nodes":             "one for each server",
	"key_followers":     "one for each server",
	"target_states":     "administrators name targets, and they end by themselves",
	"audit_head":        "one",
	"audit_sinks":       "one for each place",
}

// A table is added up, or it is named what bounds it.
func TestEveryTableIsBounded(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	tables, err := s.tables(t.Context(), s.read)
	if err != nil {
		t.Fatal(err)
	}
	held := make(map[string]bool)
	for _, q := range countedTables {
		held[q.table] = true
	}
	known := make(map[string]bool)
	for _, table := range tables {
		known[table.Name] = true
		if held[table.Name] == (bounded[table.Name] != "") {
			t.Errorf("%s: say what bounds it, or let Held add it up, but not both", table.Name)
		}
	}
	for name := range bounded {
		if !known[name] {
			t.Errorf("there is no table %s", name)
		}
	}
}

// Sums are found through indexes: what other workspaces hold costs nothing.
func TestHeldReadsOneWorkspace(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	for _, q := range countedTables {
		steps, err := selectAll(t.Context(), s.read, "explain", func(step *string) []any {
			var a, b, c int
			return []any{&a, &b, &c, step}
		}, `EXPLAIN QUERY PLAN SELECT SUM(`+q.bytes+`) FROM `+q.table+` WHERE `+q.where, "a")
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if strings.HasPrefix(step, "SCAN "+q.table) || strings.HasPrefix(step, "SCAN generations") || strings.HasPrefix(step, "SCAN requests") {
				t.Errorf("%s: %q", q.table, steps)
			}
		}
	}
}

func TestHeldAddsUpOneWorkspace(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.Now()
		held := func(workspace string) (files, rows int64, alone bool) {
			sums, err := s.Held(t.Context(), workspace)
			if err != nil {
				t.Fatal(err)
			}
			return sums.Files, sums.Rows, sums.Alone
		}
		if files, rows, alone := held("default"); files != 0 || rows != 0 || !alone {
			t.Errorf("an empty house: %d %d %t", files, rows, alone)
		}
		f := &file.File{ID: uid.New("file"), Workspace: "default", Blob: "x", Created: now, Expires: now.Add(time.Hour)}
		if err := s.InsertFile(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		f.Size = 5 << 30
		if err := s.FinishFile(t.Context(), f); err != nil {
			t.Fatal(err)
		}
		order := &generation.Task{
			ID: uid.New("gen"), Workspace: "default", Model: "m", MediaType: "video", State: media.Pending, Stage: generation.Ordered,
			Order: generation.Order{Prompt: strings.Repeat("x", 100_000)}, Created: now, Updated: now, Deadline: now.Add(time.Hour), Version: 1,
		}
		if err := s.InsertTask(t.Context(), order); err != nil {
			t.Fatal(err)
		}
		files, rows, _ := held("default")
		if want := 5<<30 + generation.ExpectedBytes("video"); files != want {
			t.Errorf("files: %d, want %d", files, want)
		}
		if rows < 100_000 || rows > 110_000 {
			t.Errorf("rows: %d", rows)
		}
		if files, rows, alone := held("other"); files != 0 || rows != 0 || alone {
			t.Errorf("another workspace: %d %d %t", files, rows, alone)
		}
	})
}

// What ended long ago goes: keys that were revoked, and what the sandbox has accepted.
func TestRevokedKeysAndOldOrdersAreForgotten(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.Now()
		for id, revoked := range map[string]time.Time{"key_old": now.Add(-time.Hour), "key_new": now, "key_live": {}} {
			k := access.Key{ID: id, Name: id, Workspace: "default", Environment: access.Development, CreatedAt: now.Add(-2 * time.Hour), RevokedAt: revoked, Secrets: []access.Secret{{Hash: id}}}
			if err := s.InsertKey(t.Context(), k, access.Entry{ID: uid.New("aud"), At: now, Action: "key.create", Target: id}); err != nil {
				t.Fatal(err)
			}
		}
		if n, err := s.DeleteKeysBefore(t.Context(), now.Add(-time.Minute)); n != 1 || err != nil {
			t.Errorf("%d keys were forgotten: %v", n, err)
		}
		if left, err := s.FindKeys(t.Context(), access.KeyFilter{Workspace: "default"}); len(left) != 2 || err != nil {
			t.Errorf("left are %+v, %v", left, err)
		}
		if err := s.Accept(t.Context(), "gen_1", []byte("x")); err != nil {
			t.Fatal(err)
		}
		for before, want := range map[time.Time]int64{now.Add(-time.Hour): 0, now.Add(time.Hour): 1} {
			if n, err := s.DeleteAcceptedBefore(t.Context(), before); n > want || err != nil {
				t.Errorf("%d orders were forgotten, want %d: %v", n, want, err)
			}
		}
		if _, found, err := s.FindAccepted(t.Context(), "gen_1"); found || err != nil {
			t.Errorf("an order is still there: %v", err)
		}
	})
}
