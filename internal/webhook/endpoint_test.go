package webhook_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/uid"
	"stele/internal/webhook"
)

// tell has the endpoints of the workspace told of an event, and gives the one message.
func (p *post) tell(e webhook.Event) string {
	p.t.Helper()
	task := &generation.Task{ID: uid.New("gen"), Workspace: "default", Stage: generation.Ended, Created: p.now, Updated: p.now}
	e.Workspace, e.At = "default", p.now
	task.Publish(e)
	if err := p.store.InsertTask(p.t.Context(), task); err != nil {
		p.t.Fatal(err)
	}
	list, err := p.store.Deliveries(p.t.Context(), webhook.Filter{State: webhook.Pending, Limit: 10})
	if err != nil || len(list) != 1 {
		p.t.Fatal(len(list), err)
	}
	return list[0].ID
}

func (p *post) endpoint(e webhook.Endpoint) webhook.Endpoint {
	p.t.Helper()
	e.ID, e.Workspace, e.Enabled, e.Created = uid.New("ep"), "default", true, p.now
	if err := p.store.InsertEndpoint(p.t.Context(), e, webhook.Secrets{}, p.entry()); err != nil {
		p.t.Fatal(err)
	}
	return e
}

func (p *post) entry() access.Entry {
	return access.Entry{ID: uid.New("aud"), At: p.now, Workspace: "default", Action: "endpoint.update", Actor: "x"}
}

func done() webhook.Event {
	return webhook.Event{Type: webhook.GenerationSucceeded, Body: func() []byte { return []byte(`{}`) }}
}

func TestAMessageGoesWhereItsEndpointIsNow(t *testing.T) {
	t.Parallel()
	p := open(t, here)
	heard := 0
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		heard++
		_, _ = io.WriteString(w, "  thanks\n"+strings.Repeat("ü", 400))
	}))
	defer receiver.Close()
	e := p.endpoint(webhook.Endpoint{URL: "http://127.0.0.1:1/"})
	id := p.tell(done())
	again, d := p.deliver(id)
	if again == 0 || d.Status != 0 || !d.Next.Equal(p.now.Add(again).Truncate(time.Millisecond)) {
		t.Errorf("again in %v, %+v", again, d)
	}
	e.URL = receiver.URL
	if err := p.store.UpdateEndpoint(t.Context(), e, p.entry()); err != nil {
		t.Fatal(err)
	}
	_, d = p.deliver(id)
	if heard != 1 || d.State != webhook.Delivered || d.URL != receiver.URL || !strings.HasPrefix(d.Answer, "thanks üü") || len(d.Answer) > 512 {
		t.Errorf("heard %d times: %+v", heard, d)
	}
	id = p.tell(done())
	e.Enabled = false
	if err := p.store.UpdateEndpoint(t.Context(), e, p.entry()); err != nil {
		t.Fatal(err)
	}
	if _, d = p.deliver(id); heard != 1 || d.State != webhook.GivenUp || !strings.Contains(d.Problem, "switched off") {
		t.Errorf("heard %d times: %+v", heard, d)
	}
	if err := p.store.DeleteEndpoint(t.Context(), e.ID, p.entry()); err != nil {
		t.Fatal(err)
	}
	if err := p.store.Replay(t.Context(), id); err != nil {
		t.Fatal(err)
	}
	if _, d = p.deliver(id); heard != 1 || d.State != webhook.GivenUp || !strings.Contains(d.Problem, "deleted") {
		t.Errorf("heard %d times: %+v", heard, d)
	}
}

// letters keeps what is mailed, or refuses it.
type letters struct {
	sent []webhook.Mail
	err  error
}

func (l *letters) Send(_ context.Context, m webhook.Mail) error {
	if l.err == nil {
		l.sent = append(l.sent, m)
	}
	return l.err
}

func TestAMailboxIsToldOfLimitsInWords(t *testing.T) {
	t.Parallel()
	p := open(t)
	box := &letters{err: errors.New("the mail server is silent")}
	p.Mail = box
	p.endpoint(webhook.Endpoint{URL: "mailto:ops@example.com"})
	day := time.Date(2026, 11, 16, 0, 0, 0, 0, time.UTC)
	e := webhook.ThresholdPassed(limit.Passed{
		Limit: limit.Limit{
			ID: "lim_1", Workspace: "default", Name: "budget", Measure: limit.Dollars, Window: limit.Day, Amount: 10e9,
			Subject: []limit.Selector{{By: limit.ByModel, Value: "fast"}, {By: limit.ByUser, Value: limit.Each}},
		},
		Subject: "ann", Start: day, End: day.AddDate(0, 0, 1), Mark: 80, Used: 8.25e9, Amount: 10e9, At: p.now,
	})
	id := p.tell(e)
	if again, d := p.deliver(id); again == 0 || d.State != webhook.Pending {
		t.Errorf("again in %v: %+v", again, d)
	}
	box.err = nil
	_, d := p.deliver(id)
	if d.State != webhook.Delivered || len(box.sent) != 1 {
		t.Fatalf("%d letters: %+v", len(box.sent), d)
	}
	m := box.sent[0]
	if m.ID != id || m.To != "ops@example.com" || m.Subject != "80 % of budget" {
		t.Errorf("%+v", m)
	}
	for _, part := range []string{`80 % of the limit "budget" are used: $8.25 of $10.00.`, "model: fast", "user: ann", "2026-11-17T00:00:00.000Z"} {
		if !strings.Contains(m.Text, part) {
			t.Errorf("the letter lacks %q:\n%s", part, m.Text)
		}
	}
	box.err = webhook.ErrRefused
	if _, d := p.deliver(p.tell(e)); d.State != webhook.GivenUp {
		t.Errorf("refused for good: %+v", d)
	}
}
