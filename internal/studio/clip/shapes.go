package clip

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// shapes is a mosaic of plain tiles that turn by quarters, around a panel with the text.
type shapes struct {
	script        Script
	title         *title
	tiles         []tile
	side          float64
	left, top     float64
	panel         Box
	columns, rows int
}

type tile struct {
	x, y       int
	kind       int
	back, fore ink.Color
	quarter    int
	turns      []float64 // when it turns
}

func newShapes(s Script) Scene {
	v := &shapes{script: s}
	w, h := float64(s.Width), float64(s.Height)
	v.rows, v.columns = 4, 4
	if w > h {
		v.side = math.Ceil(h / 4)
		v.columns = int(math.Ceil(w/v.side - 0.02))
	} else {
		v.side = math.Ceil(w / 4)
		v.rows = int(math.Ceil(h/v.side - 0.02))
	}
	v.left, v.top = math.Round((w-float64(v.columns)*v.side)/2), math.Round((h-float64(v.rows)*v.side)/2)
	chance := s.chance(6)
	pw, ph := 4, 2
	if v.columns < 6 {
		pw, ph = min(3, v.columns-1), 2
	}
	px, py := 1, 1
	if v.columns > 6 && chance.IntN(2) == 1 {
		px = v.columns - pw - 1
	}
	if v.rows > 5 {
		ph, py = 3, v.rows/2-1
	}
	if s.Text == "" {
		pw, ph = 0, 0
	}
	v.panel = Box{v.left + float64(px)*v.side, v.top + float64(py)*v.side, float64(pw) * v.side, float64(ph) * v.side}
	v.fill(px, py, pw, ph)
	pad := v.side * 0.28
	v.title = newTitle(s, Box{v.panel.X + pad, v.panel.Y + pad, v.panel.W - 2*pad, v.panel.H - 2*pad}, Type{Face: lettering.Bold, Lines: 4, Most: v.side * 0.62})
	return v
}

func (v *shapes) fill(px, py, pw, ph int) {
	chance := v.script.chance(7)
	p := v.script.Palette
	colours := []ink.Color{p.Deep, p.Mid, p.Soft, p.Accent, p.Ink}
	if p.Light {
		colours = []ink.Color{p.Deep, p.Mid, p.Soft, p.Accent, p.Back}
	}
	before := -1
	for y := range v.rows {
		for x := range v.columns {
			if x >= px && x < px+pw && y >= py && y < py+ph {
				continue
			}
			a := chance.IntN(len(colours))
			if a == before {
				a = (a + 1) % len(colours)
			}
			b := (a + 1 + chance.IntN(len(colours)-1)) % len(colours)
			before = a
			k := tile{x: x, y: y, kind: chance.IntN(6), back: colours[a], fore: colours[b], quarter: chance.IntN(4)}
			when := 0.3 + 0.12*float64(x+y) + 0.5*chance.Float64()
			for when < v.script.Seconds {
				k.turns = append(k.turns, when)
				when += 1.4 + 2.6*chance.Float64()
			}
			v.tiles = append(v.tiles, k)
		}
	}
}

func (v *shapes) Draw(s *Sheet, at float64) {
	p := v.script.Palette
	s.Fill(p.Back)
	for _, k := range v.tiles {
		open := overshoot((at + 0.25 - 0.035*float64(k.x+k.y)) / 0.5)
		if at > 1.5 {
			open = 1
		}
		angle := float64(k.quarter)
		for _, when := range k.turns {
			angle += easeBoth((at - when) / 0.7)
		}
		v.drawTile(s, k, angle*math.Pi/2, open)
	}
	if v.panel.W > 0 {
		b := v.panel
		s.bar(b.X, b.Y, b.X+b.W, b.Y+b.H, p.Back, 1)
	}
	v.title.rise(s, at, p.Ink)
}

func (v *shapes) drawTile(s *Sheet, k tile, angle, open float64) {
	half := v.side / 2
	cx, cy := v.left+(float64(k.x)+0.5)*v.side, v.top+(float64(k.y)+0.5)*v.side
	grow := half * max(open, 0)
	if open >= 1 {
		grow = half
	}
	s.bar(cx-grow, cy-grow, cx+grow, cy+grow, k.back, 1)
	sin, cos := math.Sincos(angle)
	put := func(points []ink.Point, c ink.Color) {
		for i, q := range points {
			x, y := (q.X*cos-q.Y*sin)*grow, (q.X*sin+q.Y*cos)*grow
			points[i] = ink.Point{X: cx + min(max(x, -grow), grow), Y: cy + min(max(y, -grow), grow)}
		}
		s.polygon(points, c, 1)
	}
	switch k.kind {
	case 0: // a quarter of a disc
		put(sector(-1, -1, 2, 0, 0.25), k.fore)
	case 1: // half a disc
		put(sector(-1, 0, 1, -0.25, 0.25), k.fore)
		put(sector(0, 0, 1, -0.25, 0.25), k.fore)
	case 2: // a disc with a smaller one in it
		s.disc(cx, cy, grow*0.78, k.fore, 1)
		put(sector(0.22, 0, 0.34, 0, 1), k.back)
	case 3: // a corner
		put([]ink.Point{{X: -1, Y: -1}, {X: 1, Y: -1}, {X: -1, Y: 1}}, k.fore)
	case 4: // two leaves
		put(sector(-1, -1, 1, 0, 0.25), k.fore)
		put(sector(1, 1, 1, 0.5, 0.75), k.fore)
	default: // bars
		for i := range 3 {
			y := -0.75 + 0.62*float64(i)
			put([]ink.Point{{X: -0.78, Y: y}, {X: 0.78, Y: y}, {X: 0.78, Y: y + 0.3}, {X: -0.78, Y: y + 0.3}}, k.fore)
		}
	}
}

// sector is a part of a disc as a line of points, in units of a tile's half.
func sector(cx, cy, r, from, to float64) []ink.Point {
	points := []ink.Point{{X: cx, Y: cy}}
	if to-from >= 1 {
		points = nil
	}
	for i := range 25 {
		a := lerp(from, to, float64(i)/24) * 2 * math.Pi
		points = append(points, ink.Point{X: cx + r*math.Cos(a), Y: cy + r*math.Sin(a)})
	}
	return points
}
