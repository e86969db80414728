package storetest

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/store"
	"stele/internal/webhook"
)

func deliveriesReplayed(t *testing.T, s *store.Store) {
	desk := newDesk(s)
	v := inserted(t, s, func(t *generation.Task) { t.Webhook = "https://example.com/hook" })
	_, err := service(s, "node_1").Cancel(t.Context(), "default", v.ID)
	must(t, err)
	list, err := s.Deliveries(t.Context(), webhook.Filter{Limit: 10})
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	d := &list[0]
	desk.woken = nil
	must(t, s.Replay(t.Context(), d.ID)) // it is pending: its job is there
	if len(desk.woken) != 0 {
		t.Errorf("a pending message was queued again")
	}
	d.State, d.Tries, d.Status, d.Problem = webhook.GivenUp, 10, 503, "it broke \uFFFD"
	d.Tried, d.Delivered = noon.Add(time.Hour), noon.Add(2*time.Hour)
	saved := *d
	saved.Problem = "it broke \xff"
	must(t, s.SaveAttempt(t.Context(), &saved))
	got, err := s.Delivery(t.Context(), d.ID)
	must(t, err)
	if diff := cmp.Diff(d, got); diff != "" {
		t.Errorf("message changed in the store (-saved +read):\n%s", diff)
	}
	desk.refuse = errors.New("no room")
	if err := s.Replay(t.Context(), d.ID); !errors.Is(err, desk.refuse) {
		t.Errorf("replay = %v", err)
	}
	if got, err := s.Delivery(t.Context(), d.ID); err != nil || got.State != webhook.GivenUp {
		t.Errorf("a message is %s without its job, %v", got.State, err)
	}
	desk.refuse = nil
	must(t, s.Replay(t.Context(), d.ID))
	must(t, s.Replay(t.Context(), d.ID))
	if n := queued(t, s, webhook.Deliver{ID: d.ID}); n != 2 || len(desk.woken) != 1 { // with the task, and now
		t.Errorf("queued %d times, woken %v", n, desk.woken)
	}
	if got, err := s.Delivery(t.Context(), d.ID); err != nil || got.State != webhook.Pending || got.Tries != 0 {
		t.Errorf("replayed: %+v, %v", got, err)
	}
	if err := s.Replay(t.Context(), "msg_none"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("replay of nothing: %v", err)
	}
	if _, err := s.Delivery(t.Context(), "msg_none"); !errors.Is(err, access.ErrNotFound) {
		t.Errorf("a message that is not there: %v", err)
	}
	forget := func(before time.Time, want int64) {
		t.Helper()
		if n, err := s.DeleteDeliveriesBefore(t.Context(), before); n != want || err != nil {
			t.Errorf("forgot %d before %v, %v", n, before, err)
		}
	}
	forget(noon.Add(24*time.Hour), 0) // it is pending
	must(t, s.SaveAttempt(t.Context(), d))
	forget(noon.Add(time.Hour), 0)
	forget(noon.Add(time.Hour+time.Second), 1)
}

func secretsChanged(t *testing.T, s *store.Store) {
	none, err := s.WebhookSecrets(t.Context(), "default")
	if err != nil || none != (webhook.Secrets{}) {
		t.Errorf("before any: %+v, %v", none, err)
	}
	last := none
	for round := range 3 {
		var won atomic.Int32
		var wg sync.WaitGroup
		for i := range 5 {
			wg.Go(func() {
				next := webhook.Secrets{Current: fmt.Sprintf("s%d%d", round, i), Old: last.Current, Until: noon}
				saved, err := s.SetWebhookSecrets(t.Context(), "default", last, next)
				if err != nil {
					t.Error(err)
				}
				if saved {
					won.Add(1)
				}
			})
		}
		wg.Wait()
		got, err := s.WebhookSecrets(t.Context(), "default")
		must(t, err)
		if won.Load() != 1 || got.Old != last.Current || !got.Until.Equal(noon) || got.Current == "" {
			t.Errorf("round %d: %d won, %+v", round, won.Load(), got)
		}
		last = got
	}
}

func sandboxRemembers(t *testing.T, s *store.Store) {
	if _, found, err := s.FindAccepted(t.Context(), "gen_1"); found || err != nil {
		t.Errorf("before anything: %v, %v", found, err)
	}
	for _, life := range []string{"first\x00\xff", "second"} {
		must(t, s.Accept(t.Context(), "gen_1", []byte(life)))
	}
	life, found, err := s.FindAccepted(t.Context(), "gen_1")
	if !found || err != nil || string(life) != "first\x00\xff" {
		t.Errorf("accepted %q, %v, %v", life, found, err)
	}
}
