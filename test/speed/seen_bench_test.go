package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"stele/test/rig"
)

// often is how many turns, of 250 requests each, go by between scrapes: a server that has a hundred
// requests a second and is scraped every 15 seconds.
const often = 6

// warm is how many turns' worth of requests a server has had before it is measured.
const warm = 20

// BenchmarkSeen compares a server that is scraped and sends traces and metrics to a
// collector, as the defaults say, with one that does not: the same binary, before the same
// upstream, in turns.
func BenchmarkSeen(b *testing.B) {
	table := newComparison(b)
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	for _, c := range []struct{ name, settings string }{
		{"Defaults", ""}, {"EveryTrace", ", sample: 1"},
	} {
		for _, scene := range scenes()[:2] {
			scene.turns *= 4
			table.inPairs(b, c.name+scene.name, func(b *testing.B) float64 { return watched(b, scene, collector.URL, c.settings) })
		}
	}
}

// watched is what a request costs at a server that is seen, in a pair of servers.
func watched(b *testing.B, c scene, collector, settings string) float64 {
	b.Helper()
	s, metrics := newSpeed(b, false), rig.FreePort(b)
	seen := rig.Start(b, rig.Options{Env: profileEnv(b, otherServer), Config: fmt.Sprintf("metrics: {listen: %q}\ntelemetry: {otlp: {endpoint: %q%s}}\n", metrics, collector, settings) + s.config})
	key := seen.CreateKey(b, "--name", "seen").Key
	seen.Await(b, key, http.StatusOK)
	return s.added(b, c, seen, key, func(turn int) {
		if turn%often == 0 {
			scrape(b, metrics)
		}
	}).ratio()
}

// added compares what the same requests cost at the plain server and at another one, in
// turns; beside is what else the other one is asked for in a turn.
func (s *speed) added(b *testing.B, c scene, other *rig.House, key string, beside func(turn int)) rounds {
	b.Helper()
	plain := s.ours(c.path, c.ours)
	dearer := side{pid: other.PID(), url: other.URL + "/api/v1" + c.path, body: c.ours, key: key}
	for _, one := range []side{plain, dearer} {
		s.load(b, one, warm*c.size, atOnce)
	}
	return s.alternate(b, c, plain, dearer, func() func() {
		scene := strings.ReplaceAll(strings.TrimPrefix(b.Name(), "Benchmark"), "/", "-")
		endPlain, endOther := profile(b, s.stele.PID(), plainServer, scene), profile(b, other.PID(), otherServer, scene)
		return func() { endPlain(); endOther() }
	}, beside)
}

// scrape asks for metrics, as Prometheus does.
func scrape(b *testing.B, address string) {
	b.Helper()
	answer, err := http.Get("http://" + address + "/metrics") //nolint:noctx // our own
	if err != nil {
		b.Fatal(err)
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, answer.Body)
}
