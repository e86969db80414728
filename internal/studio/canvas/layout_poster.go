package canvas

import (
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawPoster draws words as large as they can be, and one bold shape that runs off the
// paper.
func drawPoster(s *sheet) {
	r := s.chance("poster")
	if r.IntN(3) == 0 { // on coloured paper
		s.pal.tint()
	}
	s.flood(ink.Solid(s.pal.paper))
	t := setting{face: lettering.Bold, sub: lettering.Regular, leading: 0.98, track: -0.022, most: 0.25, lines: 6, subs: 4}
	words, art := s.part(t, parting{beside: 0.52, above: 0.56, below: r.IntN(3) == 0})
	figure := []func(*sheet, box, *rand.Rand){drawDisc, drawArcs, drawSlants, drawHalves, drawBars, drawSun}[r.IntN(6)]
	s.step(0.2)
	s.drawInside(art, func() { figure(s, art, r) })
	s.step(0.7)
	s.print(words)
}

// drawDisc draws one large disc with a small companion.
func drawDisc(s *sheet, b box, r *rand.Rand) {
	size := min(b.w, b.h)
	x, y := b.x+b.w*(0.5+0.2*r.Float64()), b.y+b.h*(0.55+0.1*r.Float64())
	p, q := new(ink.Path), new(ink.Path)
	p.Circle(x, y, size*0.46)
	s.lay(p, s.pal.accent(0))
	q.Circle(x-size*0.5, y-size*0.36, size*0.1)
	s.lay(q, s.pal.accent(1))
}

// drawArcs draws rings around a corner.
func drawArcs(s *sheet, b box, r *rand.Rand) {
	x, y := b.right(), b.bottom()
	if r.IntN(2) == 0 && s.wideness() <= 1.2 {
		x = b.x
	}
	if b.w > 1.6*b.h {
		x = b.x + b.w/2
	}
	reach := min(b.w, b.h)
	const n = 6
	for i := range n {
		p := new(ink.Path)
		p.Circle(x, y, reach*float64(n-i)/n)
		c := s.pal.accent(i / 2)
		if i%2 == 1 {
			c = s.pal.paper
		}
		s.lay(p, c)
	}
}

// drawSlants draws bars that lean.
func drawSlants(s *sheet, b box, r *rand.Rand) {
	lean := b.h * 0.55
	if r.IntN(2) == 0 {
		lean = -lean
	}
	n := max(4, int(b.w/(0.16*s.u)))
	step := (b.w + b.h*0.55) / float64(n)
	x := b.x - max(0, lean)
	for i := range n {
		p := new(ink.Path)
		w := step * (0.25 + 0.6*float64(i)/float64(n))
		p.Polygon(ink.Point{X: x + lean, Y: b.y}, ink.Point{X: x + lean + w, Y: b.y}, ink.Point{X: x + w, Y: b.bottom()}, ink.Point{X: x, Y: b.bottom()})
		s.lay(p, s.pal.accent(i))
		x += step
	}
}

// drawHalves draws half discs in rows, each turned against the last.
func drawHalves(s *sheet, b box, r *rand.Rand) {
	n := max(1, int(b.h/(0.3*s.u)+0.5))
	size := b.h / float64(n)
	across := int(b.w/size) + 1
	left := b.right() - float64(across)*size
	for row := range n {
		for col := range across {
			turn := float64(r.IntN(2)*180 + 90*((row+col)%2))
			x, y := left+(float64(col)+0.5)*size, b.y+(float64(row)+0.5)*size
			p := new(ink.Path)
			p.Wedge(x, y, size*0.48, turn, turn+180)
			s.lay(p, s.pal.accent(row+2*col))
		}
	}
}

// drawBars draws bars that stand on the edge of the paper like a loud passage.
func drawBars(s *sheet, b box, r *rand.Rand) {
	n := max(5, int(b.w/(0.085*s.u)))
	step := b.w / float64(n)
	noise := ink.NewNoise(r.Uint32())
	for i := range n {
		high := b.h * (0.5 + 0.42*noise.At(float64(i)*0.37, 0.5) + 0.08*r.Float64())
		p := new(ink.Path)
		p.Round(b.x+(float64(i)+0.14)*step, b.bottom()-high, step*0.72, high+step, step*0.36)
		s.lay(p, s.pal.accent(int(3*noise.At(float64(i)*0.2, 9)+8)))
	}
}

// drawSun draws a disc that sets into its own stripes.
func drawSun(s *sheet, b box, _ *rand.Rand) {
	size := min(b.w, b.h) * 0.43
	x, y := b.x+b.w/2, b.y+b.h*0.5
	p := new(ink.Path)
	p.Circle(x, y, size)
	ramp := ink.NewRamp(s.pal.accent(0), s.pal.accent(1))
	s.paint(p, ramp.Linear(ink.Point{X: x, Y: y - size}, ink.Point{X: x, Y: y + size}), 1)
	const n = 7
	for i := range n {
		cut := new(ink.Path)
		cut.Rect(b.x, y+size*(0.02+float64(i)/n), b.w, size/n*(0.14+0.1*float64(i)))
		s.lay(cut, s.pal.paper)
	}
}
