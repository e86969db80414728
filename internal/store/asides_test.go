package store_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/inflight"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/uid"
	"stele/internal/webhook"
)

func TestDeathsAreCountedAndTasksSetAside(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			databaseURL, folder := storetest.Place(t, engine)
			s, err := store.Open(t.Context(), databaseURL, folder)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.Close)
			queued := 0
			s.SetQueue(store.Queue{
				Enqueue: func(_ context.Context, _ *sql.Tx, jobs []generation.Job) error { queued += len(jobs); return nil },
				Wake:    func([]generation.Job) {},
			})
			setAside(t, s, &queued)
		})
	}
}

func setAside(t *testing.T, s *store.Store, queued *int) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	task := &generation.Task{ID: uid.New("gen"), Workspace: "default", Stage: generation.Ordered, State: "pending", Created: now, Updated: now}
	d := webhook.Delivery{
		ID: uid.New("msg"), Workspace: "default", Subject: task.ID, URL: "https://hooks.example.com/x", State: webhook.Pending, Created: now,
	}
	task.Announce(d)
	if err := s.InsertTask(ctx, task); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		for _, id := range []string{task.ID, d.ID, "gen_unknown"} {
			if err := s.CountDeath(ctx, id); err != nil {
				t.Fatal(err)
			}
		}
	}
	deaths, err := s.Deaths(ctx, []string{task.ID, d.ID, "gen_unknown"})
	if err != nil || len(deaths) != 2 || deaths[task.ID] != 2 || deaths[d.ID] != 2 {
		t.Errorf("deaths %v, %v", deaths, err)
	}
	if got, err := s.Task(ctx, "", task.ID); err != nil || got.Deaths != 2 {
		t.Errorf("the task: %+v, %v", got, err)
	}
	aside := inflight.Aside{
		ID: d.ID, Workspace: "default", Kind: inflight.Webhook, About: "hooks.example.com", Subject: task.ID, Reason: inflight.Died, Nano: 7,
		At: now.UTC().Truncate(time.Millisecond),
	}
	for range 2 { // the second time there is nothing to do
		if err := s.SetAsideDelivery(ctx, aside); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := s.Delivery(ctx, d.ID); err != nil || got.State != webhook.SetAside || got.Problem != inflight.Died || got.Deaths != 2 {
		t.Errorf("the delivery: %+v, %v", got, err)
	}
	if deaths, err := s.Deaths(ctx, []string{d.ID}); err != nil || len(deaths) != 0 {
		t.Errorf("what was set aside is still blamed: %v, %v", deaths, err)
	}
	list, err := s.Asides(ctx, "default", 10)
	if err != nil || len(list) != 1 || list[0] != aside {
		t.Errorf("set aside: %+v, %v", list, err)
	}
	if list, err := s.Asides(ctx, "other", 10); err != nil || len(list) != 0 {
		t.Errorf("another workspace sees %+v, %v", list, err)
	}
	if _, err := s.Aside(ctx, "other", d.ID); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace finds it: %v", err)
	}
	e := access.Entry{ID: uid.New("aud"), At: now, Workspace: "default", Action: "task.forget", Target: d.ID}
	if err := s.ForgetAside(ctx, "other", d.ID, e); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("another workspace forgets it: %v", err)
	}
	before := *queued
	if err := s.Replay(ctx, d.ID); err != nil || *queued != before+1 {
		t.Errorf("sent again: %v, %d jobs", err, *queued-before)
	}
	if got, err := s.Delivery(ctx, d.ID); err != nil || got.State != webhook.Pending || got.Deaths != 0 {
		t.Errorf("sent again: %+v, %v", got, err)
	}
	if err := s.ForgetAside(ctx, "default", d.ID, e); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("it is still on the list after it was sent again: %v", err)
	}
}
