package store

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

func TestChangesAreHeardByOtherProcesses(t *testing.T) {
	t.Parallel()
	databaseURL, _ := storetest.Place(t, "postgres")
	var processes []*Store
	for range 2 {
		s, err := Open(t.Context(), databaseURL, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		processes = append(processes, s)
	}
	task := &generation.Task{ID: uid.New("gen"), Stage: generation.Ordered}
	if err := processes[0].InsertTask(t.Context(), task); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	heard, over := make(chan string, 100), make(chan struct{})
	go func() {
		defer close(over)
		processes[1].Listen(ctx, slog.New(slog.DiscardHandler), func(id string) { heard <- id })
	}()
	for i := range 2 {
		hear(t, processes[0], task.ID, heard)
		if i == 0 { // a listener whose connection breaks listens again
			_, err := processes[0].pool.Exec(t.Context(), `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
				WHERE datname = current_database() AND query LIKE 'LISTEN%'`)
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	cancel()
	<-over
}

// hear changes a task until that is heard: PostgreSQL does not say when a listener is ready.
func hear(t *testing.T, s *Store, id string, heard chan string) {
	t.Helper()
	for len(heard) > 0 {
		<-heard
	}
	end := time.After(time.Minute)
	for {
		if _, err := s.UpdateTask(t.Context(), "", id, func(*generation.Task) error { return nil }); err != nil {
			t.Fatal(err)
		}
		select {
		case got := <-heard:
			if got != id {
				t.Errorf("heard of %q", got)
			}
			return
		case <-end:
			t.Fatal("nothing was heard")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

func TestListeningOnSQLiteWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	s := openTest(t, "sqlite")
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		s.Listen(ctx, slog.New(slog.DiscardHandler), func(id string) { t.Errorf("heard of %q", id) })
	}()
	cancel()
	<-over
}

func TestChangesOfKeysAreHeardByOtherProcesses(t *testing.T) {
	t.Parallel()
	databaseURL, _ := storetest.Place(t, "postgres")
	var processes []*Store
	for range 2 {
		s, err := Open(t.Context(), databaseURL, "")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		processes = append(processes, s)
	}
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() {
		defer close(over)
		processes[1].Listen(ctx, slog.New(slog.DiscardHandler), func(string) {})
	}()
	<-processes[1].News() // it listens, and has to look
	e := access.Entry{ID: uid.New("aud"), At: time.Now(), Action: "key.create"}
	k := access.Key{ID: uid.New("key"), Workspace: "default", Name: "k", CreatedAt: time.Now(), Secrets: []access.Secret{{Hash: "h"}}}
	if err := processes[0].InsertKey(t.Context(), k, e); err != nil {
		t.Fatal(err)
	}
	select {
	case <-processes[1].News():
	case <-time.After(3 * time.Minute):
		t.Error("not heard")
	}
	cancel()
	<-over
}
