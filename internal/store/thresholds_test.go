package store

import (
	"context"
	"database/sql"
	"errors"
	"maps"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"stele/internal/access"
	"stele/internal/generation"
	"stele/internal/limit"
	"stele/internal/meter"
	"stele/internal/webhook"
)

// take has requests take so much of a limit in a window, and settles it.
func take(t *testing.T, s *Store, l *limit.Limit, start time.Time, n int64) {
	t.Helper()
	c := limit.Counter{Limit: l.ID, Subject: "key_1", Start: start, End: start.Add(time.Hour)}
	_, b, err := s.Lease(t.Context(), "node_1", c, l, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	r := record(0)
	r.Charges = limit.ChargesText([]limit.Charge{{Counter: b.ID, N: n}})
	if err := s.InsertRecords(t.Context(), []meter.Record{r}); err != nil {
		t.Fatal(err)
	}
}

func addEndpoint(t *testing.T, s *Store, e webhook.Endpoint) {
	t.Helper()
	e.Created = time.Now()
	if err := s.InsertEndpoint(t.Context(), e, webhook.Secrets{Current: "x"}, access.Entry{ID: "aud_" + e.ID, At: time.Now(), Workspace: "default", Action: "endpoint.create", Actor: "x"}); err != nil {
		t.Fatal(err)
	}
}

// told counts the messages of every receiver by percentage.
func told(t *testing.T, s *Store) map[string]int {
	t.Helper()
	list, err := s.Deliveries(t.Context(), webhook.Filter{Type: webhook.LimitReached, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	counts := make(map[string]int)
	for _, d := range list {
		_, rest, _ := strings.Cut(string(d.Body), `"percentage":`)
		percentage, _, _ := strings.Cut(rest, ",")
		counts[d.URL+" "+percentage]++
	}
	return counts
}

// Whatever is killed, and whichever server is first, each subscriber hears of each
// threshold once in a window.
func TestEachSubscriberHearsOfEachThresholdOnceInAWindow(t *testing.T) {
	t.Parallel()
	engines(t, func(t *testing.T, s *Store) {
		var mu sync.Mutex
		var queued int
		dies := errors.New("the process died")
		var dead error
		s.SetQueue(Queue{Enqueue: func(_ context.Context, _ *sql.Tx, jobs []generation.Job) error {
			mu.Lock()
			defer mu.Unlock()
			if dead == nil {
				queued += len(jobs)
			}
			return dead
		}, Wake: func([]generation.Job) {}})
		l := testLimit(limit.Dollars, limit.Hour, 10e9)
		l.Subject = []limit.Selector{{By: limit.ByKey, Value: limit.Each}}
		saveTestLimit(t, s, l)
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_1", Workspace: "default", URL: "https://all.test", Enabled: true})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_2", Workspace: "default", URL: "https://limits.test", Enabled: true, Events: []string{webhook.LimitReached}})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_3", Workspace: "default", URL: "mailto:ops@example.com", Enabled: true})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_4", Workspace: "default", URL: "https://others.test", Enabled: true, Events: []string{webhook.AppFailed}})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_5", Workspace: "default", URL: "https://off.test"})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_6", Workspace: "acme", URL: "https://acme.test", Enabled: true})
		addEndpoint(t, s, webhook.Endpoint{ID: "ep_7", URL: "https://installation.test", Enabled: true})
		if err := s.InsertFirstAdmin(t.Context(), access.User{ID: "usr_1", Email: "admin@example.com", Admin: true, CreatedAt: time.Now()},
			access.Entry{ID: "aud_admin", At: time.Now(), Workspace: "default", Action: "user.create", Actor: "x"}); err != nil {
			t.Fatal(err)
		}
		tell := func() {
			t.Helper()
			mu.Lock()
			dead = dies
			mu.Unlock()
			if n, err := s.TellThresholds(t.Context(), true); !errors.Is(err, dies) || n != 0 {
				t.Fatalf("told %d thresholds while the process died: %v", n, err)
			}
			mu.Lock()
			dead = nil
			mu.Unlock()
			var servers sync.WaitGroup
			for range 8 {
				servers.Go(func() {
					if _, err := s.TellThresholds(t.Context(), true); err != nil {
						t.Error(err)
					}
				})
			}
			servers.Wait()
		}
		subscribers := []string{"https://all.test", "https://limits.test", "mailto:ops@example.com", "mailto:admin@example.com"}
		want := make(map[string]int)
		hour := time.Now().UTC().Truncate(time.Hour)
		expect := func(percentages ...int) {
			t.Helper()
			tell()
			for _, who := range subscribers {
				for _, p := range percentages {
					want[who+" "+strconv.Itoa(p)]++
				}
			}
			if diff := cmp.Diff(want, told(t, s)); diff != "" {
				t.Errorf("messages (-want +got):\n%s", diff)
			}
			sum := 0
			for n := range maps.Values(want) {
				sum += n
			}
			if queued != sum {
				t.Errorf("%d messages have %d jobs", sum, queued)
			}
		}
		take(t, s, &l, hour, 4e9)
		if n, err := s.TellThresholds(t.Context(), true); n != 0 || err != nil {
			t.Errorf("told %d thresholds at 40 %%, %v", n, err)
		}
		take(t, s, &l, hour, 4.5e9)
		expect(50, 80)
		take(t, s, &l, hour, 0.5e9)
		take(t, s, &l, hour, 1e9)
		expect(100)
		take(t, s, &l, hour.Add(time.Hour), 6e9)
		expect(50)
		l.Amount = 7e9 // what was taken is more than 80 % now
		changeTestLimit(t, s, l)
		expect(80)
		body := lastBody(t, s, "https://all.test")
		for _, part := range []string{`"type":"limit.reached"`, `"name":"budget"`, `"subject":[{"by":"key","value":"key_1"}]`, `"amount":"7.00"`, `"used":"6.00"`, `"percentage":80`,
			`"window_end":"` + hour.Add(2*time.Hour).Format("2006-01-02T15:04:05.000Z") + `"`, `"workspace":"default"`} {
			if !strings.Contains(body, part) {
				t.Errorf("the message lacks %s: %s", part, body)
			}
		}
	})
}

func changeTestLimit(t *testing.T, s *Store, l limit.Limit) {
	t.Helper()
	if err := s.SaveLimit(t.Context(), l, access.Entry{ID: "aud_2", At: time.Now(), Workspace: "default", Action: "limit.update", Actor: "x"}); err != nil {
		t.Fatal(err)
	}
}

func lastBody(t *testing.T, s *Store, address string) string {
	t.Helper()
	list, err := s.Deliveries(t.Context(), webhook.Filter{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range list {
		if d.URL == address {
			return string(d.Body)
		}
	}
	t.Fatalf("no message to %s", address)
	return ""
}
