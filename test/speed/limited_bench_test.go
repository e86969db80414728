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

// BenchmarkLimited compares a server with limits that all requests fall under with one
// that has none: the same binary, before the same upstream, in turns.
func BenchmarkLimited(b *testing.B) {
	table := newComparison(b)
	for _, scene := range scenes()[:2] {
		scene.turns *= 4
		for _, some := range [][][]string{limits[:2], limits} {
			table.inPairs(b, fmt.Sprintf("%s, %d limits", scene.name, len(some)), func(b *testing.B) float64 { return limited(b, scene, some) })
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
