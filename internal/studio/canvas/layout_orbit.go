package canvas

import (
	"math"
	"slices"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawOrbit draws worlds on their rings around a sun that is not quite in the middle.
func drawOrbit(s *sheet) {
	r := s.chance("orbit")
	night := s.pal.paper
	s.flood(ink.NewRamp(night.Mix(s.pal.hue(1), 0.3), night).Radial(ink.Point{X: s.w * 0.7, Y: s.h * 0.55}, 0.75*max(s.w, s.h)))
	s.strewStars(s.pageBox(), 130, 0.55)
	s.step(0.3)
	t := setting{face: lettering.Bold, sub: lettering.Regular, leading: 1, track: -0.02, most: 0.15, lines: 4, subs: 3}
	words, art := s.part(t, parting{beside: 0.42, above: 0.36, anchor: 1, below: r.IntN(2) == 0})
	cx, cy := art.x+art.w*0.56, art.y+art.h*0.5
	size := 0.62 * max(min(art.w, art.h), 0.6*max(art.w, art.h))
	sunSize := 0.16 * size
	s.glow(ink.Point{X: cx, Y: cy}, 3.4*sunSize, s.pal.accent(0), 0.5)
	s.drawWorld(cx, cy, sunSize, s.pal.accent(0), false)
	line := s.pal.paper.Mix(s.pal.ink, 0.5)
	var balls []ink.Point
	const n = 5
	for i := range n {
		radius := size * (0.32 + 0.2*float64(i))
		ring := new(ink.Path)
		ring.Ring(cx, cy, radius, max(1, 0.0022*s.u))
		s.paint(ring, ink.Solid(line), 0.55)
		for range 1 + i/3 {
			ball := size * (0.034 + 0.05*r.Float64())
			color := s.pal.accent(i + 1 + r.IntN(2))
			for range 12 { // until it is wholly seen, and not under the words
				a := r.Float64() * 2 * math.Pi
				x, y := cx+radius*math.Cos(a), cy+radius*math.Sin(a)
				near := slices.ContainsFunc(balls, func(p ink.Point) bool { return math.Hypot(p.X-x, p.Y-y) < 0.26*size })
				if !near && x > art.x+ball && x < art.right()-ball && y > art.y+ball && y < art.bottom()-ball {
					s.drawWorld(x, y, ball, color, true)
					balls = append(balls, ink.Point{X: x, Y: y})
					break
				}
			}
		}
		s.step(0.3 + 0.1*float64(i))
	}
	s.print(words)
}

// strewStars strews points of light.
func (s *sheet) strewStars(b box, n int, opacity float64) {
	r := s.chance("stars")
	light := s.pal.ink
	if !s.pal.dark {
		light = s.pal.accent(0)
	}
	bright, faint := new(ink.Path), new(ink.Path)
	for range int(float64(n) * b.w * b.h / (s.u * s.u)) {
		p := faint
		size := 0.0016 * s.u * (0.5 + r.Float64())
		if r.IntN(5) == 0 {
			p, size = bright, size*1.7
		}
		p.Circle(b.x+r.Float64()*b.w, b.y+r.Float64()*b.h, max(0.5, size))
	}
	s.paint(faint, ink.Solid(light), opacity*0.6)
	s.paint(bright, ink.Solid(light), opacity)
}

// glow is light around a point.
func (s *sheet) glow(at ink.Point, radius float64, c ink.Color, strength float64) {
	if s.err == nil {
		s.err = s.page.Glow(s.ctx, at, radius, c, strength)
	}
}

// drawWorld draws a ball, lit from the upper left, or shining by itself.
func (s *sheet) drawWorld(x, y, radius float64, c ink.Color, lit bool) {
	p := new(ink.Path)
	p.Circle(x, y, radius)
	if !lit {
		s.paint(p, ink.NewRamp(c.Lighter(0.1), c).Radial(ink.Point{X: x, Y: y}, radius), 1)
		return
	}
	halo := new(ink.Path)
	halo.Circle(x, y, radius*1.28)
	s.lay(halo, s.pal.paper) // the ring keeps a distance
	shade := c.Lighter(-0.22)
	s.paint(p, ink.NewRamp(c.Lighter(0.07), c, shade).Radial(ink.Point{X: x - 0.45*radius, Y: y - 0.45*radius}, 1.75*radius), 1)
}
