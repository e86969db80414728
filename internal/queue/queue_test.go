package queue_test

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/queue"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/store/template"
	"stele/internal/uid"
)

type note struct {
	Text string `json:"text"`
}

func (note) Kind() string { return "note" }

func engines(t *testing.T, run func(t *testing.T, s *store.Store)) {
	t.Helper()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			run(t, open(t, engine))
		})
	}
}

// open gives a store with the queue's tables.
func open(t testing.TB, engine string) *store.Store {
	t.Helper()
	databaseURL, folder := template.Place(t, engine)
	s, err := store.Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	for range 2 { // the second time there is nothing to do
		err := s.RunAlone(t.Context(), func(ctx context.Context) error { return queue.Migrate(ctx, s.Writer(), s.Pool()) })
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func newQueue(s *store.Store) *queue.Queue {
	return queue.New(queue.Options{DB: s.Writer(), Pool: s.Pool(), Node: uid.New("node"), Log: slog.New(slog.DiscardHandler)})
}

func start(t testing.TB, q *queue.Queue) {
	t.Helper()
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(t, q, time.Minute) })
}

func stop(t testing.TB, q *queue.Queue, drain time.Duration) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), drain)
	defer cancel()
	if err := q.Stop(ctx); err != nil {
		t.Error(err)
	}
}

// enqueue writes jobs in a transaction that ends as how says.
func enqueue(t testing.TB, s *store.Store, q *queue.Queue, how func(*sql.Tx) error, at time.Time, jobs ...queue.Job) {
	t.Helper()
	tx, err := s.Writer().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := q.Enqueue(t.Context(), tx, at, jobs...); err != nil {
		t.Fatal(err)
	}
	if err := how(tx); err != nil {
		t.Fatal(err)
	}
	q.Wake(jobs...)
}

func receive[T any](t testing.TB, from <-chan T) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(3 * time.Minute):
		t.Fatal("nothing came")
		panic("not reached")
	}
}

func TestAJobIsDoneWhenItsTransactionIsSaved(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		done := make(chan string, 10)
		queue.Handle(q, queue.Work{Workers: 2}, func(_ context.Context, n note) (time.Duration, error) {
			done <- n.Text
			return 0, nil
		})
		start(t, q)
		enqueue(t, s, q, (*sql.Tx).Rollback, time.Time{}, note{"rolled back"})
		enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{`"quoted" <&> ünïcode \ 🗿`})
		if got := receive(t, done); got != `"quoted" <&> ünïcode \ 🗿` {
			t.Errorf("did %q", got)
		}
		enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{"last"}) // whatever was left by the roll-back would come before it
		if got := receive(t, done); got != "last" {
			t.Errorf("did %q", got)
		}
	})
}

func TestAJobWaitsForItsTime(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		done := make(chan time.Time, 1)
		queue.Handle(q, queue.Work{}, func(context.Context, note) (time.Duration, error) {
			done <- time.Now()
			return 0, nil
		})
		start(t, q)
		at := time.Now().Add(400 * time.Millisecond)
		enqueue(t, s, q, (*sql.Tx).Commit, at, note{})
		enqueue(t, s, q, (*sql.Tx).Commit, time.Now().Add(time.Hour), note{})
		if early := at.Sub(receive(t, done)); early > 2*time.Millisecond { // the engine keeps milliseconds
			t.Errorf("done %v early", early)
		}
		var state string
		err := s.Writer().QueryRowContext(t.Context(), `SELECT state FROM river_job WHERE state <> 'completed' AND state <> 'running'`).Scan(&state)
		if err != nil || state != "scheduled" {
			t.Errorf("the far one is %q, %v", state, err)
		}
	})
}

func TestAJobComesBack(t *testing.T) {
	t.Parallel()
	type result struct {
		again time.Duration
		err   error
	}
	for name, results := range map[string][]result{
		"AsItAsked":    {{again: time.Millisecond}, {again: 20 * time.Millisecond}, {}},
		"AfterAFault":  {{err: errors.New("no luck")}, {err: errors.New("no luck")}, {}},
		"AfterAPanic":  {{err: errPanic}, {}},
		"UntilGivenUp": {{err: errors.New("1")}, {err: errors.New("2")}, {err: errors.New("3")}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			engines(t, func(t *testing.T, s *store.Store) {
				q := newQueue(s)
				calls := make(chan int, 10)
				var n atomic.Int32
				work := queue.Work{Retry: func(int) time.Duration { return time.Millisecond }, Attempts: 3}
				queue.Handle(q, work, func(context.Context, note) (time.Duration, error) {
					call := int(n.Add(1))
					calls <- call
					if call > len(results) {
						return 0, nil
					}
					r := results[call-1]
					if errors.Is(r.err, errPanic) {
						panic(r.err)
					}
					return r.again, r.err
				})
				start(t, q)
				enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{})
				for range results {
					receive(t, calls)
				}
				want := "completed"
				if results[len(results)-1].err != nil {
					want = "cancelled"
				}
				ends(t, s, want)
				if n := n.Load(); int(n) != len(results) {
					t.Errorf("done %d times", n)
				}
			})
		})
	}
}

var errPanic = errors.New("panic")

// ends waits until the one job there is has this state.
func ends(t *testing.T, s *store.Store, want string) {
	t.Helper()
	var got string
	for begun := time.Now(); time.Since(begun) < 30*time.Second; {
		err := s.Writer().QueryRowContext(t.Context(), `SELECT state FROM river_job`).Scan(&got)
		if err != nil {
			t.Fatal(err)
		}
		if got == want {
			return
		}
	}
	t.Fatalf("the job is %s, want %s", got, want)
}

func TestStopWaitsForJobsAndThenEndsThem(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		begun, ended := make(chan string, 2), make(chan error, 2)
		first := newQueue(s)
		finish := make(chan struct{})
		queue.Handle(first, queue.Work{Workers: 2}, func(ctx context.Context, n note) (time.Duration, error) {
			begun <- n.Text
			if n.Text == "short" {
				<-finish
				ended <- ctx.Err()
				return 0, nil
			}
			<-ctx.Done()
			ended <- ctx.Err()
			return 0, ctx.Err()
		})
		start(t, first)
		enqueue(t, s, first, (*sql.Tx).Commit, time.Time{}, note{"short"}, note{"long"})
		receive(t, begun)
		receive(t, begun)
		stopped := make(chan struct{})
		patience, over := context.WithCancel(context.WithoutCancel(t.Context()))
		go func() {
			defer close(stopped)
			if err := first.Stop(patience); err != nil {
				t.Error(err)
			}
		}()
		close(finish)
		if err := receive(t, ended); err != nil {
			t.Errorf("the short job was not waited for: %v", err)
		}
		over()
		if err := receive(t, ended); !errors.Is(err, context.Canceled) {
			t.Errorf("the long job saw %v", err)
		}
		receive(t, stopped)

		second := newQueue(s)
		queue.Handle(second, queue.Work{}, func(_ context.Context, n note) (time.Duration, error) {
			begun <- n.Text
			return 0, nil
		})
		start(t, second)
		if got := receive(t, begun); got != "long" {
			t.Errorf("then did %q", got)
		}
	})
}

func TestWhatADeadProcessWasDoingIsDoneByAnother(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *store.Store) {
		q := newQueue(s)
		begun := make(chan string, 2)
		queue.Handle(q, queue.Work{}, func(_ context.Context, n note) (time.Duration, error) {
			begun <- n.Text
			return 0, nil
		})
		enqueue(t, s, q, (*sql.Tx).Commit, time.Time{}, note{"dropped"})
		dead := map[string]string{"sqlite": `jsonb('["node_dead"]')`, "postgres": `'{node_older,node_dead}'`}[s.Engine()]
		_, err := s.Writer().ExecContext(t.Context(), `UPDATE river_job SET state = 'running', attempt = 1, attempted_at = created_at, attempted_by = `+dead)
		if err != nil {
			t.Fatal(err)
		}
		start(t, q)
		if s.Engine() == "postgres" {
			if n, err := q.Release(t.Context(), []string{"node_dead"}); n != 0 || err != nil {
				t.Errorf("released %d of the living, %v", n, err)
			}
			if n, err := q.Release(t.Context(), nil); n != 1 || err != nil {
				t.Errorf("released %d, %v", n, err)
			}
		}
		if got := receive(t, begun); got != "dropped" {
			t.Errorf("did %q", got)
		}
	})
}

func TestSeveralProcessesShareTheJobs(t *testing.T) {
	t.Parallel()
	s := open(t, "postgres")
	const jobs, processes = 300, 3
	var mu sync.Mutex
	times := make(map[string]int)
	var done sync.WaitGroup
	done.Add(jobs)
	var queues []*queue.Queue
	for range processes {
		q := newQueue(s)
		queue.Handle(q, queue.Work{Workers: 4}, func(_ context.Context, n note) (time.Duration, error) {
			mu.Lock()
			defer mu.Unlock()
			times[n.Text]++
			if times[n.Text] == 1 {
				done.Done()
			}
			return 0, nil
		})
		start(t, q)
		queues = append(queues, q)
	}
	for i := range jobs {
		enqueue(t, s, queues[i%processes], (*sql.Tx).Commit, time.Time{}, note{fmt.Sprint(i)})
	}
	done.Wait()
	mu.Lock()
	defer mu.Unlock()
	for text, n := range times {
		if n != 1 {
			t.Errorf("job %s was done %d times", text, n)
		}
	}
}
