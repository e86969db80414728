package crash

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"stele/test/rig"
)

// ear is a server that is told of thresholds.
type ear struct {
	*httptest.Server

	mu    sync.Mutex                 // guards heard
	heard map[string]map[string]bool // path, limit and percentage → ids of messages
}

func newEar(t *testing.T) *ear {
	t.Helper()
	e := &ear{heard: make(map[string]map[string]bool)}
	e.Server = httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var m struct {
			Data struct {
				Name       string
				Percentage int
			}
		}
		body, _ := io.ReadAll(r.Body)
		if err := json.Unmarshal(body, &m); err != nil {
			t.Errorf("%s: %v", body, err)
		}
		what := fmt.Sprintf("%s %s %d", r.URL.Path, m.Data.Name, m.Data.Percentage)
		e.mu.Lock()
		defer e.mu.Unlock()
		if e.heard[what] == nil {
			e.heard[what] = make(map[string]bool)
		}
		e.heard[what][r.Header.Get("Webhook-Id")] = true
	}))
	t.Cleanup(e.Close)
	return e
}

// has waits until all were heard of.
func (e *ear) has(t *testing.T, all []string) {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		e.mu.Lock()
		missing := ""
		for _, what := range all {
			if len(e.heard[what]) == 0 {
				missing = what
			}
		}
		e.mu.Unlock()
		if missing == "" {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("never heard of %s", missing)
		}
	}
}

// TestEachThresholdIsToldOnceThroughKills kills the program before and after thresholds
// are told, and looks whether each endpoint has each of them in one message.
func TestEachThresholdIsToldOnceThroughKills(t *testing.T) {
	t.Parallel()
	const config = "egress: {allow_private: [127.0.0.0/8]}\n"
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		passThresholds(t, rig.New(t, rig.Options{Config: config}))
	})
	t.Run("postgresql", func(t *testing.T) {
		t.Parallel()
		passThresholds(t, rig.New(t, rig.Options{Config: config, Flags: []string{"--database-url", rig.NewDatabase(t)}}))
	})
}

func passThresholds(t *testing.T, h *rig.House) {
	t.Helper()
	e := newEar(t)
	h.Start(t)
	key := h.CreateKey(t).Key
	h.Await(t, key, http.StatusOK)
	paths := []string{"/one", "/two"}
	for _, path := range paths {
		h.Run(t, "webhooks", "endpoints", "create", "--url", e.URL+path, "--event", "limit.reached")
	}
	var all []string
	deaths := []string{"telling", "told"}
	if full {
		deaths = append(deaths, "telling:2", "told:2")
	}
	for i, point := range deaths {
		h.Kill(t)
		name := fmt.Sprintf("limit-%d", i)
		h.Run(t, "limits", "create", "--name", name, "--workspace", "default", "--measure", "requests", "--window", "month", "--amount", "4", "--soft")
		h.Setenv("STELE_CRASH_POINT=" + point)
		h.Start(t)
		for range 100 { // what is settled together may pass all thresholds at once
			if h.Died(100 * time.Millisecond) {
				break
			}
			_ = say(h, key)
		}
		if h.Serving() {
			if !strings.Contains(point, ":") { // a second time there is only where thresholds are passed one by one
				t.Errorf("%s was never passed", point)
			}
			h.Kill(t)
		}
		h.Setenv()
		h.Start(t)
		for range 4 {
			if err := say(h, key); err != nil {
				t.Fatal(err)
			}
		}
		for _, path := range paths {
			for _, percentage := range []int{50, 80, 100} {
				all = append(all, fmt.Sprintf("%s %s %d", path, name, percentage))
			}
		}
		e.has(t, all)
	}
	for what, ids := range e.heard {
		if len(ids) != 1 {
			t.Errorf("%s was told in %d messages", what, len(ids))
		}
	}
	var rows []struct{ ID string }
	if err := json.Unmarshal([]byte(h.Run(t, "webhooks", "deliveries", "--event", "limit.reached", "--limit", "1000", "--json")), &rows); err != nil || len(rows) != len(all) {
		t.Errorf("%d messages were written, want %d, %v", len(rows), len(all), err)
	}
}

// say has a short conversation.
func say(h *rig.House, key string) error {
	r, err := http.NewRequest(http.MethodPost, h.URL+"/api/v1/chat/completions", strings.NewReader(`{"model": "stele/sandbox", "messages": [{"role": "user", "content": "Hello"}]}`))
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	a, err := h.Send(r)
	if err == nil && a.Status != http.StatusOK {
		err = fmt.Errorf("%d %s", a.Status, a.Body)
	}
	return err
}
