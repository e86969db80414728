package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/fault"
	"stele/internal/fleet"
	"stele/internal/generation"
	"stele/internal/route"
	"stele/internal/uid"
)

func TestServersSayHowTheyAre(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		s.SetQueue(Queue{Enqueue: func(context.Context, *sql.Tx, []generation.Job) error { return nil }, Wake: func([]generation.Job) {}})
		now := time.UnixMilli(time.Now().UnixMilli()).UTC()
		if err := s.Beat(t.Context(), "node_old", now.Add(-time.Hour)); err != nil { // as a binary does that says nothing of itself
			t.Fatal(err)
		}
		me := fleet.Node{
			ID: "node_me", Started: now.Add(-time.Minute), Seen: now, Version: "1.2.3", Host: "box", Address: "127.0.0.1:8080",
			Load: fleet.Load{Requests: 7, Streams: 3, Journal: 5, Lag: 1500 * time.Millisecond},
		}
		s.SetVitals(func() fleet.Node { return me })
		for _, at := range []time.Time{now.Add(-time.Second), now} {
			if err := s.Beat(t.Context(), me.ID, at); err != nil {
				t.Fatal(err)
			}
		}
		for _, task := range []generation.Task{
			{Stage: generation.Waiting, Owner: me.ID}, {Stage: generation.Collecting, Owner: me.ID}, {Stage: generation.Ended, Owner: me.ID}, {Stage: generation.Ordered},
		} {
			task.ID, task.Workspace, task.Created, task.Updated = uid.New("gen"), "default", now, now
			if err := s.InsertTask(t.Context(), &task); err != nil {
				t.Fatal(err)
			}
		}
		me.Tasks = 2
		all, err := s.Fleet(t.Context())
		want := fleet.Fleet{Nodes: []fleet.Node{{ID: "node_old", Seen: now.Add(-time.Hour)}, me}, Waiting: 1, Oldest: now}
		if diff := cmp.Diff(want, all); err != nil || diff != "" {
			t.Error(err, diff)
		}
		if all.Nodes[0].Alive(now) || !all.Nodes[1].Alive(now) {
			t.Error("the living are told from the dead wrongly")
		}
	})
}

func TestServersTellHowProvidersServeThem(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		now := time.UnixMilli(time.Now().UnixMilli()).UTC()
		known := map[string]route.Health{
			"acme": {Tries: 7, Failures: 2, InARow: 1, Last: now, Served: now.Add(-time.Second), Failed: now, Code: fault.RateLimited, Message: "slow\x00 down\xff " + strings.Repeat("!", 600)},
		}
		s.SetVitals(func() fleet.Node { return fleet.Node{Providers: maps.Clone(known)} })
		for node, at := range map[string]time.Time{"node_me": now, "node_other": now, "node_dead": now.Add(-time.Hour)} {
			if err := s.Beat(t.Context(), node, at); err != nil {
				t.Fatal(err)
			}
		}
		s.SetVitals(nil)
		if err := s.Beat(t.Context(), "node_dumb", now); err != nil {
			t.Fatal(err)
		}
		told, err := s.HealthElsewhere(t.Context(), "node_me", now.Add(-fleet.SilentAfter))
		want := known["acme"]
		want.Message = "slow\uFFFD down\uFFFD " + strings.Repeat("!", 512-len("slow\x00 down\xff "))
		if diff := cmp.Diff([]map[string]route.Health{{"acme": want}}, told); err != nil || diff != "" {
			t.Error(err, diff)
		}
	})
}

func TestTheJournalKnowsHowFarItIsBehind(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	j, err := OpenJournal(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	keep := func() {
		r := record(0)
		if err := j.Keep(&r); err != nil {
			t.Fatal(err)
		}
	}
	begun := time.Now()
	keep()
	keep()
	first := j.Lag()
	if first.Records != 2 || first.Since.Before(begun) {
		t.Errorf("%+v", first)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if err := j.Flush(gone); !errors.Is(err, context.Canceled) {
		t.Fatalf("a flush without a database: %v", err)
	}
	keep()
	if lag := j.Lag(); lag.Records != 3 || !lag.Since.Equal(first.Since) {
		t.Errorf("what could not be saved: %+v, want 3 since %s", lag, first.Since)
	}
	if err := j.Flush(t.Context()); err != nil {
		t.Fatal(err)
	}
	if lag := j.Lag(); lag != (Lag{}) {
		t.Errorf("after a flush: %+v", lag)
	}
}
