package canvas

import (
	"math"
	"math/rand/v2"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// drawBauhaus draws a floor of tiles, each a simple shape, with a quiet field for the words.
func drawBauhaus(s *sheet) {
	r := s.chance("bauhaus")
	cell := s.u / float64(4+r.IntN(2))
	cols, rows := max(2, int(math.Round(s.w/cell))), max(2, int(math.Round(s.h/cell)))
	cw, ch := s.w/float64(cols), s.h/float64(rows)
	s.flood(ink.Solid(s.pal.paper))
	free := tileField(s, cols, rows, r)
	colors := append([]ink.Color{s.pal.paper, s.pal.ink}, s.pal.accents...)
	ground := make([]int, cols*rows)
	for row := range rows {
		for col := range cols {
			x, y := math.Round(float64(col)*cw), math.Round(float64(row)*ch)
			b := box{x, y, math.Round(float64(col+1)*cw) - x, math.Round(float64(row+1)*ch) - y}
			if col >= free[0] && col < free[2] && row >= free[1] && row < free[3] {
				continue
			}
			bg := r.IntN(len(colors))
			for (col > 0 && bg == ground[row*cols+col-1]) || (row > 0 && bg == ground[(row-1)*cols+col]) {
				bg = r.IntN(len(colors))
			}
			ground[row*cols+col] = bg
			fg := (bg + 1 + r.IntN(len(colors)-1)) % len(colors)
			for ink.Contrast(colors[fg], colors[bg]) < 1.35 {
				fg = (bg + 1 + r.IntN(len(colors)-1)) % len(colors)
			}
			s.lay(b.path(), colors[bg])
			s.drawInside(b, func() { drawTile(s, b, colors[fg], r) })
		}
		s.step(0.1 + 0.7*float64(row)/float64(rows))
	}
	if free[2] > free[0] {
		field := box{float64(free[0]) * cw, float64(free[1]) * ch, float64(free[2]-free[0]) * cw, float64(free[3]-free[1]) * ch}
		pad := min(s.margin(), 0.16*min(field.w, field.h))
		s.letter(field.inset(pad), setting{face: lettering.Bold, sub: lettering.Regular, leading: 1, track: -0.02, most: 0.16, lines: 5, subs: 3, anchor: 1})
	}
}

// tileField is the tiles left free for the words: first column and row, and those
// after the last.
func tileField(s *sheet, cols, rows int, r *rand.Rand) [4]int {
	if s.words.title == "" {
		return [4]int{}
	}
	wide, high := max(2, int(math.Ceil(float64(cols)*0.6))), max(1, int(math.Round(float64(rows)*0.45)))
	if s.wideness() > 1.6 {
		wide, high = max(2, cols/2), max(1, rows-1)
	}
	left, top := 0, rows-high
	if r.IntN(2) == 0 {
		top = 0
	}
	return [4]int{left, top, left + wide, top + high}
}

// drawTile draws one shape into a tile.
func drawTile(s *sheet, b box, c ink.Color, r *rand.Rand) {
	p := new(ink.Path)
	size := max(b.w, b.h)
	x, y := b.x+b.w/2, b.y+b.h/2
	corner := r.IntN(4)
	cx, cy := b.x+b.w*float64(corner%2), b.y+b.h*float64(corner/2)
	switch r.IntN(9) {
	case 0, 1:
		p.Circle(cx, cy, size)
	case 2:
		p.Circle(cx, cy, size)
		p.Hole(cx, cy, size*0.66)
		p.Circle(cx, cy, size*0.33)
	case 3:
		p.Circle(x, y, size*0.36)
	case 4:
		p.Circle(b.x+b.w*float64(corner%2), y, size/2)
	case 5:
		p.Polygon(ink.Point{X: b.x, Y: b.y}, ink.Point{X: b.right(), Y: b.bottom()}, ink.Point{X: b.x, Y: b.bottom()})
		p.Turn(90*float64(corner), ink.Point{X: x, Y: y})
	case 6:
		n := 3 + r.IntN(2)
		for i := range n {
			p.Rect(b.x, b.y+b.h*(float64(i)+0.25)/float64(n), b.w, b.h/float64(n)/2)
		}
	case 7:
		for i := range 9 {
			p.Circle(b.x+b.w*(float64(i%3)+0.5)/3, b.y+b.h*(float64(i/3)+0.5)/3, size*0.075)
		}
	case 8:
		p.Ring(x, y, size*0.3, size*0.12)
	}
	s.lay(p, c)
}
