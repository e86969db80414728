package webhook_test

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/queue"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/storetest"
	"stele/internal/store/template"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// office is a service with its queue.
type office struct {
	t     *testing.T
	store *store.Store
}

const couriers = 16

func openOffice(t *testing.T, engine string) *office {
	t.Helper()
	databaseURL, folder := template.Place(t, engine)
	db, err := store.Open(t.Context(), databaseURL, folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	if err := db.RunAlone(t.Context(), func(ctx context.Context) error { return queue.Migrate(ctx, db.Writer(), db.Pool()) }); err != nil {
		t.Fatal(err)
	}
	q := queue.New(queue.Options{DB: db.Writer(), Pool: db.Pool(), Node: uid.New("node"), Log: slog.New(slog.DiscardHandler)})
	of := func(jobs []generation.Job) (list []queue.Job) {
		for _, j := range jobs {
			list = append(list, j)
		}
		return list
	}
	db.SetQueue(store.Queue{
		Enqueue: func(ctx context.Context, tx *sql.Tx, jobs []generation.Job) error {
			return q.Enqueue(ctx, tx, time.Time{}, of(jobs)...)
		},
		Wake: func(jobs []generation.Job) { q.Wake(of(jobs)...) },
	})
	client := guard.Caller(guard.Options{AllowPrivate: []netip.Prefix{here}, Stay: true})
	s := webhook.New(webhook.Options{
		Store: db, Box: seal.New().Box("test"), Client: func() *http.Client { return client }, Now: time.Now, Log: slog.New(slog.DiscardHandler),
	})
	queue.Handle(q, queue.Work{Workers: couriers}, s.Deliver)
	if err := q.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(t.Context()), time.Millisecond)
		defer cancel()
		_ = q.Stop(ctx)
	})
	return &office{t, db}
}

func (o *office) send(workspace, address string) string {
	o.t.Helper()
	now := time.Now()
	task := &generation.Task{ID: uid.New("gen"), Workspace: workspace, Stage: generation.Ended, Created: now, Updated: now}
	d := webhook.Delivery{
		ID: uid.New("msg"), Workspace: workspace, Subject: task.ID, Type: "generation.succeeded", URL: address,
		Body: []byte(`{}`), State: webhook.Pending, Created: now,
	}
	task.Announce(d)
	if err := o.store.InsertTask(o.t.Context(), task); err != nil {
		o.t.Fatal(err)
	}
	return d.ID
}

// mute is a receiver that takes messages and does not answer before the test ends.
func mute(t *testing.T) (address string, holds, most *atomic.Int64) {
	t.Helper()
	holds, most = new(atomic.Int64), new(atomic.Int64)
	end := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		most.Store(max(most.Load(), holds.Add(1)))
		defer holds.Add(-1)
		select {
		case <-end:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(server.Close)
	t.Cleanup(sync.OnceFunc(func() { close(end) }))
	return server.URL, holds, most
}

// TestSilentAddressesOfOneWorkspaceDoNotStopAnothersMessages sends two hundred messages
// to addresses that never answer, and then some of another workspace.
func TestSilentAddressesOfOneWorkspaceDoNotStopAnothersMessages(t *testing.T) {
	t.Parallel()
	for _, engine := range storetest.Engines() {
		t.Run(engine, func(t *testing.T) {
			t.Parallel()
			o := openOffice(t, engine)
			silent, _, most := mute(t)
			got := make(chan string, 10)
			good := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got <- r.Header.Get("webhook-id") }))
			t.Cleanup(good.Close)
			for i := range 200 {
				o.send("default", fmt.Sprintf("%s/%d", silent, i))
			}
			for range 3 {
				id := o.send("other", good.URL)
				select {
				case first := <-got:
					if first != id {
						t.Errorf("%s came, want %s", first, id)
					}
				case <-time.After(time.Minute): // all silent ones in turn take longer
					t.Fatal("another workspace's message waits for the silent ones")
				}
			}
			if most.Load() > couriers/2 {
				t.Errorf("the silent messages held %d of %d places", most.Load(), couriers)
			}
		})
	}
}

// TestASilentAddressIsTriedOnceAtATime looks what becomes of an address that never
// answers: it gets one message at a time, with a rest between them, and none of the
// others is counted as tried.
func TestASilentAddressIsTriedOnceAtATime(t *testing.T) {
	t.Parallel()
	p := open(t, here)
	var answers atomic.Bool
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if !answers.Load() {
			panic(http.ErrAbortHandler) // cut off without an answer
		}
	}))
	defer receiver.Close()
	for range 3 {
		if _, d := p.deliver(p.send(receiver.URL)); d.Tries != 1 {
			t.Errorf("tried %d times", d.Tries)
		}
	}
	id := p.send(receiver.URL + "/other/path")
	again, d := p.deliver(id)
	if again <= 0 || d.Tries != 0 {
		t.Errorf("after three silent tries: tried %d times, to come back after %v", d.Tries, again)
	}
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer elsewhere.Close()
	if _, d := p.deliver(p.send("http://localhost:" + elsewhere.URL[len("http://127.0.0.1:"):])); d.State != webhook.Delivered {
		t.Errorf("another host is held up as well: %+v", d)
	}
	answers.Store(true)
	p.now = p.now.Add(again)
	if again, d = p.deliver(id); again != 0 || d.State != webhook.Delivered {
		t.Errorf("when it answers again: %+v, to come back after %v", d, again)
	}
	if _, d := p.deliver(p.send(receiver.URL)); d.State != webhook.Delivered {
		t.Errorf("an address that answers again: %+v", d)
	}
}
