package main

import (
	"fmt"
	"net/http"
	"testing"

	"stele/test/rig"
)

// limits are those of a company: a budget and a rate of each key, a budget of the
// workspace, tokens of a model.
var limits = [][]string{
	{"--name", "key", "--measure", "dollars", "--window", "month", "--amount", "1000000", "--of", "key=*"},
	{"--name", "rate", "--measure", "requests", "--window", "minute", "--amount", "10000000", "--of", "key=*"},
	{"--name", "all", "--measure", "dollars", "--window", "month", "--amount", "1000000"},
	{"--name", "tokens", "--measure", "tokens", "--window", "day", "--amount", "100000000000", "--of", "model=local/gpt-4.1"},
}

// BenchmarkLimited compares a server with limits that all requests fall under with one
// that has none: the same binary, before the same upstream, in turns.
func BenchmarkLimited(b *testing.B) {
	var all figures
	b.Cleanup(func() { fmt.Printf("\n%s\n\n", &all) })
	s := newSpeed(b, false)
	bound := rig.Start(b, rig.Options{Env: profileEnv(b, otherServer), Config: s.config})
	for _, limit := range limits {
		bound.Run(b, append([]string{"limits", "create", "--workspace", "default"}, limit...)...)
	}
	key := bound.CreateKey(b, "--name", "bound").Key
	bound.Await(b, key, http.StatusOK)
	s.added(b, "", bound, key, &all, func(int) {})
}
