package canvas

import (
	"math"
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawGrid draws a wall of modules of different sizes, one of them with the words.
func drawGrid(s *sheet) {
	r := s.chance("grid")
	s.flood(ink.Solid(s.pal.paper))
	m := 0.045 * s.u
	area := s.pageBox().inset(m)
	cols, rows := s.modules()
	gap := 0.022 * s.u
	cw, ch := (area.w+gap)/float64(cols), (area.h+gap)/float64(rows)
	place := func(x, y, w, h int) box {
		return box{area.x + float64(x)*cw, area.y + float64(y)*ch, float64(w)*cw - gap, float64(h)*ch - gap}
	}
	taken := make([]bool, cols*rows)
	use := func(x, y, w, h int) {
		for i := range w * h {
			taken[(y+i/w)*cols+x+i%w] = true
		}
	}
	var words box
	if s.words.title != "" {
		w, h := max(2, cols*2/3), max(1, (rows+1)/2)
		if s.wideness() > 1.9 {
			h = rows
			w = cols / 2
		}
		x, y := (cols-w)*r.IntN(2), (rows-h)*r.IntN(2)
		words = place(x, y, w, h)
		use(x, y, w, h)
	}
	n := 0
	for at := range taken {
		if taken[at] {
			continue
		}
		x, y := at%cols, at/cols
		w, h := grow(taken, cols, rows, x, y, r)
		use(x, y, w, h)
		s.drawModule(place(x, y, w, h), n, r)
		n++
		s.step(0.1 + 0.6*float64(at)/float64(len(taken)))
	}
	if words.w > 0 {
		p := new(ink.Path)
		p.Round(words.x, words.y, words.w, words.h, 0.03*s.u)
		s.lay(p, s.pal.ink)
		s.letter(words.inset(0.055*s.u), setting{
			face: lettering.Bold, sub: lettering.Regular, leading: 1.0, track: -0.022, most: 0.17, lines: 5, subs: 4, anchor: 1, color: s.pal.paper,
		})
	}
}

// modules is how many columns and rows suit the page.
func (s *sheet) modules() (cols, rows int) {
	const about = 4.0
	k := math.Sqrt(s.w * s.h)
	return max(2, int(math.Round(about*s.w/k))), max(2, int(math.Round(about*s.h/k)))
}

// grow lets a module take a free neighbour now and then.
func grow(taken []bool, cols, rows, x, y int, r *rand.Rand) (w, h int) {
	w, h = 1, 1
	right := x+1 < cols && !taken[y*cols+x+1]
	below := y+1 < rows && !taken[(y+1)*cols+x]
	switch k := r.IntN(5); {
	case k == 0 && right && below && !taken[(y+1)*cols+x+1]:
		w, h = 2, 2
	case k == 1 && right:
		w = 2
	case k == 2 && below:
		h = 2
	}
	return w, h
}

// drawModule draws the n-th module.
func (s *sheet) drawModule(b box, n int, r *rand.Rand) {
	edge := new(ink.Path)
	edge.Round(b.x, b.y, b.w, b.h, 0.03*s.u)
	ground := s.pal.accent(n)
	if r.IntN(4) == 0 {
		ground = s.pal.paper.Mix(s.pal.ink, 0.09)
	}
	figure := s.pal.accent(n + 1 + r.IntN(2))
	if ink.Contrast(figure, ground) < 1.4 {
		figure = s.pal.paper
	}
	if ink.Contrast(figure, ground) < 1.4 {
		figure = s.pal.ink
	}
	s.lay(edge, ground)
	pattern := s.pattern(b, r.IntN(7), r)
	a, z := ground.Tone(), figure.Tone()
	s.paint(edge, func(x, y int) ink.Tone { return a.Mix(z, pattern(float64(x)+0.5, float64(y)+0.5)) }, 1)
}

// pattern is how much of a module's figure shows at a place.
func (s *sheet) pattern(b box, kind int, r *rand.Rand) func(x, y float64) float64 {
	cx, cy, size := b.x+b.w/2, b.y+b.h/2, min(b.w, b.h)
	line := func(d, pen float64) float64 { return ink.Smooth(pen+0.6, pen-0.6, math.Abs(d)) }
	saw := func(v, step float64) float64 { return v - step*math.Round(v/step) }
	step := size / float64(5+r.IntN(3))
	switch kind {
	case 0: // a disc
		return func(x, y float64) float64 { return ink.Smooth(0.32*size+0.6, 0.32*size-0.6, math.Hypot(x-cx, y-cy)) }
	case 1: // rings from a corner
		return func(x, y float64) float64 { return line(saw(math.Hypot(x-b.x, y-b.bottom()), step), step*0.22) }
	case 2: // slanting lines
		return func(x, y float64) float64 { return line(saw((x+y)*0.7071, step*0.8), step*0.16) }
	case 3: // dots
		return func(x, y float64) float64 {
			return ink.Smooth(step*0.2+0.6, step*0.2-0.6, math.Hypot(saw(x-cx, step), saw(y-cy, step)))
		}
	case 4: // waves
		return func(x, y float64) float64 {
			return line(saw(y-cy+step*0.32*math.Sin((x-cx)/step*2.1), step*0.8), step*0.14)
		}
	case 5: // crosses
		return func(x, y float64) float64 {
			dx, dy := math.Abs(saw(x-cx, step*1.25)), math.Abs(saw(y-cy, step*1.25))
			arm := ink.Smooth(step*0.34+0.6, step*0.34-0.6, max(dx, dy))
			return arm * line(min(dx, dy), step*0.08)
		}
	default: // a half disc on the ground
		return func(x, y float64) float64 {
			return ink.Smooth(0.4*size+0.6, 0.4*size-0.6, math.Hypot(x-cx, y-b.bottom()))
		}
	}
}
