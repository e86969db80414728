package canvas

import (
	"math"
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawHalftone draws a picture in two inks, each printed through its own screen.
func drawHalftone(s *sheet) {
	r := s.chance("halftone")
	s.flood(ink.Solid(s.pal.paper))
	t := setting{face: lettering.Bold, sub: lettering.Regular, leading: 0.98, track: -0.022, most: 0.2, lines: 4, subs: 3}
	words, art := s.part(t, parting{beside: 0.46, above: 0.46, anchor: 1})
	s.step(0.1)
	first, second := s.pal.accent(0).Readable(s.pal.paper, 1.8), s.pal.accent(1)
	dark := s.motif(art, r)
	step := s.u / (46 + 10*r.Float64())
	s.printScreen(art, 75, step, second, 0.85, func(x, y float64) float64 { return 0.62 * dark(x-step*1.1, y-step*0.7) })
	s.step(0.5)
	s.printScreen(art, 38, step, first, 1, dark)
	s.step(0.8)
	s.print(words)
}

// motif is what is printed: how dark the picture is at a place, from 0 to 1.
func (s *sheet) motif(art box, r *rand.Rand) func(x, y float64) float64 {
	var dark func(x, y float64) float64
	size := 0.5 * min(art.w, art.h)
	cx, cy := art.x+art.w/2, art.y+art.h/2
	noise := ink.NewNoise(r.Uint32())
	k := 2.4 / s.u
	switch r.IntN(3) {
	case 0: // a ball in the light
		dark = func(x, y float64) float64 {
			d := math.Hypot(x-cx, y-cy) / (0.9 * size)
			light := math.Hypot(x-cx+0.32*size, y-cy+0.34*size) / size
			return (0.06 + 0.9*light*light*0.62) * ink.Smooth(1.02, 0.98, d)
		}
	case 1: // folds of cloth
		dark = func(x, y float64) float64 {
			v := noise.At(x*k*0.8, y*k*0.8)
			return (0.5 + 0.5*math.Sin(9*v+x*k*1.3)) * 0.92
		}
	default: // a burst
		dark = func(x, y float64) float64 {
			d := math.Hypot(x-cx, y-cy) / (1.5 * size)
			return max(0, 1-d) * (0.62 + 0.38*math.Sin(math.Atan2(y-cy, x-cx)*14))
		}
	}
	// It ends softly where the words begin.
	left, top := min(1, art.x), min(1, art.y)
	return func(x, y float64) float64 {
		soft := 0.1 * s.u
		fade := 1.0
		if top > 0 {
			fade = ink.Smooth(art.y, art.y+soft, y)
		}
		if left > 0 {
			fade *= ink.Smooth(art.x, art.x+soft, x)
		}
		return fade * dark(x, y)
	}
}

// printScreen prints a tone as dots on a turned raster: the darker, the larger.
func (s *sheet) printScreen(b box, degrees, step float64, c ink.Color, opacity float64, dark func(x, y float64) float64) {
	sin, cos := math.Sincos(degrees * math.Pi / 180)
	tone := c.Flat()
	s.wash(b.pixels(), func(px, py int) (ink.Tone, float64) {
		x, y := float64(px)+0.5, float64(py)+0.5
		u, v := x*cos+y*sin, y*cos-x*sin
		cu, cv := (math.Floor(u/step)+0.5)*step, (math.Floor(v/step)+0.5)*step
		// The tone is taken where the dot stands, so that dots are round.
		want := min(1, max(0, dark(cu*cos-cv*sin, cu*sin+cv*cos)))
		radius := step * 0.72 * math.Sqrt(want)
		if radius < 0.35 {
			return tone, 0
		}
		return tone, opacity * ink.Smooth(radius+0.6, radius-0.6, math.Hypot(u-cu, v-cv))
	})
}
