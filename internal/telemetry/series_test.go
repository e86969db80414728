package telemetry

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"stele/internal/meter"
)

var update = flag.Bool("update", false, "write the golden file of metrics anew")

// apiRoutes are the 13 of the contract, as labels have them.
var apiRoutes = []string{
	"GET /api/v1/models", "POST /api/v1/chat/completions", "POST /api/v1/messages", "POST /api/v1beta/models/{model}:generateContent",
	"POST /api/v1beta/models/{model}:streamGenerateContent", "GET /api/v1/generations", "POST /api/v1/generations", "GET /api/v1/generations/{id}",
	"DELETE /api/v1/generations/{id}", "POST /api/v1/files", "GET /api/v1/apps", "POST /api/v1/apps/{id}", "GET /api/v1/media-models",
}

// scrape is what Prometheus gets, without comments and what is not ours where own is set.
func scrape(t *testing.T, m *Metrics, own bool) []string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler(func() string { return "" }).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	var lines []string
	for line := range strings.Lines(w.Body.String()) {
		if !strings.HasPrefix(line, "#") && (!own || strings.HasPrefix(line, "stele_")) {
			lines = append(lines, line)
		}
	}
	return lines
}

func standing() Standing {
	s := Standing{Breakers: map[string]int{"p0": 0, "p1": 2}, Shared: &Shared{Stages: map[string]int{"ordered": 3, "waiting": 1}, Messages: 4, NearlyUsed: 1}}
	s.Journal.Records = 2
	s.Disk.Free, s.Disk.Size = 5<<30, 20<<30
	return s
}

func record(model, provider string) *meter.Record {
	return &meter.Record{
		Route: "POST /api/v1/chat/completions", Model: model, Provider: provider, Stream: true, Status: 200, Tries: 1, Nano: 1_000_000_007,
		Input: 11, CacheRead: 7, CacheWrite: 5, Output: 30, Reasoning: 2, FirstByte: 300 * time.Millisecond, Took: time.Second,
	}
}

// TestTwoHundredModelsAreTwoThousandSeries uses each of them for everything there is, at
// eight providers, and every route, and counts what a scrape has.
func TestTwoHundredModelsAreTwoThousandSeries(t *testing.T) {
	t.Parallel()
	m := NewMetrics("test")
	saved := m.Usage(Labels{
		Model:    func(id string) bool { return strings.HasPrefix(id, "known") },
		Provider: func(name string) bool { return strings.HasPrefix(name, "p") },
	})
	m.Watch(func(context.Context) Standing { return standing() })
	m.ShowMemoryInFlight(func() int64 { return 1 })
	for i := range 200 {
		provider := fmt.Sprintf("p%d", i%8)
		failed := record(fmt.Sprintf("known-%d", i), provider)
		failed.Status, failed.Code = 502, []string{"upstream_error", "unavailable", "upstream_timeout", "rate_limited"}[i/8%4]
		saved([]*meter.Record{record(fmt.Sprintf("known-%d", i), provider), failed})
	}
	for _, route := range apiRoutes {
		method, _, _ := strings.Cut(route, " ")
		for _, status := range []int{200, 400, 401, 429, 503} {
			m.Request(route, method, status, time.Second)
		}
	}
	for i := range 300 {
		m.Request(fmt.Sprintf("GET /console/page-%d", i), "GET", 200, time.Second)
	}
	full := len(scrape(t, m, false))
	if full > 2000 {
		t.Errorf("%d series", full)
	}
	t.Log(full, "series")
	// What clients make up, and models beyond what is told apart, add a few for all of them.
	for i := range 1000 {
		saved([]*meter.Record{record(fmt.Sprintf("made-up-%d", i), fmt.Sprintf("x%d", i)), record(fmt.Sprintf("known-more-%d", i), "p1")})
	}
	if more := len(scrape(t, m, false)) - full; more > 2*7+2*9+2 {
		t.Errorf("%d series more", more)
	}
}

// TestMetricsAreThoseOfTheGoldenFile holds testdata/metrics.txt, which the dashboard and the
// rules are checked against: every metric there is, with figures whose sums are known.
func TestMetricsAreThoseOfTheGoldenFile(t *testing.T) {
	t.Parallel()
	m := NewMetrics("test")
	all := func(string) bool { return true }
	saved := m.Usage(Labels{Model: all, Provider: all})
	m.Watch(func(context.Context) Standing { return standing() })
	m.ShowMemoryInFlight(func() int64 { return 1 })
	generation := &meter.Record{Route: "generations", Model: "sketch", Provider: "p1", Status: 200, Tries: 1, Nano: 40_000_000, Took: time.Minute}
	stopped := *generation
	stopped.Status, stopped.Code, stopped.Nano = 500, "canceled", 0
	broken := *generation
	broken.Status, broken.Code, broken.Nano = 500, "provider_unavailable", 0
	saved([]*meter.Record{record("chatty", "p0"), record("chatty", "p0"), record("terse", "p1"), generation, &stopped, &broken})
	m.Request("POST /api/v1/chat/completions", "POST", 200, time.Second)
	m.CountUsageRefused()
	m.CountFileDamaged()
	m.SetAside("generation")
	m.CountMessage("webhook", "delivered")
	m.CountLimitRefused("dollars")
	got := []byte(strings.Join(scrape(t, m, true), ""))
	file := filepath.Join("testdata", "metrics.txt")
	if *update {
		if err := os.WriteFile(file, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the metrics differ from %s; -update writes it:\n%s", file, got)
	}
}

// TestADatabaseThatIsAwayTakesOnlyItsOwnMetrics looks while nothing shared is known.
func TestADatabaseThatIsAwayTakesOnlyItsOwnMetrics(t *testing.T) {
	t.Parallel()
	m := NewMetrics("test")
	m.Watch(func(context.Context) Standing {
		s := standing()
		s.Shared = nil
		return s
	})
	text := strings.Join(scrape(t, m, true), "")
	if strings.Contains(text, "stele_tasks") || !strings.Contains(text, "stele_journal_records 2") || !strings.Contains(text, `stele_breaker_state{provider="p1"} 2`) {
		t.Error(text)
	}
}
