// Package race lets tests leave out what the race detector stands in the way of: counts
// of allocations, and long computations and programs that take ten times as long with it
// and show no more. `make test` has a step that runs them without. No code that ships
// needs it.
package race

import "testing"

// Skip leaves the rest of a test to the run without the race detector.
func Skip(t testing.TB, why string) {
	t.Helper()
	if enabled {
		t.Skip("not with the race detector: " + why)
	}
}
