package load

import (
	"os"
	"testing"
)

// BenchmarkBefore compares what is accepted with what another binary accepts, which
// STELE_BENCH_BEFORE names: by turns, each on a SQLite of its own. It is how one sees
// what a change costs.
func BenchmarkBefore(b *testing.B) {
	before := os.Getenv("STELE_BENCH_BEFORE")
	if before == "" {
		b.Skip("STELE_BENCH_BEFORE is not set")
	}
	now := open(b, "", "")
	b.Setenv("STELE_TEST_BINARY", before)
	then := open(b, "", "")
	for _, scene := range []struct {
		name, orders string
		keyed        bool
	}{
		{"pending", "pending poll=10m", false},
		{"pending keyed", "pending poll=10m", true},
		{"plain", "work=0s", false},
	} {
		b.Run(scene.name, func(b *testing.B) {
			var ours, theirs, ratios []float64
			for b.Loop() {
				was := together(b, func() error { return then.accept(scene.orders, scene.keyed) })
				then.settle("")
				is := together(b, func() error { return now.accept(scene.orders, scene.keyed) })
				now.settle("")
				theirs, ours = append(theirs, turn/was.Seconds()), append(ours, turn/is.Seconds())
				ratios = append(ratios, 100*was.Seconds()/is.Seconds())
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(median(ours), "accepted/s")
			b.ReportMetric(median(theirs), "before/s")
			b.ReportMetric(median(ratios), "%")
		})
	}
}
