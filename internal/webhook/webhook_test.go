package webhook_test

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"stele/internal/generation"
	"stele/internal/guard"
	"stele/internal/seal"
	"stele/internal/store"
	"stele/internal/store/template"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// post is a service over a real database that may reach this machine.
type post struct {
	*webhook.Service

	t     *testing.T
	store *store.Store
	now   time.Time
}

func open(t *testing.T, allow ...netip.Prefix) *post {
	t.Helper()
	db, err := store.Open(t.Context(), "", template.Folder(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	db.SetQueue(store.Queue{
		Enqueue: func(context.Context, *sql.Tx, []generation.Job) error { return nil },
		Wake:    func([]generation.Job) {},
	})
	p := &post{t: t, store: db, now: time.Now()}
	client := guard.Caller(guard.Options{AllowPrivate: allow, Stay: true})
	p.Service = webhook.New(webhook.Options{
		Store: db, Box: seal.New().Box("test"), Client: func() *http.Client { return client },
		Now: func() time.Time { return p.now }, Log: slog.New(slog.DiscardHandler),
	})
	return p
}

var here = netip.MustParsePrefix("127.0.0.0/8")

// send writes a delivery down as an ended task does.
func (p *post) send(address string) string {
	p.t.Helper()
	task := &generation.Task{ID: uid.New("gen"), Workspace: "default", Stage: generation.Ended, Created: p.now, Updated: p.now}
	d := webhook.Delivery{
		ID: uid.New("msg"), Workspace: "default", Subject: task.ID, Type: "generation.succeeded", URL: address,
		Body: []byte(`{"type":"generation.succeeded"}`), State: webhook.Pending, Created: p.now,
	}
	task.Announce(d)
	if err := p.store.InsertTask(p.t.Context(), task); err != nil {
		p.t.Fatal(err)
	}
	return d.ID
}

func (p *post) deliver(id string) (time.Duration, *webhook.Delivery) {
	p.t.Helper()
	again, err := p.Deliver(p.t.Context(), webhook.Deliver{ID: id})
	if err != nil {
		p.t.Fatal(err)
	}
	d, err := p.store.Delivery(p.t.Context(), id)
	if err != nil {
		p.t.Fatal(err)
	}
	return again, d
}

func TestAMessageIsSignedAndTriedForThreeDays(t *testing.T) {
	t.Parallel()
	p := open(t, here)
	var ids []string
	answer := http.StatusInternalServerError
	secret, err := p.Secret(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		verifier, _ := standardwebhooks.NewWebhook(secret)
		if err := verifier.VerifyIgnoringTimestamp(body, r.Header); err != nil {
			t.Error(err)
		}
		ids = append(ids, r.Header.Get("webhook-id"))
		w.WriteHeader(answer)
	}))
	defer receiver.Close()
	id := p.send(receiver.URL)
	var waited time.Duration
	tries := 0
	for {
		again, d := p.deliver(id)
		tries++
		if again == 0 {
			if d.State != webhook.GivenUp || d.Status != 500 {
				t.Errorf("at the end: %+v", d)
			}
			break
		}
		waited += again
		p.now = p.now.Add(again)
	}
	if tries != 10 || waited < 72*time.Hour || waited > 80*time.Hour {
		t.Errorf("%d tries in %s", tries, waited)
	}
	for _, other := range ids {
		if other != id {
			t.Errorf("an attempt has the id %s", other)
		}
	}
	answer = http.StatusNoContent
	if err := p.store.Replay(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if again, d := p.deliver(id); again != 0 || d.State != webhook.Delivered {
		t.Errorf("replayed: %+v", d)
	}
	if again, d := p.deliver(id); again != 0 || len(ids) != tries+1 {
		t.Errorf("a delivered one is sent again: %+v", d)
	}
}

func TestWhereMessagesDoNotGo(t *testing.T) {
	t.Parallel()
	p := open(t, here)
	reached := 0
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached++ }))
	defer target.Close()
	redirect := httptest.NewServer(http.RedirectHandler(target.URL, http.StatusTemporaryRedirect))
	defer redirect.Close()
	if again, d := p.deliver(p.send(redirect.URL)); again == 0 || d.Status != 307 || d.State != webhook.Pending {
		t.Errorf("a redirect: %+v", d)
	}
	gone := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }))
	defer gone.Close()
	if again, d := p.deliver(p.send(gone.URL)); again != 0 || d.State != webhook.GivenUp {
		t.Errorf("410: %+v", d)
	}
	private := open(t)
	if again, d := private.deliver(private.send(target.URL)); again != 0 || d.State != webhook.GivenUp {
		t.Errorf("a private address: %+v", d)
	}
	if reached != 0 {
		t.Errorf("the target was reached %d times", reached)
	}
}

func TestARotatedSecretSignsBesideTheNewOne(t *testing.T) {
	t.Parallel()
	p := open(t, here)
	old, err := p.Secret(t.Context(), "default")
	if err != nil {
		t.Fatal(err)
	}
	if other, _ := p.Secret(t.Context(), "another"); other == old {
		t.Error("two workspaces have the same secret")
	}
	fresh, err := p.Rotate(t.Context(), "default", time.Hour)
	if err != nil || fresh == old {
		t.Fatal(fresh, err)
	}
	var good []bool
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for _, secret := range []string{old, fresh} {
			verifier, _ := standardwebhooks.NewWebhook(secret)
			good = append(good, verifier.VerifyIgnoringTimestamp(body, r.Header) == nil)
		}
	}))
	defer receiver.Close()
	p.deliver(p.send(receiver.URL))
	p.now = p.now.Add(2 * time.Hour)
	p.deliver(p.send(receiver.URL))
	if want := []bool{true, true, false, true}; len(good) != 4 || good[0] != want[0] || good[1] != want[1] || good[2] != want[2] || good[3] != want[3] {
		t.Errorf("good signatures: %v", good)
	}
}
