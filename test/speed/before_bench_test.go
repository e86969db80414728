package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"

	"stele/test/rig"
)

// BenchmarkBefore compares what requests cost with what they cost at another binary, which
// STELE_BENCH_BEFORE names: by turns, before the same upstream. It is how one sees what a
// change costs. A ratio of 1.03 is 3 % of processor time.
func BenchmarkBefore(b *testing.B) {
	before := os.Getenv("STELE_BENCH_BEFORE")
	if before == "" {
		b.Skip("STELE_BENCH_BEFORE is not set")
	}
	var all figures
	b.Cleanup(func() { fmt.Printf("\n%s\n\n", &all) })
	now := os.Getenv("STELE_TEST_BINARY")
	for _, secure := range []bool{false, true} {
		b.Setenv("STELE_TEST_BINARY", now)
		s := newSpeed(b, secure)
		b.Setenv("STELE_TEST_BINARY", before)
		then := rig.Start(b, rig.Options{Config: s.config})
		key := then.CreateKey(b, "--name", "before").Key
		then.Await(b, key, http.StatusOK)
		old := func(path, body string) side {
			return side{pid: then.PID(), url: then.URL + "/api/v1" + path, body: body, key: key}
		}
		if secure {
			s.since(b, secureScenes(), old, &all)
			continue
		}
		s.since(b, scenes(), old, &all)
		whole, stream := fmt.Sprintf(openAIBody, ""), fmt.Sprintf(openAIBody, streaming)
		for _, c := range []struct {
			name, body string
			rest       io.Writer
		}{{"OneAtATime", whole, io.Discard}, {"FirstByte", stream, nil}} {
			b.Run(c.name, func(b *testing.B) {
				is, was := s.latencies(b, s.ours(openAIPath, c.body), old(openAIPath, c.body), c.rest)
				all.add(b, float64(is)/float64(was), "ratio", 1.03)
			})
		}
	}
}

func (s *speed) since(b *testing.B, list []scene, old func(path, body string) side, all *figures) {
	b.Helper()
	for _, scene := range list {
		b.Run(scene.name, func(b *testing.B) {
			rounds := s.alternate(b, scene, old(scene.path, scene.ours), s.ours(scene.path, scene.ours), func() func() { return func() {} }, func(int) {})
			all.add(b, rounds.ratio(), "ratio", 1.03)
		})
	}
}
