package test

import (
	"net/http"
	"testing"

	"stele/test/house"
)

// BenchmarkSecondStart is from exec to the first 200 with a key, on a folder
// that was used before. It is to stay under 200 ms.
func BenchmarkSecondStart(b *testing.B) {
	h := house.Start(b, house.Options{})
	key := h.CreateKey(b).Key
	h.Stop(b)
	for b.Loop() {
		h.Launch(b)
		if a := h.Get(b, "/api/v1/models", key); a.Status != http.StatusOK {
			b.Fatalf("the first answer: %d %s", a.Status, a.Body)
		}
		b.StopTimer()
		h.Stop(b)
		b.StartTimer()
	}
	b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N), "ms/op")
}
