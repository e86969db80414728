package canvas

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawCard draws a card that lies on a coloured ground, with a picture at its head.
func drawCard(s *sheet) {
	r := s.chance("card")
	ground := ink.NewRamp(s.pal.accent(1).Lighter(0.04), s.pal.accent(1), s.pal.accent(0).Mix(s.pal.accent(1), 0.4))
	s.flood(ground.Linear(ink.Point{X: s.w * 0.1, Y: 0}, ink.Point{X: s.w * 0.9, Y: s.h}))
	s.printDots(s.pageBox(), 0.045*s.u, 0.0055*s.u, s.pal.paper, 0.3)
	s.step(0.25)
	b := s.pageBox().inset(0.105 * s.u)
	if s.wideness() < 0.7 {
		b = box{b.x, b.y + 0.06*s.h, b.w, b.h - 0.12*s.h}
	}
	edge := new(ink.Path)
	edge.Round(b.x, b.y, b.w, b.h, 0.035*s.u)
	s.shadow(edge, s.pal.tones()[0].Mix(ink.Black, 0.5), 0.035*s.u, ink.Point{Y: 0.022 * s.u}, 0.42)
	s.lay(edge, s.pal.paper)
	s.step(0.5)
	head, body := b.rows(0.42)
	if s.wideness() > 1.2 {
		head, body = b.columns(0.36)
	}
	if s.words.title == "" {
		head, body = b, box{}
	}
	s.drawCrest(edge, head, r.IntN(3), r.Uint32())
	s.step(0.75)
	pad := 0.055 * s.u
	s.letter(body.inset(pad), setting{face: lettering.Bold, sub: lettering.Regular, leading: 1.02, track: -0.018, most: 0.12, lines: 4, subs: 4, anchor: 0.5})
}

// printDots prints a fine raster.
func (s *sheet) printDots(b box, step, radius float64, c ink.Color, opacity float64) {
	tone := c.Tone()
	s.wash(b.pixels(), func(x, y int) (ink.Tone, float64) {
		fx, fy := (float64(x)+0.5)/step, (float64(y)+0.5)/step
		dx, dy := (fx-math.Floor(fx)-0.5)*step, (fy-math.Floor(fy)-0.5)*step
		return tone, opacity * ink.Smooth(radius+0.7, radius-0.7, math.Hypot(dx, dy))
	})
}

// drawCrest fills the head of a card with shapes, inside the card's own round edge.
func (s *sheet) drawCrest(edge *ink.Path, b box, kind int, seed uint32) {
	soft := s.pal.paper.Mix(s.pal.accent(0), 0.16)
	noise := ink.NewNoise(seed)
	colors := []ink.Tone{s.pal.accent(0).Tone(), s.pal.accent(1).Tone(), s.pal.accent(2).Tone(), s.pal.accent(3).Tone()}
	paper := soft.Tone()
	k := 1 / s.u
	cx := b.x + b.w*0.5
	paint := func(px, py int) ink.Tone {
		x, y := float64(px)+0.5, float64(py)+0.5
		out := paper
		switch kind {
		case 0: // hills
			for i, c := range colors {
				top := b.y + b.h*(0.36+0.17*float64(i)) + 0.11*s.u*noise.At(x*k*2.2+float64(i)*7, float64(i))
				out = out.Mix(c, ink.Smooth(top-0.7, top+0.7, y))
			}
		case 1: // rings
			d := math.Hypot(x-cx, y-b.bottom())
			step := b.h / 4.6
			at := d / step
			c := colors[int(at)%4]
			return c.Mix(colors[(int(at)+1)%4], ink.Smooth(1-1.2/step, 1, at-math.Floor(at)))
		default: // a marbled ground
			v := noise.At(x*k*2.4, y*k*2.4+3) + 0.5*noise.At(x*k*5+9, y*k*5)
			at := (v + 1) * 2.2
			i := int(math.Floor(at)) & 3
			out = colors[i].Mix(colors[(i+1)&3], ink.Smooth(0.96, 1, at-math.Floor(at)))
		}
		return out
	}
	s.drawInside(b, func() { s.paint(edge, paint, 1) })
}
