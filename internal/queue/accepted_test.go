package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/riverqueue/river"
	"github.com/riverqueue/river/riverdriver/riverpgxv5"
	"github.com/riverqueue/river/riverdriver/riversqlite"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/media"
	"stele/internal/queue"
	"stele/internal/replay"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/uid"
)

// join wires store and queue as the program does.
func join(s *store.Store, q *queue.Queue) {
	s.SetQueue(store.Queue{
		Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
			return q.Enqueue(ctx, tx, time.Time{}, ofQueue(jobs)...)
		},
		InsertJobsSQL: func(place int, ids []string, jobs []generation.Job) (string, []any, error) {
			return q.InsertJobsSQL(place, ids, ofQueue(jobs))
		},
		Wake: func(jobs []generation.Job) { q.Wake(ofQueue(jobs)...) },
	})
}

func ofQueue(jobs []generation.Job) (list []queue.Job) {
	for _, j := range jobs {
		list = append(list, j)
	}
	return list
}

func task() *generation.Task {
	now := time.Now()
	t := &generation.Task{
		ID: uid.New("gen"), Workspace: "default", Key: "key_1", Model: "stele/canvas", MediaType: "image", Mode: "text_to_image",
		Provider: "stele/studio", State: media.Pending, Stage: generation.Ordered, Created: now, Updated: now, Deadline: now, Version: 1,
		Order: generation.Order{Prompt: "a stele in the desert", Parameters: map[string]any{"aspect_ratio": "16:9", "seed": int64(7)}},
	}
	t.AddJob(generation.Run{ID: t.ID})
	return t
}

func TestATaskIsWorkedOnWhenItIsSaved(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		join(s, q)
		ran := make(chan string, 10)
		queue.Handle(q, queue.Work{Workers: 4}, func(_ context.Context, r generation.Run) (time.Duration, error) {
			ran <- r.ID
			return 0, nil
		})
		start(t, q)
		v := task()
		if err := s.InsertTask(t.Context(), v); err != nil {
			t.Fatal(err)
		}
		if got := receive(t, ran); got != v.ID {
			t.Errorf("ran %s", got)
		}
		no := errors.New("no")
		_, err := s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
			t.AddJob(generation.Run{ID: "not this"})
			return no
		})
		if !errors.Is(err, no) {
			t.Fatal(err)
		}
		_, err = s.UpdateTask(t.Context(), v.Workspace, v.ID, func(t *generation.Task) error {
			t.AddJob(generation.Run{ID: "but this"})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := receive(t, ran); got != "but this" {
			t.Errorf("ran %s", got)
		}
	})
}

func TestTasksSavedTogetherEachHaveTheirJob(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		join(s, q)
		const n = 200
		ran := make(chan string, 3*n)
		queue.Handle(q, queue.Work{Workers: 4}, func(_ context.Context, r generation.Run) (time.Duration, error) {
			ran <- r.ID
			return 0, nil
		})
		start(t, q)
		var saved, taken atomic.Int32
		var wg sync.WaitGroup
		for range n {
			first, twin, broken := task(), task(), task()
			twin.ID = first.ID
			broken.Order.Sources = []generation.Source{{Field: "image_url", File: "file_gone"}}
			for _, v := range []*generation.Task{first, twin, broken} {
				wg.Go(func() {
					switch err := s.InsertTask(t.Context(), v); {
					case err == nil:
						saved.Add(1)
					case errors.Is(err, access.ErrExists):
						taken.Add(1)
					case v != broken || !errors.Is(err, access.ErrNotFound):
						t.Errorf("insert: %v", err)
					}
				})
			}
		}
		wg.Wait()
		if saved.Load() != n || taken.Load() != n {
			t.Errorf("%d saved, %d taken, want %d of each", saved.Load(), taken.Load(), n)
		}
		seen := make(map[string]bool)
		for range n {
			id := receive(t, ran)
			if seen[id] {
				t.Errorf("%s has two jobs", id)
			}
			seen[id] = true
		}
	})
}

func TestOfTasksWithOneKeyOneIsSaved(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		join(s, q)
		const n, twins = 60, 4
		ran := make(chan string, twins*n)
		queue.Handle(q, queue.Work{Workers: 4}, func(_ context.Context, r generation.Run) (time.Duration, error) {
			ran <- r.ID
			return 0, nil
		})
		start(t, q)
		claim := func(i int, id string) replay.Claim {
			return replay.Claim{
				Scope: replay.Scope{Workspace: "default", Route: "r", Key: fmt.Sprint(i)}, Fingerprint: "f", ID: id, Owner: "one", Tries: 1, Since: time.Now(),
				Answer: replay.Answer{Status: 201, Type: "text/plain", Body: []byte(id)},
			}
		}
		var mu sync.Mutex // guards saved
		saved := make(map[string]int)
		var wg sync.WaitGroup
		for i := range n {
			for range twins {
				v := task()
				v.Keep(claim(i, v.ID))
				wg.Go(func() {
					err := s.InsertTask(t.Context(), v)
					if err == nil {
						mu.Lock()
						defer mu.Unlock()
						saved[v.ID] = i
					} else if !errors.Is(err, replay.ErrUsed) {
						t.Error(err)
					}
				})
			}
		}
		wg.Wait()
		if len(saved) != n {
			t.Errorf("%d were saved under %d keys", len(saved), n)
		}
		for id, i := range saved {
			stands, mine, err := s.Claim(t.Context(), claim(i, "gen_late"), time.Time{}, time.Now())
			if err != nil || mine || stands.ID != id || string(stands.Answer.Body) != id {
				t.Errorf("%s: %+v %v %v", id, stands, mine, err)
			}
		}
		for range n {
			id := receive(t, ran)
			if _, ok := saved[id]; !ok {
				t.Errorf("%s was worked on, and not saved or twice", id)
			}
			delete(saved, id)
		}
		if tasks, err := s.Tasks(t.Context(), "default", 2*n); err != nil || len(tasks) != n {
			t.Errorf("%d tasks, %v", len(tasks), err)
		}
	})
}

// BenchmarkAccepted compares a task saved with its job to what River takes for a
// job alone, one transaction each, by turns on the same database.
func BenchmarkAccepted(b *testing.B) {
	for _, engine := range storetest.Engines() {
		b.Run(engine, func(b *testing.B) {
			s := open(b, engine)
			join(s, newQueue(s))
			bare := bareRiver(b, s)
			const turn = 200
			var ours, theirs time.Duration
			for done := 0; done < b.N; done += turn {
				theirs += together(b, turn, bare)
				ours += together(b, turn, func() error { return s.InsertTask(b.Context(), task()) })
			}
			turns := float64((b.N + turn - 1) / turn * turn)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(turns/ours.Seconds(), "tasks/s")
			b.ReportMetric(turns/theirs.Seconds(), "river/s")
			b.ReportMetric(100*theirs.Seconds()/ours.Seconds(), "%")
		})
	}
}

// bareRiver inserts a job as a user of River would.
func bareRiver(b *testing.B, s *store.Store) func() error {
	b.Helper()
	args := note{"a stele in the desert"}
	if s.Pool() != nil {
		c, err := river.NewClient(riverpgxv5.New(s.Pool()), &river.Config{})
		if err != nil {
			b.Fatal(err)
		}
		return func() error { _, err := c.Insert(b.Context(), args, nil); return err }
	}
	c, err := river.NewClient(riversqlite.New(s.Writer()), &river.Config{})
	if err != nil {
		b.Fatal(err)
	}
	return func() error { _, err := c.Insert(b.Context(), args, nil); return err }
}

// together calls do so many times from eight goroutines and says how long that took.
func together(b *testing.B, times int, do func() error) time.Duration {
	b.Helper()
	begun := time.Now()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range times / 8 {
				if err := do(); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
	return time.Since(begun)
}
