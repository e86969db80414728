package main

import (
	"net/http"
	"testing"
	"time"

	"stele/test/rig"
)

// secondStart is from exec to the first 200 with a key, on a folder that was used before.
func secondStart(b *testing.B, all *figures) {
	b.Helper()
	h := rig.Start(b, rig.Options{})
	key := h.CreateKey(b).Key
	h.Stop(b)
	var took []time.Duration
	for b.Loop() {
		for range 10 {
			begun := time.Now()
			h.Launch(b)
			if a := h.Get(b, "/api/v1/models", key); a.Status != http.StatusOK {
				b.Fatalf("the first answer: %d %s", a.Status, a.Body)
			}
			took = append(took, time.Since(begun))
			h.Stop(b)
		}
	}
	all.add(b, float64(median(took).Microseconds())/1000, "ms", 100)
}
