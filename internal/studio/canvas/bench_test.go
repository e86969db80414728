package canvas_test

import (
	"testing"

	"stele/internal/studio/canvas"
)

// BenchmarkDraw draws each style at the largest size.
func BenchmarkDraw(b *testing.B) {
	for _, style := range canvas.Styles() {
		b.Run(style, func(b *testing.B) {
			for i := range b.N {
				o := canvas.Order{W: 2048, H: 2048, Prompt: "Sailing home at sunset: summer on the coast", Style: style, Seed: uint32(i)}
				if _, err := canvas.Draw(b.Context(), o, func(float64) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
