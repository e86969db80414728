package telemetry

import (
	"testing"

	"stele/internal/meter"
)

// BenchmarkSaved is what a row of usage costs to be counted.
func BenchmarkSaved(b *testing.B) {
	all := func(string) bool { return true }
	saved := NewMetrics("test").Usage(Labels{Model: all, Provider: all})
	rows := []*meter.Record{record("chatty", "p0")}
	b.ReportAllocs()
	for b.Loop() {
		saved(rows)
	}
}
