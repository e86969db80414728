package clip

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// particles is a cloud of points that drift, near ones joined by lines.
type particles struct {
	script Script
	title  *title
	list   []particle
}

type particle struct {
	x, y, depth, size, turn, speed float64
	colour                         ink.Color
}

func newParticles(s Script) Scene {
	v := &particles{script: s}
	w, h := float64(s.Width), float64(s.Height)
	v.title = newTitle(s, Box{w * 0.12, h * 0.2, w * 0.76, h * 0.6}, Type{Face: lettering.Bold, Lines: 4 + s.Height/s.Width*2, Most: s.shorterSide() * 0.17, Align: 0.5})
	chance := s.chance(3)
	p := s.Palette
	colours := []ink.Color{p.Soft, p.Mid, p.Accent, p.Soft}
	if p.Light {
		colours = []ink.Color{p.Mid, p.Accent, p.Mid, p.Soft}
	}
	for range 130 {
		depth := 0.25 + 0.75*chance.Float64()
		v.list = append(v.list, particle{
			x: chance.Float64(), y: chance.Float64(), depth: depth, size: s.shorterSide() * (0.0022 + 0.0045*depth*chance.Float64()),
			turn: chance.Float64(), speed: 0.04 + 0.06*chance.Float64(), colour: colours[chance.IntN(len(colours))],
		})
	}
	return v
}

func (v *particles) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	drift := 0.08 * turn(at*0.05)
	s.blobs(p.Back, []blob{
		{0.5 + drift, 0.5, 1.3, 0.9, p.Deep}, {0.85 - drift, 0.2, 0.8, 0.35, p.Mid}, {0.12 + drift, 0.85, 0.8, 0.3, p.Mid},
	}, nil)
	places := make([]ink.Point, len(v.list))
	open := easeOut(at / 1.4)
	for i, k := range v.list {
		x := k.x + 0.05*turn(at*k.speed+k.turn) + at*0.012*k.depth
		y := k.y + 0.06*turn(at*k.speed*0.8+k.turn*3)
		x = (x-math.Floor(x))*1.16 - 0.08
		y = (y-math.Floor(y))*1.16 - 0.08
		places[i] = ink.Point{X: (0.5 + (x-0.5)*(0.3+0.7*open)) * s.w, Y: (0.5 + (y-0.5)*(0.3+0.7*open)) * s.h}
	}
	v.drawLines(s, places, open)
	for i, k := range v.list {
		x, y := places[i].X, places[i].Y
		a := (0.25 + 0.75*k.depth) * open * v.title.quiet(x, y, v.script.shorterSide()*0.14, 0.35)
		if !p.Light && k.size > v.script.shorterSide()*0.0045 {
			s.glow(x, y, k.size*8, k.colour, 0.5*a)
		}
		s.disc(x, y, k.size, k.colour, a)
	}
	v.title.fade(s, at, p.Ink)
}

func (v *particles) drawLines(s *Sheet, places []ink.Point, open float64) {
	reach := v.script.shorterSide() * 0.17
	colour := v.script.Palette.Soft
	if v.script.Palette.Light {
		colour = v.script.Palette.Mid
	}
	width := max(v.script.shorterSide()/700, 0.7)
	for i, a := range places {
		for _, b := range places[i+1:] {
			dx, dy := b.X-a.X, b.Y-a.Y
			if math.Abs(dx) > reach || math.Abs(dy) > reach {
				continue
			}
			d := math.Hypot(dx, dy)
			if d > reach || d < 1 {
				continue
			}
			alpha := (1 - d/reach) * 0.55 * open * v.title.quiet((a.X+b.X)/2, (a.Y+b.Y)/2, v.script.shorterSide()*0.14, 0.12)
			s.line(a, b, width, colour, alpha)
		}
	}
}
