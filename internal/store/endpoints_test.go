package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	"stele/internal/generation"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// published has a task end with an event.
func published(ctx context.Context, s *Store, event string) error {
	now := time.Now()
	task := &generation.Task{ID: uid.New("gen"), Workspace: "default", Stage: generation.Ended, Created: now, Updated: now}
	task.Publish(webhook.Event{Workspace: "default", Type: event, Subject: task.ID, At: now, Body: func() []byte { return []byte(event) }})
	return s.InsertTask(ctx, task)
}

func TestEndpointsHearOfWhatTheyWant(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var queued, woken []string
		var dead error
		s.SetQueue(Queue{
			Enqueue: func(_ context.Context, _ *sql.Tx, jobs []generation.Job) error {
				if dead != nil {
					return dead
				}
				for _, j := range jobs {
					queued = append(queued, j.(webhook.Deliver).ID)
				}
				return nil
			},
			Wake: func(jobs []generation.Job) {
				for _, j := range jobs {
					woken = append(woken, j.(webhook.Deliver).ID)
				}
			},
		})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_1", Workspace: "default", URL: "https://all.test", Enabled: true})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_2", Workspace: "default", URL: "https://apps.test", Enabled: true, Events: []string{webhook.AppSucceeded, webhook.AppFailed}})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_3", Workspace: "default", URL: "mailto:ops@example.com", Enabled: true})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_4", Workspace: "acme", URL: "https://acme.test", Enabled: true})
		dead = errors.New("the process died")
		if err := published(t.Context(), s, webhook.AppFailed); !errors.Is(err, dead) {
			t.Fatal(err)
		}
		dead = nil
		for _, event := range []string{webhook.GenerationSucceeded, webhook.AppFailed, webhook.AppCanceled} {
			if err := published(t.Context(), s, event); err != nil {
				t.Fatal(err)
			}
		}
		of := func(f webhook.Filter) (list []string) {
			t.Helper()
			f.Limit = 100
			found, err := s.Deliveries(t.Context(), f)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range found {
				list = append(list, d.Endpoint+" "+d.Type)
			}
			slices.Sort(list)
			return list
		}
		want := []string{"ep_1 app.canceled", "ep_1 app.failed", "ep_1 generation.succeeded", "ep_2 app.failed"}
		if got := of(webhook.Filter{}); !slices.Equal(got, want) || len(queued) != 4 || !slices.Equal(queued, woken) {
			t.Errorf("messages %v, want %v; %d jobs, %d woken", got, want, len(queued), len(woken))
		}
		if got := of(webhook.Filter{Endpoint: "ep_1", Type: webhook.AppFailed}); len(got) != 1 {
			t.Errorf("picked %v", got)
		}
		if got := of(webhook.Filter{Workspace: "acme"}); len(got) != 0 {
			t.Errorf("another workspace has %v", got)
		}
	})
}

func TestManyAreSentAgain(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		jobs := 0
		s.SetQueue(Queue{
			Enqueue: func(_ context.Context, _ *sql.Tx, some []generation.Job) error { jobs += len(some); return nil },
			Wake:    func([]generation.Job) {},
		})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_1", Workspace: "default", URL: "https://all.test", Enabled: true})
		const given = replayBite + 7
		for i := range given + 3 {
			if err := published(t.Context(), s, webhook.AppFailed); err != nil {
				t.Fatal(err, strconv.Itoa(i))
			}
		}
		list, err := s.Deliveries(t.Context(), webhook.Filter{Limit: 1000})
		if err != nil || len(list) != given+3 {
			t.Fatal(len(list), err)
		}
		for _, d := range list[:given] {
			d.State, d.Tries, d.Answer, d.Next = webhook.GivenUp, 10, "no", time.Now()
			if err := s.SaveAttempt(t.Context(), &d); err != nil {
				t.Fatal(err)
			}
		}
		if e, err := s.Endpoints(t.Context(), "default"); err != nil || len(e) != 1 || e[0].GivenUp != given {
			t.Errorf("%+v, %v", e, err)
		}
		// Page by page, every message is listed once.
		seen, before := 0, ""
		for {
			page, err := s.Deliveries(t.Context(), webhook.Filter{Endpoint: "ep_1", State: webhook.GivenUp, Before: before, Limit: 50})
			if err != nil {
				t.Fatal(err)
			}
			if seen += len(page); len(page) == 0 {
				break
			}
			before = page[len(page)-1].ID
		}
		if seen != given {
			t.Errorf("pages list %d messages of %d", seen, given)
		}
		jobs = 0
		later := webhook.Filter{Endpoint: "ep_1", State: webhook.GivenUp, Since: time.Now().Add(time.Hour)}
		if n, err := s.ReplayAll(t.Context(), later); n != 0 || err != nil {
			t.Errorf("%d were sent again, %v", n, err)
		}
		n, err := s.ReplayAll(t.Context(), webhook.Filter{Endpoint: "ep_1", State: webhook.GivenUp, Limit: 5})
		if err != nil || n != 5 || jobs != 5 {
			t.Errorf("%d were sent again with %d jobs, %v", n, jobs, err)
		}
		n, err = s.ReplayAll(t.Context(), webhook.Filter{Endpoint: "ep_1", State: webhook.GivenUp})
		if err != nil || n != given-5 || jobs != given {
			t.Errorf("%d were sent again with %d jobs, %v", n, jobs, err)
		}
	})
}
