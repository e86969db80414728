package canvas

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawIsometric draws a town of blocks, seen from above and from nowhere.
func drawIsometric(s *sheet) {
	r := s.chance("isometric")
	s.flood(ink.NewRamp(s.pal.paper.Lighter(0.015), s.pal.paper.Mix(s.pal.accent(1), 0.12)).Linear(ink.Point{}, ink.Point{Y: s.h}))
	t := setting{face: lettering.Bold, sub: lettering.Regular, leading: 1, track: -0.02, most: 0.16, lines: 4, subs: 3}
	words, art := s.part(t, parting{beside: 0.4, above: 0.4, anchor: 0.5})
	const n = 6
	edge := min(art.w/(2*math.Cos(math.Pi/6)*(n+0.6)), art.h/(n*1.36))
	noise := ink.NewNoise(r.Uint32())
	cx := art.x + art.w/2
	top := art.y + (art.h-edge*n)/2 + edge*0.7
	town := isoTown{s: s, edge: edge, x: cx, y: top}
	town.layFloor(n)
	s.step(0.2)
	// From the back to the front, so that the near ones cover the far.
	for sum := range 2*n - 1 {
		for i := max(0, sum-n+1); i <= min(sum, n-1); i++ {
			j := sum - i
			centre := 1 - math.Hypot(float64(i)-2.5, float64(j)-2.5)/4.4
			high := 2.7 * centre * (0.55 + 0.65*noise.At(float64(i)*0.6+0.3, float64(j)*0.6+0.3) + 0.35*r.Float64())
			kind := r.IntN(10)
			color := s.pal.accent(r.IntN(len(s.pal.accents)))
			if high > 0.16 && kind > 0 {
				town.buildBlock(float64(i), float64(j), 0.84, high, color, kind)
			}
		}
		s.step(0.2 + 0.6*float64(sum)/float64(2*n))
	}
	s.print(words)
}

// isoTown places blocks on a floor of diamonds.
type isoTown struct {
	s          *sheet
	edge, x, y float64
}

// at is the place of a point of the town on the page.
func (t *isoTown) at(i, j, high float64) ink.Point {
	return ink.Point{X: t.x + (i-j)*t.edge*math.Cos(math.Pi/6), Y: t.y + (i+j)*t.edge*0.5 - high*t.edge}
}

func (t *isoTown) drawFace(c ink.Color, points ...ink.Point) {
	p := new(ink.Path)
	p.Polygon(points...)
	t.s.lay(p, c)
}

// layFloor lays the ground and its shadow.
func (t *isoTown) layFloor(n int) {
	f, m := float64(n), 0.12
	p := new(ink.Path)
	p.Polygon(t.at(-m, -m, 0), t.at(f+m, -m, 0), t.at(f+m, f+m, 0), t.at(-m, f+m, 0))
	t.s.shadow(p, t.s.pal.tones()[0].Mix(ink.Black, 0.4), 0.35*t.edge, ink.Point{Y: 0.5 * t.edge}, 0.35)
	ground := t.s.pal.paper.Mix(t.s.pal.ink, 0.14)
	t.drawFace(ground.Lighter(-0.08), t.at(-m, f+m, 0), t.at(f+m, f+m, 0), t.at(f+m, f+m, -0.18), t.at(-m, f+m, -0.18))
	t.drawFace(ground.Lighter(-0.13), t.at(f+m, -m, 0), t.at(f+m, f+m, 0), t.at(f+m, f+m, -0.18), t.at(f+m, -m, -0.18))
	t.s.lay(p, ground)
}

// buildBlock builds a house: three faces, lit from the left, with windows or steps.
func (t *isoTown) buildBlock(i, j, size, high float64, c ink.Color, kind int) {
	gap := (1 - size) / 2
	a, b := i+gap, j+gap
	c = t.shade(c, 0)
	t.drawFace(c, t.at(a, b+size, high), t.at(a+size, b+size, high), t.at(a+size, b+size, 0), t.at(a, b+size, 0))
	t.drawFace(t.shade(c, -0.13), t.at(a+size, b, high), t.at(a+size, b+size, high), t.at(a+size, b+size, 0), t.at(a+size, b, 0))
	t.drawFace(t.shade(c, 0.09), t.at(a, b, high), t.at(a+size, b, high), t.at(a+size, b+size, high), t.at(a, b+size, high))
	switch {
	case kind < 6 && high > 0.7:
		t.drawWindows(a, b, size, high, c)
	case kind == 6:
		in, out := size*0.2, size*0.8
		t.drawFace(t.shade(c, -0.06), t.at(a+in, b+in, high), t.at(a+out, b+in, high), t.at(a+out, b+out, high), t.at(a+in, b+out, high))
	case kind == 7 && high > 0.5:
		t.buildBlock(i+0.2, j+0.2, size*0.55, high+0.35, c, 9)
	}
}

func (t *isoTown) shade(c ink.Color, d float64) ink.Color {
	v := c.LCH()
	v.L = min(0.95, max(0.3, v.L)) + d
	return v.Color()
}

// drawWindows draws rows of light on the two walls.
func (t *isoTown) drawWindows(a, b, size, high float64, c ink.Color) {
	light := t.shade(c, 0.12).Mix(t.s.pal.tones()[len(t.s.pal.tones())-1], 0.55)
	dim := t.shade(c, -0.24)
	for y := 0.2; y+0.18 < high; y += 0.34 {
		for k := range 3 {
			from, to := size*(0.14+0.27*float64(k)), size*(0.14+0.27*float64(k)+0.17)
			t.drawFace(light, t.at(a+from, b+size, y+0.18), t.at(a+to, b+size, y+0.18), t.at(a+to, b+size, y), t.at(a+from, b+size, y))
			t.drawFace(dim, t.at(a+size, b+from, y+0.18), t.at(a+size, b+to, y+0.18), t.at(a+size, b+to, y), t.at(a+size, b+from, y))
		}
	}
}
