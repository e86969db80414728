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
// are told, and looks whether each endpoint has each of them in one message. Of several
// servers on one database each dies where it would tell them.
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
	t.Run("several servers on one postgresql", func(t *testing.T) {
		t.Parallel()
		o := rig.Options{Config: config, Flags: []string{"--database-url", rig.NewDatabase(t), "--master-key-file", rig.NewMasterKey(t), "--blob-url", "file://" + t.TempDir()}}
		houses := []*rig.House{rig.New(t, o), rig.New(t, o)}
		if full {
			houses = append(houses, rig.New(t, o))
		}
		passThresholds(t, houses...)
	})
}

func passThresholds(t *testing.T, houses ...*rig.House) {
	t.Helper()
	e := newEar(t)
	for _, h := range houses {
		h.Start(t)
	}
	one := houses[0]
	key := one.CreateKey(t).Key
	for _, h := range houses {
		h.Keep(key)
		h.Await(t, key, http.StatusOK)
	}
	paths := []string{"/one", "/two"}
	for _, path := range paths {
		one.Run(t, "webhooks", "endpoints", "create", "--url", e.URL+path, "--event", "limit.reached")
	}
	var all []string
	deaths := []string{"telling", "told"}
	if full {
		deaths = append(deaths, "telling:2", "told:2")
	}
	for i, point := range deaths {
		killAll(t, houses)
		name := fmt.Sprintf("limit-%d", i)
		one.Run(t, "limits", "create", "--name", name, "--workspace", "default", "--measure", "requests", "--window", "month", "--amount", "4", "--soft")
		died := sayUntilDeath(t, houses, key, point)
		// Before they are told each server dies of them, after that the one that did it. A second
		// time there is only where thresholds are passed one by one.
		want := map[string]int{"telling": len(houses), "told": 1}[point]
		if died < want {
			t.Errorf("%s was passed by %d servers, want %d", point, died, want)
		}
		killAll(t, houses)
		for _, h := range houses {
			h.Setenv()
			h.Start(t)
		}
		for n := range 4 {
			if err := say(houses[n%len(houses)], key); err != nil {
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
	e.mu.Lock()
	defer e.mu.Unlock()
	for what, ids := range e.heard {
		if len(ids) != 1 {
			t.Errorf("%s was told in %d messages", what, len(ids))
		}
	}
	var rows []struct{ ID string }
	if err := json.Unmarshal([]byte(one.Run(t, "webhooks", "deliveries", "--event", "limit.reached", "--limit", "1000", "--json")), &rows); err != nil || len(rows) != len(all) {
		t.Errorf("%d messages were written, want %d, %v", len(rows), len(all), err)
	}
}

// sayUntilDeath starts servers that die at a point, has conversations with all of them, and
// says how many have died of it.
func sayUntilDeath(t *testing.T, houses []*rig.House, key, point string) (died int) {
	t.Helper()
	for _, h := range houses {
		h.Setenv("STELE_CRASH_POINT=" + point)
		if !h.Attempt(t) { // of what another one has left
			died++
		}
	}
	for range 100 { // what is settled together may pass all thresholds at once
		living := 0
		for _, h := range houses {
			switch {
			case !h.Serving():
			case h.Died(100 * time.Millisecond):
				died++
			default:
				living++
				_ = say(h, key)
			}
		}
		if living == 0 || living < len(houses) && strings.HasPrefix(point, "told") {
			break
		}
	}
	return died
}

func killAll(t *testing.T, houses []*rig.House) {
	t.Helper()
	for _, h := range houses {
		if h.Serving() {
			h.Kill(t)
		}
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
