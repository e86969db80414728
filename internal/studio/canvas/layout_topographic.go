package canvas

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawTopographic draws a map of hills that are not there, drawn in contour lines that
// give way to the words.
func drawTopographic(s *sheet) {
	r := s.chance("topographic")
	noise := ink.NewNoise(r.Uint32())
	words := s.plan(s.inner(), setting{
		face: lettering.Bold, sub: lettering.Regular, leading: 1.02, track: -0.015, most: 0.135, lines: 4, subs: 3, anchor: float64(r.IntN(2)),
	})
	line := s.pal.paper.Mix(s.pal.accent(0), 0.85).Readable(s.pal.paper, 2).Tone()
	land := ink.NewRamp(s.pal.paper, s.ground(0.09), s.ground(0.17))
	scale := 2.1 / s.u
	const levels = 15.0
	thin, thick := max(0.55, 0.0011*s.u), max(1.1, 0.0026*s.u)
	height := func(px, py int) float64 {
		x, y := float64(px)*scale, float64(py)*scale
		warp := 0.35 * noise.At(x*0.8+50, y*0.8)
		return levels * (0.5 + 0.5*(0.85*noise.At(x+warp, y+warp)+0.22*noise.At(2*x+9, 2*y-4)))
	}
	field := s.heights(height)
	s.step(0.4)
	wide := s.page.W + 1
	s.flood(func(px, py int) ink.Tone {
		at := py*wide + px
		h := float64(field[at])
		slope := math.Hypot(float64(field[at+1])-h, float64(field[at+wide])-h) // levels for each pixel
		tone := land.At(math.Floor(h) / levels)
		away := math.Abs(h-math.Round(h)) / max(slope, 1e-6) // pixels to the line
		pen := thin
		if int(math.Round(h))%5 == 0 {
			pen = thick
		}
		return tone.Mix(line, 0.9*ink.Smooth(pen+0.6, pen-0.6, away))
	})
	s.step(0.6)
	if !words.title.Empty() {
		s.drawLegend(words.box)
	}
	s.print(words)
}

// heights are those of every pixel, and of one more at the end of each row and column.
func (s *sheet) heights(at func(x, y int) float64) []float32 {
	wide := s.page.W + 1
	field := make([]float32, wide*(s.page.H+1))
	if s.err == nil {
		s.err = ink.Bands(s.ctx, s.page.H+1, func(from, to int) {
			for i := from * wide; i < to*wide; i++ {
				field[i] = float32(at(i%wide, i/wide))
			}
		})
	}
	return field
}

// ground is the paper so much lighter or darker; dark paper keeps its hue, pale paper
// takes that of the lines.
func (s *sheet) ground(d float64) ink.Color {
	c, line := s.pal.paper.LCH(), s.pal.accent(0).LCH()
	if s.pal.dark {
		return ink.LCH{L: c.L + d, C: c.C + 0.2*d, H: c.H}.Color()
	}
	return ink.LCH{L: c.L - d, C: min(line.C, 0.035+0.28*d), H: line.H}.Color()
}

// drawLegend draws the plain plate of a map that tells what it shows.
func (s *sheet) drawLegend(b box) {
	pad := 0.5 * s.margin()
	plate := b.inset(-pad)
	s.lay(plate.path(), s.pal.paper)
	pen := max(1.2, 0.0035*s.u)
	rule := new(ink.Path)
	rule.Rect(plate.x, plate.y, plate.w, 2*pen)
	s.lay(rule, s.pal.accent(0))
}
