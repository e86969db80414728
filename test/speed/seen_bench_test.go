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

// BenchmarkSeen compares a server that is scraped and sends traces and metrics to a
// collector, as the defaults say, with one that does not: the same binary, before the same
// upstream, in turns. A ratio of 1.03 is 3 % of processor time.
func BenchmarkSeen(b *testing.B) {
	var all figures
	b.Cleanup(func() { fmt.Printf("\n%s\n\n", &all) })
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(io.Discard, r.Body) }))
	b.Cleanup(collector.Close)
	metrics := rig.FreePort(b)
	for _, c := range []struct{ name, settings string }{
		{"Defaults", ""}, {"EveryTrace", ", sample: 1"},
	} {
		s := newSpeed(b, false)
		seen := rig.Start(b, rig.Options{Env: profileEnv(b, otherServer), Config: fmt.Sprintf("metrics: {listen: %q}\ntelemetry: {otlp: {endpoint: %q%s}}\n", metrics, collector.URL, c.settings) + s.config})
		key := seen.CreateKey(b, "--name", "seen").Key
		seen.Await(b, key, http.StatusOK)
		s.added(b, c.name, seen, key, &all, func(turn int) {
			if turn%often == 0 {
				scrape(b, metrics)
			}
		})
		seen.Stop(b)
	}
}

// added compares what the same requests cost at the plain server and at another one, in
// turns; beside is what else the other one is asked for in a turn.
func (s *speed) added(b *testing.B, name string, other *rig.House, key string, all *figures, beside func(turn int)) {
	b.Helper()
	for _, scene := range scenes()[:2] {
		b.Run(name+scene.name, func(b *testing.B) {
			dearer := side{pid: other.PID(), url: other.URL + "/api/v1" + scene.path, body: scene.ours, key: key}
			rounds := s.alternate(b, scene, s.ours(scene.path, scene.ours), dearer, func() func() {
				scene := strings.ReplaceAll(strings.TrimPrefix(b.Name(), "Benchmark"), "/", "-")
				endPlain, endOther := profile(b, s.stele, plainServer, scene), profile(b, other, otherServer, scene)
				return func() { endPlain(); endOther() }
			}, beside)
			all.add(b, rounds.ratio(), "ratio", 1.03)
		})
	}
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
