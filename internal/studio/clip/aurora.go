package clip

import (
	"math"

	"stele/internal/studio/ink"
	"stele/internal/studio/lettering"
)

// aurora is slow light of several colours, with the text at the left.
type aurora struct {
	script Script
	title  *title
	spots  []spot
}

// spot is a light and its way.
type spot struct {
	x, y, rx, ry, px, py, speed, size, strength float64
	colour                                      ink.Color
}

func newAurora(s Script) Scene {
	a := &aurora{script: s}
	w, h := float64(s.Width), float64(s.Height)
	margin := s.shorterSide() * 0.1
	a.title = newTitle(s, Box{margin, h * 0.16, w - 2*margin, h * 0.68}, Type{Face: lettering.Bold, Lines: 4 + s.Height/s.Width*2, Most: s.shorterSide() * 0.2})
	chance := s.chance(1)
	p := s.Palette
	colours := []ink.Color{p.Mid, p.Deep, p.Soft, p.Mid, p.Accent}
	if p.Light {
		colours[4] = p.Mid.Mix(p.Accent, 0.35)
	}
	for i, c := range colours {
		k := spot{
			x: 0.55 + 0.5*chance.Float64(), y: 0.15 + 0.75*chance.Float64(), rx: 0.12 + 0.2*chance.Float64(), ry: 0.1 + 0.18*chance.Float64(),
			px: chance.Float64(), py: chance.Float64(), speed: 0.05 + 0.05*chance.Float64(), size: 0.75 + 0.35*chance.Float64(), strength: 0.95, colour: c,
		}
		if i == 1 {
			k.x, k.size = 0.1+0.3*chance.Float64(), 1.1
		}
		if i == 4 { // the accent is a spark, not a flood
			k.size, k.strength, k.x = 0.5, 0.75, 0.8+0.2*chance.Float64()
		}
		a.spots = append(a.spots, k)
	}
	return a
}

func (a *aurora) Draw(s *Sheet, at float64) {
	p := a.script.Palette
	list := make([]blob, 0, len(a.spots)+1)
	for _, k := range a.spots {
		x, y := k.x+k.rx*turn(at*k.speed*1.7+k.px), k.y+k.ry*turn(at*k.speed*1.3+k.py)
		list = append(list, blob{x, y, k.size * (1 + 0.12*turn(at*k.speed+k.px)), k.strength, k.colour})
	}
	s.blobs(p.Back, list, a.quiet)
	a.drawRule(s, at)
	a.title.rise(s, at, p.Ink)
}

// quiet is how much of the light there is at a point: less behind the text.
func (a *aurora) quiet(x, y float64) float64 {
	return a.title.quiet(x*float64(a.script.Width), y*float64(a.script.Height), a.script.shorterSide()*0.65, 0.26)
}

// drawRule draws a short line over the text that grows with it.
func (a *aurora) drawRule(s *Sheet, at float64) {
	c, came, gone := a.title.at(at)
	if c == nil {
		return
	}
	thick := math.Max(2, a.script.shorterSide()*0.009)
	length := a.script.shorterSide() * 0.16 * easeOut(came*0.8) * (1 - easeIn(gone))
	y := c.Box.Y - c.Size*0.42 - thick
	s.bar(c.Box.X+c.Size*0.04, y, c.Box.X+c.Size*0.04+length, y+thick, a.script.Palette.Accent, 1)
}
