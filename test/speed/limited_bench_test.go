package main

import (
	"fmt"
	"net/http"
	"testing"

	"stele/test/rig"
)

// limits are those of a company: a budget and a rate of each key, which is what most have,
// a budget of the workspace, tokens of a model.
var limits = [][]string{
	{"--name", "key", "--measure", "dollars", "--window", "month", "--amount", "1000000", "--of", "key=*"},
	{"--name", "rate", "--measure", "requests", "--window", "minute", "--amount", "10000000", "--of", "key=*"},
	{"--name", "all", "--measure", "dollars", "--window", "month", "--amount", "1000000"},
	{"--name", "tokens", "--measure", "tokens", "--window", "day", "--amount", "100000000000", "--of", "model=local/gpt-4.1"},
}

// pairs is how many times both servers are started anew: where a process happens to lie in
// memory is worth as much as all limits.
const pairs = 6

// BenchmarkLimited compares a server with limits that all requests fall under with one
// that has none: the same binary, before the same upstream, in turns. The figures are means of
// several pairs of servers, each started anew.
func BenchmarkLimited(b *testing.B) {
	var all, means figures
	b.Cleanup(func() { fmt.Printf("\n%s\n\n%s\n\n", &all, &means) })
	for _, scene := range scenes()[:2] {
		scene.turns *= 4
		for _, some := range [][][]string{limits[:2], limits} {
			sum, n, name := 0.0, 0, fmt.Sprintf("%s, %d limits", scene.name, len(some))
			for pair := range pairs {
				b.Run(fmt.Sprint(name, "/", pair+1), func(b *testing.B) {
					ratio := limited(b, scene, some)
					all.add(b, ratio, "ratio", 0)
					sum, n = sum+ratio, n+1
				})
			}
			if n > 0 {
				means.line(name, sum/float64(n), "ratio", 1.03)
			}
		}
	}
}

// limited is what a request costs with limits, in a pair of servers.
func limited(b *testing.B, c scene, some [][]string) float64 {
	b.Helper()
	s := newSpeed(b, false)
	bound := rig.Start(b, rig.Options{Env: profileEnv(b, otherServer), Config: s.config})
	for _, limit := range some {
		bound.Run(b, append([]string{"limits", "create", "--workspace", "default"}, limit...)...)
	}
	key := bound.CreateKey(b, "--name", "bound").Key
	bound.Await(b, key, http.StatusOK)
	return s.added(b, c, bound, key, func(int) {}).ratio()
}
