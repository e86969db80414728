package file_test

import (
	"io"
	"strings"
	"testing"
)

// BenchmarkRead reads a film of 64 MB whole, which is compared with what was kept, and but for its first byte, which is not.
func BenchmarkRead(b *testing.B) {
	h := newHouse(b)
	const size = 64 << 20
	f, err := h.Keep(b.Context(), "a", "gen_1", 0, made("video", sample(b, "film.mp4")+strings.Repeat("x", size)))
	if err != nil {
		b.Fatal(err)
	}
	for name, off := range map[string]int64{"whole": 0, "part": 1} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(f.Size - off)
			for b.Loop() {
				r, err := h.Open(b.Context(), f, off, -1)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{r}, make([]byte, 32<<10)); err != nil {
					b.Fatal(err)
				}
				r.Close()
			}
		})
	}
}
